import { ref, Token } from "cdktf";

/**
 * A hand-written Terraform expression, without the surrounding `${ }`.
 *
 * Used for syntax that the framework's operators cannot express (`for`, `can`, splats) or render wrongly (a falsy right
 * operand becomes the word `undefined`). String tokens may be embedded; an embedded conditional needs its own
 * parentheses.
 */
export function expression(text: string): string {
  return Token.asString(ref(text));
}

/**
 * Escapes template markers in a literal, so that Terraform reads it unchanged.
 *
 * Strings with a token are left unchanged, because their markers belong to the token.
 */
export function escaped(text: string): string {
  return Token.isUnresolved(text) ? text : text.replaceAll(/[$%](?=\{)/g, (marker) => marker + marker);
}

/** Texts that Terraform reads unchanged. */
export function escapedTexts(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, escaped(text)]));
}
