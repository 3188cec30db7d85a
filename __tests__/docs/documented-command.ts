import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import { parseStateBackend } from "../../lib/core/state-backend";
import { DB_INIT_JOB } from "../../lib/idp/contract";
import { installedPackages } from "../tools/install-commands";
import { LOG_COMMANDS } from "../tools/monitoring-parts";
import { type DocumentedTerraform } from "../tools/page-parts";
import { isStopOrStart } from "./stop-commands";

/** What the project really offers, for judging what its pages say. */
export interface Offer {
  /** Folders into which a page copies the folder of a stack, with that stack. */
  readonly copies: ReadonlyMap<string, string>;

  /** Commands of `package.json` by the name of the script. */
  readonly scripts: Readonly<Record<string, string>>;
  readonly stacks: Readonly<Record<string, DocumentedTerraform>>;
}

/** Where stacks are synthesized, by default and for handing over. */
const OUTPUT_FOLDERS = /^(?:cdktf\.out|handed-over)\/stacks\//;

const SYNTHESIS_SETTINGS = ["CDKTF_OUTDIR", "STATE_BACKEND"];

/** Verbs of a command line, and what may follow them. */
type Verbs = Readonly<Record<string, "nothing" | "inputs" | "migration" | "output">>;

const TERRAFORM_VERBS: Verbs = {
  init: "migration",
  plan: "inputs",
  apply: "inputs",
  destroy: "inputs",
  output: "output",
};

const CDKTF_VERBS: Verbs = { list: "nothing", synth: "nothing", diff: "inputs", deploy: "inputs", destroy: "inputs" };

/** What Terraform takes as the text of an input; other types are given in files. */
const INPUT_VALUES: Readonly<Record<string, RegExp>> = {
  bool: /^(?:true|false)$/,
  number: /^-?\d+(?:\.\d+)?$/,
  string: /./,
};

export function offeredScripts(): Record<string, string> {
  const text = readFileSync(packageFile("package.json"), "utf8");
  return (JSON.parse(text) as { scripts: Record<string, string> }).scripts;
}

/** The folders that the commands of a page make out of the folder of a stack. */
export function copiesOf(commands: readonly string[]): Map<string, string> {
  const copies = commands.map((command) => /^cp -r (\S+) (\S+)$/.exec(command));
  return new Map(copies.flatMap((copy) => (copy === null ? [] : [[copy[2] ?? "", stackNameOf(copy[1] ?? "")]])));
}

/** What is untrue about a documented command, or undefined when the project offers exactly that. */
export function untruth(command: string, offer: Offer): string | undefined {
  const steps = command.split(" && ");
  if (steps.length > 1) return steps.map((step) => untruth(step, offer)).find((found) => found !== undefined);
  const words = wordsOf(command);
  const start = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const [program, ...rest] = words.slice(start);
  const settings = words.slice(0, start).map((word) => /^([A-Z_]+)=(.*)$/s.exec(word)?.slice(1) ?? []);
  const unread = program === "sh" || rest.includes("synth") ? [] : settings;
  if (unread.length > 0) return `${program} does not read ${String(unread[0]?.[0])}`;
  switch (program) {
    case "npm":
      return npmUntruth(rest, settings, offer);
    case "npx":
      return rest[0] === "jest" ? jestUntruth(rest.slice(1)) : cdktfUntruth(rest, offer);
    case "terraform":
      return terraformUntruth(rest, offer);
    case "cp":
      return copyUntruth(rest, offer);
    case "gcloud":
      return gcloudUntruth(rest, offer);
    case "kubectl":
      return isStopOrStart(words.join(" ")) ? undefined : `kubectl ${rest.join(" ")} is not known`;
    case "eval": {
      // An output that is a command.
      const inner = /^\$\((.*)\)$/.exec(rest.join(" "))?.[1];
      return inner === undefined ? "only an output is evaluated" : untruth(inner, offer);
    }
    case "sh":
      return scriptUntruth(rest, settings);
    default:
      return `${program} is not a command that a reader has`;
  }
}

/** The words of a command as a shell parts them, without their quotes. */
function wordsOf(command: string): string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));
}

type Settings = readonly (readonly string[])[];

