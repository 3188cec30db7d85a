import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../lib/core/package-file";
import { billOfFolder, billOfImage } from "./bill-of-materials";

/** Writes the bills of materials of a release: `write-bills.ts <folder of folders> <target> <version>`. */
async function writeBills([, , folders = "", target = "", version = ""]: readonly string[]): Promise<void> {
  const write = (name: string, bill: string) => {
    writeFileSync(join(target, `${name}.cdx.json`), bill);
  };
  for (const entry of readdirSync(folders, { withFileTypes: true }).filter((each) => each.isDirectory()))
    if (entry.name.endsWith(`-${version}`)) write(entry.name, await billOfFolder(join(folders, entry.name)));
  write(`image-${version}`, billOfImage(packageFile("image"), `image-${version}`));
}

void writeBills(process.argv);
