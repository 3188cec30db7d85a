/** A value as text; an object as JSON. */
export const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value ?? ""));

/** Replaces each `${…}` of a template, even if it contains brackets. */
export function replaceExpressions(text: string, replace: (inner: string) => string): string {
  const start = text.indexOf("${");
  if (start < 0) return text;
  let depth = 0;
  for (let at = start + 1; at < text.length; at++) {
    if (text.charAt(at) === "{") depth++;
    if (text.charAt(at) === "}") depth--;
    if (depth === 0) {
      const rest = replaceExpressions(text.slice(at + 1), replace);
      return `${text.slice(0, start)}${replace(text.slice(start + 2, at))}${rest}`;
    }
  }
  return text;
}

/** Pieces between separators outside brackets and texts. */
export function split(text: string, separator: string): string[] {
  const pieces = [""];
  let [depth, isText] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (letter === '"' && text.charAt(at - 1) !== "\\") isText = !isText;
    if (!isText && "([{".includes(letter)) depth++;
    if (!isText && ")]}".includes(letter)) depth--;
    if (depth === 0 && !isText && text.startsWith(separator, at)) {
      pieces.push("");
      at += separator.length - 1;
    } else pieces.push(`${pieces.pop() ?? ""}${letter}`);
  }
  return pieces;
}

/** The content of a bracket that opens just before the given text. */
export function beforeClosing(text: string): string {
  let [depth, isText] = [1, false];
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (letter === '"' && text.charAt(at - 1) !== "\\") isText = !isText;
    if (!isText && "([{".includes(letter)) depth++;
    if (!isText && ")]}".includes(letter)) depth--;
    if (depth === 0) return text.slice(0, at);
  }
  return text;
}

/** Condition and value of `condition ? value : null`; undefined for another expression. */
export function whereSet(text: string): readonly [condition: string, value: string] | undefined {
  const [, inner = text] = /^\$\{([\s\S]*)\}$/.exec(text) ?? [];
  const [condition = "", value, ...further] = split(withoutBrackets(inner.trim()), " ? ");
  const [, present] = /^([\s\S]*) : null$/.exec(value ?? "") ?? [];
  return present === undefined || further.length > 0 ? undefined : [condition, present];
}

/** An expression without brackets that enclose it as a whole. */
export function withoutBrackets(text: string): string {
  if (!text.startsWith("(") || !text.endsWith(")")) return text;
  let depth = 0;
  for (let at = 0; at < text.length - 1; at++) {
    if (text.charAt(at) === "(") depth++;
    if (text.charAt(at) === ")") depth--;
    if (depth === 0) return text;
  }
  return withoutBrackets(text.slice(1, -1).trim());
}
