import { join } from "node:path";

import { App } from "cdktf";

import { createStacks } from "../../stacks/all-stacks";
import { readTerraform, type DocumentedTerraform } from "./page-parts";
import { temporaryFolder } from "../support/temporary-folder";

/** Synthesizes every stack with its default settings; keyed by stack. */
export async function documentedStacks(): Promise<Record<string, DocumentedTerraform>> {
  const outdir = temporaryFolder();
  const app = new App({ outdir });
  const stacks = await createStacks(app, { backend: { type: "local" } });
  app.synth();
  return Object.fromEntries(
    stacks.map((stack) => [stack.node.id, readTerraform(join(outdir, "stacks", stack.node.id, "cdk.tf.json"))]),
  );
}
