import { readFileSync } from "node:fs";

import { type Terraform } from "../support/synthesis";
import { labPicture } from "./lab-picture";

/** What a table row is made of, as it stands in a synthesized folder. */
interface TerraformVariable {
  readonly type: string;
  readonly description: string;
  readonly default?: unknown;
  readonly ephemeral?: boolean;
}

/** A configuration with the parts that the tables show. */
export type DocumentedTerraform = Terraform & {
  readonly variable: Readonly<Record<string, TerraformVariable>>;
  readonly output: Readonly<Record<string, { readonly description: string }>>;
};

/** Command that brings stale tables up to date. */
export const UPDATE_COMMAND = "npm run docs";

/**
 * The text with every generated part renewed.
 *
 * A part stands between `<!-- inputs: <stack> -->`, `<!-- outputs: <stack> -->` or `<!-- picture: <stack> -->` and `<!-- end -->`.
 *
 * @throws Error when a part names a stack that is not synthesized
 */
export function withFreshTables(readme: string, stacks: Readonly<Record<string, DocumentedTerraform>>): string {
  return readme.replaceAll(
    /(<!-- (inputs|outputs|picture): (\S+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_whole, start: string, kind: string, stackName: string, end: string) => {
      const terraform = stacks[stackName];
      if (terraform === undefined) throw new Error(`README.md has a table for ${stackName}, which is not a stack`);
      return `${start}\n${(PARTS[kind] ?? inputsTable)(terraform)}\n\n${end}`;
    },
  );
}

/** What can be generated, by the word that asks for it. */
const PARTS: Readonly<Record<string, (terraform: DocumentedTerraform) => string>> = {
  inputs: inputsTable,
  outputs: outputsTable,
  picture: labPicture,
};

/** The synthesized configuration of one stack. */
export function readTerraform(path: string): DocumentedTerraform {
  return JSON.parse(readFileSync(path, "utf8")) as DocumentedTerraform;
}

function inputsTable({ variable }: DocumentedTerraform): string {
  const rows = Object.entries(variable)
    .sort(([nameA, a], [nameB, b]) => requiredFirst(a, b) || nameA.localeCompare(nameB, "en"))
    .map(([name, input]) => [`\`${name}\``, input.type, defaultText(input), input.description]);
  return table(["Input", "Type", "Default", "Meaning and consequence of a change"], rows);
}

function outputsTable({ output }: DocumentedTerraform): string {
  const rows = Object.entries(output)
    .sort(([nameA], [nameB]) => nameA.localeCompare(nameB, "en"))
    .map(([name, { description }]) => [`\`${name}\``, description]);
  return table(["Output", "Meaning"], rows);
}

function requiredFirst(a: TerraformVariable, b: TerraformVariable): number {
  return Number("default" in a) - Number("default" in b);
}

function defaultText(input: TerraformVariable): string {
  return "default" in input ? `\`${JSON.stringify(input.default)}\`` : "required";
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
}
