import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { type Precondition, TerraformLocal, TerraformStack, Token } from "cdktf";
import { Construct } from "constructs";

import { planned, type Check, type EachCheck, plannedWith } from "../core/inputs/checks";
import { anyOf, call, hcl, reference, type Expr } from "../core/expr/expr";
import { intersection, keys } from "../core/expr/functions";
import { expression } from "../core/expr/expression";
import { refuseWrong } from "../core/inputs/inputs";
import { texts } from "../core/inputs/rows";
import { type Value } from "../core/inputs/value";
import { packageFile } from "../core/package-file";
import { stateProvidersOf } from "../core/provider-requirements";
import { RulesBrokenError } from "../core/inputs/rules-broken-error";
import { addStackFile, addStackText } from "../core/stack-file";
import { type Advice } from "../core/inputs/warnings";
import { BLUEPRINT_VARIABLE_PREFIX } from "./contract";
import { type EnvironmentInputs } from "./environment";
import { bothPrefixes } from "./environment-rules";
import { MAIL_VARIABLES, type MAIL } from "./mail";

/** Blueprints that come with the library, which an input chooses, with what each does. */
export const SHIPPED_BLUEPRINTS = {
  "password-recovery": "a link on the sign-in page, and a mail that lets users set a new password",
  branding: "title, logo and favicon of the default brand",
  "oidc-client": "an application that signs users in with OpenID Connect, as an example",
  "no-sign-up": "nobody gets an account by signing up or by signing in with another provider",
  ldap: "a directory for applications that sign in by LDAP",
  radius: "sign-in of network devices by RADIUS",
} as const satisfies Record<string, string>;

/** The one that makes the user of the sign-in probe, whose input adds it; alone, its user has no password. */
export const SIGN_IN_PROBE_BLUEPRINT = "sign-in-probe";

const SHIPPED_NAMES = Object.keys(SHIPPED_BLUEPRINTS);
/** Files of `image/blueprints`, without their ending. */
const FILES = [...SHIPPED_NAMES, SIGN_IN_PROBE_BLUEPRINT];
const SHIPPED = Object.entries(SHIPPED_BLUEPRINTS).map(([name, meaning]) => `${name} (${meaning})`);

/** Inputs for the configuration of the application as files. */
export const BLUEPRINTS = {
  /**
   * Shipped blueprints: `password-recovery`, `branding`, `oidc-client`, `no-sign-up`, `ldap` and `radius`. Removing one
   * undoes nothing.
   */
  blueprints: texts({
    default: [],
    description: [
      `Shipped blueprints to apply: ${SHIPPED.join(", ")}. Blueprints of your own go into the folder blueprints`,
      "beside the configuration. A change builds an image and rolls it out.",
      "Removing a blueprint does not remove what it created.",
    ].join(" "),
    must: {
      each: (_, name: Expr<string>) => name.isOneOf(SHIPPED_NAMES),
      shows: "value",
      says: [
        `each must be ${SHIPPED_NAMES.slice(0, -1).join(", ")} or ${SHIPPED_NAMES.slice(-1).join("")};`,
        "put blueprints of your own into files",
      ].join(" "),
      schema: { enum: SHIPPED_NAMES },
    },
  }),
};

const CLIENT_SECRET = `${BLUEPRINT_VARIABLE_PREFIX}OIDC_CLIENT_SECRET`;

const hasAny = (variables: Value, names: readonly string[]) => intersection(keys(variables), names).length().gt(0);

type Inputs = EnvironmentInputs & typeof BLUEPRINTS & typeof MAIL;

