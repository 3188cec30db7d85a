import { alertCells } from "./alert-cells";
import { inputsTables, outputsTable, table, type TabledConfiguration } from "./markdown-tables";
import { type Terraform } from "../support/synthesis";

export type DocumentedTerraform = Terraform & TabledConfiguration;

type DocumentedStacks = Readonly<Record<string, DocumentedTerraform>>;

export const UPDATE_COMMAND = "npm run docs";

/**
 * The text of a page with its generated tables renewed. Each stands between its marker and `<!-- end -->`:
 * `<!-- inputs: a -->` and `<!-- outputs: a -->` for those of stack a, `<!-- alerts -->` for those of the identity
 * providers.
 *
 * @throws Error when a marker names a stack that is not synthesized
 */
export function withFreshTables(page: string, stacks: DocumentedStacks): string {
  return page.replaceAll(MARKED_TABLE, (_, start: string, kind: string, name: string | undefined, end: string) => {
    const rendered = kind === "alerts" ? table(ALERT_COLUMNS, alertCells()) : tableOf(kind, name ?? "", stacks);
    return `${start}\n${rendered}\n\n${end}`;
  });
}

const MARKED_TABLE = /(<!-- (inputs|outputs|alerts)(?:: ([\w-]+))? -->\n)[\s\S]*?(<!-- end -->)/g;

const ALERT_COLUMNS = ["Alert", "What is wrong", "Raised when", "Heard within", "Severity", "Where", "Needs"];

function tableOf(kind: string, name: string, stacks: DocumentedStacks): string {
  const terraform = stacks[name];
  if (terraform === undefined) throw new Error(`a page shows ${name}, which is not a stack`);
  return kind === "inputs" ? inputsTables(terraform) : outputsTable(terraform);
}
