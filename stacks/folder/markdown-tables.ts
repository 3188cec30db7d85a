import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { groupedInputs, withoutForm } from "../input-groups";

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

/**
 * A table for each group of inputs, with its guide. A stack without groups has one table, with the required inputs
 * first.
 */
export function inputsTables({ variable }: Pick<TabledConfiguration, "variable">): string {
  return groupedInputs(variable)
    .map(({ group, note, rows }) => {
      const ofRows = (given: typeof rows) =>
        table(
          INPUT_COLUMNS,
          given.map(([name, input]) => cellsOf(name, input)),
        );
      if (group === undefined) return ofRows([...rows].sort(requiredFirst));
      const { guides, title } = group;
      const links = guides.map((guide) => `[${guideTitle(guide)}](guides/${guide})`);
      const see = links.length === 0 ? "" : `See ${links.join(", ")}.\n\n`;
      const remark = note === "" ? "" : `${note}\n\n`;
      return `### ${title}\n\n${see}${remark}${ofRows(rows)}`;
    })
    .join("\n\n");
}

const INPUT_COLUMNS = ["Input", "Type", "Default", "Meaning"];

const cellsOf = (name: string, input: TerraformVariable) => [
  `\`${name}\``,
  typeText(input),
  defaultText(input),
  escaped(withoutForm(input.description)),
];

function guideTitle(guide: string): string {
  const [, title = guide] = /^# (.*)$/m.exec(readFileSync(packageFile(`stacks/guides/${guide}`), "utf8")) ?? [];
  return title;
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

/** Text of a description, escaped because a renderer would treat `<name>` as a tag. */
function escaped(description: string): string {
  return description.replaceAll("<", "\\<");
}

function requiredFirst(
  [nameA, a]: readonly [string, TerraformVariable],
  [nameB, b]: readonly [string, TerraformVariable],
): number {
  return Number("default" in a) - Number("default" in b) || nameA.localeCompare(nameB);
}

/** Type of an input. For objects it is code, because the type is long and its members are names to copy. */
function typeText({ type }: TerraformVariable): string {
  return type.startsWith("object(") ? `\`${type}\`` : type;
}

function defaultText(input: TerraformVariable): string {
  return "default" in input ? code(JSON.stringify(input.default)) : "required";
}

/** A text as code; a text with backticks gets longer backticks around it. */
export function code(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const ticks = "`".repeat(longest + 1);
  return longest === 0 ? `\`${text}\`` : `${ticks} ${text} ${ticks}`;
}
