import { Token, type TerraformCount, type TerraformResource } from "cdktf";

import { countWhen, expression } from "./expression";

/** A text that need not be given: `undefined` for whoever writes TypeScript, null for an input of Terraform. */
export type OptionalValue = string | undefined;

/** `count` of a resource that exists only when the value is given. */
export function countWith(value: OptionalValue): TerraformCount | undefined {
  if (isLiteral(value)) return undefined;
  return countWhen(isGiven(value));
}

/** `count` of a resource that exists only when the value is not given. */
export function countWithout(value: OptionalValue): TerraformCount | undefined {
  if (value === undefined) return undefined;
  return countWhen(isMissing(value));
}

/**
 * An expression that is one of two, depending on whether the value is given.
 *
 * @param given what it is then, in Terraform's language
 * @param absent what it is otherwise, in Terraform's language
 */
export function whether(value: OptionalValue, given: string, absent: string): string {
  if (value === undefined) return expression(absent);
  return expression(isLiteral(value) ? given : `(${value} != null ? ${given} : ${absent})`);
}

/** Whether the value is given, as a text: `true`, `false`, or an expression that is one of them. */
export function isGiven(value: OptionalValue): string {
  if (value === undefined || isLiteral(value)) return String(value !== undefined);
  return expression(`${value} != null`);
}

/** The opposite of `isGiven`. */
export function isMissing(value: OptionalValue): string {
  if (value === undefined || isLiteral(value)) return String(value === undefined);
  return expression(`${value} == null`);
}

/** The value, or an expression in Terraform's language when it is not given. */
export function orElse(value: OptionalValue, absent: string): string {
  return isLiteral(value) ? String(value) : whether(value, String(value), absent);
}

/** An attribute of a resource of which there is one or none, in Terraform's language; null when there is none. */
export function onlyAttribute(resource: TerraformResource, attribute: string): string {
  return `one(${resource.fqn}[*].${attribute})`;
}

function isLiteral(value: OptionalValue): boolean {
  return value !== undefined && !Token.isUnresolved(value);
}
