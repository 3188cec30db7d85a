import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { type TerraformStack } from "cdktf";

import { type StateBackend } from "../lib/core/state-backend";
import { plannedResources, type CountedConfiguration } from "./planned-resources";

/** Required arguments of each backend, with their placeholders in a command. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  gcs: { bucket: "<your bucket>" },
  s3: { bucket: "<your bucket>", region: "<its region>" },
  http: { address: "<its address>" },
  remote: { organization: "<your organization>" },
};

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
  const first = backend.type === "none" ? `add a backend file to ${folder}, then ` : "";
  const init = ["init", ...initOptions(folder, backend)].join(" ");
  return `${folder}: ${plannedResources(configuration)} resources with the defaults; next: ${first}terraform -chdir=${folder} ${init} && terraform -chdir=${folder} apply -var project_id=<your project>\n`;
}

function initOptions(folder: string, backend: StateBackend): string[] {
  const given = "arguments" in backend ? backend.arguments : undefined;
  const missing = Object.entries(NEEDED[backend.type] ?? {}).filter(([name]) => !(name in (given ?? {})));
  return [
    ...missing.map(([name, value]) => `-backend-config="${name}=${value}"`),
    ...(isElsewhere(folder, backend) ? ["-migrate-state"] : []),
  ];
}

/** The backend that the folder was initialized with, which holds its state. */
function backendOf(folder: string): string | undefined {
  const record = join(folder, ".terraform", "terraform.tfstate");
  if (!existsSync(record)) return undefined;
  return (JSON.parse(readFileSync(record, "utf8")) as { backend?: { type?: string } }).backend?.type;
}

/** Whether the state is in another backend. With `none`, the user's own backend file decides. */
function isElsewhere(folder: string, { type }: StateBackend): boolean {
  const before = backendOf(folder);
  return type !== "none" && before !== undefined && before !== type;
}

function stateElsewhere(folder: string, backend: StateBackend): string {
  if (!isElsewhere(folder, backend)) return "";
  return `warning: the state of ${folder} is in the backend ${backendOf(folder)}, and the folder now names ${backend.type}; synthesize with the former STATE_BACKEND, or move the state with init -migrate-state\n`;
}
