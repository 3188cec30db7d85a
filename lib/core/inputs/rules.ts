import { Token } from "cdktf";
import { type Construct } from "constructs";

import { type Expr, exprOf, interpolated, isPlainObject, literal } from "../expr/expr";
import { eachEntry, everyEntry, jsonOf } from "../expr/functions";
import { named } from "../expr/locals";
import { mapped } from "../mapped";
import { wordList } from "../word-list";
import { nearest } from "./nearest";

/** Keywords of JSON Schema. The schema may accept more values than the rule, but never fewer. */
export type Facts = Readonly<Record<string, unknown>>;

/** A rule for one value. */
export interface Rule<T = never> {
  /** The words after "it must": the rule, the reason unless it is obvious, and the fix unless it is in `fix`. */
  readonly must: string;
  /** The fix. If a valid value is near the given one, the message suggests the valid value instead. */
  readonly fix?: string;
  /** Replaces `must` if the reason depends on the value. */
  readonly mustFor?: (value: Expr<T>) => Expr<string>;
  /**
   * Only the part of the rule that a literal breaks, with the fix; undefined for the whole rule. Not used at plan,
   * where it would make conditions longer.
   */
  readonly mustForLiteral?: (value: Expr<T>) => string | undefined;
  /**
   * Condition for a value that is not null; members have their Terraform names. Literals are judged at synth, all other
   * values at plan. A condition that fails to evaluate counts as false.
   */
  readonly condition: (value: Expr<T>) => Expr<boolean>;
  readonly schema?: Facts;
  /** Keeps the value out of the message. */
  readonly hides?: boolean;
  readonly names?: NamedProps;
}

/** Props that the texts of a rule mention by their Terraform names; messages to a program mention the props instead. */
type NamedProps = readonly string[];

/** A rule for each entry of a map, or for each item of a list; the key of an item is its index. */
export interface ItemRule<T = never> {
  /** Condition like that of a rule for one value. */
  readonly each: (key: Expr<string>, value: Expr<T>) => Expr<boolean>;
  /** Part of a wrong entry that the message shows; must not be the value if it may be secret. */
  readonly shows: "entry" | "key" | "value" | Shown;
  /** Rest of the sentence: the rule, the reason if it is not obvious, and the fix. */
  readonly message: string;
  readonly keySchema?: Facts;
  /**
   * Noun for a key, such as "alert". Requires `keySchema` with all names, because synthesis suggests the nearest name.
   */
  readonly keyIs?: string;
  readonly schema?: Facts;
  readonly names?: NamedProps;
}

/** How an entry is shown. */
type Shown = (key: Expr<string>, value: Expr) => Expr<string>;

/** A rule whose texts use the names of messages. @param messageNameOf returns the name of a prop in messages */
export function inNamesOf(rule: Rule | ItemRule, messageNameOf: (name: string) => string): Rule | ItemRule {
  const { names = [] } = rule;
  if (names.every((name) => messageNameOf(name) === terraformName(name))) return rule;
  const text = (words: string) => withNames(words, names, messageNameOf);
  if (!isItemRule(rule)) {
    const { fix, must } = rule;
    return { ...rule, must: text(must), ...(fix !== undefined && { fix: text(fix) }) };
  }
  const shows: Shown = (key, value) => {
    const entry = shownBy(rule)(key, value);
    return entry.isLiteral ? literal(text(entry.literal)) : entry;
  };
  return { ...rule, message: text(rule.message), shows };
}

/**
 * A text with props under their names in messages. @param names props that the text mentions by their Terraform names
 */
export function withNames(text: string, names: readonly string[], messageNameOf: (name: string) => string): string {
  return names.reduce(
    (words, name) => words.replaceAll(new RegExp(`\\b${terraformName(name)}\\b`, "g"), messageNameOf(name)),
    text,
  );
}

/** Text that matches a pattern, which must mean the same in JavaScript and in Terraform (RE2). */
export function matching(pattern: string, must: string): Rule<string> {
  return { must, schema: { pattern }, condition: (text) => text.matches(pattern) };
}

/** A whole number; `rest` follows the limits. */
export function wholeNumber(from: number, to: number, rest: string): Rule<number> {
  const isLimited = to < Infinity;
  return {
    must: `be a whole number from ${from}${isLimited ? ` to ${to}` : ""}${rest}`,
    schema: { multipleOf: 1, minimum: from, ...(isLimited && { maximum: to }) },
    condition: (number) => isWhole(number, from, to),
  };
}

