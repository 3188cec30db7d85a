import { type TerraformResource, Token } from "cdktf";

import { call, Expr, literal, reference } from "./expr";
import { one } from "./functions";
/** The part of a resource or a data source that a reference needs. */
type Referable = Pick<TerraformResource, "count" | "fqn">;

/** Attribute of an optional resource; null if the resource does not exist. */
export function attributeOf(resource: Referable | undefined, name: string): Expr<string | null> {
  if (resource === undefined) return literal(null);
  if (resource.count === undefined) return reference(`${resource.fqn}.${name}`, KNOWN_AT_APPLY);
  return one(attributesOf(resource, name));
}

/** Attribute of a resource, or another value if the resource's count is 0. */
export function attributeOr<T extends boolean | string>(resource: Referable, name: string, fallback: T): Expr<T> {
  if (resource.count === undefined) return reference(`${resource.fqn}.${name}`, KNOWN_AT_APPLY);
  const first = reference<T>(`${resource.fqn}[0].${name}`, KNOWN_AT_APPLY);
  return call("try", [first, fallback], { canFail: false, mayBeNull: false });
}

/** Attribute of each instance of a resource with a count; an empty list if the count is 0. */
export function attributesOf<T = string>(resource: Referable | undefined, name: string): Expr<readonly T[]> {
  return resource === undefined ? literal([]) : reference(`${resource.fqn}[*].${name}`, KNOWN_AT_APPLY);
}

const KNOWN_AT_APPLY = { knownAt: "apply", mayBeNull: false } as const;

/** Id of an optional resource; null if the resource does not exist. */
export const idOf = (resource: TerraformResource | undefined): string => attributeOf(resource, "id").text;

/**
 * Repeats a resource for each element of a map or a set of strings, given as an expression. Arguments refer to the
 * element as `each`.
 */
export function repeatFor(resource: TerraformResource, collection: string): void {
  resource.addOverride("for_each", collection);
}

/**
 * Sets an argument of a resource of any type. The path consists of Terraform names, and the value may be null at plan.
 */
export function setArgument(resource: TerraformResource, path: string, value: Expr | string): void {
  // Passed as text, because the framework would merge lists.
  resource.addOverride(path, value instanceof Expr ? Token.asString(value) : value);
}
