import { type Precondition, TerraformLocal, TerraformStack, Token } from "cdktf";
import { Construct } from "constructs";

import { expression } from "../core/expression";
import { packageFile } from "../core/package-file";
import { requireProps } from "../core/rules";
import { addStackFile, addStackText } from "../core/stack-file";
import {
  BLUEPRINT_BYTES,
  BLUEPRINT_COUNT,
  BLUEPRINT_FILE_RULES,
  decodedBlueprint,
  NO_NAME_TWICE,
  SHIPPED_BLUEPRINTS,
  shippedBlueprintName,
} from "./blueprint-files";
import { BLUEPRINT_RULES, type BlueprintProps, blueprintsInFolder, ownBlueprints } from "./blueprint-props";

export interface BlueprintsProps extends BlueprintProps {
  /**
   * Blueprints of your own: a folder with `*.yaml` files, or their contents by file name; `{}` if all of them are put
   * into the synthesized folder. Needs the package `yaml`.
   */
  readonly blueprintFiles: Required<BlueprintProps>["blueprintFiles"];
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

  /** Conditions for building an image with them. */
  readonly conditions: readonly Precondition[];

  constructor(scope: Construct, id: string, props: BlueprintsProps) {
    super(scope, id);
    requireProps(this, props, ["blueprintFiles"], BLUEPRINT_RULES);
    this.folder = this.freeFolder();
    for (const [name, text] of Object.entries(ownBlueprints(props) ?? {})) {
      addStackText(this, text, `${this.folder}/${name}`);
    }
    for (const name of Object.keys(SHIPPED_BLUEPRINTS)) {
      const path = `image/blueprints/${name}.yaml`;
      addStackFile(this, packageFile(path), path);
    }
    const appended = addStackFile(this, packageFile(APPENDED), APPENDED);

    // A file that is not text counts as empty, and is refused because it is no blueprint.
    const folder = `\${path.module}/${this.folder}`;
    const own = this.local(
      "Own",
      `{ for name in ${blueprintsInFolder(this.folder)} : name => try(file("${folder}/\${name}"), "") }`,
    );
    const shipped = `toset(${listOf(props.blueprints ?? [])})`;
    const sources = this.local(
      "Sources",
      `merge({ for name in keys(${own}) : "own/\${name}" => "${folder}/\${name}" }, { for name in ${shipped} : "shipped/\${name}.yaml" => "\${path.module}/image/blueprints/\${name}.yaml" })`,
    );
    this.paths = expression(`join(" ", keys(${sources}))`);
    this.hashes = `[for place, source in ${sources} : join(" ", [place, filesha256(source), ${appended.sha256}])]`;

    const count = `length(${own})`;
    const bytes = `sum(concat([0], [for name in keys(${own}) : floor(length(filebase64("${folder}/\${name}")) / 4) * 3]))`;
    const names = this.local(
      "Names",
      `concat([for name, text in ${own} : try(tostring(${decodedBlueprint("text")}.metadata.name), name)], [for name in ${shipped} : "${shippedBlueprintName("${name}")}"])`,
    );
    const twice = `[for name in distinct(${names}) : name if length([for other in ${names} : other if other == name]) > 1]`;
    this.conditions = [
      ...BLUEPRINT_FILE_RULES.map((rule) => rule.memberValidationOf(`${this.folder}/`, own)),
      BLUEPRINT_COUNT.memberValidationOf(`number of files in ${this.folder}/`, count, undefined),
      BLUEPRINT_BYTES.memberValidationOf(`size of ${this.folder}/ in bytes`, bytes, undefined),
      NO_NAME_TWICE.memberValidationOf(`repeated name in ${this.folder}/`, twice, undefined),
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

/** The given blueprints; undefined for none, so that an image without any does not change and is not rebuilt. */
export function customBlueprints(
  scope: Construct,
  { blueprintFiles = {}, blueprints }: BlueprintProps,
): Blueprints | undefined {
  if (blueprints === undefined && Object.keys(blueprintFiles).length === 0) return undefined;
  return new Blueprints(scope, "Blueprints", { blueprints, blueprintFiles });
}

/** Appended to the Dockerfile of an image with blueprints. */
const APPENDED = "image/Dockerfile.blueprints";

function listOf(names: readonly string[]): string {
  return Token.isUnresolved(names) ? Token.asString(names) : JSON.stringify(names);
}
