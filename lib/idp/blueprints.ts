import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { type Precondition, TerraformStack } from "cdktf";
import { Construct } from "constructs";

import { anyOf, type Expr, exprOf, hcl, interpolated, type Operand } from "../core/expr/expr";
import { concat, distinct, each, intersection, isEmpty, keys } from "../core/expr/functions";
import { named } from "../core/expr/locals";
import { refuseWrong } from "../core/inputs/inputs";
import { texts } from "../core/inputs/rows";
import { planned, plannedWith } from "../core/inputs/rules";
import { RulesBrokenError } from "../core/inputs/rules-broken-error";
import { type Value } from "../core/inputs/value";
import { type WarningRelation } from "../core/inputs/warnings";
import { packageFile } from "../core/package-file";
import { prose } from "../core/prose";
import { stateProvidersOf } from "../core/provider-requirements";
import { addStackFile, addStackText } from "../core/stack-file";
import { wordList } from "../core/word-list";
import {
  BLUEPRINT_BYTES,
  BLUEPRINT_COUNT,
  BLUEPRINT_FILE_RULES,
  decodedBlueprint,
  UNIQUE_BLUEPRINT_NAMES,
} from "./blueprint-rules";
import { BLUEPRINT_VARIABLE_PREFIX } from "./contract";
import { type EnvironmentInputs } from "./environment";
import { bothPrefixes } from "./environment-rules";
import { type MAIL, MAIL_VARIABLES } from "./mail";

/** Blueprints of the library that an input can select, each with its effect. */
export const SHIPPED_BLUEPRINTS = {
  "password-recovery": "a link on the sign-in page, and a mail that lets users set a new password",
  branding: "title, logo and favicon of the default brand",
  "oidc-client": "an application that signs users in with OpenID Connect, as an example",
  "no-sign-up": "nobody gets an account by signing up or by signing in with another provider",
  ldap: "a directory for applications that sign in by LDAP",
  radius: "sign-in of network devices by RADIUS",
} as const satisfies Record<string, string>;

/**
 * Blueprint that creates the user of the sign-in probe. The input of the probe adds it, because it also provides the
 * password.
 */
export const SIGN_IN_PROBE_BLUEPRINT = "sign-in-probe";

const SHIPPED_NAMES = Object.keys(SHIPPED_BLUEPRINTS);
/** Files of `image/blueprints`, without their ending. */
const FILES = [...SHIPPED_NAMES, SIGN_IN_PROBE_BLUEPRINT];
const SHIPPED = Object.entries(SHIPPED_BLUEPRINTS).map(([name, meaning]) => `${name} (${meaning})`);

/** Inputs for files that configure the application. */
export const BLUEPRINTS = {
  /**
   * Shipped blueprints: `password-recovery`, `branding`, `oidc-client`, `no-sign-up`, `ldap` and `radius`. Removing one
   * undoes nothing.
   */
  blueprints: texts({
    default: [],
    description: prose`
      Shipped blueprints to apply: ${SHIPPED.join(", ")}. Blueprints of your own go into the folder blueprints
      beside the configuration. A change builds an image and rolls it out.
      Removing a blueprint does not remove what it created.
    `,
    must: {
      each: (_, name: Expr<string>) => name.isOneOf(SHIPPED_NAMES),
      shows: "value",
      message: [`each must be ${wordList(SHIPPED_NAMES, "or")};`, "put blueprints of your own into files"].join(" "),
      schema: { enum: SHIPPED_NAMES },
    },
  }),
};

const CLIENT_SECRET = `${BLUEPRINT_VARIABLE_PREFIX}OIDC_CLIENT_SECRET`;

const hasAny = (variables: Value, names: readonly string[]) => intersection(keys(variables), names).length().gt(0);

type Inputs = EnvironmentInputs & typeof BLUEPRINTS & typeof MAIL;

/** Warnings about shipped blueprints without the necessary mail settings or secret. */
export const BLUEPRINT_WARNINGS: readonly WarningRelation<Inputs>[] = [
  {
    localId: "PasswordRecoveryHasMail",
    holds: (v) =>
      anyOf(
        v.blueprints.contains("password-recovery").not(),
        v.smtp.isSet(),
        hasAny(v.environmentVariables, bothPrefixes(MAIL_VARIABLES.host)),
      ),
    message: (v) =>
      prose`
        ${v.blueprints.name} has "password-recovery" and ${v.smtp.name} is not given;
        users would wait for a mail that is never sent; set ${v.smtp.name}
      `,
  },
  {
    localId: "OidcClientHasSecret",
    holds: (v) =>
      anyOf(
        v.blueprints.contains("oidc-client").not(),
        hasAny(v.secretEnvironmentVariables, [CLIENT_SECRET]),
        hasAny(v.environmentVariables, [CLIENT_SECRET]),
      ),
    message: (v) =>
      prose`
        ${v.blueprints.name} has "oidc-client" and ${v.secretEnvironmentVariables.name} has no ${CLIENT_SECRET};
        the blueprint fails without it, and there is no application; set it
      `,
  },
];

/** `metadata.name` of a shipped blueprint. */
export const shippedBlueprintName = (blueprint: Operand<string>) => interpolated`Shipped - ${blueprint}`;

const MODULE_PATH = hcl<string>`path.module`;

/** Name of a blueprint, within a `for`. */
const NAME = hcl<string>`name`;
const SHIPPED_PATH = interpolated`${MODULE_PATH}/image/blueprints/${NAME}.yaml`;

/** Blueprints by the names of their files. */
export type BlueprintFiles = Readonly<Record<string, string>>;