/** What shipped blueprints need: mail, which can also be given as single settings, and a secret. */
export const BLUEPRINT_WARNINGS: readonly Advice<Inputs>[] = [
  {
    states: "PasswordRecoveryHasMail",
    holds: (v) =>
      anyOf(
        v.blueprints.contains("password-recovery").not(),
        v.smtp.isSet(),
        hasAny(v.environmentVariables, bothPrefixes(MAIL_VARIABLES.host)),
      ),
    says: (v) =>
      [
        `${v.blueprints.name} has "password-recovery" and ${v.smtp.name} is not given;`,
        `users would wait for a mail that is never sent; set ${v.smtp.name}`,
      ].join(" "),
  },
  {
    states: "OidcClientHasSecret",
    holds: (v) =>
      anyOf(
        v.blueprints.contains("oidc-client").not(),
        hasAny(v.secretEnvironmentVariables, [CLIENT_SECRET]),
        hasAny(v.environmentVariables, [CLIENT_SECRET]),
      ),
    says: (v) =>
      [
        `${v.blueprints.name} has "oidc-client" and ${v.secretEnvironmentVariables.name} has no ${CLIENT_SECRET};`,
        "the blueprint fails without it, and there is no application; set it",
      ].join(" "),
  },
];

/** `metadata.name` of a shipped blueprint. */
export const shippedBlueprintName = (blueprint: string) => `Shipped - ${blueprint}`;

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

/** Terraform cannot decode YAML with custom tags. */
const TAG = `(^|[\\s\\[{,])!(?:${BLUEPRINT_TAGS.join("|")})\\b`;

/** A blueprint without its tags, decoded. */
const decoded = (text: Expr<string>) =>
  call<{ readonly entries: unknown }>("yamldecode", [call("replace", [text, `/${TAG}/`, "$1"])]);

/** A file is part of the build request in base64, in chunks; a request has a maximum number of chunks. */
const FILE_MAX_BYTES = 60_000;
const MAX_FILES = 40;
const MAX_BYTES = 120_000;

/** A tag with a single value, which names the source of the real one. */
const SCALAR_TAG = `${TAG}[ \\t]+(?:"[^"\\n]*"|'[^'\\n]*'|[^-\\s\\[\\]{},#"'][^\\n,\\]}]*)`;

/** Names of members that hold a secret. */
const SECRET_KEYS =
  "(?:[a-z0-9_]*_)?(?:password|passphrase|secret|token|api_key|private_key|secret_key)|key|key_data|credentials";

/**
 * Keys of secrets with a non-empty string or a number as their value, or as the default of a tag. Matched in JSON,
 * which has one spelling for everything and escapes quotes within strings.
 */
const LITERAL_SECRET = `[{,]"(?:${SECRET_KEYS})":(?:\\["(?:[^"\\\\]|\\\\.)*",)?(?:"(?:[^"\\\\]|\\\\.)|-?[0-9])`;

/** A rule for each file. */
interface FileRule extends EachCheck<string> {
  /** Those that break it, as the id of a local. */
  readonly finds: string;
}

/** Rules for each custom blueprint, by the name of its file. */
export const BLUEPRINT_FILE_RULES: readonly FileRule[] = [
  {
    finds: "WronglyNamed",
    each: (name) => name.matches("^[A-Za-z0-9][A-Za-z0-9._-]{0,59}[.]yaml$"),
    shows: "key",
    says: [
      "each must be directly in the folder and have a name of at most 65 letters, digits, dots, hyphens and",
      "underscores that ends with .yaml, because the application reads no others; move or rename it",
    ].join(" "),
  },
  {
    finds: "TooLarge",
    each: (_, text) =>
      call<string>("base64encode", [text])
        .length()
        .le(Math.ceil(FILE_MAX_BYTES / 3) * 4),
    shows: "key",
    says: `each may have ${FILE_MAX_BYTES} bytes, because it is part of a build request; divide it`,
  },
  {
    finds: "Unreadable",
    each: (_, text) => hcl`can([for entry in ${decoded(text).member("entries")} : entry])`,
    shows: "key",
    says: [
      "each must be YAML in UTF-8 with a list of entries and no tags but",
      `${BLUEPRINT_TAGS.map((tag) => `!${tag}`).join(", ")}; correct it`,
    ].join(" "),
  },
  {
    finds: "WithSecrets",
    // Invalid YAML has a rule of its own.
    each: (_, text) => {
      const untagged = call<string>("replace", [text, `/${SCALAR_TAG}/`, "$1 null"]);
      const asJson = call<string>("jsonencode", [decoded(untagged)]).tryOr("");
      return call<readonly string[]>("regexall", [LITERAL_SECRET, asJson]).length().eq(0);
    },
    shows: "key",
    says: [
      "none may contain a literal password, secret, token or key, not even as a default,",
      "because anyone who can pull the image can read it; use !Env and the name of a secret variable",
    ].join(" "),
  },
];

