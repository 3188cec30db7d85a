import { win32 } from "node:path";

import { TerraformBackend, Token, type TerraformRemoteState } from "cdktf";
import { type Construct } from "constructs";

import { RulesBrokenError } from "./rules";

/**
 * Where a stack keeps its state.
 *
 * `local`: a file, by a path relative to the synthesized folder. `none`: the recipient of the folder adds a backend
 * file. Everything else is a Terraform backend with its usual name and arguments; arguments that are left out can be
 * passed to `terraform init -backend-config=…`.
 */
export type StateBackend =
  | { readonly type: "none" }
  | { readonly type: "local"; readonly path?: string }
  | {
      readonly type: "cloud" | "gcs" | "http" | "remote" | "s3";
      readonly arguments?: Readonly<Record<string, unknown>>;
    };

const BACKEND_TYPES = ["local", "none", "gcs", "s3", "http", "remote", "cloud"] as const;

/** Placeholder for the stack's name in any argument, so that one setting serves all stacks. */
const STACK_PLACEHOLDER = "{stack}";

/** Default arguments that keep the states of several stacks apart. */
const DEFAULT_ARGUMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  local: { path: "terraform.tfstate" },
  gcs: { prefix: STACK_PLACEHOLDER },
  s3: { key: `${STACK_PLACEHOLDER}.tfstate` },
};

/**
 * Parses the setting that selects the backend of all stacks.
 *
 * @param setting a bare name such as `gcs`, or JSON such as `{"gcs": {"bucket": "states"}}`; empty means `local`
 * @throws RulesBrokenError if it is neither, or names an unsupported backend
 */
export function parseStateBackend(settingName: string, setting: string | undefined): StateBackend {
  const text = setting?.trim() ?? "";
  if (text === "") return { type: "local" };
  const [type, given] = text.startsWith("{") ? singleEntry(settingName, text) : [text, {}];
  switch (type) {
    case "none":
      if (Object.keys(given).length === 0) return { type };
      throw new RulesBrokenError(settingName, [
        `none has the arguments ${Object.keys(given).join(", ")}; it takes none, because no backend block is written; remove them, or name the backend that they belong to`,
      ]);
    case "local": {
      const { path, ...others } = given;
      const isText = path === undefined || typeof path === "string";
      if (isText && Object.keys(others).length === 0) return { type, path };
      throw new RulesBrokenError(settingName, [
        `local has the arguments ${Object.keys(given).join(", ")}; its only argument is path, a string; use for example {"local": {"path": "${STACK_PLACEHOLDER}.tfstate"}}`,
      ]);
    }
    case "gcs":
    case "s3":
    case "http":
    case "remote":
    case "cloud":
      return { type, arguments: given };
    default:
      throw new RulesBrokenError(settingName, [
        `the backend is "${type}"; it must be one of ${BACKEND_TYPES.join(", ")}, because only these are supported; choose one, or use "none" and add a backend file to the synthesized folder`,
      ]);
  }
}

/** The argument that says which state is meant, in each backend where several stacks could share one. */
const STATE_NAMES: Readonly<Record<string, readonly string[]>> = {
  gcs: ["prefix"],
  s3: ["key"],
  http: ["address"],
  remote: ["workspaces", "name"],
  cloud: ["workspaces", "name"],
};

/**
 * Fails if several stacks would share one state; what is left for `terraform init` cannot be judged.
 *
 * @throws RulesBrokenError that names the argument, not its value
 */
export function requireStatesApart(settingName: string, backend: StateBackend, stackNames: readonly string[]): void {
  if (backend.type === "none" || backend.type === "local" || stackNames.length < 2) return;
  const path = STATE_NAMES[backend.type] ?? [];
  const name = path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), backend.arguments);
  if (typeof name !== "string" || JSON.stringify(backend.arguments).includes(STACK_PLACEHOLDER)) return;
  throw new RulesBrokenError(settingName, [
    `${path.join(".")} of ${backend.type} is the same for ${stackNames.join(", ")}; it must contain ${STACK_PLACEHOLDER}, because with one state for all stacks, applying the second would destroy the first; add it, or synthesize one stack by its name`,
  ]);
}

/** The message never shows the setting itself, because backend arguments may be secret. */
function singleEntry(settingName: string, text: string): [string, Record<string, unknown>] {
  const entries = parsedEntries(text);
  const [entry] = entries ?? [];
  if (entries?.length === 1 && entry !== undefined && isObject(entry[1])) return [entry[0], entry[1]];
  throw new RulesBrokenError(settingName, [
    `the value ${whatIsWrong(entries)}; it must be the name of one backend or a JSON object with that name as its only key and an object of arguments, because Terraform allows one backend; use for example {"gcs": {"bucket": "my-states"}}`,
  ]);
}

function whatIsWrong(entries: readonly [string, unknown][] | undefined): string {
  if (entries === undefined) return "is not valid JSON";
  const names = entries.map(([name]) => name).join(", ");
  if (entries.length === 0) return "has no key";
  return entries.length === 1 ? `has something other than an object under ${names}` : `has the keys ${names}`;
}

function parsedEntries(text: string): [string, unknown][] | undefined {
  try {
    return Object.entries(JSON.parse(text) as Record<string, unknown>);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Problems with the path of a local state. */
export function localPathProblems(path: unknown): string[] {
  // The Windows check covers a leading slash as well.
  if (typeof path !== "string" || Token.isUnresolved(path) || !win32.isAbsolute(path)) return [];
  return [
    `the local path of the state is ${path}; it must be relative, because the folder is applied on other machines; use for example terraform.tfstate`,
  ];
}

/** The backend block of a stack. */
export class StackBackend extends TerraformBackend {
  constructor(
    scope: Construct,
    id: string,
    private readonly backend: StateBackend,
  ) {
    super(scope, id, backend.type === "none" ? "local" : backend.type);
  }

  override toTerraform(): unknown {
    const { type } = this.backend;
    if (type === "none") return {};
    const blockArguments = this.synthesizeAttributes();
    return { terraform: type === "cloud" ? { cloud: blockArguments } : { backend: { [type]: blockArguments } } };
  }

  /** The CDKTF CLI reads from here whether the state is remote. */
  override toMetadata(): unknown {
    return this.backend.type === "cloud" ? { backend: "cloud", cloud: "tfc" } : { backend: this.name };
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    const { backend } = this;
    const given = backend.type === "none" ? {} : backend.type === "local" ? pathOnly(backend.path) : backend.arguments;
    const all = { ...DEFAULT_ARGUMENTS[backend.type], ...given };
    const stackName = this.cdktfStack.node.id;
    return replaced(all, (text) => text.replaceAll(STACK_PLACEHOLDER, stackName)) as Record<string, unknown>;
  }

  override getRemoteStateDataSource(): TerraformRemoteState {
    throw new RulesBrokenError(this.cdktfStack.node.path, [
      "another stack refers to a value of this one; it must not, because each synthesized folder is applied alone and such a reference would read this stack's state; pass the value as an input instead",
    ]);
  }
}

function pathOnly(path: string | undefined): Record<string, string> {
  return path === undefined ? {} : { path };
}

function replaced(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === "string") return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaced(item, replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item, replace)]));
}
