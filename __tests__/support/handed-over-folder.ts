import { cpSync } from "node:fs";
import { join } from "node:path";

import { App } from "cdktf";

import { IdpServerlessStack } from "../../stacks/idp-serverless";
import { synthesizeInto } from "./synthesis";
import { temporaryFolder } from "./temporary-folder";

/** An empty folder, and in it the folder of the serverless stack in HCL, as a team gets it. */
export function besideHandedOverFolder(): string {
  const root = temporaryFolder();
  const app = new App({ outdir: temporaryFolder(), hclOutput: true });
  const { path } = synthesizeInto(App.of(new IdpServerlessStack(app, "idp-serverless")), "idp-serverless");
  cpSync(path, join(root, "idp-serverless"), { recursive: true });
  return root;
}
