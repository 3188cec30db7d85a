import { isDeepStrictEqual } from "node:util";

import { listIn, NO_VALUE, numberIn, regularExpression, textIn, valueIn } from "./coercion";
import {
  allOf,
  anyOf,
  call,
  type Expr,
  exprOf,
  failsOnlyWithOperands,
  foldConstants,
  hcl,
  literal,
  loopVariable,
  type Operand,
  writtenHcl,
} from "./expr";

type Texts = Operand<readonly string[]>;
type Condition = Operand<boolean>;

/** A list, or its items. */
type Items<T> = Operand<readonly T[]> | readonly Operand<T>[];

/** A function that never fails for operands of the right types. */
function total<R>(name: string, operands: readonly Expr[], calculate: (...values: readonly unknown[]) => R): Expr<R> {
  return foldConstants(operands, calculate, () =>
    call(name, operands, { mayBeNull: false, ...failsOnlyWithOperands(operands) }),
  );
}

/** A function that fails for some operands of the right types, such as a conversion. */
function partial<R>(name: string, operands: readonly Expr[], calculate: (...values: readonly unknown[]) => R): Expr<R> {
  return foldConstants(operands, calculate, () => call(name, operands, { mayBeNull: false }));
}

/** A function of two texts. */
function ofTexts<R>(name: string, calculate: (text: string, other: string) => R) {
  return (text: Operand<string>, other: Operand<string>): Expr<R> =>
    total(name, [exprOf(text), exprOf(other)], (one, two) => calculate(textIn(one), textIn(two)));
}

export const startsWith = ofTexts("startswith", (text, prefix) => text.startsWith(prefix));
export const endsWith = ofTexts("endswith", (text, suffix) => text.endsWith(suffix));
export const includes = ofTexts("strcontains", (text, part) => text.includes(part));
export const trimPrefix = ofTexts("trimprefix", (text, prefix) =>
  text.startsWith(prefix) ? text.slice(prefix.length) : text,
);
export const trimSuffix = ofTexts("trimsuffix", (text, suffix) =>
  text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text,
);

/** The parts of a text. */
export function split(separator: string, text: Operand<string>): Expr<readonly string[]> {
  return total("split", [literal(separator), exprOf(text)], (_, whole) => textIn(whole).split(separator));
}

export const lower = (text: Operand<string>) => total("lower", [exprOf(text)], (whole) => textIn(whole).toLowerCase());
export const upper = (text: Operand<string>) => total("upper", [exprOf(text)], (whole) => textIn(whole).toUpperCase());

/** A text with each occurrence of `part` replaced. */
export function replace(text: Operand<string>, part: string, other: string): Expr<string> {
  const replaced = (whole: unknown) => textIn(whole).replaceAll(part, () => other);
  return total("replace", [exprOf(text), literal(part), literal(other)], replaced);
}

/**
 * A text with each match of a pattern replaced; `other` must not contain `$`, because it would mark a capture group.
 */
export function replaceMatches(text: Operand<string>, pattern: string, other: string): Expr<string> {
  const replaced = (whole: unknown) => textIn(whole).replaceAll(regularExpression(pattern, "g"), () => other);
  return total("replace", [exprOf(text), literal(`/${pattern}/`), literal(other)], replaced);
}

/** A text without white space around it. */
export function trimSpace(text: Operand<string>): Expr<string> {
  const trimmed = (whole: unknown) => textIn(whole).replaceAll(/^\p{White_Space}+|\p{White_Space}+$/gu, "");
  return total("trimspace", [exprOf(text)], trimmed);
}

/** A value in JSON. */
export function jsonOf(value: Operand<unknown>): Expr<string> {
  const one = exprOf(value);
  return foldConstants([one], jsonText, () => call("jsonencode", [one], { canFail: one.canFail, mayBeNull: false }));
}

/** Whether a text is JSON. */
export function isJson(text: Operand<string>): Expr<boolean> {
  const one = exprOf(text);
  const parses = (value: unknown) => typeof value === "string" && canParse(value);
  const facts = { canFail: false, mayBeNull: false };
  return foldConstants([one], parses, () => writtenHcl(["can(jsondecode(", "))"], [one], facts));
}

