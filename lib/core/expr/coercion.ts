/**
 * Thrown where Terraform would fail. One shared object, because the error never reaches a user and every new error
 * would cost a stack trace.
 */
export const NO_VALUE = new Error("Terraform has no such value");

/** A value that is not null. */
export function valueIn(value: unknown): unknown {
  if (value === null || value === undefined) throw NO_VALUE;
  return value;
}

/** A number; a text is converted by Terraform's rules. */
export function numberIn(value: unknown): number {
  const isNumber = typeof value === "string" ? /^-?[0-9]+([.][0-9]+)?$/.test(value) : typeof value === "number";
  return finite(isNumber ? Number(value) : NaN);
}

/** A finite number, because Terraform fails where JavaScript returns infinity, for example at a division by zero. */
export function finite(value: number): number {
  if (!Number.isFinite(value)) throw NO_VALUE;
  return value;
}

/** A text; numbers and booleans are converted. In Unicode NFC, because Terraform normalizes all texts to it. */
export function textIn(value: unknown): string {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") throw NO_VALUE;
  return String(value).normalize("NFC");
}

/** A list. */
export function listIn(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw NO_VALUE;
  return value;
}

/** The number of characters, items or members. */
export function lengthOf(value: unknown): number {
  if (typeof value === "string") return [...new Intl.Segmenter().segment(textIn(value))].length;
  if (typeof value !== "object" || value === null) throw NO_VALUE;
  return Object.keys(value).length;
}

/** A regular expression in Terraform's syntax, as one of JavaScript. */
export function regularExpression(pattern: string, flags = ""): RegExp {
  const [, insensitive, rest = pattern] = /^([(][?]i[)])?(.*)$/s.exec(pattern) ?? [];
  return new RegExp(rest, `${flags}u${insensitive === undefined ? "" : "i"}`);
}
