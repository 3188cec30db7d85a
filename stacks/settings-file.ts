import { readFileSync } from "node:fs";

import { RulesBrokenError } from "../lib/core/inputs/rules-broken-error";
import { type DeploymentSettings } from "../lib/core/inputs/settled-inputs";
import { prose } from "../lib/core/prose";

/** Values of inputs under Terraform's names. */
type Values = DeploymentSettings["values"];

/** A file of settings that cannot be read. */
export class SettingsFileError extends RulesBrokenError {}

/**
 * Reads the settings of one deployment from a file by Terraform's rules: `*.tfvars.json` or `*.tfvars`.
 *
 * @throws SettingsFileError if the file cannot be read, or contains anything other than literals
 */
export async function readSettingsFile(path: string): Promise<Values> {
  const refuse: Refuse = (problem, line) => {
    throw new SettingsFileError("settings", [`${path}${line === undefined ? "" : `, line ${line},`} ${problem}`]);
  };
  const text = textOf(path, refuse);
  if (!/[.]tfvars([.]json)?$/.test(path))
    refuse("is not named *.tfvars or *.tfvars.json; it must be, because Terraform reads such files; rename it");
  const parsed = path.endsWith(".json") ? parseJson(text, refuse) : await parseHcl(path, text, refuse);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    return refuse("is not an object; it must have values of inputs by name; correct it");
  // A schema is only for editors.
  const values = Object.fromEntries(Object.entries(parsed).filter(([name]) => name !== "$schema"));
  return values;
}

type Refuse = (problem: string, line?: number | string) => never;

const MISSING = "is not there; it must be a file, because its values decide what the folder has; correct the path";

/** Problem of a path, by the code of the error. */
const UNREADABLE: Readonly<Record<string, string>> = {
  EISDIR: "is a directory; it must be a file, because a folder is for one deployment; name the file in it",
  ENOENT: MISSING,
  ENOTDIR: MISSING,
};

function textOf(path: string, refuse: Refuse): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return refuse(UNREADABLE[code] ?? `cannot be read (${code}); it must be readable; change its rights`);
  }
}

function parseJson(text: string, refuse: Refuse): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const message = (error as Error).message.replaceAll(/\s+/g, " ");
    const position = / at position (\d+)/.exec(message)?.[1];
    const isCutOff = message.includes("end of JSON");
    const before = position === undefined ? text.trimEnd() : text.slice(0, Number(position) + 1);
    const line = position === undefined && !isCutOff ? undefined : before.split("\n").length;
    return refuse(`is not valid JSON: ${message}; it must be, because its name ends with .json; correct it`, line);
  }
}

async function parseHcl(path: string, text: string, refuse: Refuse): Promise<unknown> {
  // Loaded on demand: only a developer's checkout has the package, and most syntheses do not need it.
  const { parse } = await import("@cdktf/hcl2json");
  let parsed: unknown;
  try {
    parsed = await parse(path, text);
  } catch (error) {
    const { line, problem } = hclProblem((error as Error).message);
    const twice = problem === "attribute redefined" ? setTwice(text, Number(line)) : undefined;
    if (twice !== undefined) return refuse(twice);
    const opened = unclosedBracket(text);
    if (opened !== undefined)
      return refuse(`is not valid HCL: nothing closes its ${opened.bracket}; add the closing one`, opened.line);
    return refuse(`is not valid HCL: ${problem}; correct it`, line);
  }
  const block = blockIn(text, parsed as Values);
  if (block !== undefined)
    refuse(
      prose`
        has a block, ${block.name}; it must have values alone, because Terraform refuses blocks in such a file;
        write ${block.name} = { … }
      `,
      block.line,
    );
  const expressions = expressionsIn(parsed as Values);
  const words = expressions.flatMap(({ name, value }) => {
    const [, word] = BARE_WORD.exec(value) ?? [];
    return word === undefined || text.includes(`"${value}"`) ? [] : [{ name, word }];
  });
  const problems = words.map(({ name, word }) => bareWordProblem(name, word));
  const calculated = expressions.map(({ name }) => name).filter((name) => words.every((each) => each.name !== name));
  if (calculated.length > 0)
    problems.push(
      `calculates ${calculated.join(", ")}; it must have literals alone, because no plan reads it; write the value`,
    );
  if (problems.length > 0)
    throw new SettingsFileError(
      "settings",
      problems.map((problem) => `${path} ${problem}`),
    );
  return withoutEscapes(parsed);
}

