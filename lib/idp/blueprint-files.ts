import type * as Yaml from "yaml";

import { CheckedEntries } from "../core/checked-entries";
import { CheckedValue } from "../core/checked-value";

/** Blueprints that come with the library, with what each does; files of `image/blueprints`. */
export const SHIPPED_BLUEPRINTS = {
  "password-recovery": "a link on the sign-in page, and a mail that lets users set a new password",
  branding: "title, logo and favicon of the default brand",
  "oidc-client": "an application that signs users in with OpenID Connect, as an example",
  "no-sign-up": "nobody gets an account by signing up or by signing in with another provider",
} as const satisfies Record<string, string>;

/** `metadata.name` of a shipped blueprint. */
export function shippedBlueprintName(blueprint: string): string {
  return `Shipped - ${blueprint}`;
}

/** What the upstream's loader understands in the pinned release (`authentik/blueprints/v1/common.py`). */
export const BLUEPRINT_TAGS = [
  "AtIndex",
  "Condition",
  "Context",
  "Enumerate",
  "Env",
  "File",
  "Find",
  "FindObject",
  "Format",
  "If",
  "Index",
  "KeyOf",
  "ParseJSON",
  "Value",
] as const;

/** The tags, for Terraform, which cannot decode YAML with custom tags. */
const TAG = `(^|[\\s\\[{,])!(?:${BLUEPRINT_TAGS.join("|")})\\b`;

/** A blueprint without its tags, decoded by Terraform. */
export function decodedBlueprint(text: string): string {
  return `yamldecode(replace(${text}, ${JSON.stringify(`/${TAG}/`)}, "$1"))`;
}

const NAME_PATTERN = "^[A-Za-z0-9][A-Za-z0-9._-]{0,59}[.]yaml$";

/** A file is part of the build request in base64, in chunks; a request has a maximum number of chunks. */
const FILE_MAX_BYTES = 60_000;

const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4;

const bytesOf = (text: string): number => Buffer.byteLength(text);

/** A tag with a single value, which names the source of the real one. */
const SCALAR_TAG = `${TAG}[ \\t]+(?:"[^"\\n]*"|'[^'\\n]*'|[^-\\s\\[\\]{},#"'][^\\n,\\]}]*)`;

/**
 * Keys of secrets with a non-empty string or a number as their value, or as the default of a tag. Matched in JSON,
 * which has one spelling for everything and escapes quotes within strings.
 */
const LITERAL_SECRET =
  '[{,]"(?:(?:[a-z0-9_]*_)?(?:password|passphrase|secret|token|api_key|private_key|secret_key)|key|key_data|credentials)":(?:\\["(?:[^"\\\\]|\\\\.)*",)?(?:"(?:[^"\\\\]|\\\\.)|-?[0-9])';

function hasLiteralSecret(text: string): boolean {
  const untagged = text.replace(new RegExp(SCALAR_TAG, "g"), "$1 null").replace(new RegExp(TAG, "g"), "$1");
  const document = yaml().parseDocument(untagged, { logLevel: "silent" });
  return document.errors.length === 0 && new RegExp(LITERAL_SECRET).test(JSON.stringify(document.toJS()));
}

/** The same as a Terraform expression. Invalid YAML has a rule of its own. */
function literalSecretCondition(text: string): string {
  const withoutReferences = `replace(${text}, ${JSON.stringify(`/${SCALAR_TAG}/`)}, "$1 null")`;
  return `length(regexall(${JSON.stringify(LITERAL_SECRET)}, try(jsonencode(${decodedBlueprint(withoutReferences)}), ""))) == 0`;
}

