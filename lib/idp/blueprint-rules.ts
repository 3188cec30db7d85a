import { call, type Expr, hcl } from "../core/expr/expr";
import { type ItemRule, type Rule } from "../core/inputs/rules";
import { prose } from "../core/prose";

/** YAML tags that the pinned release of the upstream can load (`authentik/blueprints/v1/common.py`). */
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

/** Terraform cannot decode YAML with custom tags. */
const TAG = `(^|[\\s\\[{,])!(?:${BLUEPRINT_TAGS.join("|")})\\b`;

/** A blueprint without its tags, decoded. */
export const decodedBlueprint = (text: Expr<string>) =>
  call<{ readonly entries: unknown; readonly metadata: { readonly name: unknown } }>("yamldecode", [
    call("replace", [text, `/${TAG}/`, "$1"]),
  ]);

/** The build request contains each file in chunks of base64, and limits the number of chunks. */
const FILE_MAX_BYTES = 60_000;
const MAX_FILES = 40;
const MAX_BYTES = 120_000;

/** A tag with a single value, such as the name of a variable. */
const SCALAR_TAG = `${TAG}[ \\t]+(?:"[^"\\n]*"|'[^'\\n]*'|[^-\\s\\[\\]{},#"'][^\\n,\\]}]*)`;

/** Names of members that hold a secret. */
const SECRET_KEYS =
  "(?:[a-z0-9_]*_)?(?:password|passphrase|secret|token|api_key|private_key|secret_key)|key|key_data|credentials";

/**
 * Keys of secrets with a non-empty string or a number as their value, or as the default of a tag. Matched in JSON,
 * because it has one spelling for every value and escapes quotes within strings.
 */
const LITERAL_SECRET = `[{,]"(?:${SECRET_KEYS})":(?:\\["(?:[^"\\\\]|\\\\.)*",)?(?:"(?:[^"\\\\]|\\\\.)|-?[0-9])`;

/** A rule for each file. */
interface FileRule extends ItemRule<string> {
  /** Id of the local with the files that break the rule. */
  readonly localId: string;
}

/** Rules for each custom blueprint, by the name of its file. */
export const BLUEPRINT_FILE_RULES: readonly FileRule[] = [
  {
    localId: "WronglyNamed",
    each: (name) => name.matches("^[A-Za-z0-9][A-Za-z0-9._-]{0,59}[.]yaml$"),
    shows: "key",
    message: prose`
      each must be directly in the folder and have a name of at most 65 letters, digits, dots, hyphens and
      underscores that ends with .yaml, because the application reads no others; move or rename it
    `,
  },
  {
    localId: "TooLarge",
    each: (_, text) =>
      call<string>("base64encode", [text])
        .length()
        .le(Math.ceil(FILE_MAX_BYTES / 3) * 4),
    shows: "key",
    message: `each may have ${FILE_MAX_BYTES} bytes, because it is part of a build request; divide it`,
  },
  {
    localId: "Unreadable",
    each: (_, text) => hcl`can([for entry in ${decodedBlueprint(text).member("entries")} : entry])`,
    shows: "key",
    message: prose`
      each must be YAML in UTF-8 with a list of entries and no tags but
      ${BLUEPRINT_TAGS.map((tag) => `!${tag}`).join(", ")}; correct it
    `,
  },
  {
    localId: "WithSecrets",
    // Another rule reports invalid YAML.
    each: (_, text) => {
      const untagged = call<string>("replace", [text, `/${SCALAR_TAG}/`, "$1 null"]);
      const asJson = call<string>("jsonencode", [decodedBlueprint(untagged)]).tryOr("");
      return call<readonly string[]>("regexall", [LITERAL_SECRET, asJson]).length().eq(0);
    },
    shows: "key",
    message: prose`
      none may contain a literal password, secret, token or key, not even as a default,
      because anyone who can pull the image can read it; use !Env and the name of a secret variable
    `,
  },
];

/** Limits of all blueprints together, and their names, which must be unique. */
export const BLUEPRINT_COUNT: Rule<number> = {
  condition: (count) => count.le(MAX_FILES),
  must: `be at most ${MAX_FILES}, because all are part of one build request; combine several in one file`,
};
export const BLUEPRINT_BYTES: Rule<number> = {
  condition: (bytes) => bytes.le(MAX_BYTES),
  must: prose`
    be at most ${MAX_BYTES}, because all are part of one build request;
    apply some of them with the application's own API
  `,
};
export const UNIQUE_BLUEPRINT_NAMES: Rule<readonly string[]> = {
  condition: (repeated) => repeated.length().eq(0),
  must: prose`
    be the metadata.name of only one blueprint, because the application identifies blueprints by that name;
    rename one
  `,
};
