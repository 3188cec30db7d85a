import { TerraformElement, Token } from "cdktf";
import { type Construct } from "constructs";

import { type Check, type EachCheck, inNamesOf, isEach, ofMember, oneOf, problems } from "./checks";
import { isPlainObject } from "../expr/expr";
import { elementProblem, memberPaths, unknownNames } from "./known-props";
import { nearest } from "./nearest";
import { missing, type Problem, textsOf } from "./problem";
import { isList, type Input, type Table } from "./rows";
import { RulesBrokenError } from "./rules-broken-error";
import { isHiddenFromRule, isHiddenFromType, isSecret } from "./secrecy";
import { type Given, plainOf, TEXT, type Value } from "./value";
import { wordList } from "../word-list";

/**
 * @param others further problems, for example of props that are no inputs
 * @param broken messages of broken relations
 * @param doubts warnings, to be printed below the problems
 * @throws RulesBrokenError naming all problems
 */
export function refuse(
  scope: Construct,
  values: Readonly<Record<string, Value>>,
  others: readonly Problem[],
  broken: readonly string[] = [],
  doubts: readonly string[] = [],
): void {
  const wrong = [...textsOf([...others, ...Object.values(values).flatMap(problemsOf)]), ...broken];
  if (wrong.length > 0) throw new RulesBrokenError(scope.node.path, wrong, doubts);
}

/** A message for synth, with a placeholder for values that only a plan knows. */
export function textAtSynth(message: string): string {
  const known = message.replaceAll(/\$\{TfToken\[[^\]]*\]\}/g, "known only at plan");
  return known.replaceAll(/([$%])\1\{/g, "$1{");
}

/** What is wrong with a literal and its members; of a token, only the type is checked. */
export function problemsOf(value: Value): Problem[] {
  const { given, messageNameOf, name, row } = value;
  if (given === null)
    return row.default === undefined && row.nullable !== true
      ? [missing(name, value.isMember ? row : undefined, messageNameOf)]
      : [];
  const misshapen = formProblems(name, row, given, { messageNameOf });
  if (misshapen.length > 0 || Token.isUnresolved(given)) return misshapen;
  if (isSecret(row) && given !== "") {
    const text = [
      `${name} is given as a literal; it must be a reference, because a literal would be written into the`,
      `synthesized folder; pass the value of ${row.ephemeral === true ? "an ephemeral" : "a sensitive"} variable`,
    ].join(" ");
    return [{ path: name, text }];
  }
  const inside = missingMembers(value).concat(Object.values<Value>(value.at).flatMap(problemsOf));
  // An element has no text, because it refers to the whole program; its own problem suffices.
  if (holdsElement(given)) return inside;
  // A wrong member would break the object's rule too, whose message is longer.
  const isSaid = (check: Check | EachCheck) => inside.length === 0 || (row.members !== undefined && isEach(check));
  const plain = plainOf(row, given);
  const own = [...checksOf(value), ...wordsOf(row)].filter(isSaid).flatMap((check) => {
    const { others, said } = misspeltKeys(name, check, plain);
    const options = { plain: others, isHidden: isHiddenFromRule(row, check) };
    const texts = [...said, ...problems(check, name, asWritten(row, given, messageNameOf), options)];
    return texts.map((text): Problem => ({ path: name, text }));
  });
  return [...inside, ...own];
}

/** A literal whose members have the names that its author wrote. */
function asWritten({ entries, members }: Input, given: unknown, messageNameOf: NameOf): unknown {
  const rows = members ?? entries;
  if (rows === undefined || !isPlainObject(given) || Array.isArray(given)) return given;
  const written = Object.entries(given as Given).map(([name, each]) => {
    if (members === undefined) return [name, asWritten({ ...TEXT, members: entries }, each, messageNameOf)];
    return [messageNameOf(name), asWritten(members[name] ?? TEXT, each, messageNameOf)];
  });
  return Object.fromEntries(written) as Given;
}

/** A rule for words, which synthesis checks at once and a plan leaves to the provider or a relation. */
function wordsOf({ must, schema = {} }: Input): readonly Check[] {
  const words = (schema.enum ?? []) as readonly string[];
  return must === undefined && words.length > 0 ? [oneOf(words, { fix: "use one of these" })] : [];
}

