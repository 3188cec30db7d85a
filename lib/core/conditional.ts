import { TerraformCount, Token, Tokenization, type IResolvable, type TerraformResource } from "cdktf";

import { expression, numberExpression } from "./expression";

const CONDITIONS = new WeakMap<object, string>();

/** `count` of a resource that exists only if the condition holds at plan; undefined if it always holds. */
export function countIf(condition: string | undefined): TerraformCount | undefined {
  if (condition === undefined || condition === "true") return undefined;
  const count = TerraformCount.of(numberExpression(`(${condition}) ? 1 : 0`));
  CONDITIONS.set(count, condition);
  return count;
}

/** The condition under which there is a resource, as it was given to `countIf`. */
export function conditionOf({ count }: TerraformResource): string {
  const condition = typeof count === "object" ? CONDITIONS.get(count) : "true";
  if (count !== undefined && condition === undefined) throw new Error("a count that countIf has not made");
  return condition ?? "true";
}

/** Whether a switch is on, as a string: `true`, `false` or a boolean expression. */
export function isOn(value: boolean | IResolvable): string {
  return typeof value === "boolean" ? String(value) : Token.asString(value);
}

/** The switch of a condition, for boolean properties: the opposite of `isOn`. */
export function switchOf(condition: string): boolean | IResolvable {
  return condition === "true" || condition === "false" ? condition === "true" : Token.asAny(expression(condition));
}

/** Whether a value is set, as `true`, `false` or a boolean expression; absent is `undefined`, or null in Terraform. */
export function isSet(value: string | undefined): string {
  if (value === undefined || isSurelySet(value)) return String(value !== undefined);
  return expression(`${value} != null`);
}

export function isUnset(value: string | undefined): string {
  return not(isSet(value));
}

/** One of two Terraform expressions, depending on whether the value is set. */
export function ifSet(value: string | undefined, set: string, unset: string): string {
  if (value === undefined) return expression(unset);
  return expression(isSurelySet(value) ? set : `(${value} != null ? ${set} : ${unset})`);
}

/** The value, or a fallback Terraform expression if it is not set. */
export function valueOr(value: string | undefined, fallback: string): string {
  return isSurelySet(value) ? String(value) : ifSet(value, String(value), fallback);
}

/** Whether all conditions hold, each as `isSet` returns it. */
export function allOf(...conditions: readonly string[]): string {
  return joined(conditions, " && ", "true");
}

/** Whether one of the conditions holds, each as `isSet` returns it. */
export function anyOf(...conditions: readonly string[]): string {
  return joined(conditions, " || ", "false");
}

/** @param neutral neutral element of the operation; its opposite decides the result */
function joined(conditions: readonly string[], operator: string, neutral: "false" | "true"): string {
  const opposite = neutral === "true" ? "false" : "true";
  if (conditions.includes(opposite)) return opposite;
  const [first = neutral, ...others] = conditions.filter((condition) => condition !== neutral);
  if (others.length === 0) return first;
  return expression([first, ...others].map((condition) => `(${condition})`).join(operator));
}

/** The opposite of a condition as `isSet` returns it. */
export function not(condition: string): string {
  if (!Token.isUnresolved(condition)) return String(condition !== "true");
  const comparison = /^(\S+) ([!=])= (null|"[\w-]+")$/.exec(identifierOf(condition) ?? "");
  if (comparison === null) return expression(`!(${condition})`);
  const [, left, sign, right] = comparison;
  return expression(`${left} ${sign === "!" ? "=" : "!"}= ${right}`);
}

/** Whether a value is this word, as a string: `true`, `false` or a boolean expression. */
export function isWord(value: string, word: string): string {
  return Token.isUnresolved(value) ? expression(`${value} == ${JSON.stringify(word)}`) : String(value === word);
}

/** A list of the value, empty if it is not set, as a Terraform expression. */
export function listOf(value: string | undefined): string {
  return Token.isUnresolved(value) ? `compact([${value}])` : JSON.stringify(value === undefined ? [] : [value]);
}

/** A list of one element, an expression, that is empty unless the condition holds: for a block that may be missing. */
export function listIf(condition: string, element: string): string {
  if (condition === "true" || condition === "false") return expression(condition === "true" ? `[${element}]` : "[]");
  return expression(`(${condition} ? [${element}] : [])`);
}

/** Attribute of a resource whose count is 0 or 1, as a Terraform expression; null if there is none. */
export function oneAttribute(resource: TerraformResource, attribute: string): string {
  return `one(${resource.fqn}[*].${attribute})`;
}

/** Id of such a resource. */
export const idOf = (resource: TerraformResource): string => expression(oneAttribute(resource, "id"));

/** Repeats a resource for each element, `each`, of an expression of a map or a set of strings. */
export function repeatFor(resource: TerraformResource, collection: string): void {
  resource.addOverride("for_each", collection);
}

/** Sets an argument of a resource of any type, which may be null at plan, by its path under Terraform's names. */
export function setArgument(resource: TerraformResource, path: string, value: string): void {
  resource.addOverride(path, value);
}

/** A block that Terraform repeats for each element of a collection. */
export interface DynamicBlock {
  readonly forEach: unknown;
  /** Arguments of the block under their Terraform names; `${<block>.key}` and `${<block>.value}` are the element. */
  readonly content: Readonly<Record<string, unknown>>;
}

/**
 * Adds `dynamic` blocks where the framework's iterators cannot: inside a list, for a block that occurs at most once, and
 * for collections with different content.
 *
 * @param parentPath path of the surrounding block, empty for the resource itself; numeric segments address list items
 */
export function addDynamicBlock(
  resource: TerraformResource,
  parentPath: string,
  block: string,
  ...blocks: readonly DynamicBlock[]
): void {
  if (blocks.length === 0) return;
  const bodies = blocks.map(({ content, forEach }) => ({ for_each: forEach, content }));
  const path = parentPath === "" ? `dynamic.${block}` : `${parentPath}.dynamic.${block}`;
  resource.addOverride(path, bodies.length === 1 ? bodies[0] : bodies);
}

/**
 * True for a literal, and for an attribute of a resource, whose value may be unknown at plan but is set: a `count` that
 * compared it with null could not be planned.
 */
function isSurelySet(value: string | undefined): boolean {
  return value !== undefined && (!Token.isUnresolved(value) || ATTRIBUTE.test(identifierOf(value) ?? ""));
}

const ATTRIBUTE = /^[a-z0-9]+_\w+[.][\w-]+[.]\w+$/;

/** Text of a string that is one reference. */
function identifierOf(text: string): string | undefined {
  const { literals, tokens } = Tokenization.reverseString(text);
  const { identifier } = (tokens[0] ?? {}) as { identifier?: unknown };
  return tokens.length === 1 && literals.length === 0 && typeof identifier === "string" ? identifier : undefined;
}
