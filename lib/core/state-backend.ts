import { win32 } from "node:path";

import { TerraformBackend, type TerraformRemoteState, type TerraformStack, Token } from "cdktf";
import { type Construct } from "constructs";

import { nearest } from "./inputs/nearest";
import { RulesBrokenError } from "./inputs/rules-broken-error";
import { prose } from "./prose";

/**
 * Backend of a stack's state: a file, by a path relative to the synthesized folder, or a bucket of Cloud Storage.
 * `none` is for a service that runs Terraform, stores the state itself and allows no backend in the folder. Arguments
 * of `gcs` that are left out can be passed to `terraform init -backend-config=…`. A file `backend_override.tf.json` in
 * the folder selects any other backend.
 */
export type StateBackend =
  | { readonly type: "none" }
  | { readonly type: "local"; readonly path?: string }
  | { readonly type: "gcs"; readonly arguments?: Readonly<Record<string, unknown>> };

/** Placeholder for the stack's name in any argument, so that one setting serves all stacks. */
const STACK_PLACEHOLDER = "{stack}";

/** Default arguments that keep the states of several stacks apart. */
const DEFAULT_ARGUMENTS = {
  none: {},
  local: { path: "terraform.tfstate" },
  gcs: { prefix: STACK_PLACEHOLDER },
} as const;

/**
 * Parses the setting that selects the backend of all stacks. The message never shows the setting itself, because
 * arguments of a backend may be secret.
 *
 * @param setting `local`, `gcs`, `none`, or JSON such as `{"gcs": {"bucket": "states"}}`; empty means `local`
 * @throws RulesBrokenError if it is none of these
 */
export function parseStateBackend(settingName: string, setting: string | undefined): StateBackend {
  const text = setting?.trim() ?? "";
  const entries = text.startsWith("{")
    ? parsedEntries(settingName, text)
    : [[text === "" ? "local" : text, {}] as const];
  const [[type, given] = ["", {}]] = entries;
  if (entries.length === 1 && isObject(given)) {
    if (type === "gcs") {
      refuseUnknownArguments(settingName, Object.keys(given));
      refuseEmptyBucket(settingName, given.bucket);
      return { type, arguments: given };
    }
    const { path, ...others } = given;
    if (type === "none" && Object.keys(given).length === 0) return { type };
    const isPathOnly = Object.keys(others).length === 0 && (path === undefined || typeof path === "string");
    if (type === "local" && isPathOnly) return { type, path };
  }
  // The message may show a single word, because only arguments can be secret.
  const isWord = /^[a-z-]+$/i.test(type) && !(type in DEFAULT_ARGUMENTS);
  const near = isWord ? nearest(type, Object.keys(DEFAULT_ARGUMENTS)) : undefined;
  throw new RulesBrokenError(settingName, [
    [
      ...(near === undefined ? [] : [`${type} is no place for a state; did you mean ${near}? Otherwise`]),
      'the value must be local, gcs, none, {"local": {"path": "…"}} or {"gcs": {"bucket": "…"}};',
      "for any other backend, add a file backend_override.tf.json to the synthesized folder",
    ].join(" "),
  ]);
}

/** Arguments of the backend `gcs`, as of Terraform 1.16. */
const GCS_ARGUMENTS = [
  "access_token",
  "bucket",
  "credentials",
  "encryption_key",
  "impersonate_service_account",
  "impersonate_service_account_delegates",
  "kms_encryption_key",
  "prefix",
  "storage_custom_endpoint",
];

/** @throws RulesBrokenError naming the arguments that Terraform would refuse, without their values */
function refuseUnknownArguments(settingName: string, given: readonly string[]): void {
  const unknown = given.filter((name) => !GCS_ARGUMENTS.includes(name));
  if (unknown.length === 0) return;
  const meant = unknown.flatMap((name) => nearest(name, GCS_ARGUMENTS) ?? []);
  const correction = meant.length === 0 ? "correct the name" : `write ${meant.join(" and ")}`;
  throw new RulesBrokenError(settingName, [
    prose`
      gcs has ${unknown.join(" and ")}; it must have no arguments but ${GCS_ARGUMENTS.join(", ")},
      because terraform init refuses others; ${correction}, or leave it out
    `,
  ]);
}

