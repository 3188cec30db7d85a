import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { Token } from "cdktf";

import { CheckedEntries } from "../core/checked-entries";
import { CheckedRelation } from "../core/checked-relation";
import { EACH_ONCE } from "../core/checked-value";
import { type Rule } from "../core/rules";
import {
  BLUEPRINT_BYTES,
  BLUEPRINT_COUNT,
  BLUEPRINT_FILE_RULES,
  blueprintName,
  canReadYaml,
  NO_NAME_TWICE,
  repeated,
  SHIPPED_BLUEPRINTS,
  shippedBlueprintName,
  totalBytes,
} from "./blueprint-files";

/** Blueprints by the names of their files. */
export type BlueprintFiles = Readonly<Record<string, string>>;

/** Configuration of the application as files, for constructs that take it. */
export interface BlueprintProps {
  /**
   * Blueprints of this library to apply: `password-recovery`, `branding`, `oidc-client`, `no-sign-up`. Removing one
   * later does not remove what it created.
   *
   * @default - none
   */
  readonly blueprints?: readonly ("password-recovery" | "branding" | "oidc-client" | "no-sign-up" | (string & {}))[];

  /**
   * Blueprints of your own: a folder with `*.yaml` files, or their contents by file name. They become part of the
   * image, so anyone who can pull it can read them. Needs the package `yaml`.
   *
   * @default - none
   */
  readonly blueprintFiles?: BlueprintFiles | string;
}

/** Rule for the names of shipped blueprints. */
export const SHIPPED_NAMES = new CheckedEntries({
  accepts: (_, name) => name in SHIPPED_BLUEPRINTS,
  condition: `contains(${JSON.stringify(Object.keys(SHIPPED_BLUEPRINTS))}, value)`,
  show: "value",
  rule: `each must be ${Object.keys(SHIPPED_BLUEPRINTS).slice(0, -1).join(", ")} or ${Object.keys(SHIPPED_BLUEPRINTS).slice(-1).join("")}; put blueprints of your own into files`,
  schema: { enum: Object.keys(SHIPPED_BLUEPRINTS) },
});

/** Blueprints need an image that is built here. */
export const BLUEPRINTS_NEED_BUILD = new CheckedRelation<{ image: string | undefined; count: number }>({
  accepts: ({ count, image }) => image === undefined || count === 0,
  condition: ({ count, image }) => `${image} == null || ${count} == 0`,
  problem: (names, shown) =>
    `${names.image} is ${shown.image} and there are blueprints: ${shown.count}; there must be none, because only an image that is built here can contain them; copy them to /blueprints in that image, and remove ${names.count}`,
});

/** The custom blueprints; undefined if they are a folder that cannot be read. */
export function ownBlueprints({ blueprintFiles = {} }: BlueprintProps): BlueprintFiles | undefined {
  if (Token.isUnresolved(blueprintFiles)) return {};
  if (typeof blueprintFiles !== "string") return blueprintFiles;
  try {
    const names = readdirSync(blueprintFiles, { encoding: "utf8", recursive: true }).map((name) =>
      name.replaceAll("\\", "/"),
    );
    const blueprints = names.filter((name) => IS_YAML.test(name) && !IS_HIDDEN.test(name)).sort();
    return Object.fromEntries(blueprints.map((name) => [name, readFileSync(join(blueprintFiles, name), "utf8")]));
  } catch {
    return undefined;
  }
}

/** Files that the application would read with the right place and extension. */
const IS_YAML = /[.]ya?ml$/i;
const IS_HIDDEN = /(^|\/)[.]/;

/** The names of the files of a folder next to the configuration that count as blueprints, as a Terraform expression. */
export function blueprintsInFolder(folder: string): string {
  return `[for name in fileset("\${path.module}/${folder}", "**") : name if can(regex("(?i)[.]ya?ml$", name)) && !can(regex("(^|/)[.]", name))]`;
}

const canRead = (props: BlueprintProps) => Object.keys(ownBlueprints(props) ?? {}).length === 0 || canReadYaml();

const contentRule = (problemsOf: (files: BlueprintFiles, props: BlueprintProps) => string[]): Rule<BlueprintProps> => ({
  holds: (props) => !canRead(props) || problemsOf(ownBlueprints(props) ?? {}, props).length === 0,
  message: (props) => problemsOf(ownBlueprints(props) ?? {}, props),
});

export const BLUEPRINT_RULES: readonly Rule<BlueprintProps>[] = [
  SHIPPED_NAMES.ruleOn("blueprints", ({ blueprints }) => blueprints),
  EACH_ONCE.ruleOn("blueprints", ({ blueprints }) => blueprints),
  {
    holds: (props) => ownBlueprints(props) !== undefined,
    message: ({ blueprintFiles }) =>
      `blueprintFiles is ${JSON.stringify(blueprintFiles)}; it must be a readable folder; use its path, for example join(__dirname, "blueprints")`,
  },
  {
    holds: canRead,
    message: () =>
      "blueprintFiles is given, but the package yaml, an optional dependency that reads them, is not installed; run npm install yaml",
  },
  ...BLUEPRINT_FILE_RULES.map((rule) => contentRule((files) => rule.problemsOf("blueprintFiles", files))),
  contentRule((files) => broken(BLUEPRINT_COUNT, "number of blueprintFiles", Object.keys(files).length)),
  contentRule((files) => broken(BLUEPRINT_BYTES, "size of blueprintFiles in bytes", totalBytes(Object.values(files)))),
  contentRule((files, { blueprints = [] }) =>
    broken(
      NO_NAME_TWICE,
      "repeated name in blueprintFiles",
      repeated([
        ...Object.entries(files).map(([file, text]) => blueprintName(file, text)),
        ...[...new Set(blueprints)].map((name) => shippedBlueprintName(name)),
      ]),
    ),
  ),
];

function broken<Value>(
  rule: { accepts(value: Value): boolean; problem(name: string, shown: string): string },
  name: string,
  value: Value,
): string[] {
  return rule.accepts(value) ? [] : [rule.problem(name, JSON.stringify(value))];
}