/** The first problem of `parse config: [<file>:<line>,<columns>: <summary>; <detail>.]`, as one sentence. */
function hclProblem(message: string): { readonly line?: string; readonly problem: string } {
  const [, line, summary = ""] = /:(\d+),\d+-(?:\d+,)?\d+: ([^;]*)/.exec(message) ?? [];
  if (line === undefined) return { problem: message.replaceAll(/\s+/g, " ").trim() };
  // The parser looks for the end of a quoted text in the next line.
  if (summary === "Invalid multi-line string") return { line, problem: "a text has no closing quote" };
  return { line, problem: summary.charAt(0).toLowerCase() + summary.slice(1) };
}

/** Closing brackets by their opening ones. */
const CLOSING: Readonly<Record<string, string>> = { "{": "}", "[": "]", "(": ")" };

/** The innermost bracket that is still open where the next setting begins, or at the end. */
function unclosedBracket(text: string): { readonly bracket: string; readonly line: number } | undefined {
  const open: { readonly bracket: string; readonly line: number }[] = [];
  for (const [index, whole] of text.split("\n").entries()) {
    if (open.length > 0 && /^\w+ *=/.test(whole)) break;
    const code = whole.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").replace(/(?:#|\/\/).*$/, "");
    for (const character of code) {
      if (character in CLOSING) open.push({ bracket: character, line: index + 1 });
      else if (Object.values(CLOSING).includes(character)) open.pop();
    }
  }
  return open.at(-1);
}

/** Problem of a line that sets a name a second time. */
function setTwice(text: string, line: number): string | undefined {
  const names = text.split("\n").map((each) => /^[ \t]*([A-Za-z_][\w-]*)[ \t]*=/.exec(each)?.[1]);
  const name = names[line - 1];
  const first = names.indexOf(name) + 1;
  return name === undefined || first >= line
    ? undefined
    : `sets ${name} twice, in lines ${first} and ${line}; remove one`;
}

/** The first block of a file; the parser returns a list or an object for a block, as for a value. */
function blockIn(text: string, parsed: Values): { readonly line: number; readonly name: string } | undefined {
  for (const { 1: name = "", index } of text.matchAll(
    /^[ \t]*([A-Za-z_][\w-]*)(?:[ \t]+(?:"[^"\n]*"|[\w-]+))*[ \t]*\{/gm,
  ))
    if (typeof parsed[name] === "object" && parsed[name] !== null)
      return { name, line: text.slice(0, index).split("\n").length };
  return undefined;
}

/** Beginning of an expression in a text, unless it is escaped. */
const EXPRESSION = /(?<![$%])[$%]\{/;

/** An expression that consists of one word; the framework's reader returns a word without quotes in this form. */
const BARE_WORD = /^\$\{([A-Za-z_][\w-]*)\}$/;

/** Names of values that may be secrets. */
const MAYBE_SECRET = /password|secret|token|key|environment_variables/i;

/** A word without quotes, because Terraform treats it as a reference; a word that may be a secret is not shown. */
function bareWordProblem(name: string, word: string): string {
  if (MAYBE_SECRET.test(name)) return `has ${name}, whose value is not in quotes; text must be; write it in quotes`;
  return `has ${name} = ${word}; ${word} is not in quotes; write "${word}"`;
}

/** Names and values that are expressions; the framework's reader of HCL leaves them in braces. */
function expressionsIn(values: Values, prefix = ""): { readonly name: string; readonly value: string }[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    if (typeof value === "string" && EXPRESSION.test(value)) return [{ name: path, value }];
    if (EXPRESSION.test(name)) return [{ name: path, value: "" }];
    return typeof value === "object" && value !== null ? expressionsIn(value as Values, `${path}.`) : [];
  });
}

/** Texts with Terraform's escapes, `$${` for `${`, replaced. */
function withoutEscapes(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(/([$%])\1\{/g, "$1{");
  if (Array.isArray(value)) return value.map(withoutEscapes);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutEscapes(each)]));
}
