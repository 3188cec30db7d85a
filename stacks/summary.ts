import { join } from "node:path";

import { type TerraformStack } from "cdktf";

import { declaredInputs } from "../lib/core/inputs";
import { LATEST_VERSION } from "../lib/idp/contract";
import { RECOMMENDED_VERSION } from "../lib/idp/releases";
import { type StateBackend } from "../lib/core/state-backend";

const LOCAL_STATE_WARNING = [
  "warning: each state will be a file in its folder, and is lost with it; for anything but a trial,",
  `keep it in a bucket: STATE_BACKEND='{"gcs": {"bucket": "<your bucket>"}}' npm run synth\n`,
].join(" ");

/** One line per synthesized stack with its folder and the next command; then a warning of a state in a file. */
export function summary(outputFolder: string, stacks: readonly TerraformStack[], backend: StateBackend): string {
  const isBucketMissing = backend.type === "gcs" && backend.arguments?.bucket === undefined;
  const init = isBucketMissing ? 'init -backend-config="bucket=<your bucket>"' : "init";
  const lines = stacks.map((stack) => {
    const folder = join(outputFolder, "stacks", stack.node.id);
    const { applicationVersion: release, projectId: project } = declaredInputs(stack);
    const variables = [
      ...(project !== undefined && "default" in project ? [] : [" -var project_id=<your project>"]),
      // Settings of a deployment say which one it has.
      ...(release?.default === LATEST_VERSION ? [` -var application_version=${RECOMMENDED_VERSION}`] : []),
    ];
    return `${folder}: terraform -chdir=${folder} ${init} && terraform -chdir=${folder} apply${variables.join("")}\n`;
  });
  return [...lines, backend.type === "local" ? LOCAL_STATE_WARNING : ""].join("");
}