function canParse(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON as Terraform's `jsonencode` writes it: with sorted keys, and the word NaN, which JSON lacks. */
const jsonText = (value: unknown) => (Number.isNaN(value) ? "NaN" : JSON.stringify(value, withSortedKeys));

function withSortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The capture group of a pattern with an index from 0; fails if the text does not match. */
export function captured(text: Operand<string>, pattern: string, index: number): Expr<string> {
  const whole = exprOf(text);
  const part = (value: unknown) => regularExpression(pattern).exec(textIn(value))?.[index + 1] ?? stop();
  return foldConstants([whole], part, () => hcl`regex(${pattern}, ${whole})[${index}]`.present as Expr<string>);
}

/** The capture groups of each match of a pattern in a text. */
export function allIn(text: Operand<string>, pattern: string): Expr<readonly (readonly string[])[]> {
  const whole = exprOf(text);
  const parts = (value: unknown) =>
    [...textIn(value).matchAll(regularExpression(pattern, "g"))].map((match) => match.slice(1));
  return foldConstants([whole], parts, () =>
    call("regexall", [pattern, whole], { mayBeNull: false, ...failsOnlyWithOperands([whole]) }),
  );
}

function stop(): never {
  throw NO_VALUE;
}

/** The number in a text; fails for any other text. */
export function toNumber(text: Operand<string>): Expr<number> {
  return partial("tonumber", [exprOf(text)], numberIn);
}

export const toText = (value: Operand<boolean | number | string>) => total("tostring", [exprOf(value)], textIn);

/** An item of a list; fails if the list is too short. */
export function element<T>(list: Operand<readonly T[]>, index: number): Expr<T> {
  const all = exprOf(list);
  if (all.entries !== undefined) {
    const [, value] = all.entries.at(index) ?? [];
    if (value !== undefined) return value as Expr<T>;
  }
  return foldConstants(
    [all],
    (items) => (listIn(items).at(index) as T | undefined) ?? stop(),
    () => hcl<T>`${all}[${index}]`,
  );
}

/** The only item of a list with at most one item; null if the list is empty. */
export function one<T>(list: Operand<readonly T[]>): Expr<T | null> {
  const all = exprOf(list);
  const { entries } = all;
  if (entries?.length === 0) return literal(null);
  if (entries?.length === 1) return element(all, 0);
  return call("one", [all], { canFail: all.canFail, mayBeNull: true });
}

/** The sum of the numbers; fails for an empty list. */
export function sum(numbers: Operand<readonly number[]>): Expr<number> {
  return partial("sum", [exprOf(numbers)], (all) => atLeastOne(all).reduce((one, other) => one + other));
}

export function min(...numbers: readonly Operand<number>[]): Expr<number> {
  return total(
    "min",
    numbers.map((each) => exprOf(each)),
    (...all) => Math.min(...all.map(numberIn)),
  );
}

export function max(...numbers: readonly Operand<number>[]): Expr<number> {
  return total(
    "max",
    numbers.map((each) => exprOf(each)),
    (...all) => Math.max(...all.map(numberIn)),
  );
}

function atLeastOne(numbers: unknown): number[] {
  const all = listIn(numbers).map(numberIn);
  return all.length === 0 ? stop() : all;
}

/** Names of a map, sorted. */
export function keys(map: Operand<object>): Expr<readonly string[]> {
  const whole = exprOf(map as unknown);
  const { entries } = whole;
  if (entries?.every(([key]) => key.isLiteral) === true) return literal(entries.map(([key]) => key.literal).sort());
  return total("keys", [whole], (value) => Object.keys(valueIn(value) as object).sort());
}

/** Values of a map, sorted by its names. */
export function values<T>(map: Operand<Readonly<Record<string, T>>>): Expr<readonly T[]> {
  const whole = exprOf(map as unknown);
  const { entries } = whole;
  if (entries?.every(([key]) => key.isLiteral) === true) {
    const sorted = [...entries].sort(([one], [other]) => (one.literal < other.literal ? -1 : 1));
    return exprOf(sorted.map(([, value]) => value)) as Expr<readonly unknown[]> as Expr<readonly T[]>;
  }
  return total("values", [whole], (value) => Object.values(valueIn(value) as Record<string, T>));
}

/** A value of a map, or the fallback if the map lacks the name. */
export function lookup<T>(
  map: Operand<Readonly<Record<string, T>>>,
  name: Operand<string>,
  fallback: Operand<T>,
): Expr<T> {
  const [whole, key] = [exprOf(map as unknown), exprOf(name)];
  if (whole.entries?.every(([each]) => each.isLiteral) === true && key.isLiteral) {
    const [, value] = whole.entries.find(([each]) => each.literal === key.literal) ?? [];
    return (value ?? exprOf(fallback)) as Expr<T>;
  }
  return call("lookup", [whole, key, fallback], failsOnlyWithOperands([whole, key]));
}

/** Texts that are neither null nor empty. */
export function compact(texts: Items<string | null>): Expr<readonly string[]> {
  const isThere = (text: unknown): text is string => text !== null && text !== "";
  return total("compact", [exprOf<unknown>(texts)], (all) => listIn(all).filter(isThere));
}

/** The items of several lists. */
export function concat<T>(...lists: readonly Operand<readonly T[]>[]): Expr<readonly T[]> {
  const filled = lists.map((each) => exprOf(each)).filter((list) => !isEmpty(list));
  const [only] = filled;
  if (filled.length === 1 && only?.mayBeNull === false) return only;
  return total("concat", filled, (...known) => known.flatMap((list) => listIn(list) as readonly T[]));
}

/** Whether synthesis knows that a list has no items. */
export const isEmpty = (list: Expr): boolean => list.entries?.length === 0;

/** The items of the lists of a list. */
export function flatten<T>(lists: Items<readonly T[]>): Expr<readonly T[]> {
  return total("flatten", [exprOf<unknown>(lists)], (all) =>
    listIn(all).flatMap((list) => listIn(list) as readonly T[]),
  );
}

/** The items of a list, each once, in the order of their first occurrence. */
export function distinct<T>(list: Operand<readonly T[]>): Expr<readonly T[]> {
  const once = (all: readonly T[]) =>
    all.filter((item, index) => all.findIndex((other) => isDeepStrictEqual(item, other)) === index);
  return total("distinct", [exprOf(list)], (items) => once(listIn(items) as readonly T[]));
}

/** Whether a list has no duplicates. */
export function isDistinct(list: Operand<readonly unknown[]>): Expr<boolean> {
  const all = exprOf(list);
  const literals = all.entries?.flatMap(([, value]) => (value.isLiteral ? [value.literal] : []));
  if (literals !== undefined && distinct(literals).literal.length < literals.length) return literal(false);
  return distinct(all).length().eq(all.length());
}

/** The texts that are in all sets, sorted. */
export function intersection(set: Texts, ...others: readonly Texts[]): Expr<readonly string[]> {
  const all = [set, ...others].map((each) => exprOf(each));
  if (all.some((each) => isEmpty(each))) return literal([]);
  const common = (first: unknown, ...rest: readonly unknown[]) =>
    distinct(listIn(first).filter((each) => rest.every((list) => listIn(list).includes(each)))).literal;
  return total("setintersection", all, (...sets) => [...(common(...(sets as [unknown])) as string[])].sort());
}

/** The texts of a set that are not in another set. */
export function difference(set: Texts, other: Texts): Expr<readonly string[]> {
  const without = (all: unknown, some: unknown) =>
    listIn(all).filter((each) => !listIn(some).includes(each)) as string[];
  return total("setsubtract", [exprOf(set), exprOf(other)], without);
}

type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never;
type MemberOf<Map> = Map extends Readonly<Record<string, infer Member>> ? Member : unknown;

/** Whether a condition holds for all items of a list. @param name variable for an item in HCL */
export function every<List extends readonly unknown[]>(
  list: Operand<List>,
  holds: (item: Expr<ItemOf<List>>) => Condition,
  name = "item",
): Expr<boolean> {
  return quantified("alltrue", allOf, exprOf(list), [name], (item) => holds(item as Expr<ItemOf<List>>));
}

/** Whether a condition holds for at least one item of a list. @param name variable for an item in HCL */
export function some<List extends readonly unknown[]>(
  list: Operand<List>,
  holds: (item: Expr<ItemOf<List>>) => Condition,
  name = "item",
): Expr<boolean> {
  return quantified("anytrue", anyOf, exprOf(list), [name], (item) => holds(item as Expr<ItemOf<List>>));
}

/** Whether a condition that uses its value several times holds. @param name HCL variable that replaces a long value */
export function holdsFor<T>(value: Expr<T>, holds: (value: Expr<T>) => Expr<boolean>, name: string): Expr<boolean> {
  if (!value.isLong) return holds(value);
  const [variables, , item] = variablesOf(value, [name]);
  const condition = holds((value.mayBeNull ? item : item.present) as Expr<T>);
  const canFail = value.canFail || condition.canFail;
  return writtenHcl(["anytrue([for ", " in [", "] : ", "])"], [variables, value, condition], { canFail });
}

/** Whether a condition holds for all members of a map, or for all items of a list; the key of an item is its index. */
export function everyEntry<Map>(
  map: Operand<Map>,
  holds: (key: Expr<string>, value: Expr<MemberOf<Map>>) => Condition,
): Expr<boolean> {
  const each = (value: Expr, key: Expr<string>) => holds(key, value as Expr<MemberOf<Map>>);
  return quantified("alltrue", allOf, exprOf(map as unknown), ["key", "value"], each);
}

/**
 * Whether a condition holds for at least one member of a map, or for one item of a list; the key of an item is its
 * index.
 */
export function someEntry<Map>(
  map: Operand<Map>,
  holds: (key: Expr<string>, value: Expr<MemberOf<Map>>) => Condition,
): Expr<boolean> {
  const each = (value: Expr, key: Expr<string>) => holds(key, value as Expr<MemberOf<Map>>);
  return quantified("anytrue", anyOf, exprOf(map as unknown), ["key", "value"], each);
}

/** @param names variables in HCL: for the item, or for key and value */
function quantified(
  quantifier: "alltrue" | "anytrue",
  combine: typeof allOf,
  collection: Expr,
  names: readonly string[],
  holds: (item: Expr, key: Expr<string>) => Condition,
): Expr<boolean> {
  const { entries } = collection;
  if (entries !== undefined) return combine(...entries.map(([key, value]) => holds(value, key)));
  const [variables, key, item] = variablesOf(collection, names);
  const condition = exprOf(holds(item, key));
  if (condition.isLiteral && condition.literal === (quantifier === "alltrue")) return condition;
  const canFail = [collection, condition].some((each) => each.canFail) || collection.mayBeNull;
  const facts = { canFail, mayBeNull: false };
  const texts = [`${quantifier}([for `, " in ", " : ", "])"];
  return writtenHcl(texts, [variables, collection, condition], facts);
}

/** A list with the result of `make` for each item, or for each item that meets the condition `only`. */
export function each<List extends readonly unknown[], R = ItemOf<List>>(
  list: Operand<List>,
  make: (item: Expr<ItemOf<List>>) => Operand<R>,
  only: (item: Expr<ItemOf<List>>) => Condition = () => true,
  name = "item",
): Expr<readonly R[]> {
  const typed = (of: typeof only | typeof make) => (value: Expr) => of(value as Expr<ItemOf<List>>) as Operand<unknown>;
  return comprehended(exprOf(list), [name], typed(make), typed(only) as () => Condition);
}

/** A list with the result of `make` for each member of a map, or for each member that meets the condition `only`. */
export function eachEntry<Map, R>(
  map: Operand<Map>,
  make: (key: Expr<string>, value: Expr<MemberOf<Map>>) => Operand<R>,
  only: (key: Expr<string>, value: Expr<MemberOf<Map>>) => Condition = () => true,
): Expr<readonly R[]> {
  return comprehended(
    exprOf(map as unknown),
    ["key", "value"],
    (value, key) => make(key, value as Expr<MemberOf<Map>>),
    (value, key) => only(key, value as Expr<MemberOf<Map>>),
  );
}

function comprehended<R>(
  collection: Expr,
  names: readonly string[],
  make: (item: Expr, key: Expr<string>) => Operand<unknown>,
  only: (item: Expr, key: Expr<string>) => Condition,
): Expr<readonly R[]> {
  const { entries } = collection;
  const conditions = entries?.map(([key, value]) => exprOf(only(value, key)));
  if (entries !== undefined && conditions?.every((condition) => condition.isLiteral) === true) {
    const chosen = entries.filter((_, index) => conditions[index]?.literal === true);
    return exprOf<unknown>(chosen.map(([key, value]) => exprOf(make(value, key)))) as Expr<readonly R[]>;
  }
  const [variables, key, item] = variablesOf(collection, names);
  const [made, condition] = [exprOf(make(item, key)), exprOf(only(item, key))];
  const isAll = condition.isLiteral && condition.literal;
  const texts = ["[for ", " in ", " : ", ...(isAll ? [] : [" if "]), "]"];
  const canFail = [collection, made, condition].some((part) => part.canFail) || collection.mayBeNull;
  const operands = [variables, collection, made, ...(isAll ? [] : [condition])];
  return writtenHcl(texts, operands, { canFail, mayBeNull: false });
}

function variablesOf(collection: Expr, names: readonly string[]): readonly [text: Expr, key: Expr<string>, item: Expr] {
  const [first = "", last = first] = names;
  const variables = loopVariable<unknown>(names.join(", "), collection);
  return [variables, loopVariable<string>(first, collection).present, loopVariable(last, collection)];
}
