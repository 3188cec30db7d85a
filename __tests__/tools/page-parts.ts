import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { type Platform } from "../../lib/platform/monitoring/alert";
import { upgradeCells } from "../stacks/releases/upgrade-plans";
import { type Terraform } from "../support/synthesis";
import { costPart } from "./cost-tables";
import { doorPicture } from "./door-picture";
import { failureCells } from "./failure-tables";
import { installCommands } from "./install-commands";
import { markdownTable as table } from "./markdown-table";
import { alertCells, logCommands } from "./monitoring-parts";
import { headingsOf } from "./pages";
import { firstApplyPicture } from "./pictures/first-apply-picture";
import { mermaidPicture } from "./pictures/mermaid-picture";
import { overviewPicture } from "./pictures/overview-picture";
import { protectionCells, protectionPathCells } from "./protection-tables";

/** What a table row is made of, as it stands in a synthesized folder. */
interface TerraformVariable {
  readonly type: string;
  readonly description: string;
  readonly default?: unknown;
  readonly ephemeral?: boolean;
}

interface TerraformOutput {
  readonly description: string;
}

/** A configuration with the parts that the tables show. */
export type DocumentedTerraform = Terraform & {
  readonly variable: Readonly<Record<string, TerraformVariable>>;
  readonly output: Readonly<Record<string, TerraformOutput>>;
};

type DocumentedStacks = Readonly<Record<string, DocumentedTerraform>>;

/** Command that brings stale parts up to date. */
export const UPDATE_COMMAND = "npm run docs";

/**
 * The text of a page with every generated part renewed. A part stands between its marker and `<!-- end -->`:
 *
 * - `<!-- contents -->`: links to the headings below it
 * - `<!-- costs: selection -->`: what a stack costs, or the price table; see `costPart`
 * - `<!-- example: a -->`: the program of `stacks/examples/a`
 * - `<!-- failures: platform -->`: what can fail on a platform, and what becomes of it
 * - `<!-- inputs: a -->`, `<!-- outputs: a -->`: a table of all that stack a has; `a & b` is what both have alike, `a - b`
 *   what a does not have in common with b
 * - `<!-- install -->`: how to install the library with its peers
 * - `<!-- monitoring: alerts -->`, `<!-- monitoring: logs -->`: the table of alerts, and where each part writes
 * - `<!-- overview: a -->`: what talks to what, who may read what, what is open to whom
 * - `<!-- first-apply: a -->`: the order of a first apply with times
 * - `<!-- door: a -->`: the way of a request to a domain
 * - `<!-- protection: rules -->`, `<!-- protection: paths -->`: what the security policy does, and where
 * - `<!-- upgrade -->`: what a plan shows when a folder takes the place of one of the last release
 *
 * @throws Error when a marker names a stack that is not synthesized
 */
export function withFreshParts(page: string, stacks: DocumentedStacks): string {
  return page.replaceAll(
    MARKED_PART,
    (whole, start: string, kind: string, selection: string | undefined, end: string, offset: number) => {
      const below = page.slice(offset + whole.length);
      return `${start}\n${String(PARTS[kind]?.(selection ?? "", stacks, below))}\n\n${end}`;
    },
  );
}

/** What can be generated, by the word that asks for it. */
const PARTS: Readonly<Record<string, (selection: string, stacks: DocumentedStacks, below: string) => string>> = {
  contents: (_selection, _stacks, below) => contents(below),
  costs: (selection, stacks) => costPart(selection, stacks),
  door: (selection, stacks) => doorPicture(stackOf(selection, stacks)),
  example: (name) => `\`\`\`ts\n${readFileSync(packageFile(`stacks/examples/${name}/main.ts`), "utf8")}\`\`\``,
  failures: (selection) =>
    table(
      ["What fails", "What happens by itself", "Who notices", "What then", "Shown by"],
      failureCells(selection as Platform),
    ),
  "first-apply": (selection, stacks) => mermaidPicture(firstApplyPicture(selection, stackOf(selection, stacks))),
  inputs: (selection, stacks) => inputsTables(rowsOf(selection, stacks, inputCells)),
  install: () => installCommands(),
  monitoring: (selection) =>
    selection === "logs"
      ? logCommands()
      : table(["Alert", "What is wrong", "Raised when", "Severity", "Where", "Needs"], alertCells()),
  outputs: (selection, stacks) => outputsTable(rowsOf(selection, stacks, outputCells)),
  overview: (selection, stacks) => mermaidPicture(overviewPicture(selection, stackOf(selection, stacks))),
  protection: (selection) =>
    selection === "paths"
      ? table(["Paths", "What happens there"], protectionPathCells())
      : table(["Priority", "Rule", "Action", "Exists with", "Reason"], protectionCells()),
  upgrade: () => table(["Stack", "Resources", "Outputs"], upgradeCells()),
};