function npmUntruth(words: readonly string[], settings: Settings, { scripts, stacks }: Offer): string | undefined {
  if (words.join(" ") === "ci")
    return existsSync(packageFile("package-lock.json")) ? undefined : "there is no lock file";
  const [verb, ...others] = words;
  if (verb === "pack") return others.length === 0 ? undefined : `npm pack takes nothing, not ${String(others[0])}`;
  if (verb === "install") return installUntruth(others);
  if (verb !== "run" && verb !== "test") return `npm ${String(verb)} is not used here`;
  const told = others.filter((word, index) => index > 0 || word !== "--silent");
  const [name = "", separator, ...options] = verb === "run" ? told : [verb, ...told];
  if (!(name in scripts)) return `package.json has no script ${name}`;
  if (separator !== undefined && separator !== "--") return `npm keeps ${separator} from the script; "--" comes before`;
  if (name === "synth") return synthesisUntruth(options, settings, stacks);
  // Both take folders of somebody else's.
  if (name === "rehearse" || name === "rehearse:schemas") return rehearsalUntruth(options, scripts[name] ?? "");
  const [unknown] = options.filter((option) => name !== "test" || option !== "-u");
  return unknown === undefined ? undefined : `${name} takes no ${unknown}`;
}

function installUntruth(packages: readonly string[]): string | undefined {
  if (packages.length === 0) return "npm install names no package; npm ci takes the lock file";
  const known = wordsOf(installedPackages().join(" "));
  const [unknown] = packages.filter((each) => !known.includes(each));
  return unknown === undefined ? undefined : `${unknown} is neither the library nor a peer of it`;
}

function synthesisUntruth(names: readonly string[], settings: Settings, stacks: Offer["stacks"]): string | undefined {
  const [unread] = settings.filter(([setting = ""]) => !SYNTHESIS_SETTINGS.includes(setting));
  if (unread !== undefined) return `the synthesis does not read ${String(unread[0])}`;
  for (const [setting, value] of settings) {
    try {
      if (setting === "STATE_BACKEND") parseStateBackend(setting, value);
    } catch (error) {
      return (error as Error).message;
    }
  }
  return unknownOf(names, stacks, "stack");
}

function rehearsalUntruth(options: readonly string[], script: string): string | undefined {
  const program = readFileSync(packageFile(/\S+\.ts$/.exec(script)?.[0] ?? ""), "utf8");
  const [unknown] = options.filter(
    (option) => option.startsWith("--") && !new RegExp(`^ +"?${option.slice(2)}"?: \\{ type: `, "m").test(program),
  );
  return unknown === undefined ? undefined : `the rehearsal has no option ${unknown}`;
}

const LISTS_AND_COPIES = [
  "beta monitoring channels list --project=my-project --format=table(name, displayName, type)",
  "storage rsync --recursive gs://bkt-idpdemo-1a2b3c-storage gs://bkt-idp2demo-1a2b3c-storage",
];

function gcloudUntruth(words: readonly string[], { stacks }: Offer): string | undefined {
  const command = words.join(" ");
  if (isStopOrStart(`gcloud ${command}`)) return undefined;
  if (LOG_COMMANDS.some((known) => wordsOf(known.command).slice(1).join(" ") === command)) return undefined;
  if (command.startsWith('logging read resource.type="http_load_balancer"')) return requestLogUntruth(command);
  const certificate = /^(\S+ \S+ describe) \S+((?: --global)?) --project=\S+ --format=\w+\(managed[.\w]*\)$/.exec(
    command,
  );
  if (certificate !== null) {
    const [, start = "", end = ""] = certificate;
    const shown = Object.values(stacks).map(({ output }) => JSON.stringify(output.domain_next_steps ?? ""));
    const isShown = shown.some((steps) => steps.includes(`gcloud ${start} `) && steps.includes(`${end} --project=`));
    return isShown ? undefined : `domain_next_steps has no gcloud ${start}${end}`;
  }
  const secret = /^secrets create (\S+) --data-file=\S+ --project=\S+$/.exec(command)?.[1];
  if (secret !== undefined) return secretUntruth(secret);
  const left = /^compute forwarding-rules list --project=\S+ --filter=name~(\S+)- OR description~(\S+)$/.exec(command);
  if (left !== null) {
    const { namespace, application_name: application } = stacks["idp-kubernetes"]?.variable ?? {};
    const names = [namespace, application].map((input) => String(input?.default));
    const isFound = left[1] === names.join("-") && left[2] === names.join("/");
    return isFound ? undefined : `an ingress is not called ${left[1] ?? ""} with the defaults`;
  }
  if (["auth login", "auth application-default login", ...LISTS_AND_COPIES].includes(command)) return undefined;
  const container = /^logging read .*\blabels\.container_name="?([^" ]+)"? --project=\S+ --freshness=\w+$/.exec(
    command,
  )?.[1];
  if (container === undefined) return `gcloud ${command} is not known`;
  return container === DB_INIT_JOB ? undefined : `no container is called ${container}`;
}

