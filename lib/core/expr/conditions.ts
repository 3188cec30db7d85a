import {
  type IResolvable,
  type ITerraformDependable,
  TerraformCount,
  type TerraformResource,
  TerraformStack,
  Token,
} from "cdktf";
import { type Construct, type IConstruct } from "constructs";

import { type Expr, exprOf, literal, type Operand } from "./expr";
import { namedIfLong, rendered } from "./locals";
export { allOf, anyOf } from "./expr";

/** A condition: a literal, a typed expression or a token. */
export type Condition = boolean | IResolvable;

const CONDITIONS = new WeakMap<object, Expr<boolean>>();

/** A condition with its type. */
export function conditionFrom(condition: Condition): Expr<boolean> {
  return exprOf<boolean>(condition as boolean);
}

/** A condition that several resources share; a long one is put into a local. */
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

/** Whether synthesis knows that the condition holds; true if there is no condition. */
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

/** Dependencies that wait for all parts that are not undefined. */
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

/** A list with one element if the condition holds, and empty otherwise: the `for_each` of an optional block. */
export function listIf(condition: Condition, element: Operand<boolean | number | string>): string {
  return Token.asString(conditionFrom(condition).choose<unknown>([exprOf(element)], []));
}

/** Conditions recorded by `stateCondition`, by stack. */
const STATED = new WeakMap<TerraformStack, Expr<boolean>[]>();

/**
 * Records the condition under which a part with `for_each` exists, because `settled-folder.ts` cannot read the
 * condition from the collection.
 */
export function stateCondition(scope: IConstruct, condition: Expr<boolean>): void {
  const stack = TerraformStack.of(scope);
  STATED.set(stack, [...(STATED.get(stack) ?? []), condition]);
}

/** The recorded conditions of a stack, as synthesized. */
export function statedConditions(stack: TerraformStack): string[] {
  return (STATED.get(stack) ?? []).map((condition) => String(rendered(stack, condition.text)));
}
