import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { DB_INIT_JOB } from "../../lib/idp/contract";
import { type DocumentedTerraform } from "../tools/readme-tables";

/** Folder of the repository. */
export const REPOSITORY = join(__dirname, "../..");

/** What the project really offers, for judging what its pages say. */
export interface Offer {
  /** Scripts of `package.json`. */
  readonly scripts: readonly string[];
  readonly stacks: Readonly<Record<string, DocumentedTerraform>>;
}

/** Where stacks are synthesized, by default and for handing over. */
const OUTPUT_FOLDERS = /^(?:cdktf\.out|handed-over)\/stacks\//;

const TERRAFORM_SUBCOMMANDS = ["init", "plan", "apply", "output", "destroy"];

const CDKTF_SUBCOMMANDS = ["list", "synth", "diff", "deploy", "destroy"];

export function offeredScripts(): string[] {
  const text = readFileSync(join(REPOSITORY, "package.json"), "utf8");
  return Object.keys((JSON.parse(text) as { scripts: Record<string, string> }).scripts);
}

/** What is untrue about a documented command, or undefined when the project offers exactly that. */
export function untruth(command: string, offer: Offer): string | undefined {
  const words = command.replace(/^(?:[A-Z_]+=(?:'[^']*'|\S+) +)*/, "").split(/ +/);
  const [program, ...rest] = words;
  switch (program) {
    case "npm":
      return npmUntruth(rest, offer);
    case "npx":
      return cdktfUntruth(rest, offer);
    case "terraform":
      return terraformUntruth(rest, offer);
    case "cp":
      return unknownStack(rest[1] ?? "", offer);
    case "gcloud":
      return gcloudUntruth(rest.join(" "));
    case "sh":
      return scriptUntruth(rest[0] ?? "", command);
    default:
      return `${String(program)} is not a command that a reader has`;
  }
}

function npmUntruth([verb, script]: readonly string[], { scripts }: Offer): string | undefined {
  if (verb === "ci") return existsSync(join(REPOSITORY, "package-lock.json")) ? undefined : "there is no lock file";
  const name = verb === "run" ? script : verb;
  return scripts.includes(name ?? "") ? undefined : `package.json has no script ${String(name)}`;
}

function gcloudUntruth(command: string): string | undefined {
  if (command === "auth application-default login") return undefined;
  const container = /^logging read '.*\blabels\.container_name="([^"]+)"' --project=\S+ --freshness=\w+$/.exec(
    command,
  )?.[1];
  if (container === undefined) return `gcloud ${command} is not known`;
  return container === DB_INIT_JOB ? undefined : `no container is called ${container}`;
}

function cdktfUntruth([cli, verb, stack]: readonly string[], { stacks }: Offer): string | undefined {
  if (cli !== "cdktf-cli@0.21") return `the framework's command line is cdktf-cli@0.21, not ${String(cli)}`;
  if (!CDKTF_SUBCOMMANDS.includes(verb ?? "")) return `cdktf has no ${String(verb)} here`;
  return stack === undefined || stack in stacks ? undefined : `there is no stack ${stack}`;
}

/** A script of a handed-over folder, with settings that it reads. */
function scriptUntruth(path: string, command: string): string | undefined {
  const file = ["core", "idp", "lab"]
    .map((layer) => join(REPOSITORY, "lib", layer, path))
    .find((candidate) => existsSync(candidate));
  if (file === undefined) return `no folder has ${path}`;
  const text = readFileSync(file, "utf8");
  const [unread] = [...command.matchAll(/\b([A-Z_]+)=/g)].filter(
    ([, name = ""]) => !new RegExp(`\\$\\{?${name}\\b`).test(text),
  );
  return unread === undefined ? undefined : `${path} does not read ${unread[1] ?? ""}`;
}

function terraformUntruth([folder, verb, ...options]: readonly string[], offer: Offer): string | undefined {
  const target = /^-chdir=(.*)$/.exec(folder ?? "")?.[1] ?? "";
  const wrongFolder = target.startsWith("../") ? undefined : unknownStack(target, offer);
  if (wrongFolder !== undefined) return wrongFolder;
  if (!TERRAFORM_SUBCOMMANDS.includes(verb ?? "")) return `terraform ${String(verb)} is not used here`;
  const terraforms = Object.values(offer.stacks);
  const variable = /-var (\w+)=/.exec(options.join(" "))?.[1];
  if (variable !== undefined && !terraforms.some((terraform) => variable in terraform.variable)) {
    return `no stack has an input ${variable}`;
  }
  const [output] = verb === "output" ? options : [];
  if (output !== undefined && !terraforms.some((terraform) => output in terraform.output)) {
    return `no stack has an output ${output}`;
  }
  return undefined;
}

function unknownStack(folder: string, { stacks }: Offer): string | undefined {
  return folder.replace(OUTPUT_FOLDERS, "") in stacks ? undefined : `${folder} is not the folder of a stack`;
}
