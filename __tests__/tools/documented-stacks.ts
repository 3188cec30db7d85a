import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { App } from "cdktf";

import { createStacks } from "../../stacks/all-stacks";
import { temporaryFolder } from "../support/temporary-folder";
import { type DocumentedTerraform } from "./page-tables";

/** Synthesizes every stack with its default settings; gives the folder of their folders. */
export async function synthesizedStacks(): Promise<string> {
  const outdir = temporaryFolder();
  const app = new App({ outdir });
  await createStacks(app, { backend: { type: "local" } });
  app.synth();
  return join(outdir, "stacks");
}

/** The configurations of synthesized stacks, by stack. */
export function documentedTerraform(folders: string): Record<string, DocumentedTerraform> {
  const textOf = (stack: string) => readFileSync(join(folders, stack, "cdk.tf.json"), "utf8");
  return Object.fromEntries(
    readdirSync(folders).map((stack) => [stack, JSON.parse(textOf(stack)) as DocumentedTerraform]),
  );
}
