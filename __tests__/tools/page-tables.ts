import { extname, join } from "node:path";

import { inputsTables, outputsTable, table, type TabledConfiguration } from "../../stacks/folder/markdown-tables";
import { type Terraform } from "../support/synthesis";
import { alertCells } from "./alert-cells";
import { pageOf } from "./pages";

export type DocumentedTerraform = Terraform & TabledConfiguration;

type DocumentedStacks = Readonly<Record<string, DocumentedTerraform>>;

export const UPDATE_COMMAND = "npm run docs";

/**
 * The text of a page with its generated tables renewed. Each stands between its marker and `<!-- end -->`:
 * `<!-- inputs: a -->` and `<!-- outputs: a -->` for those of stack a, `<!-- alerts -->` for those of the identity
 * providers. `<!-- file: a -->` is for file a of the example of a fleet.
 *
 * @throws Error when a marker names a stack that is not synthesized
 */
export function withFreshTables(page: string, stacks: DocumentedStacks): string {
  return page.replaceAll(MARKED_TABLE, (_, start: string, kind: string, name: string | undefined, end: string) => {
    const rendered = kind === "alerts" ? table(ALERT_COLUMNS, alertCells()) : tableOf(kind, name ?? "", stacks);
    return `${start}\n${rendered}\n\n${end}`;
  });
}

const MARKED_TABLE = /(<!-- (inputs|outputs|alerts|file)(?:: ([\w./-]+))? -->\n)[\s\S]*?(<!-- end -->)/g;

const ALERT_COLUMNS = ["Alert", "What is wrong", "Raised when", "Heard within", "Severity", "Where", "Needs"];

function tableOf(kind: string, name: string, stacks: DocumentedStacks): string {
  if (kind === "file") return fileBlock(name);
  const terraform = stacks[name];
  if (terraform === undefined) throw new Error(`a page shows ${name}, which is not a stack`);
  return kind === "inputs" ? inputsTables(terraform) : outputsTable(terraform);
}

/** A shell script is no block of `sh`, whose commands are executed one after the other. */
const LANGUAGES: Readonly<Record<string, string>> = { ".sh": "shell" };

function fileBlock(path: string): string {
  const extension = extname(path);
  const { text } = pageOf(join("stacks/examples/fleet", path));
  return `\`\`\`${LANGUAGES[extension] ?? extension.slice(1)}\n${text}\`\`\``;
}