/** Limits of all blueprints together, and their names, which must be unique. */
const COUNT: Check<number> = {
  condition: (count) => count.le(MAX_FILES),
  must: `be at most ${MAX_FILES}, because all are part of one build request; combine several in one file`,
};
const BYTES: Check<number> = {
  condition: (bytes) => bytes.le(MAX_BYTES),
  must: [
    `be at most ${MAX_BYTES}, because all are part of one build request;`,
    "apply some of them with the application's own API",
  ].join(" "),
};
const NO_NAME_TWICE: Check<readonly string[]> = {
  condition: (repeated) => repeated.length().eq(0),
  must: [
    "be the metadata.name of only one blueprint, because the application identifies blueprints by that name;",
    "rename one",
  ].join(" "),
};

/** Of what Terraform reads from files. */
const KNOWN = { knownAt: "plan", mayBeNull: false } as const;

/** Blueprints by the names of their files. */
export type BlueprintFiles = Readonly<Record<string, string>>;

/** Configuration of the application as files, for constructs that take it. */
export interface BlueprintProps {
  /** Blueprints of this library to apply. */
  readonly blueprints?: readonly string[];

  /**
   * Blueprints of your own: a folder with `*.yaml` files, or their contents by file name. They become part of the
   * image, so anyone who can pull it can read them. A plan checks them.
   *
   * @default - none but those that are put into the synthesized folder
   */
  readonly blueprintFiles?: BlueprintFiles | string;
}

/** @throws RulesBrokenError if a folder cannot be read */
function ownBlueprints(scope: Construct, given: BlueprintFiles | string = {}): BlueprintFiles {
  if (typeof given !== "string") return given;
  try {
    const names = readdirSync(given, { encoding: "utf8", recursive: true }).map((name) => name.replaceAll("\\", "/"));
    const blueprints = names.filter((name) => /[.]ya?ml$/i.test(name) && !/(^|\/)[.]/.test(name)).sort();
    return Object.fromEntries(blueprints.map((name) => [name, readFileSync(join(given, name), "utf8")]));
  } catch {
    throw new RulesBrokenError(scope.node.path, [
      [
        `blueprintFiles is ${JSON.stringify(given)}; it must be a readable folder; use its path,`,
        `for example join(__dirname, "blueprints")`,
      ].join(" "),
    ]);
  }
}

/**
 * Blueprints of an image, custom and shipped, which the application's worker applies.
 *
 * Custom ones are in the folder `blueprints/` of the synthesized folder, where files may be added, edited and removed;
 * shipped ones are in `image/blueprints/`. Both are read and checked at plan, so a handed-over folder needs no
 * synthesis.
 */
export class Blueprints extends Construct {
  /** Folder for custom blueprints, in the synthesized folder. */
  readonly folder: string;

  /** Path of each blueprint in the image, separated by spaces; empty without any. */
  readonly paths: string;

  /** A text with a hash for each, as a Terraform expression for a list; the list is empty without any. */
  readonly hashes: string;

  /** Number of custom ones. */
  readonly count: number;

  /** Conditions for building an image with them. */
  readonly conditions: readonly Precondition[];