/** Whether a number is a whole one within limits. */
export function isWhole(number: Expr<number>, from: number, to = Infinity): Expr<boolean> {
  return number
    .floor()
    .eq(number)
    .and(number.ge(from), to < Infinity ? number.le(to) : true);
}

/** Message for a word that is not in the list. */
export interface OtherWord {
  /** Why only these words are valid, if that is not obvious. */
  readonly because?: string | undefined;
  readonly fix: string;
}

/** One of a few words. */
export function oneOf(words: readonly string[], { because, fix }: OtherWord): Rule<string> {
  const rule = `be ${wordList(words, "or")}`;
  return {
    must: because === undefined ? rule : `${rule}, because ${because}`,
    fix,
    schema: { enum: words },
    condition: (word) => word.isOneOf(words),
  };
}

/** Items of a list that match a pattern. */
export function eachMatching(pattern: string, message: string): ItemRule<string> {
  return { message, shows: "value", schema: { pattern }, each: (_, value) => value.matches(pattern) };
}

/** A rule as a condition for a plan, and its message. */
export interface Assertion {
  readonly condition: string;
  readonly errorMessage: string;
}

interface PlannedOptions {
  /** While this value is null, the rule does not apply; by default, the rule always applies. */
  readonly absent?: Expr | undefined;
  /** Keeps the value out of the message. */
  readonly isHidden?: boolean;
}

/** Condition and message of a rule for a plan. */
export function planned(
  rule: Rule | ItemRule,
  name: string,
  value: Expr,
  { absent, isHidden = false }: PlannedOptions = {},
): Assertion {
  if (isItemRule(rule)) {
    const isRight = everyEntry(value.present, (key, entry) => isRightEntry(rule, key, entry));
    const wrong = wrongEntries(rule, value.present).joinedBy(", ");
    if (absent === undefined) return { condition: isRight.text, errorMessage: messageOfEach(rule, name, wrong) };
    // Terraform evaluates the message even if the value is null.
    const message = messageOfEach(rule, name, wrong.tryOr(""));
    return { condition: absent.isNull().choose(true, isRight.tryOr(false)).text, errorMessage: message };
  }
  const text = isHidden ? "given" : shown(value);
  return {
    condition: conditionWhere(rule, value, absent).text,
    errorMessage: `${[`${name} is ${text}`, ...demandOf(rule, value, rule.fix)].join("; ")}.`,
  };
}

/**
 * Condition and message of a rule for each entry. Both use a local with the wrong entries. Not for a validation,
 * because the local would refer back to the validated variable.
 *
 * @param id id of the local
 */
export function plannedWith(scope: Construct, id: string, rule: ItemRule, name: string, value: Expr): Assertion {
  const wrong = named(scope, id, wrongEntries(rule, value));
  return { condition: wrong.length().eq(0).text, errorMessage: messageOfEach(rule, name, wrong.joinedBy(", ")) };
}

const isRightEntry = (rule: ItemRule, key: Expr<string>, entry: Expr) =>
  rule.each(key, entry as Expr<never>).tryOr(false);

const wrongEntries = (rule: ItemRule, value: Expr) =>
  eachEntry(value, shownBy(rule), (key, entry) => isRightEntry(rule, key, entry).not());

const messageOfEach = ({ message }: ItemRule, name: string, wrong: Expr<string>) =>
  `${name} has ${wrong.text}; ${message}.`;

/** The condition of a rule; true if the rule does not apply. */
function conditionWhere({ condition }: Rule, value: Expr, absent: Expr | undefined): Expr<boolean> {
  const holds = condition(value as Expr<never>);
  // `||` suffices only for a condition that cannot fail: Terraform before 1.12 evaluates both operands.
  if (absent !== undefined && !holds.canFail) return absent.isNull().or(holds);
  const ofPresent = condition(value.present as Expr<never>).tryOr(false);
  return absent?.isNull().choose(true, ofPresent) ?? ofPresent;
}

interface ProblemOptions {
  /** The value in Terraform's form, if it differs from the given one. */
  readonly plain?: unknown;
  /** Keeps the value out of the message. */
  readonly isHidden?: boolean;
}

/**
 * Problems of a literal; empty if the literal is right, or if only a plan can judge it.
 *
 * @param given the literal as its author wrote it
 */
