import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { type TerraformStack } from "cdktf";

import { type StateBackend } from "../lib/core/state-backend";
import { plannedResources, type CountedConfiguration } from "./planned-resources";

const LOCAL_STATE_WARNING = `warning: each state will be a file in its folder, and is lost with it; for anything but a trial, keep it in a bucket: STATE_BACKEND='{"gcs": {"bucket": "<your bucket>"}}' npm run synth\n`;

/** One line per synthesized stack with its folder, the number of resources and the next command; then warnings. */
export function summary(outputFolder: string, stacks: readonly TerraformStack[], backend: StateBackend): string {
  const folders = stacks.map((stack) => join(outputFolder, "stacks", stack.node.id));
  return [
    ...folders.map((folder) => line(folder, backend)),
    ...folders.map((folder) => stateElsewhere(folder, backend)),
    backend.type === "local" ? LOCAL_STATE_WARNING : "",
  ].join("");
}

function line(folder: string, backend: StateBackend): string {
  const configuration = JSON.parse(readFileSync(join(folder, "cdk.tf.json"), "utf8")) as CountedConfiguration;
  const init = ["init", ...initOptions(folder, backend)].join(" ");
  return `${folder}: ${plannedResources(configuration)} resources with the defaults; next: terraform -chdir=${folder} ${init} && terraform -chdir=${folder} apply -var project_id=<your project>\n`;
}

function initOptions(folder: string, backend: StateBackend): string[] {
  const isBucketGiven = backend.type !== "gcs" || backend.arguments?.bucket !== undefined;
  return [
    ...(isBucketGiven ? [] : ['-backend-config="bucket=<your bucket>"']),
    ...(isElsewhere(folder, backend) ? ["-migrate-state"] : []),
  ];
}

/** The backend that the folder was initialized with, which holds its state. */
function backendOf(folder: string): string | undefined {
  const record = join(folder, ".terraform", "terraform.tfstate");
  if (!existsSync(record)) return undefined;
  return (JSON.parse(readFileSync(record, "utf8")) as { backend?: { type?: string } }).backend?.type;
}

/** Whether the state is in another backend. With an override, that one decides. */
function isElsewhere(folder: string, { type }: StateBackend): boolean {
  const before = backendOf(folder);
  const isOverridden = ["backend_override.tf", "backend_override.tf.json"].some((file) =>
    existsSync(join(folder, file)),
  );
  return !isOverridden && before !== undefined && before !== type;
}

function stateElsewhere(folder: string, backend: StateBackend): string {
  if (!isElsewhere(folder, backend)) return "";
  return `warning: the state of ${folder} is in the backend ${backendOf(folder)}, and the folder now names ${backend.type}; synthesize with the former STATE_BACKEND, or move the state with init -migrate-state\n`;
}