/**
 * Fails if several stacks would share one state. Arguments that are passed to `terraform init` cannot be checked.
 *
 * @throws RulesBrokenError that names the argument, not its value
 */
export function requireStatesApart(settingName: string, backend: StateBackend, stackNames: readonly string[]): void {
  if (backend.type !== "gcs" || stackNames.length < 2 || backend.arguments?.prefix === undefined) return;
  if (JSON.stringify(backend.arguments).includes(STACK_PLACEHOLDER)) return;
  throw new RulesBrokenError(settingName, [
    prose`
      the prefix of gcs is the same for ${stackNames.join(", ")}; it must contain ${STACK_PLACEHOLDER},
      because with one state for all stacks, applying the second would destroy the first; add it,
      or synthesize one stack by its name
    `,
  ]);
}

/** @throws RulesBrokenError if the text is not JSON */
function parsedEntries(settingName: string, text: string): readonly (readonly [string, unknown])[] {
  try {
    return Object.entries(JSON.parse(text) as Record<string, unknown>);
  } catch {
    throw new RulesBrokenError(settingName, [
      prose`
        the value begins with { and is no JSON; it must be complete, with all braces closed and all names in double
        quotes, because it is read as one; write for example {"gcs": {"bucket": "my-states"}}, in single quotes
      `,
    ]);
  }
}

/** @throws RulesBrokenError if the bucket's name is empty, for example from an unset shell variable */
function refuseEmptyBucket(settingName: string, bucket: unknown): void {
  if (bucket !== "") return;
  throw new RulesBrokenError(settingName, [
    prose`
      the bucket of gcs is empty; it must have a name, because terraform init would ask for one;
      set it, or leave it out and pass it to terraform init -backend-config
    `,
  ]);
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Problems with the path of a local state. */
export function localPathProblems(path: unknown): string[] {
  // The check for Windows paths covers a leading slash as well.
  if (typeof path !== "string" || Token.isUnresolved(path) || !win32.isAbsolute(path)) return [];
  return [
    prose`
      the local path of the state is ${path}; it must be relative,
      because the folder is applied on other machines; use for example terraform.tfstate
    `,
  ];
}

export class StackBackend extends TerraformBackend {
  constructor(
    scope: Construct,
    id: string,
    private readonly backend: StateBackend,
  ) {
    super(scope, id, backend.type);
  }

  override toTerraform(): unknown {
    if (this.backend.type === "none") return {};
    return { terraform: { backend: { [this.backend.type]: this.synthesizeAttributes() } } };
  }

  /** The CDKTF CLI reads this property to find out whether the state is remote. */
  override toMetadata(): unknown {
    return { backend: this.name };
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    const { backend } = this;
    const path = backend.type === "local" && backend.path !== undefined ? { path: backend.path } : {};
    const all = { ...DEFAULT_ARGUMENTS[backend.type], ...(backend.type === "gcs" ? backend.arguments : path) };
    const filled = (value: unknown) =>
      typeof value === "string" ? value.replaceAll(STACK_PLACEHOLDER, this.cdktfStack.node.id) : value;
    return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, filled(value)]));
  }

  override getRemoteStateDataSource(consumer: Construct): TerraformRemoteState {
    throw crossStackError(consumer, this.cdktfStack);
  }
}

/** Prefix of outputs that the framework adds for cross-stack references. */
const ASKED_VALUE = "cross-stack-output-";

/**
 * The error for a cross-stack reference. @param producer stack with the value; its last output is the one that the
 * reference added
 */
export function crossStackError(consumer: Construct, producer: TerraformStack): RulesBrokenError {
  const asked = producer.node.children.map(({ node: { id } }) => id).filter((id) => id.startsWith(ASKED_VALUE));
  const value = asked.at(-1)?.slice(ASKED_VALUE.length) ?? "a value";
  return new RulesBrokenError(consumer.node.path, [
    prose`
      this stack refers to ${value} of ${producer.node.path}; it must not,
      because each synthesized folder is applied alone and such a reference would read the other stack's state;
      give both stacks the same literal, or pass the value as a variable of this one
    `,
  ]);
}