/** Props of constructs for files that configure the application. */
export interface BlueprintProps {
  /** Blueprints of this library to apply. */
  readonly blueprints?: readonly string[];

  /**
   * Blueprints of your own: a folder with `*.yaml` files, or their contents by file name. They become part of the
   * image, so anyone who can pull the image can read the blueprints. A plan checks them.
   *
   * @default - only files that are added to the synthesized folder
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
      prose`
        blueprintFiles is ${JSON.stringify(given)}; it must be a readable folder; use its path,
        for example join(__dirname, "blueprints")
      `,
    ]);
  }
}

/**
 * Custom and shipped blueprints of an image. The application's worker applies them.
 *
 * Custom ones are in the folder `blueprints/` of the synthesized folder, where files may be added, edited and removed;
 * shipped ones are in `image/blueprints/`. Both are read and checked at plan, so a handed-over folder needs no
 * synthesis.
 */
export class Blueprints extends Construct {
  /** Folder for custom blueprints, in the synthesized folder. */
  readonly folder: string;

  /** Paths of all blueprints in the image, separated by spaces; empty without blueprints. */
  readonly paths: string;

  /** One text for each blueprint, with its hash; empty without blueprints. @internal */
  readonly hashes: Expr<readonly string[]>;

  /** Number of custom blueprints. @internal */
  readonly count: Expr<number>;

  /** Preconditions for building an image with the blueprints. */
  readonly conditions: readonly Precondition[];

  constructor(scope: Construct, id: string, props: BlueprintProps) {
    super(scope, id);
    stateProvidersOf(this);
    const { blueprints = [] } = props;
    // Users cannot select the blueprint of the probe; the identity provider adds it.
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

    const ownTexts = this.ownTexts();
    const shipped = distinct<string>(exprOf(blueprints as unknown) as Expr<readonly string[]>);
    const sources = named(this, "Sources", this.sourcesOf(ownTexts, shipped));
    this.paths = keys(sources).joinedBy(" ").text;
    this.hashes = hcl<readonly string[]>`[
      for place, source in ${sources} : join(" ", [place, filesha256(source), ${appended.sha256}])
    ]`;
    this.count = exprOf(ownTexts).length();
    this.conditions = this.conditionsOf(ownTexts, shipped);
  }

  /** Texts of the custom blueprints by the names of their files. */
  private ownTexts(): Expr<BlueprintFiles> {
    const isYaml = NAME.matches("(?i)[.]ya?ml$").and(NAME.matches("(^|/)[.]").not());
    const fileNames = hcl<readonly string[]>`[
      for name in fileset(${interpolated`${MODULE_PATH}/${this.folder}`}, "**") : name if ${isYaml}
    ]`;
    // A binary file counts as empty, so that it is refused for not being a blueprint.
    const texts = hcl<BlueprintFiles>`{ for name in ${fileNames} : name => try(file(${this.pathOf(NAME)}), "") }`;
    return named(this, "Own", texts.present);
  }

  /** Paths of all blueprints in the folder, by their paths in the image. */
  private sourcesOf(own: Expr<BlueprintFiles>, shipped: Expr<readonly string[]>) {
    type Paths = Readonly<Record<string, string>>;
    const ownPaths = hcl<Paths>`{ for name in keys(${own}) : ${interpolated`own/${NAME}`} => ${this.pathOf(NAME)} }`;
    if (isEmpty(shipped)) return ownPaths;
    return hcl<Paths>`merge(
      ${ownPaths},
      { for name in ${shipped} : ${interpolated`shipped/${NAME}.yaml`} => ${SHIPPED_PATH} }
    )`;
  }

  private conditionsOf(own: Expr<BlueprintFiles>, shipped: Expr<readonly string[]>): Precondition[] {
    const bytes = hcl<number>`sum(concat(
      [0],
      [for name in keys(${own}) : floor(length(filebase64(${this.pathOf(NAME)})) / 4) * 3]
    ))`;
    const ownName = decodedBlueprint(hcl<string>`text`)
      .member("metadata")
      .member("name");
    const names = named(
      this,
      "Names",
      concat<string>(
        hcl<readonly string[]>`[for name, text in ${own} : try(tostring(${ownName}), name)]`.present,
        each(shipped, shippedBlueprintName, undefined, "name"),
      ),
    );
    const repeated = hcl<readonly string[]>`[
      for name in distinct(${names}) : name if length([for other in ${names} : other if other == name]) > 1
    ]`;
    return [
      ...BLUEPRINT_FILE_RULES.map((rule) => plannedWith(this, rule.localId, rule, `${this.folder}/`, own)),
      planned(BLUEPRINT_COUNT, `number of files in ${this.folder}/`, this.count),
      planned(BLUEPRINT_BYTES, `size of ${this.folder}/ in bytes`, named(this, "Bytes", bytes)),
      planned(UNIQUE_BLUEPRINT_NAMES, `repeated name in ${this.folder}/`, named(this, "Repeated", repeated)),
    ];
  }

  /** Path of a custom blueprint in the folder, as Terraform reads it. */
  private pathOf(name: Expr<string>): Expr<string> {
    return interpolated`${MODULE_PATH}/${this.folder}/${name}`;
  }

  /** Every further image construct in a stack has a separate folder. */
  private freeFolder(): string {
    const otherBlueprints = TerraformStack.of(this)
      .node.findAll()
      .filter((construct) => construct instanceof Blueprints && construct !== this);
    return otherBlueprints.length === 0 ? "blueprints" : `blueprints-${otherBlueprints.length + 1}`;
  }
}
