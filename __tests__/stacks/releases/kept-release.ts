import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

import { packageFile } from "../../../lib/core/package-file";

/** The folder of one stack as a release hands it over: the text of each file by its path. */
export type KeptFolder = Readonly<Record<string, string>>;

const ENDING = ".json.gz";

/** The release before the one in `package.json`, the only one that is kept. */
export function lastRelease(): string {
  const [version, ...others] = readdirSync(__dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  if (version === undefined || others.length > 0) throw new Error(`${__dirname} must hold exactly one release`);
  return version.name;
}

/** The folder of a stack in the last release; undefined for a stack that is newer. */
export function keptFolder(stack: string): KeptFolder | undefined {
  const file = join(__dirname, lastRelease(), `${stack}${ENDING}`);
  if (!existsSync(file)) return undefined;
  return JSON.parse(gunzipSync(readFileSync(file)).toString()) as KeptFolder;
}

/** Writes a kept folder to a place on the disk. */
export function unpack(folder: KeptFolder, place: string): void {
  for (const [path, text] of Object.entries(folder)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
  }
}

/** Keeps the folders of all stacks as those of the release in `package.json`, instead of the one before. */
export function keepRelease(stacksFolder: string): string {
  const { version } = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string };
  for (const entry of readdirSync(__dirname, { withFileTypes: true }))
    if (entry.isDirectory()) rmSync(join(__dirname, entry.name), { recursive: true });
  mkdirSync(join(__dirname, version));
  for (const stack of readdirSync(stacksFolder)) {
    const texts = JSON.stringify(filesOf(join(stacksFolder, stack)));
    writeFileSync(join(__dirname, version, `${stack}${ENDING}`), gzipSync(texts, { level: 9 }));
  }
  return version;
}

/** Files that an apply reads; pictures and pages say nothing to Terraform. */
function filesOf(folder: string): KeptFolder {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(folder, path)).isFile() && (path.includes("/") || path === "cdk.tf.json"))
    .sort();
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}