  constructor(scope: Construct, id: string, props: BlueprintProps) {
    super(scope, id);
    stateProvidersOf(this);
    const { blueprints = [] } = props;
    // The identity provider adds the one of the probe, which nobody can choose.
    const isAsked = (name: string) => name !== SIGN_IN_PROBE_BLUEPRINT;
    const asked = Array.isArray(blueprints) ? blueprints.filter(isAsked) : blueprints;
    refuseWrong(this, BLUEPRINTS, { blueprints: asked }, ["blueprints"]);
    this.folder = this.freeFolder();
    for (const [name, text] of Object.entries(ownBlueprints(this, props.blueprintFiles))) {
      addStackText(this, text, `${this.folder}/${name}`);
    }
    for (const name of FILES) {
      const path = `image/blueprints/${name}.yaml`;
      addStackFile(this, packageFile(path), path);
    }
    const dockerfile = "image/Dockerfile.blueprints";
    const appended = addStackFile(this, packageFile(dockerfile), dockerfile);

    // A file that is not text counts as empty, and is refused because it is no blueprint.
    const folder = `\${path.module}/${this.folder}`;
    const isOwn = 'can(regex("(?i)[.]ya?ml$", name)) && !can(regex("(^|/)[.]", name))';
    const found = `[for name in fileset("${folder}", "**") : name if ${isOwn}]`;
    const own = this.local("Own", `{ for name in ${found} : name => try(file("${folder}/\${name}"), "") }`);
    const chosen = Token.isUnresolved(blueprints) ? Token.asString(blueprints) : JSON.stringify(blueprints);
    const shipped = `toset(${chosen})`;
    const sources = this.local(
      "Sources",
      [
        `merge({ for name in keys(${own}) : "own/\${name}" => "${folder}/\${name}" }, { for name in ${shipped} :`,
        `"shipped/\${name}.yaml" => "\${path.module}/image/blueprints/\${name}.yaml" })`,
      ].join(" "),
    );
    this.paths = expression(`join(" ", keys(${sources}))`);
    this.hashes = `[for place, source in ${sources} : join(" ", [place, filesha256(source), ${appended.sha256}])]`;

    const count = reference<number>(`length(${own})`, KNOWN);
    this.count = count.number;
    const each = `floor(length(filebase64("${folder}/\${name}")) / 4) * 3`;
    const bytes = `sum(concat([0], [for name in keys(${own}) : ${each}]))`;
    const named = decoded(reference("text", KNOWN)).member("metadata").member("name").text;
    const names = this.local(
      "Names",
      [
        `concat([for name, text in ${own} : try(tostring(${named}), name)], [for name in ${shipped} :`,
        `"${shippedBlueprintName("${name}")}"])`,
      ].join(" "),
    );
    const same = `[for other in ${names} : other if other == name]`;
    const twice = `[for name in distinct(${names}) : name if length(${same}) > 1]`;
    this.conditions = [
      ...BLUEPRINT_FILE_RULES.map((rule) =>
        plannedWith(this, rule.finds, rule, `${this.folder}/`, reference(own, KNOWN)),
      ),
      planned(COUNT, `number of files in ${this.folder}/`, count),
      planned(BYTES, `size of ${this.folder}/ in bytes`, reference(this.local("Bytes", bytes), KNOWN)),
      planned(NO_NAME_TWICE, `repeated name in ${this.folder}/`, reference(this.local("Repeated", twice), KNOWN)),
    ];
  }

  /** Further image constructs in one stack have folders of their own. */
  private freeFolder(): string {
    const others = TerraformStack.of(this)
      .node.findAll()
      .filter((construct) => construct instanceof Blueprints && construct !== this);
    return others.length === 0 ? "blueprints" : `blueprints-${others.length + 1}`;
  }

  private local(id: string, value: string): string {
    return new TerraformLocal(this, id, expression(value)).asString;
  }
}
