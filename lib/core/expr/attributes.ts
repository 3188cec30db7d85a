import { type TerraformResource, Token } from "cdktf";

import { call, Expr, literal, reference } from "./expr";
import { one } from "./functions";
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

/** Sets an argument of a resource of any type, which may be null at plan, by its path under Terraform's names. */
export function setArgument(resource: TerraformResource, path: string, value: Expr | string): void {
  // As text, because the framework would merge lists.
  resource.addOverride(path, value instanceof Expr ? Token.asString(value) : value);
}
