import { type Table } from "../../lib/core/inputs/rows";
import { terraformName } from "../../lib/core/inputs/rules";
import { type DeploymentSettings } from "../../lib/core/inputs/settled-inputs";
import { wordList } from "../../lib/core/word-list";

/** Inputs for which a folder for one deployment has no variable, and members that its variables refuse. */
export function settledNames(table: Table, left: Table, { settlements }: DeploymentSettings): string[] {
  const gone = Object.keys(table).filter((name) => !(name in left));
  const members = [...settlements].filter(([path, settlement]) => settlement === "fixed" && path.includes("."));
  return [...gone.map(terraformName), ...members.map(([path]) => path)];
}

/** Note in a message of such a folder about the settled inputs that it mentions. */
export function settledNote(message: string, settled: readonly string[]): string | undefined {
  const all = settled.filter((path) => isNamed(path, message));
  const names = all.filter((path) => !all.some((other) => path.startsWith(`${other}.`)));
  if (names.length === 0) return undefined;
  const [verb, object] = names.length === 1 ? ["is", "it"] : ["are", "them"];
  const fix = `to change ${object}, synthesize it again with other settings`;
  return `In this folder, ${wordList(names)} ${verb} settled: ${fix}.`;
}

/** Whether a message names an input. Some names are ordinary words too, so the characters around the word decide. */
function isNamed(path: string, message: string): boolean {
  const name = path.replaceAll(".", "[.]");
  const isUnmistakable = /[_.]/.test(path);
  const forms = isUnmistakable
    ? [`(?<![\\w./-])${name}(?![\\w/-])`]
    : [
        `(?:^|\\b(?:set|give|without|with|remove) (?:the )?)${name}(?= is\\b|[,;.]| and\\b| or\\b|$)`,
        `(?<![\\w./-])${name} is (?:not )?(?:given|set|true|false|null)\\b`,
        `(?<![\\w./-])${name} = `,
      ];
  return forms.some((form) => new RegExp(form).test(message));
}