/** A secret is shown to be made for an input that is shown beside it. */
function secretUntruth(name: string): string | undefined {
  const page = readFileSync(packageFile("stacks/identity-provider.md"), "utf8");
  return page.includes(`secret_id = "${name}"`) ? undefined : `no input is shown with the secret ${name}`;
}

/** What a policy did with a request, and what its rules in preview would have done, as the load balancer logs it. */
const POLICY_ENTRIES = ["enforcedSecurityPolicy", "previewSecurityPolicy"];
const POLICY_FIELDS = ["name", "outcome", "priority"];

function requestLogUntruth(command: string): string | undefined {
  const [, filter = "", columns = ""] =
    /^logging read (.+) --project=\S+ --freshness=\w+ --format=table\(([\w., ]+)\)$/.exec(command) ?? [];
  const fields = [...`${filter} ${columns}`.matchAll(/jsonPayload\.(\w+)\.(\w+)/g)];
  const [entry] = fields.map(([, name = ""]) => name);
  if (entry === undefined) return "the log is not read for what a policy did";
  const [unknown] = fields.filter(
    ([, name = "", field = ""]) => name !== entry || !POLICY_ENTRIES.includes(name) || !POLICY_FIELDS.includes(field),
  );
  return unknown === undefined ? undefined : `the log of the load balancer has no ${unknown[0]} there`;
}

function jestUntruth(words: readonly string[]): string | undefined {
  const exhaustive = ["--testPathIgnorePatterns", "/node_modules/", "--"];
  const paths = exhaustive.every((word, index) => words[index] === word) ? words.slice(exhaustive.length) : words;
  const [missing] = paths.filter((path) => !existsSync(packageFile(path)));
  return missing === undefined ? undefined : `there is no ${missing}`;
}

function cdktfUntruth([cli, verb = "", ...rest]: readonly string[], { stacks }: Offer): string | undefined {
  if (cli !== "cdktf-cli@0.21") return `the framework's command line is cdktf-cli@0.21, not ${String(cli)}`;
  const takes = CDKTF_VERBS[verb];
  if (takes === undefined) return `cdktf ${verb} is not used here`;
  if (takes === "nothing") return rest.length === 0 ? undefined : `cdktf ${verb} takes no ${String(rest[0])}`;
  const [stackName = "", ...options] = rest;
  const stack = stacks[stackName];
  if (stack === undefined) return `there is no stack ${stackName}`;
  // Its defaults and its questions are Terraform's: what is not given on the line is asked for.
  return unknownOption(
    options.map((option) => option.replace(/^--/, "-")),
    stack,
  );
}

