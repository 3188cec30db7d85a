import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { hclFiles } from "../../../lib/core/hcl/hcl-files";
import { type HclBlocks, KNOWN_BLOCKS } from "../../../lib/core/hcl/stack-origin";
import { packageFile } from "../../../lib/core/package-file";
import { type Deployment } from "../deployment/deployment";

const CONFIGURATION = "cdk.tf.json";

/** Puts the folder's configuration in HCL into its place; returns what puts it back. */
export function toHcl({ folder }: Pick<Deployment, "folder">): () => void {
  const json = readFileSync(join(folder, CONFIGURATION), "utf8");
  const blocks = JSON.parse(readFileSync(packageFile(KNOWN_BLOCKS), "utf8")) as HclBlocks;
  const files = hclFiles(JSON.parse(json) as Record<string, unknown>, (type, name) => {
    return { path: name.split("_"), order: 0, blocks: blocks[type] ?? {} };
  });
  rmSync(join(folder, CONFIGURATION));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return () => {
    for (const name of Object.keys(files)) rmSync(join(folder, name));
    writeFileSync(join(folder, CONFIGURATION), json);
  };
}
