import { type IResolvable, Token, Tokenization } from "cdktf";

/** Precedence of operators; an operand needs parentheses if its precedence is lower than its place requires. */
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

/** HCL and its precedence. */
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

/** A name of a member, in quotes only if HCL requires them. */
export const plainKey = (key: string): string => (/^[A-Za-z_][\w-]*$/.test(key) ? key : literalText(key));

/** A text, escaped for use between quotes. */
export const quotedInside = (text: string): string => JSON.stringify(text).slice(1, -1);

/** A text with escaped template markers, so that Terraform reads it unchanged. */
export function escapedTemplate(text: string): string {
  return text.replaceAll(/[$%](?=\{)/g, (marker) => marker + marker);
}

/** A value with escaped template markers in all its texts, also in lists and objects. */
export function templatesOf(value: unknown): unknown {
  if (typeof value === "string") return escapedTemplate(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(templatesOf);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [escapedTemplate(key), templatesOf(each)]));
}

/** The literals and tokens of a text. */
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

/** Matches the digits with which the framework encodes a number token. */
const NUMBER_TOKEN = /(-?\d\.\d+e\+\d{3})/;

function withNumbers(text: string): (string | IResolvable)[] {
  return text
    .split(NUMBER_TOKEN)
    .filter((piece) => piece !== "")
    .map((piece) => (NUMBER_TOKEN.test(piece) ? (Tokenization.reverseNumber(Number(piece)) ?? piece) : piece));
}

/** HCL of a token that the framework resolved inside an expression. */
export function printedToken(resolved: unknown): Printed {
  if (resolved instanceof PlainText) return { text: literalText(resolved.text), precedence: PRECEDENCE.value };
  if (resolved instanceof TextTemplate) return { text: quotedTemplate(resolved.text), precedence: PRECEDENCE.value };
  if (typeof resolved !== "string") return { text: resolvedText(resolved), precedence: PRECEDENCE.value };
  const text = isExpressionAlone(resolved) ? resolved.slice(2, -1) : resolved;
  return { text, precedence: isWhole(text) ? PRECEDENCE.value : PRECEDENCE.choice };
}

/** A value of Terraform JSON as HCL; every text in it is a template. */
function resolvedText(value: unknown): string {
  if (typeof value === "string") return isExpressionAlone(value) ? value.slice(2, -1) : quotedTemplate(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(resolvedText).join(", ")}]`;
  const members = Object.entries(value).map(([key, each]) => `${plainKey(key)} = ${resolvedText(each)}`);
  return `{ ${members.join(", ")} }`;
}

/** The value of a token that resolves to a plain text instead of an expression. */
export class PlainText {
  constructor(readonly text: string) {}
}

/** The value of a token that resolves to a text with expressions in it. */
export class TextTemplate {
  constructor(readonly text: string) {}
}

/** Whether a template is one `${…}` alone; `${a}-${b}` is a text. */
export function isExpressionAlone(template: string): boolean {
  return template.startsWith("${") && templatePieces(template).length === 1;
}

/** A template in quotes, as part of an expression; the expressions in it are unchanged. */
function quotedTemplate(template: string): string {
  const pieces = templatePieces(template).map((piece) => (/^[$%]\{/.test(piece) ? piece : quotedInside(piece)));
  return `"${pieces.join("")}"`;
}

/** The template in an expression that is one quoted text; undefined for any other expression. */
export function templateIn(expression: string): string | undefined {
  if (!/^".*"$/s.test(expression)) return undefined;
  const pieces = templatePieces(expression.slice(1, -1));
  const isLiteral = (piece: string): boolean => !/^[$%]\{/.test(piece);
  if (pieces.some((piece) => isLiteral(piece) && /(?<!\\)(?:\\\\)*"/.test(piece))) return undefined;
  return pieces.map((piece) => (isLiteral(piece) ? (JSON.parse(`"${piece}"`) as string) : piece)).join("");
}

const TEMPLATE_TOKENS = /\\["\\]|\$\$\{|%%\{|[$%]\{|[^]/g;

/** The `${…}` and `%{…}` of a template, and the literals between them. */
function templatePieces(template: string): string[] {
  const pieces = [""];
  const awaited: string[] = [];
  for (const [token] of template.matchAll(TEMPLATE_TOKENS)) {
    const isInText = awaited.length === 0 || awaited[0] === '"';
    const opens = isInText ? /^[$%]\{$/.test(token) : token === "{" || token === '"';
    if (opens && awaited.length === 0) pieces.push("");
    pieces.push(`${pieces.pop() ?? ""}${token}`);
    if (token === awaited[0]) {
      awaited.shift();
      if (awaited.length === 0) pieces.push("");
    } else if (opens) awaited.unshift(token === '"' ? '"' : "}");
  }
  return pieces.filter((piece) => piece !== "");
}

/** Whether a text needs no parentheses as an operand, because it has no operator outside brackets and strings. */
export function isWhole(text: string): boolean {
  const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').replaceAll(/[^\s()[\]{}!-]+/g, "x");
  let inner = outside;
  for (let before = ""; before !== inner;) {
    before = inner;
    inner = inner.replaceAll(/\([^()[\]{}]*\)|\[[^()[\]{}]*\]|\{[^()[\]{}]*\}/g, "x");
  }
  return !/[\s!]|^-/.test(inner.trim());
}
