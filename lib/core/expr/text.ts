import { Token, Tokenization, type IResolvable } from "cdktf";

/** How tightly the parts of an expression bind; a part that binds less than its place asks for needs parentheses. */
export const PRECEDENCE = {
  choice: 0,
  or: 1,
  and: 2,
  equality: 3,
  comparison: 4,
  sum: 5,
  product: 6,
  sign: 7,
  value: 8,
} as const;

/** HCL, and how tightly it binds. */
export interface Printed {
  readonly text: string;
  readonly precedence: number;
}

/** A literal as HCL. */
export function literalText(value: unknown): string {
  if (typeof value === "string") return `"${quotedInside(escapedTemplate(value))}"`;
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(literalText).join(", ")}]`;
  const members = Object.entries(value).map(([key, each]) => `${plainKey(key)} = ${literalText(each)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** A name of a member, in quotes only where it needs them. */
export const plainKey = (key: string): string => (/^[A-Za-z_][\w-]*$/.test(key) ? key : literalText(key));

/** A text as it stands between quotes. */
export const quotedInside = (text: string): string => JSON.stringify(text).slice(1, -1);

/** A text that Terraform reads unchanged, although it has markers of templates in it. */
export function escapedTemplate(text: string): string {
  return text.replaceAll(/[$%](?=\{)/g, (marker) => marker + marker);
}

/** A value whose texts, also those in lists and objects, Terraform reads unchanged. */
export function templatesOf(value: unknown): unknown {
  if (typeof value === "string") return escapedTemplate(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(templatesOf);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [escapedTemplate(key), templatesOf(each)]));
}

/** What a text consists of: literals and tokens. */
export function piecesOf(text: string): (string | IResolvable)[] {
  const pieces: (string | IResolvable)[] = [];
  let rest = text;
  for (const token of Tokenization.reverseString(text).tokens) {
    const mark = Token.asString(token);
    const at = rest.indexOf(mark);
    pieces.push(rest.slice(0, at), token);
    rest = rest.slice(at + mark.length);
  }
  return [...pieces, rest].flatMap((piece) => (typeof piece === "string" ? withNumbers(piece) : [piece]));
}

/** Digits under which the framework hides a number that it does not know yet. */
const NUMBER_TOKEN = /(-?\d\.\d+e\+\d{3})/;

function withNumbers(text: string): (string | IResolvable)[] {
  return text
    .split(NUMBER_TOKEN)
    .filter((piece) => piece !== "")
    .map((piece) => (NUMBER_TOKEN.test(piece) ? (Tokenization.reverseNumber(Number(piece)) ?? piece) : piece));
}

/** What the framework has made of a token that stands inside of an expression. */
export function printedToken(resolved: unknown): Printed {
  if (resolved instanceof PlainText) return { text: literalText(resolved.text), precedence: PRECEDENCE.value };
  if (typeof resolved !== "string") return { text: resolvedText(resolved), precedence: PRECEDENCE.value };
  const text = resolved.startsWith("${") && isWhole(resolved) ? resolved.slice(2, -1) : resolved;
  return { text, precedence: isWhole(text) ? PRECEDENCE.value : PRECEDENCE.choice };
}

/** A value of Terraform JSON, whose texts are templates, as HCL. */
function resolvedText(value: unknown): string {
  if (typeof value === "string")
    return value.startsWith("${") && isWhole(value) ? value.slice(2, -1) : `"${quotedInside(value)}"`;
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(resolvedText).join(", ")}]`;
  const members = Object.entries(value).map(([key, each]) => `${plainKey(key)} = ${resolvedText(each)}`);
  return `{ ${members.join(", ")} }`;
}

/** A text that is no expression, from a token whose value is one. */
export class PlainText {
  constructor(readonly text: string) {}
}

/** Whether nothing in a text binds less than a value: no operator stands outside of brackets and strings. */
export function isWhole(text: string): boolean {
  const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').replaceAll(/[^\s()[\]{}!-]+/g, "x");
  let inner = outside;
  for (let before = ""; before !== inner;) {
    before = inner;
    inner = inner.replaceAll(/\([^()[\]{}]*\)|\[[^()[\]{}]*\]|\{[^()[\]{}]*\}/g, "x");
  }
  return !/[\s!]|^-/.test(inner.trim());
}
