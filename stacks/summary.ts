import { join } from "node:path";

import { type TerraformStack } from "cdktf";

import { RECOMMENDED_VERSION } from "../lib/idp/releases";
import { type StateBackend } from "../lib/core/state-backend";

const LOCAL_STATE_WARNING = `warning: each state will be a file in its folder, and is lost with it; for anything but a trial, keep it in a bucket: STATE_BACKEND='{"gcs": {"bucket": "<your bucket>"}}' npm run synth\n`;

/** One line per synthesized stack with its folder and the next command; then a warning of a state in a file. */
export function summary(outputFolder: string, stacks: readonly TerraformStack[], backend: StateBackend): string {
  const isBucketMissing = backend.type === "gcs" && backend.arguments?.bucket === undefined;
  const init = isBucketMissing ? 'init -backend-config="bucket=<your bucket>"' : "init";
  const lines = stacks.map((stack) => {
    const folder = join(outputFolder, "stacks", stack.node.id);
    const hasRelease = stack.node.findAll().some(({ node }) => node.id === "application_version");
    const release = hasRelease ? ` -var application_version=${RECOMMENDED_VERSION}` : "";
    return `${folder}: terraform -chdir=${folder} ${init} && terraform -chdir=${folder} apply -var project_id=<your project>${release}\n`;
  });
  return [...lines, backend.type === "local" ? LOCAL_STATE_WARNING : ""].join("");
}
