import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { contents, headingsOf } from "../../stacks/folder/headings";
import {
  escaped,
  inputCells,
  inputsTables,
  outputCells,
  outputsTable,
  table,
  type Rows,
  type TabledConfiguration,
} from "../../stacks/folder/markdown-tables";
import { snakeCase } from "../../lib/core/checks";
import { type Table } from "../../lib/core/inputs";
import { KUBERNETES_INPUTS } from "../../lib/kubernetes-identity-provider";
import { type Terraform } from "../support/synthesis";
import { alertCells, logCommands } from "./monitoring-parts";

export type DocumentedTerraform = Terraform & TabledConfiguration;

type DocumentedStacks = Readonly<Record<string, DocumentedTerraform>>;

export const UPDATE_COMMAND = "npm run docs";

/**
 * The text of a page with every generated part renewed. A part stands between its marker and `<!-- end -->`:
 *
 * - `<!-- contents -->`: links to the headings below it
 * - `<!-- example: a -->`: the program of `stacks/examples/a`
 * - `<!-- inputs: a -->`, `<!-- outputs: a -->`: a table of all that stack a has; `a & b` is what both have alike, `a - b`
 *   what a does not have in common with b
 * - `<!-- members: a -->`: what the members of the input a of the identity providers are
 * - `<!-- monitoring: alerts -->`, `<!-- monitoring: logs -->`: the table of alerts, and where each part writes
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
  contents: (_selection, _stacks, below) => contents(headingsOf(below).filter(({ level }) => level <= 3)),
  example: (name) => `\`\`\`ts\n${readFileSync(packageFile(`stacks/examples/${name}/main.ts`), "utf8")}\`\`\``,
  inputs: (selection, stacks) => inputsTables(rowsOf(selection, stacks, inputCells)),
  members: (input) => table(["Member", "Meaning", "Default"], memberCells(input)),
  monitoring: (selection) =>
    selection === "logs"
      ? logCommands()
      : table(["Alert", "What is wrong", "Raised when", "Severity", "Where", "Needs"], alertCells()),
  outputs: (selection, stacks) => outputsTable(rowsOf(selection, stacks, outputCells)),
};

const MARKED_PART = new RegExp(
  `(<!-- (${Object.keys(PARTS).join("|")})(?:: ([^>]+))? -->\\n)[\\s\\S]*?(<!-- end -->)`,
  "g",
);

/** A row for each member of an input that is an object. */
function memberCells(name: string): Rows {
  const [, row] = Object.entries<Table[string]>(KUBERNETES_INPUTS).find(([input]) => snakeCase(input) === name) ?? [];
  if (row?.members === undefined) throw new Error(`a page shows members of ${name}, which has none`);
  return Object.entries(row.members).map(([member, { default: value, description }]) => [
    `\`${snakeCase(member)}\``,
    escaped(description),
    value === undefined ? "required" : `\`${JSON.stringify(value)}\``,
  ]);
}

export function readTerraform(path: string): DocumentedTerraform {
  return JSON.parse(readFileSync(path, "utf8")) as DocumentedTerraform;
}

function stackOf(name: string, stacks: DocumentedStacks): DocumentedTerraform {
  const terraform = stacks[name];
  if (terraform === undefined) throw new Error(`a page shows ${name}, which is not a stack`);
  return terraform;
}

/** The rows that `a`, `a & b` or `a - b` means; what two stacks have in common has the same row in both. */
function rowsOf(selection: string, stacks: DocumentedStacks, cellsOf: (terraform: DocumentedTerraform) => Rows): Rows {
  const [first = "", operator, second] = selection.split(" ");
  const rows = cellsOf(stackOf(first, stacks));
  if (operator === undefined || second === undefined) return rows;
  const others = cellsOf(stackOf(second, stacks)).map((cells) => cells.join());
  return rows.filter((cells) => others.includes(cells.join()) === (operator === "&"));
}
