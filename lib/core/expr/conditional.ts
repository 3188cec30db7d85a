import {
  type IResolvable,
  type ITerraformDependable,
  TerraformCount,
  type TerraformResource,
  TerraformStack,
  Token,
} from "cdktf";
import { type Construct, type IConstruct } from "constructs";

import { call, Expr, exprOf, literal, type Operand, reference } from "./expr";
import { namedIfLong, rendered } from "./expression";
import { one } from "./functions";

export { allOf, anyOf } from "./expr";

/** A condition: a literal, a typed expression or a token. */
export type Condition = boolean | IResolvable;

const CONDITIONS = new WeakMap<object, Expr<boolean>>();

/** A condition with its type. */
export function conditionFrom(condition: Condition): Expr<boolean> {
  return exprOf<boolean>(condition as boolean);
}

/** A condition that several resources share: in a local, unless it is short. */
export function namedCondition(scope: Construct, id: string, condition: Condition): Expr<boolean> {
  return namedIfLong(scope, id, conditionFrom(condition));
}

/** `count` of a resource that exists only if the condition holds at plan; undefined if it always holds. */
export function countIf(condition: Condition | undefined): TerraformCount | undefined {
  if (condition === undefined || isAlways(condition)) return undefined;
  const typed = conditionFrom(condition);
  const count = TerraformCount.of(typed.isLiteral ? 0 : typed.choose(1, 0).number);
  CONDITIONS.set(count, typed);
  return count;
}

/** Whether synthesis knows that the condition does not hold. */
export function isNever(condition: Condition | undefined): boolean {
  if (condition === undefined) return false;
  const typed = conditionFrom(condition);
  return typed.isLiteral && !typed.literal;
}

/** Whether synthesis knows that the condition holds; without one, it does. */
export function isAlways(condition: Condition | undefined): boolean {
  if (condition === undefined) return true;
  const typed = conditionFrom(condition);
  return typed.isLiteral && typed.literal;
}

/** A part that exists if the condition holds; undefined if synthesis knows that it does not. */
export function partIf<Part>(condition: Condition | undefined, make: () => Part): Part | undefined {
  return isNever(condition) ? undefined : make();
}

/** The parts that are not undefined. */
export function present<Part>(...parts: readonly (Part | undefined)[]): Part[] {
  return parts.filter((part) => part !== undefined);
}

/** What to depend on to wait for all parts that are not undefined. */
export function readyOf(
  ...parts: readonly ({ readonly ready: readonly ITerraformDependable[] } | undefined)[]
): ITerraformDependable[] {
  return present(...parts).flatMap(({ ready }) => ready);
}

/** The condition under which a resource exists, as passed to `countIf`. */
export function conditionOf({ count }: TerraformResource): Expr<boolean> {
  const condition = typeof count === "object" ? CONDITIONS.get(count) : literal(true);
  if (count !== undefined && condition === undefined) throw new Error("a count that countIf has not made");
  return condition ?? literal(true);
}

/** Whether a value is set; absent is `undefined`, or null in Terraform. */
export function isSet(value: string | undefined): Expr<boolean> {
  return exprOf(value ?? null).isSet();
}

/** Whether a value is `undefined`, or null in Terraform. */
export function isUnset(value: string | undefined): Expr<boolean> {
  return isSet(value).not();
}

/** The opposite of a condition. */
export function not(condition: Condition): Expr<boolean> {
  return conditionFrom(condition).not();
}

/** A list of one element that is empty unless the condition holds: for a block that may be missing. */
export function listIf(condition: Condition, element: Operand<boolean | number | string>): string {
  return Token.asString(conditionFrom(condition).choose<unknown>([exprOf(element)], []));
}

/** What a reference to a resource or a data source needs. */
type Referable = Pick<TerraformResource, "count" | "fqn">;

/** Attribute of a resource that need not exist; null where it does not. */
export function attributeOf(resource: Referable | undefined, name: string): Expr<string | null> {
  if (resource === undefined) return literal(null);
  if (resource.count === undefined) return reference(`${resource.fqn}.${name}`, KNOWN_AT_APPLY);
  return one(attributesOf(resource, name));
}