/** Rules for each custom blueprint, by the name of its file. */
export const BLUEPRINT_FILE_RULES: readonly CheckedEntries[] = [
  new CheckedEntries({
    accepts: (name) => new RegExp(NAME_PATTERN).test(name),
    condition: `can(regex(${JSON.stringify(NAME_PATTERN)}, key))`,
    show: "key",
    rule: "each must be directly in the folder and have a name of at most 65 letters, digits, dots, hyphens and underscores that ends with .yaml, because the application reads no others; move or rename it",
  }),
  new CheckedEntries({
    accepts: (_, text) => bytesOf(text) <= FILE_MAX_BYTES,
    condition: `length(base64encode(value)) <= ${base64Length(FILE_MAX_BYTES)}`,
    show: "key",
    rule: `each may have ${FILE_MAX_BYTES} bytes, because it is part of a build request; divide it`,
  }),
  new CheckedEntries({
    accepts: (_, text) => isBlueprint(text),
    condition: `can([for entry in ${decodedBlueprint("value")}.entries : entry])`,
    show: "key",
    rule: `each must be YAML in UTF-8 with a list of entries and no tags but ${BLUEPRINT_TAGS.map((tag) => `!${tag}`).join(", ")}; correct it`,
  }),
  new CheckedEntries({
    accepts: (_, text) => !hasLiteralSecret(text),
    condition: literalSecretCondition("value"),
    show: "key",
    rule: "none may contain a literal password, secret, token or key, not even as a default, because anyone who can pull the image can read it; use !Env and the name of a secret variable",
  }),
];

/** The names under which the application keeps blueprints must be unique; the value is the list of repeated ones. */
export const NO_NAME_TWICE = new CheckedValue<readonly string[]>({
  accepts: (repeated) => repeated.length === 0,
  condition: (repeated) => `length(${repeated}) == 0`,
  must: "be the metadata.name of only one blueprint",
  reason: "the application identifies blueprints by that name",
  remedy: "rename one",
});

const MAX_FILES = 40;
const MAX_BYTES = 120_000;

/** Limits of all blueprints together. */
export const BLUEPRINT_COUNT = new CheckedValue<number>({
  accepts: (count) => count <= MAX_FILES,
  condition: (count) => `${count} <= ${MAX_FILES}`,
  must: `be at most ${MAX_FILES}`,
  reason: "all are part of one build request",
  remedy: "combine several in one file",
});

export const BLUEPRINT_BYTES = new CheckedValue<number>({
  accepts: (bytes) => bytes <= MAX_BYTES,
  condition: (bytes) => `${bytes} <= ${MAX_BYTES}`,
  must: `be at most ${MAX_BYTES}`,
  reason: "all are part of one build request",
  remedy: "apply some of them with the application's own API",
});

/** `metadata.name`, or the name of the file if it has none or is no blueprint. */
export function blueprintName(file: string, text: string): string {
  const { metadata } = (parsed(text) ?? {}) as { readonly metadata?: { readonly name?: unknown } | null };
  return typeof metadata?.name === "string" ? metadata.name : file;
}

/** Elements that occur more than once. */
export function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}

export function totalBytes(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + bytesOf(text), 0);
}

function isBlueprint(text: string): boolean {
  const { entries } = (parsed(text) ?? {}) as { readonly entries?: unknown };
  return typeof entries === "object" && entries !== null;
}

/** The content without its tags; undefined if it is not YAML, or has a tag that the application does not know. */
function parsed(text: string): unknown {
  const { parseDocument, visit } = yaml();
  const document = parseDocument(text, { logLevel: "silent" });
  if (document.errors.length > 0) return undefined;
  const tags: string[] = [];
  visit(document, {
    Node: (_, { tag }) => {
      if (tag?.startsWith("!") === true) tags.push(tag.slice(1));
    },
  });
  return tags.every((tag) => BLUEPRINT_TAGS.some((known) => known === tag)) ? document.toJS() : undefined;
}

/** Whether the library that reads blueprints at synth, an optional peer dependency, is installed. */
export function canReadYaml(): boolean {
  try {
    yaml();
    return true;
  } catch {
    return false;
  }
}

/** Loaded on demand, because most deployments have no blueprints of their own. */
function yaml(): typeof Yaml {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load it for all users
  return require("yaml") as typeof Yaml;
}
