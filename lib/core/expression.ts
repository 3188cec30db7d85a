import { ref, TerraformCount, Token, type IResolvable } from "cdktf";

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

/** `count` of a resource that exists only when the condition holds at plan; none when there is no condition. */
export function countWhen(condition: string | undefined): TerraformCount | undefined {
  return condition === undefined ? undefined : TerraformCount.of(numberExpression(`(${condition}) ? 1 : 0`));
}

/** A switch as a condition for `countWhen`: none for what is always on. */
export function conditionOf(isOn: boolean | IResolvable): string | undefined {
  return isOn === true ? undefined : Token.asString(isOn);
}