/** Attribute of a resource, or another value where the resource has a count of 0. */
export function attributeOr<T extends boolean | string>(resource: Referable, name: string, fallback: T): Expr<T> {
  if (resource.count === undefined) return reference(`${resource.fqn}.${name}`, KNOWN_AT_APPLY);
  const first = reference<T>(`${resource.fqn}[0].${name}`, KNOWN_AT_APPLY);
  return call("try", [first, fallback], { canFail: false, mayBeNull: false });
}

/** Attribute of each instance of a resource with a count; an empty list where there is none. */
export function attributesOf<T = string>(resource: Referable | undefined, name: string): Expr<readonly T[]> {
  return resource === undefined ? literal([]) : reference(`${resource.fqn}[*].${name}`, KNOWN_AT_APPLY);
}

const KNOWN_AT_APPLY = { knownAt: "apply", mayBeNull: false } as const;

/** Id of a resource that need not exist. */
export const idOf = (resource: TerraformResource | undefined): string => attributeOf(resource, "id").text;

/** Repeats a resource for each element, `each`, of an expression of a map or a set of strings. */
export function repeatFor(resource: TerraformResource, collection: string): void {
  resource.addOverride("for_each", collection);
}

/** Conditions recorded by `stateCondition`, by stack. */
const STATED = new WeakMap<TerraformStack, Expr<boolean>[]>();

/**
 * Records the condition under which a part with `for_each` exists; `settled-folder.ts` cannot read it from the
 * collection.
 */
export function stateCondition(scope: IConstruct, condition: Expr<boolean>): void {
  const stack = TerraformStack.of(scope);
  STATED.set(stack, [...(STATED.get(stack) ?? []), condition]);
}

/** The recorded conditions of a stack, as synthesized. */
export function statedConditions(stack: TerraformStack): string[] {
  return (STATED.get(stack) ?? []).map((condition) => String(rendered(stack, condition.text)));
}

/** Sets an argument of a resource of any type, which may be null at plan, by its path under Terraform's names. */
export function setArgument(resource: TerraformResource, path: string, value: Expr | string): void {
  // As text, because the framework would merge lists.
  resource.addOverride(path, value instanceof Expr ? Token.asString(value) : value);
}

/** A block that Terraform repeats for each element of a collection. */
export interface DynamicBlock {
  readonly forEach: unknown;
  /** Arguments of the block under their Terraform names; `${<block>.key}` and `${<block>.value}` are the element. */
  readonly content: Readonly<Record<string, unknown>>;
}

/**
 * Adds `dynamic` blocks where the framework's iterators cannot: inside a list, for a block that occurs at most once,
 * and for collections with different content.
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
  resource.addOverride(pathIn(parentPath, `dynamic.${block}`), bodies.length === 1 ? bodies[0] : bodies);
}

/** A block that occurs at most once. */
interface OptionalBlock {
  /** Whether the block is there. */
  readonly when: Condition;
  readonly content: DynamicBlock["content"];
}

/** Adds a block that occurs at most once, and whose content does not depend on the condition. */
export function addOptionalBlock(
  resource: TerraformResource,
  parentPath: string,
  block: string,
  { content, when }: OptionalBlock,
): void {
  if (isAlways(when)) resource.addOverride(pathIn(parentPath, block), content);
  else if (!isNever(when)) addDynamicBlock(resource, parentPath, block, { forEach: listIf(when, true), content });
}

/**
 * Blocks that occur at most once, for the content of another block: plain where synthesis knows that they are there,
 * left out where it knows that they are not, `dynamic` otherwise.
 */
export function optionalBlocks(blocks: Readonly<Record<string, OptionalBlock>>): DynamicBlock["content"] {
  const all = Object.entries(blocks).filter(([, { when }]) => !isNever(when));
  const known = all.filter(([, { when }]) => isAlways(when)).map(([name, { content }]) => [name, content] as const);
  const optional = all.filter(([, { when }]) => !isAlways(when));
  if (optional.length === 0) return Object.fromEntries(known);
  const dynamic = optional.map(
    ([name, { content, when }]) => [name, { for_each: listIf(when, true), content }] as const,
  );
  return { dynamic: Object.fromEntries(dynamic), ...Object.fromEntries(known) };
}

const pathIn = (parentPath: string, path: string): string => (parentPath === "" ? path : `${parentPath}.${path}`);
