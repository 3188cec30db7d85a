import { type Input, type Table } from "../../lib/core/inputs/rows";
import { terraformName } from "../../lib/core/inputs/rules";
import { type DeploymentSettings, settingOrDefault } from "../../lib/core/inputs/settled-inputs";
import { prose } from "../../lib/core/prose";
import { code, inputsTables } from "./markdown-tables";
import { shownType } from "./shown-type";

/**
 * Texts on the page of a folder for one deployment: settled inputs, inputs that must stay set, and steps for changes.
 */
export function settledSection(stack: string, table: Table, { settlements, values }: DeploymentSettings): string {
  const all = [...settlements].sort(([one], [other]) => (one < other ? -1 : 1));
  const fixed = all.filter(([, settlement]) => settlement === "fixed").map(([path]) => path);
  const present = all.filter(([path, settlement]) => settlement === "present" && !isInside(path, fixed));
  const settled = fixed.filter((path) => !isInside(path, fixed)).map((path) => settledValue(path, table, values));
  const [chosen, usual] = [false, true].map((isDefault) => settled.filter((each) => each.isDefault === isDefault));
  const mustStay = present.map(([path]) => path);
  return [
    "",
    "## Settled for one deployment",
    "",
    prose`
      This folder has the parts of one deployment and no others. Its file of settings decided which parts there
      are, so these
    `,
    "inputs have no variable here:",
    "",
    ...chosenLines(chosen ?? []),
    ...(usual === undefined || usual.length === 0 ? [] : [`- as by default: ${named(usual.map(({ path }) => path))}`]),
    "",
    ...(mustStay.length === 0
      ? []
      : [`These stay variables, which must not become null or empty: ${named(mustStay)}.`, ""]),
    prose`
      All other inputs are variables, whose defaults are the settings. Guides name all inputs of the stack.
      To use one that is
    `,
    "settled here, change your file of settings, synthesize again with its name, and apply the new folder over the",
    "same state:",
    "",
    "```sh",
    `npm run synth -- ${stack} --hcl --settings settings.tfvars.json`,
    "```",
    "",
    "That replaces nothing; the folder for any deployment, without `--settings`, takes over the same state too.",
    "",
  ].join("\n");
}

/** An input that is settled, or the member of one. */
interface SettledValue {
  readonly path: string;
  readonly value: unknown;
  readonly isDefault: boolean;
}

/** Differences from the defaults: parts that are on, parts that are off, and every other value. */
function chosenLines(chosen: readonly SettledValue[]): string[] {
  const isOff = ({ value }: SettledValue) => ["false", "null", "[]", "{}", '""'].includes(JSON.stringify(value));
  const paths = (isOfGroup: (each: SettledValue) => boolean) => chosen.filter(isOfGroup).map(({ path }) => path);
  const [on, off] = [paths(({ value }) => value === true), paths(isOff)];
  const withValues = chosen.filter((each) => each.value !== true && !isOff(each));
  return [
    ...(on.length === 0 ? [] : [`- on: ${named(on)}`]),
    ...(off.length === 0 ? [] : [`- off, or none: ${named(off)}`]),
    ...withValues.map(({ path, value }) => `- \`${path}\`: ${code(JSON.stringify(value))}`),
  ];
}

const named = (paths: readonly string[]) => paths.map((path) => `\`${path}\``).join(", ");

/** The page of a stack, with the inputs of the folder, and without outputs that the folder does not have. */
export function pageFor(page: string, inputs: Table, outputs: readonly string[]): string {
  const rows = Object.entries(inputs).map(([name, row]) => [terraformName(name), { ...row, type: shownType(row) }]);
  const table = inputsTables({ variable: Object.fromEntries(rows) as Readonly<Record<string, Input>> });
  const ofFolder = page.replace(INPUTS, (_, start: string, end: string) => `${start}\n${table}\n\n${end}`);
  let section = "";
  const isLeft = (line: string) => {
    section = /^## (.*)/.exec(line)?.[1] ?? section;
    const [, name] = /^\| `(\w+)` \|/.exec(line) ?? [];
    return section !== "Outputs" || name === undefined || outputs.includes(name);
  };
  return ofFolder.split("\n").filter(isLeft).join("\n");
}

/** The table of inputs, between its marks. */
const INPUTS = /(<!-- inputs: [\w-]+ -->\n)[\s\S]*?(<!-- end -->)/;

const isInside = (path: string, paths: readonly string[]) => paths.some((each) => path.startsWith(`${each}.`));

function settledValue(path: string, table: Table, values: DeploymentSettings["values"]): SettledValue {
  let [rows, value, fallback]: [Table, unknown, unknown] = [table, values, null];
  for (const name of path.split(".")) {
    const [, row] = Object.entries(rows).find(([each]) => terraformName(each) === name) ?? [];
    if (row === undefined) break;
    value = settingOrDefault(row, (value as DeploymentSettings["values"] | null)?.[name]);
    fallback = row.default ?? null;
    rows = row.members ?? {};
  }
  return { path, value, isDefault: JSON.stringify(value) === JSON.stringify(fallback) };
}
