import { DefaultTokenResolver, ref, StringConcat, Token, Tokenization } from "cdktf";
import { type IConstruct } from "constructs";

/**
 * A Terraform expression written out by hand, without the surrounding `${ }`.
 *
 * For what the framework's operators cannot say (`for`, `can`, splats) or render wrongly (a falsy right operand becomes
 * the word `undefined`). String tokens may be embedded; a conditional among them needs its own parentheses.
 */
export function expression(text: string): string {
  return Token.asString(ref(text));
}

/** The same as a number, for properties typed so. */
export function numberExpression(text: string): number {
  return Token.asNumber(ref(text));
}

/**
 * A literal as Terraform reads it back unchanged: template markers in it lose their meaning.
 *
 * Strings that hold a token are left alone, because their markers are the token's own.
 */
export function literal(text: string): string {
  return Token.isUnresolved(text) ? text : text.replaceAll(/[$%](?=\{)/g, (marker) => marker + marker);
}

/** A value as Terraform will read it. */
export function rendered(scope: IConstruct, value: unknown): unknown {
  const resolver = new DefaultTokenResolver(new StringConcat());
  return Tokenization.resolve(value, { scope, resolver, preparing: false });
}

/** What a message calls a value: the input that it is taken from, or the prop. */
export function calledIn(scope: IConstruct, value: unknown, prop: string): string {
  if (!Token.isUnresolved(value)) return prop;
  const [, variable] = /^\$\{var\.(\w+)\}$/.exec(String(rendered(scope, value))) ?? [];
  return variable ?? prop;
}
