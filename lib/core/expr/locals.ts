import { DefaultTokenResolver, StringConcat, TerraformLocal, Token, Tokenization } from "cdktf";
import { type Construct, type IConstruct } from "constructs";

import { type Expr, reference } from "./expr";

/** Puts an expression into a local, so that it appears only once in the folder; a literal is returned unchanged. */
export function namedValue(scope: Construct, id: string, value: string): string {
  return Token.isUnresolved(value) ? new TerraformLocal(scope, id, value).asString : value;
}

/**
 * Puts a typed expression into a local, and returns a reference to the local; a literal is returned unchanged.
 *
 * @param place puts the local into a file
 */
export function named<T>(
  scope: Construct,
  id: string,
  value: Expr<T>,
  place?: (local: TerraformLocal) => void,
): Expr<T> {
  if (value.isLiteral) return value;
  const knownAt = value.knownAt === "apply" ? "apply" : "plan";
  const local = new TerraformLocal(scope, id, value);
  place?.(local);
  const { cdktfStack: stack, friendlyUniqueId: name } = local;
  return reference<T>(`local.${name}`, { knownAt, mayBeNull: value.mayBeNull, stack });
}

/** Puts an expression into a local if it is long. */
export function namedIfLong<T>(scope: Construct, id: string, value: Expr<T>): Expr<T> {
  return value.isLong ? named(scope, id, value) : value;
}

/** Reference to a local; the local's value must never be null and must be known at plan. */
export function localReference<T>({ cdktfStack: stack, friendlyUniqueId: name }: TerraformLocal): Expr<T> {
  return reference<T>(`local.${name}`, { knownAt: "plan", mayBeNull: false, stack });
}

/** Value of a local, as written to the configuration; its property `expression` is a reference to the local itself. */
export function renderedLocal(local: TerraformLocal): unknown {
  const { locals } = local.toTerraform() as { readonly locals: Readonly<Record<string, unknown>> };
  return rendered(local, locals[local.friendlyUniqueId]);
}

/** A value as written to the configuration. @param preparing registers references to values of other stacks */
export function rendered(scope: IConstruct, value: unknown, preparing = false): unknown {
  return Tokenization.resolve(value, { scope, resolver: RESOLVER, preparing });
}

const RESOLVER = new DefaultTokenResolver(new StringConcat());

/** Name of a value in messages: the input it comes from, or the prop. */
export function settingName(scope: IConstruct, value: unknown, prop: string): string {
  if (!Token.isUnresolved(value)) return prop;
  const [, variable] = /^\$\{var\.(\w+)\}$/.exec(String(rendered(scope, value))) ?? [];
  return variable ?? prop;
}