export function problems(
  rule: Rule | ItemRule,
  name: string,
  given: unknown,
  { isHidden = false, plain = given }: ProblemOptions = {},
): string[] {
  const isWrong = (condition: Expr<boolean>) => {
    const judged = condition.tryOr(false);
    return judged.isLiteral && !judged.literal;
  };
  if (!isItemRule(rule)) {
    if (!isWrong(rule.condition(exprOf(plain) as Expr<never>))) return [];
    const text = isHidden ? "given" : jsonText(given);
    const must = rule.mustForLiteral?.(exprOf(plain) as Expr<never>);
    const demand = must === undefined ? demandOf(rule, exprOf(plain), fixFor(rule, given)) : [`it must ${must}`];
    return [[`${name} is ${text}`, ...demand].join("; ")];
  }
  const wrong = Object.entries(plain as object)
    .map(([key, each]) => [literal(key), exprOf(each as unknown)] as const)
    .filter(([key, each]) => isWrong(rule.each(key, each as Expr<never>)))
    .map(([key, each]) => (each.isLiteral ? shownBy(rule) : SHOWN.key)(key, each).literal);
  return wrong.length === 0 ? [] : [`${name} has ${wrong.join(", ")}; ${rule.message}`];
}

/** The rule in words for this value, and the fix. */
function demandOf({ must, mustFor }: Rule, value: Expr, fix: string | undefined): string[] {
  const words = mustFor?.(value as Expr<never>);
  const rule = words === undefined ? must : words.isLiteral ? words.literal : words.text;
  return [`it must ${rule}`, ...(fix === undefined ? [] : [fix])];
}

/** The fix for a wrong literal: the word that was probably meant, or the nearest valid numbers. */
function fixFor({ fix, schema = {} }: Rule, given: unknown): string | undefined {
  if (fix === undefined) return undefined;
  const choices = (schema.enum ?? []) as readonly unknown[];
  const numbers = choices.filter((each) => typeof each === "number");
  if (typeof given === "number" && numbers.length > 0) {
    const below = numbers.filter((each) => each < given);
    const beside = [...below.slice(-1), ...numbers.slice(below.length).slice(0, 1)];
    return `use ${beside.join(" or ")}`;
  }
  const words = choices.filter((word) => typeof word === "string");
  const near = typeof given === "string" ? nearest(given, words) : undefined;
  return near === undefined ? fix : `did you mean ${near}?`;
}

/** Whether synthesis can judge a literal by a rule. @param plain the literal in Terraform's form */
export function isDecided(rule: Rule | ItemRule, plain: unknown): boolean {
  if (plain === null) return true;
  if (!isItemRule(rule)) return rule.condition(exprOf(plain) as Expr<never>).tryOr(false).isLiteral;
  return Object.entries(plain as object).every(
    ([key, each]) => rule.each(literal(key), exprOf(each as unknown) as Expr<never>).tryOr(false).isLiteral,
  );
}

/** A literal for messages, with a placeholder for each token in it, because only a plan knows their values. */
function jsonText(given: unknown): string {
  return isKnown(given) ? jsonOf(literal(given)).literal : JSON.stringify(withPlaceholders(given));
}

function withPlaceholders(given: unknown): unknown {
  if (typeof given === "string") return given.replaceAll(/\$\{TfToken\[[^\]]*\]\}/g, "…");
  if (Token.isUnresolved(given)) return "…";
  if (!isPlainObject(given)) return given;
  if (Array.isArray(given)) return given.map(withPlaceholders);
  return mapped(given as Readonly<Record<string, unknown>>, (_, each) => withPlaceholders(each));
}

/** Whether no part of a value is a token. */
export function isKnown(value: unknown): boolean {
  if (Token.isUnresolved(value)) return false;
  return !isPlainObject(value) || Object.values(value).every(isKnown);
}

export function isItemRule(rule: Rule | ItemRule): rule is ItemRule {
  return "each" in rule;
}

/** A rule for a member of each object in a map; objects without that member pass. */
export function ofMember(member: string, messageName: string, { condition, must }: Rule): ItemRule {
  const memberOf = (entry: Expr) => entry.member(terraformName(member));
  return {
    each: (_, entry) => memberOf(entry).isNullOr((value) => condition(value as Expr<never>).tryOr(false)),
    shows: (key, entry) => interpolated`${key}.${messageName} = ${jsonOf(memberOf(entry))}`,
    message: `it must ${must}`,
  };
}

const SHOWN: Readonly<Record<"entry" | "key" | "value", Shown>> = {
  entry: (key, value) => interpolated`${key} = ${value}`,
  key: (key) => jsonOf(key),
  value: (_, value) => jsonOf(value),
};

function shownBy({ shows }: ItemRule): Shown {
  return typeof shows === "function" ? shows : SHOWN[shows];
}

/** A value, for messages. */
export function shown(value: Expr): string {
  return jsonOf(value).text;
}

/** The Terraform name of a prop. */
export function terraformName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