const MARKED_PART = new RegExp(
  `(<!-- (${Object.keys(PARTS).join("|")})(?:: ([^>]+))? -->\\n)[\\s\\S]*?(<!-- end -->)`,
  "g",
);

/** The synthesized configuration of one stack. */
export function readTerraform(path: string): DocumentedTerraform {
  return JSON.parse(readFileSync(path, "utf8")) as DocumentedTerraform;
}

function stackOf(name: string, stacks: DocumentedStacks): DocumentedTerraform {
  const terraform = stacks[name];
  if (terraform === undefined) throw new Error(`a page shows ${name}, which is not a stack`);
  return terraform;
}

/** Rows of a table, each as its cells. */
type Rows = readonly (readonly string[])[];

/** The rows that `a`, `a & b` or `a - b` means; what two stacks have in common has the same row in both. */
function rowsOf(selection: string, stacks: DocumentedStacks, cellsOf: (terraform: DocumentedTerraform) => Rows): Rows {
  const [first = "", operator, second] = selection.split(" ");
  const rows = cellsOf(stackOf(first, stacks));
  if (operator === undefined || second === undefined) return rows;
  const others = cellsOf(stackOf(second, stacks)).map((cells) => cells.join());
  return rows.filter((cells) => others.includes(cells.join()) === (operator === "&"));
}

function contents(below: string): string {
  return headingsOf(below)
    .filter(({ level }) => level <= 3)
    .map(({ anchor, level, title }) => `${"  ".repeat(level - 2)}- [${title}](#${anchor})`)
    .join("\n");
}

function inputCells({ variable }: DocumentedTerraform): Rows {
  return Object.entries(variable)
    .sort(([nameA, a], [nameB, b]) => requiredFirst(a, b) || nameA.localeCompare(nameB, "en"))
    .map(([name, input]) => [`\`${name}\``, typeText(input), defaultText(input), escaped(input.description)]);
}

function outputCells({ output }: DocumentedTerraform): Rows {
  return Object.entries(output)
    .sort(([nameA], [nameB]) => nameA.localeCompare(nameB, "en"))
    .map(([name, { description }]) => [`\`${name}\``, escaped(description)]);
}

/** Text of a description; a renderer takes `<name>` for a tag otherwise. */
function escaped(description: string): string {
  return description.replaceAll("<", "\\<");
}

/** One table, or one for each group where the descriptions begin with `[<group>]`. */
function inputsTables(rows: Rows): string {
  const groups = [...new Set(rows.map((cells) => groupOf(cells)))].sort();
  return groups
    .map((group) => {
      const ofGroup = rows
        .filter((cells) => groupOf(cells) === group)
        .map((cells) => cells.map((cell) => cell.replace(GROUP, "")));
      return `${group === "" ? "" : `**${group}**\n\n`}${table(["Input", "Type", "Default", "Meaning"], ofGroup)}`;
    })
    .join("\n\n");
}

const GROUP = /^\[(\d [^\]]+)\] /;

function groupOf(cells: readonly string[]): string {
  return GROUP.exec(cells.at(-1) ?? "")?.[1] ?? "";
}

function outputsTable(rows: Rows): string {
  return table(["Output", "Meaning"], rows);
}

function requiredFirst(a: TerraformVariable, b: TerraformVariable): number {
  return Number("default" in a) - Number("default" in b);
}

/** Type of an input; that of an object is long, and its members are names to copy. */
function typeText({ type }: TerraformVariable): string {
  return type.startsWith("object(") ? `\`${type}\`` : type;
}

function defaultText(input: TerraformVariable): string {
  return "default" in input ? `\`${JSON.stringify(input.default)}\`` : "required";
}
