import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { groupedInputs } from "../input-groups";

/** An input: a variable of a synthesized configuration, or a row of a table. */
interface TerraformVariable {
  readonly type: string;
  readonly description: string;
  readonly default?: unknown;
}

/** The parts of a synthesized configuration that the tables show. */
export interface TabledConfiguration {
  readonly variable: Readonly<Record<string, TerraformVariable>>;
  readonly output: Readonly<Record<string, { readonly description: string }>>;
}

/** Rows of a table, each as its cells. */
type Rows = readonly (readonly string[])[];

/** A table for each group of inputs, with its guide; of a stack without groups, those that descriptions name. */
export function inputsTables({ variable }: Pick<TabledConfiguration, "variable">): string {
  return groupedInputs(variable)
    .map(({ group, rows }) => {
      if (group === undefined) return ownGroups(Object.fromEntries(rows));
      const { guides, title } = group;
      const links = guides.map((guide) => `[${guideTitle(guide)}](guides/${guide})`);
      const cells = rows.map(([name, input]) => cellsOf(name, input));
      return `### ${title}\n\nSee ${links.join(", ")}.\n\n${table(INPUT_COLUMNS, cells)}`;
    })
    .join("\n\n");
}

const INPUT_COLUMNS = ["Input", "Type", "Default", "Meaning"];

const cellsOf = (name: string, input: TerraformVariable) => [
  `\`${name}\``,
  typeText(input),
  defaultText(input),
  escaped(input.description),
];

function guideTitle(guide: string): string {
  const [, title = guide] = /^# (.*)$/m.exec(readFileSync(packageFile(`stacks/guides/${guide}`), "utf8")) ?? [];
  return title;
}

/** One table, the required inputs first, or one for each group where the descriptions begin with `[<group>]`. */
function ownGroups(variable: TabledConfiguration["variable"]): string {
  const rows = Object.entries(variable)
    .sort(([nameA, a], [nameB, b]) => requiredFirst(a, b) || nameA.localeCompare(nameB))
    .map(([name, input]) => cellsOf(name, input));
  const groups = [...new Set(rows.map((cells) => groupOf(cells)))].sort();
  return groups
    .map((group) => {
      const ofGroup = rows
        .filter((cells) => groupOf(cells) === group)
        .map((cells) => cells.map((cell) => cell.replace(GROUP, "")));
      return `${group === "" ? "" : `**${group}**\n\n`}${table(INPUT_COLUMNS, ofGroup)}`;
    })
    .join("\n\n");
}

export function outputsTable({ output }: TabledConfiguration): string {
  const rows = Object.entries(output)
    .sort(([nameA], [nameB]) => nameA.localeCompare(nameB))
    .map(([name, { description }]) => [`\`${name}\``, escaped(description)]);
  return table(["Output", "Meaning"], rows);
}

/** A table in Markdown; its cells have no line breaks. */
export function table(header: readonly string[], rows: Rows): string {
  const lines = [header, header.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
}

/** The group at the beginning of a description. */
const GROUP = /^\[(\d [^\]]+)\] /;

function groupOf(cells: readonly string[]): string {
  return GROUP.exec(cells.at(-1) ?? "")?.[1] ?? "";
}

/** Text of a description, escaped, because a renderer would take `<name>` for a tag. */
function escaped(description: string): string {
  return description.replaceAll("<", "\\<");
}

function requiredFirst(a: TerraformVariable, b: TerraformVariable): number {
  return Number("default" in a) - Number("default" in b);
}

/** Type of an input, as code for objects, whose type is long and whose members are names to copy. */
function typeText({ type }: TerraformVariable): string {
  return type.startsWith("object(") ? `\`${type}\`` : type;
}

function defaultText(input: TerraformVariable): string {
  return "default" in input ? code(JSON.stringify(input.default)) : "required";
}

/** A text as code, also one with backticks, which need longer ones around them. */
export function code(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const ticks = "`".repeat(longest + 1);
  return longest === 0 ? `\`${text}\`` : `${ticks} ${text} ${ticks}`;
}
