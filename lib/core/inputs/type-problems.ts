import { Token } from "cdktf";

import { wordList } from "../word-list";
import { elementProblem, memberPaths, unknownNames } from "./known-props";
import { missing, type Problem } from "./problem";
import { type Input, isList, type Table } from "./rows";
import { terraformName } from "./rules";
import { isHiddenFromType } from "./secrecy";
import { type Given, TEXT } from "./value";

/** Name of a member in messages. */
export type NameOf = (name: string) => string;

interface FormOptions {
  readonly messageNameOf: NameOf;
  /** Whether messages must not show the value. */
  readonly isHidden?: boolean;
}

/** Problems of a literal: another type than the type of the row, or members that the row does not have. */
export function typeProblems(
  name: string,
  row: Input,
  given: unknown,
  { isHidden = isHiddenFromType(row), messageNameOf }: FormOptions,
): Problem[] {
  const options = { isHidden, messageNameOf };
  const { converted = [], entries, first, members, reads = {}, type } = row;
  const element = elementProblem(name, given, Object.keys(reads));
  if (element !== undefined) return [element];
  if (Token.isUnresolved(given)) return [];
  if (LITERALS[type] !== undefined) {
    const isFitting = [LITERALS[type], ...converted].some((each) => typeof given === each);
    return isFitting ? [] : [misshapen(name, given, LITERALS[type], row, options)];
  }
  const item = /^(?:list|map)\((.+)\)$/s.exec(type)?.[1] ?? "";
  const each = { ...TEXT, type: item, members: entries, reads, ...(first !== undefined && { first }) };
  if (isList({ type })) {
    if (!Array.isArray(given)) return [misshapen(name, given, "list", row, options)];
    return given.flatMap((value, index) => typeProblems(`${name}[${index}]`, each, value, options));
  }
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return [misshapen(name, given, "object", row, options)];
  // Members are checked one by one against their own rows.
  if (members !== undefined)
    return unknownNames(given, Object.keys(members), { prefix: `${name}.`, inside: memberPaths(members) });
  return Object.entries(given as Given)
    .filter(([key, value]) => value !== undefined && !Token.isUnresolved(key))
    .flatMap(([key, value]) => {
      const path = `${name}[${JSON.stringify(key)}]`;
      const own = typeProblems(path, each, value, options);
      if (own.length > 0 || entries === undefined || Token.isUnresolved(value)) return own;
      return Object.entries(entries).flatMap(([member, entry]) =>
        memberProblems(`${path}.${messageNameOf(member)}`, entry, (value as Given)[member] ?? null, messageNameOf),
      );
    });
}

/** Problems of a member of an object in a map; a member without a default must be given. */
function memberProblems(path: string, row: Input, given: unknown, messageNameOf: NameOf): Problem[] {
  if (given === null) return row.default === undefined ? [missing(path, row, messageNameOf)] : [];
  return typeProblems(path, row, given, { isHidden: true, messageNameOf });
}

/** Terraform types by the TypeScript type of their literals. */
const LITERALS: Readonly<Record<string, "boolean" | "number" | "string">> = {
  bool: "boolean",
  number: "number",
  string: "string",
};

type Kind = "boolean" | "list" | "number" | "object" | "string";