/** A script of a handed-over folder, with settings and options that it reads. */
function scriptUntruth([given = "", ...options]: readonly string[], settings: Settings): string | undefined {
  const path = given.replace(/^cdktf\.out\/stacks\/[^/]+\//, "");
  const file = ["core", "idp", "lab"]
    .map((layer) => packageFile(join("lib", layer, path)))
    .find((candidate) => existsSync(candidate));
  if (file === undefined) return `no folder has ${path}`;
  const text = readFileSync(file, "utf8");
  const libraries = [...text.matchAll(/^\. "\$(?:scripts|folder)\/([\w-]+\.sh)"$/gm)].map(([, name = ""]) =>
    readFileSync(join(dirname(file), name), "utf8"),
  );
  const all = [text, ...libraries].join("\n");
  const [unread] = settings.filter(([name = ""]) => !new RegExp(`\\$\\{?${name}\\b`).test(all));
  if (unread !== undefined) return `${path} does not read ${String(unread[0])}`;
  // What follows a command of the script is its subject.
  const judged = options.filter((option, index) => option.startsWith("--") || index === 0);
  const [unknown] = judged.filter(
    (option) => !new RegExp(`^ *(?:[\\w-]+ \\| )?${option}(?: \\| [\\w-]+)?\\)`, "m").test(text),
  );
  return unknown === undefined ? undefined : `${path} has no option ${unknown}`;
}

function copyUntruth([option, source = "", target]: readonly string[], { copies, stacks }: Offer): string | undefined {
  if (option !== "-r" || target === undefined) return "a folder is copied by cp -r SOURCE TARGET";
  return stackNameOf(source) in stacks && copies.has(target) ? undefined : `${source} is not the folder of a stack`;
}

function terraformUntruth([option = "", verb = "", ...rest]: readonly string[], offer: Offer): string | undefined {
  const folder = /^-chdir=(.*)$/.exec(option)?.[1] ?? "";
  const stack = offer.stacks[offer.copies.get(folder) ?? stackNameOf(folder)];
  if (stack === undefined) return `${folder} is not the folder of a stack`;
  const takes = TERRAFORM_VERBS[verb];
  if (takes === undefined) return `terraform ${verb} is not used here`;
  if (takes === "migration") {
    const [unknown] = rest.filter((option) => !/^-(migrate-state|backend-config=prefix=.+)$/.test(option));
    return unknown === undefined ? undefined : `terraform ${verb} takes no ${unknown}`;
  }
  if (takes === "output") {
    return unknownOf(
      rest.filter((word) => word !== "-raw"),
      stack.output,
      "output",
    );
  }
  // The value of -var is a word of its own.
  const options = rest.flatMap((word, index) =>
    word === "-var" ? [`-var=${rest[index + 1] ?? ""}`] : rest[index - 1] === "-var" ? [] : [word],
  );
  return unknownOption(options, stack) ?? missingInput(options, stack);
}

function missingInput(options: readonly string[], { variable }: DocumentedTerraform): string | undefined {
  if (options.some((option) => option.startsWith("-var-file="))) return undefined;
  const [missing] = Object.entries(variable)
    .filter(([name, input]) => !("default" in input) && !options.some((option) => option.startsWith(`-var=${name}=`)))
    .map(([name]) => name);
  return missing === undefined ? undefined : `the required input ${missing} is not given`;
}

/** Judges options in the spelling of Terraform. */
function unknownOption(options: readonly string[], stack: DocumentedTerraform): string | undefined {
  return options.map((option) => optionUntruth(option, stack)).find((untrue) => untrue !== undefined);
}

function optionUntruth(option: string, { resource = {}, variable }: DocumentedTerraform): string | undefined {
  const [, kind, value = ""] = /^-([a-z-]+)=(.*)$/s.exec(option) ?? [];
  switch (kind) {
    case "var": {
      const [, name = "", text = ""] = /^(\w+)=(.*)$/s.exec(value) ?? [];
      const input = variable[name];
      if (input === undefined) return `the stack has no input ${name}`;
      return INPUT_VALUES[input.type]?.test(text) === true ? undefined : `${text} is no ${input.type} for ${name}`;
    }
    case "var-file":
      // Terraform runs in the folder of the stack, and so does what a relative path is looked for in.
      return /^\$PWD\/[\w.-]+\.tfvars$/.test(value)
        ? undefined
        : `${value} is not a file of inputs with its whole path`;
    case "replace":
    case "target": {
      const [type = "", name = ""] = value.replace(/\[.*\]$/, "").split(".");
      return resource[type]?.[name] === undefined ? `the stack has no resource ${value}` : undefined;
    }
    default:
      if (["-detailed-exitcode", "-lock=false"].includes(option)) return undefined;
      return `the option ${option} is not used here`;
  }
}

function unknownOf(names: readonly string[], known: object, kind: string): string | undefined {
  const [unknown] = names.filter((name) => !Object.hasOwn(known, name));
  return unknown === undefined ? undefined : `there is no ${kind} ${unknown}`;
}

function stackNameOf(folder: string): string {
  return OUTPUT_FOLDERS.test(folder) ? folder.replace(OUTPUT_FOLDERS, "") : "";
}
