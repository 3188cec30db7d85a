import { DefaultTokenResolver, Fn, ref, StringConcat, TerraformLocal, Token, Tokenization } from "cdktf";
import { type Construct, type IConstruct } from "constructs";

import { reference, type Expr } from "./expr";

/**
 * A hand-written Terraform expression, without the surrounding `${ }`.
 *
 * For what the framework's operators cannot express (`for`, `can`, splats) or render wrongly (a falsy right operand
 * becomes the word `undefined`). String tokens may be embedded; a conditional among them needs its own parentheses.
 */
export function expression(text: string): string {
  return Token.asString(ref(text));
}

/** The same as a number, for numeric properties. */
export function numberExpression(text: string): number {
  return Token.asNumber(ref(text));
}

/** A number as text, also one that is known only at plan; `Token.asString` leaves a literal number a number. */
export function numberText(number: number | string): string {
  return Token.isUnresolved(number) ? Token.asString(number) : String(number);
}

/**
 * A string as part of a Terraform expression: a literal, an expression that may be null, or text around expressions.
 */
export function operand(text: string): string {
  const isReference = Token.isUnresolved(text) && Tokenization.reverseString(text).literals.length === 0;
  return isReference ? text : quoted(text);
}

/** A string as part of a Terraform expression, which may itself contain expressions. */
export function quoted(text: string): string {
  return Token.isUnresolved(text) ? Fn.join("", [text]) : JSON.stringify(text);
}

/**
 * Escapes template markers in a literal, so that Terraform reads it unchanged.
 *
 * Strings that contain a token are left alone, because their markers belong to the token.
 */
export function literal(text: string): string {
  return Token.isUnresolved(text) ? text : text.replaceAll(/[$%](?=\{)/g, (marker) => marker + marker);
}

/** Puts an expression into a local, so that it appears only once in the folder; a literal needs none. */
export function namedValue(scope: Construct, id: string, value: string): string {
  return Token.isUnresolved(value) ? new TerraformLocal(scope, id, value).asString : value;
}

/** The same of an expression. */
export function named<T>(scope: Construct, id: string, value: Expr<T>): Expr<T> {
  if (value.isLiteral) return value;
  const knownAt = value.knownAt === "apply" ? "apply" : "plan";
  const local = new TerraformLocal(scope, id, value);
  return reference<T>(`local.${local.friendlyUniqueId}`, { knownAt, mayBeNull: value.mayBeNull });
}

/** The value of a local. */
export function referenceTo<T>(local: TerraformLocal): Expr<T> {
  return reference<T>(`local.${local.friendlyUniqueId}`, { knownAt: "plan", mayBeNull: false });
}

/** The same of an expression that takes more than a glance to read. */
export function namedIfLong<T>(scope: Construct, id: string, value: Expr<T>): Expr<T> {
  return value.isLong ? named(scope, id, value) : value;
}

/** A value as it is written to the configuration. @param preparing asks each referenced stack for its value */
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