/** @param wanted required type, in words */
function misshapen(
  name: string,
  given: unknown,
  wanted: Kind,
  row: Input,
  { isHidden, messageNameOf }: Required<FormOptions>,
): Problem {
  const kind = given === null ? "null" : Array.isArray(given) ? "list" : typeof given;
  const isPlain = kind === "string" || kind === "number" || kind === "boolean";
  const text = isPlain ? JSON.stringify(given) : "";
  const isNameOfOne = wanted === "object" && kind === "string" && onlyTextOf(row) !== undefined;
  const isShown = isPlain && (!isHidden || isNameOfOne) && text.length <= MAX_SHOWN_LENGTH;
  const is = isShown ? `${text}, ${withArticle(kind)}` : withArticle(kind);
  const form =
    wanted === "object"
      ? objectForm(row, isShown || given === true ? given : undefined, messageNameOf)
      : { rule: "", fix: "" };
  const numbers = [row.example, row.default, row.schema?.minimum].filter((each) => typeof each === "number");
  const [example] = numbers;
  const fixes: Readonly<Record<Kind, string>> = {
    boolean: withoutQuotes(given, "boolean", "write true or false"),
    list: `write ${isShown ? `[${text}]` : "it as [ … ]"}`,
    number: withoutQuotes(given, "number", example === undefined ? "write one" : `write one, such as ${example}`),
    object: form.fix,
    string: isPlain ? "put it in quotes" : "write a text in quotes",
  };
  return { path: name, text: `${name} is ${is}; it must be ${withArticle(wanted)}${form.rule}; ${fixes[wanted]}` };
}

/**
 * Advice on writing an object: the words after "it must be an object", and the fix.
 *
 * @param given the value in place of the object; undefined if messages must not show it
 */
function objectForm(
  row: Input,
  given: unknown,
  messageNameOf: NameOf,
): { readonly rule: string; readonly fix: string } {
  const { entries, first, members, must } = row;
  const before = first === undefined ? "" : `${first} and `;
  const assigned = messageNameOf === terraformName ? " = " : ": ";
  const written = (of: Table): string => {
    const needed = requiredNames(of);
    const names = needed.length > 0 ? needed : Object.keys(of).slice(0, 1);
    const parts = names.map((name) => `${messageNameOf(name)}${assigned}${placeholder(of[name] ?? TEXT)}`);
    return `{ ${parts.join(", ")} }`;
  };
  if (members === undefined) {
    const entry = entries === undefined ? "…" : written(entries);
    return { rule: "", fix: `${before}write { <name>${assigned}${entry} }` };
  }
  const needed = requiredNames(members);
  const optional = Object.keys(members).filter((name) => !needed.includes(name));
  const own = onlyTextOf(row) === undefined || typeof given !== "string" ? undefined : JSON.stringify(given);
  const list = (names: readonly string[]) => wordList(names.map(messageNameOf));
  const rule = [
    ...(needed.length > 0 ? [` with ${list(needed)}`] : []),
    ...(optional.length > 0 ? [`${needed.length > 0 ? ", and optionally" : " with any of"} ${list(optional)}`] : []),
  ].join("");
  if (needed.length > 0) return { rule, fix: `${before}write ${written(members).replace("…", () => own ?? "…")}` };
  if (given === true && must === undefined) return { rule, fix: "write {} for the defaults of all" };
  return { rule, fix: `${before}write for example ${written(members)}` };
}

/** Names of members without a default. */
const requiredNames = (members: Table) => Object.keys(members).filter((name) => members[name]?.default === undefined);

/** Placeholder for the value of a member. */
function placeholder({ members, type }: Input): string {
  if (isList({ type })) return "[ … ]";
  return members === undefined && !type.startsWith("map(") ? "…" : "{ … }";
}

/**
 * The only required member of an object, if it is a text, because a user may have given the text in place of the
 * object.
 */
function onlyTextOf({ members = {} }: Input): string | undefined {
  const [only, ...others] = requiredNames(members);
  return only !== undefined && others.length === 0 && members[only]?.type === "string" ? only : undefined;
}

/** A longer text would hide the rest of a message. */
const MAX_SHOWN_LENGTH = 80;

/** The fix for a text that was given for a number or a boolean. @param otherwise advice if the text contains neither */
function withoutQuotes(given: unknown, wanted: "boolean" | "number", otherwise: string): string {
  const text = typeof given === "string" ? given.trim() : "";
  const isWanted = wanted === "number" ? text !== "" && !Number.isNaN(Number(text)) : /^(?:true|false)$/.test(text);
  return isWanted ? "write it without quotes" : otherwise;
}

function withArticle(kind: string): string {
  if (kind === "null") return kind;
  return `${kind === "object" ? "an" : "a"} ${kind}`;
}