/** Keys of a map for which a name was probably meant, as sentences, and the map without them. */
function misspeltKeys(name: string, check: Check | EachCheck, plain: unknown) {
  const { keyIs = "name", keySchema = {} } = isEach(check) ? check : {};
  const names = (keySchema.enum ?? []) as readonly string[];
  if (names.length === 0 || !isPlainObject(plain)) return { others: plain, said: [] };
  const near = new Map(
    Object.keys(plain).flatMap((key) => {
      const meant = names.includes(key) ? undefined : nearest(key, names);
      return meant === undefined ? [] : [[key, meant] as const];
    }),
  );
  return {
    others: Object.fromEntries(Object.entries(plain).filter(([key]) => !near.has(key))),
    said: [...near].map(([key, meant]) => `${name} has "${key}", which is no ${keyIs}; did you mean "${meant}"?`),
  };
}

/** Whether there is an element of a stack in an object. */
function holdsElement(given: unknown): boolean {
  if (TerraformElement.isTerraformElement(given)) return true;
  return isPlainObject(given) && Object.values(given).some(holdsElement);
}

/** Name of a member in messages. */
type NameOf = (name: string) => string;

interface FormOptions {
  readonly messageNameOf: NameOf;
  /** Whether no message may have the value. */
  readonly isHidden?: boolean;
}

/** A literal of another type than the row's, or an object with members that it does not have. */
function formProblems(
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
    return given.flatMap((value, index) => formProblems(`${name}[${index}]`, each, value, options));
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
      const own = formProblems(path, each, value, options);
      if (own.length > 0 || entries === undefined || Token.isUnresolved(value)) return own;
      return Object.entries(entries).flatMap(([member, entry]) =>
        memberProblems(`${path}.${messageNameOf(member)}`, entry, (value as Given)[member] ?? null, messageNameOf),
      );
    });
}

/** Members that must be given, if only as null, but are missing. */
function missingMembers({ at, given, messageNameOf }: Value): Problem[] {
  return Object.entries<Value>(at)
    .filter(([name, { row }]) => row.default === undefined && row.nullable === true && !(name in (given as Given)))
    .map(([, { name, row }]) => missing(name, row, messageNameOf));
}

/** What is wrong with a member of an object in a map, which must be there if it has no default. */
function memberProblems(path: string, row: Input, given: unknown, messageNameOf: NameOf): Problem[] {
  if (given === null) return row.default === undefined ? [missing(path, row, messageNameOf)] : [];
  return formProblems(path, row, given, { isHidden: true, messageNameOf });
}

/** Types of Terraform that have literals of their own in TypeScript. */
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
  const isShown = isPlain && (!isHidden || isNameOfOne) && text.length <= LONGEST_SHOWN;
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
 * How an object is written: what is to follow "it must be an object", and what to do.
 *
 * @param given what stands in its place; undefined for what is not shown
 */
function objectForm(
  row: Input,
  given: unknown,
  messageNameOf: NameOf,
): { readonly rule: string; readonly fix: string } {
  const { entries, first, members, must } = row;
  const before = first === undefined ? "" : `${first} and `;
  const assigned = messageNameOf("aB") === "aB" ? ": " : " = ";
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

/** What stands for the value of a member. */
function placeholder({ members, type }: Input): string {
  if (isList({ type })) return "[ … ]";
  return members === undefined && !type.startsWith("map(") ? "…" : "{ … }";
}

/** The only member that an object must have, if it is a text, which somebody may have given in place of the object. */
function onlyTextOf({ members = {} }: Input): string | undefined {
  const [only, ...others] = requiredNames(members);
  return only !== undefined && others.length === 0 && members[only]?.type === "string" ? only : undefined;
}

/** A longer text would hide the rest of a message. */
const LONGEST_SHOWN = 80;

/** What to do about a text given for a number or a boolean. @param otherwise advice if the text contains neither */
function withoutQuotes(given: unknown, wanted: "boolean" | "number", otherwise: string): string {
  const text = typeof given === "string" ? given.trim() : "";
  const isWanted = wanted === "number" ? text !== "" && !Number.isNaN(Number(text)) : /^(?:true|false)$/.test(text);
  return isWanted ? "write it without quotes" : otherwise;
}

function withArticle(kind: string): string {
  if (kind === "null") return kind;
  return `${kind === "object" ? "an" : "a"} ${kind}`;
}

/** The rules of a row, and those of its entries' members, which name inputs as messages do. */
export function checksOf({ row: { entries = {}, must = [] }, messageNameOf }: Value): readonly (Check | EachCheck)[] {
  const ofMembers = Object.entries(entries).flatMap(([name, member]) =>
    [member.must ?? []].flat().flatMap((check) => (isEach(check) ? [] : [ofMember(name, messageNameOf(name), check)])),
  );
  return [must, ofMembers].flat().map((check) => inNamesOf(check, messageNameOf));
}
