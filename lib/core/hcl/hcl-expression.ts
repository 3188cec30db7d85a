/** Lines of values are broken where they would be longer. */
const LINE_LENGTH = 120;

/** Stands for the spaces before an equals sign until all lines are known; terraform fmt aligns neighbours. */
export const ALIGNED = "\u0001";

const BRACKETS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** A string of Terraform JSON as an expression: what is in `${…}` alone, or a template in quotes. */
export function templateExpression(text: string, indent = ""): string {
  const all = cut(text, TEMPLATES);
  if (all.length === 1 && text.startsWith("${")) return brokenExpression(text.slice(2, -1).trim(), indent, "value");
  return `"${all.map((piece) => (isTemplate(piece) ? spacedTemplate(piece) : escaped(piece))).join("")}"`;
}

/** A text that is no template, in quotes. */
export function quotedText(text: string): string {
  return `"${escaped(text).replaceAll(/([$%])(?=\{)/g, "$1$1")}"`;
}

/** A reference, a word or a type. */
export function bareExpression(text: string, indent = ""): string {
  return brokenExpression(text, indent, "value");
}

/** A value of Terraform JSON as an expression; `spell` writes the strings in it. */
export function valueExpression(value: unknown, indent = "", spell = templateExpression): string {
  if (typeof value === "string") return spell(value, indent);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (!Array.isArray(value)) {
    const lines = Object.entries(value).map(
      ([key, item]) => `${inner}${objectKey(key, spell)}${ALIGNED}= ${valueExpression(item, inner, spell)}`,
    );
    return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${indent}}`;
  }
  const items = value.map((item) => valueExpression(item, inner, spell));
  const line = `[${items.join(", ")}]`;
  if (line.length + indent.length <= LINE_LENGTH && !line.includes("\n")) return line;
  return `[\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}]`;
}

/** Aligns the equals signs of neighbouring lines, as terraform fmt does; a value of several lines stands alone. */
export function alignedLines(lines: readonly string[]): string[] {
  const widths = lines.map((line) => line.indexOf(ALIGNED));
  const isAligned = (index: number) => (widths[index] ?? -1) >= 0 && !/[([{]$/.test(lines[index] ?? "");
  return lines.map((line, index) => {
    const width = widths[index] ?? -1;
    if (width < 0) return line;
    let longest = width;
    for (const step of isAligned(index) ? [-1, 1] : []) {
      for (let at = index + step; isAligned(at); at += step) longest = Math.max(longest, widths[at] ?? 0);
    }
    return line.replace(ALIGNED, " ".repeat(longest - width + 1));
  });
}

/** What begins a group in a template, and in an expression; three characters stand for the latter two. */
const TEMPLATES = /\$\$\{|%%\{|[$%]\{/g;
const GROUPS = /["([{]/g;

/** A text cut into groups and what is between them. */
function cut(text: string, beginnings: RegExp): string[] {
  const found: string[] = [];
  let from = 0;
  for (const { 0: beginning, index } of text.matchAll(beginnings)) {
    if (index < from || beginning.length === 3) continue;
    const end = beginning === '"' ? stringEnd(text, index) : groupEnd(text, index + beginning.length - 1);
    found.push(text.slice(from, index), text.slice(index, end));
    from = end;
  }
  return [...found, text.slice(from)].filter((piece) => piece !== "");
}

const isTemplate = (piece: string): boolean => /^[$%]\{/.test(piece);
const isGroup = (piece: string): boolean => (piece[0] ?? "") in BRACKETS;

/** Where a group ends that begins with a bracket at a place. */
function groupEnd(text: string, from: number): number {
  const close = BRACKETS[text[from] ?? ""];
  let at = from + 1;
  while (at < text.length && text[at] !== close) {
    if (text[at] === '"') at = stringEnd(text, at);
    else at = (text[at] ?? "") in BRACKETS ? groupEnd(text, at) : at + 1;
  }
  return at + 1;
}

/** Where a string in quotes ends; templates in it hold strings again. */
function stringEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') {
    if (/^(\$\$|%%)\{/.test(text.slice(at, at + 3))) at += 3;
    else if (/^[$%]\{/.test(text.slice(at, at + 2))) at = groupEnd(text, at + 1);
    else at += text[at] === "\\" ? 2 : 1;
  }
  return at + 1;
}

/** The parts of an expression between separators outside of brackets and strings. */
function split(expression: string, separator: RegExp): string[] {
  const parts = [""];
  for (const piece of cut(expression, GROUPS)) {
    const texts = isGroup(piece) || piece.startsWith('"') ? [piece] : piece.split(separator);
    texts.forEach((text, index) => {
      if (index > 0) parts.push("");
      parts.push(`${parts.pop() ?? ""}${text}`);
    });
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** A member of an object: its key as written, and its value. */
const MEMBER = /^("(?:[^"\\]|\\.)*"|\([^)]*\)|[\w-]+)\s*[:=](?![=])\s*(.*)$/s;

/** An expression on one line, as terraform fmt spaces it, and members of objects with equals signs. */
function spaced(expression: string): string {
  return cut(expression, GROUPS)
    .map((piece, index, all) => {
      if (piece.startsWith('"')) return spacedString(piece);
      if (!isGroup(piece)) return (all[index + 1] ?? "").startsWith("(") ? piece.replace(/\bif $/, "if") : piece;
      const inner = membersOf(piece)
        .map(([key, value]) => (key === undefined ? value : `${key} = ${value}`))
        .join(", ");
      const pad = piece.startsWith("{") && inner !== "" ? " " : "";
      return `${piece[0] ?? ""}${pad}${inner}${pad}${piece.at(-1) ?? ""}`;
    })
    .join("");
}

/** A string as written, whose templates are spaced too. */
function spacedString(text: string): string {
  return cut(text, TEMPLATES)
    .map((piece) => (isTemplate(piece) ? spacedTemplate(piece) : piece))
    .join("");
}

function spacedTemplate(piece: string): string {
  return piece.startsWith("%") ? piece : `\${${spaced(piece.slice(2, -1).trim())}}`;
}

/** What is in brackets; with keys in an object. */
function membersOf(group: string): (readonly [key: string | undefined, value: string])[] {
  const content = group.slice(1, -1).trim();
  const isObject = group.startsWith("{") && !content.startsWith("for ");
  return split(content, /,/).map((part) => {
    const [, key, value = part] = (isObject ? MEMBER.exec(part) : undefined) ?? [];
    return [key, spaced(value)];
  });
}

/**
 * An expression, broken over lines where it is too long: between its operands, or else in its longest brackets.
 *
 * @param place `value` of an argument, one of several `items` in brackets, an `operand`, or the `body` of a `for`, which
 * may have an `if` behind it
 */
function brokenExpression(expression: string, indent: string, place: "body" | "items" | "operand" | "value"): string {
  const line = spaced(expression);
  const isGrouped = line.startsWith("(") && groupEnd(line, 0) === line.length;
  const bare = isGrouped && (place === "items" || place === "value") ? line.slice(1, -1).trim() : line;
  if (bare.length + indent.length <= LINE_LENGTH) return bare;
  const inner = place === "items" ? indent : `${indent}  `;
  const lines = place === "body" ? [] : operandLines(bare, inner);
  if (lines.length > 0) {
    const text = lines.join(`\n${inner}`);
    return place === "items" ? text : `(\n${inner}${text}\n${indent})`;
  }
  const all = cut(bare, GROUPS);
  const lengths = all.map((piece) => (isGroup(piece) ? piece.length : 0));
  const longest = lengths.indexOf(Math.max(...lengths));
  if ((lengths[longest] ?? 0) < LINE_LENGTH / 3) return bare;
  return all.map((piece, index) => (index === longest ? brokenGroup(piece, indent) : piece)).join("");
}

/** The operands on lines of their own, at the operator that binds least; none without one. */
function operandLines(expression: string, indent: string): string[] {
  const broken = (part: string) => brokenExpression(part, indent, "operand");
  const [condition = "", ...results] = split(expression, / [?:] /);
  if (results.length === 2)
    return results.reduce((all, part, index) => [...all, `${"?:"[index] ?? ""} ${broken(part)}`], [broken(condition)]);
  if (results.length > 0) return [];
  const [operator = "", parts = []] =
    [" ||", " &&"]
      .map((each) => [each, split(expression, each === " ||" ? / [|][|] / : / && /)] as const)
      .find(([, found]) => found.length > 1) ?? [];
  return parts.map((part, index) => `${broken(part)}${index < parts.length - 1 ? operator : ""}`);
}

function brokenGroup(group: string, indent: string): string {
  const inner = `${indent}  `;
  const [open = "", close = ""] = [group[0], group.at(-1)];
  const content = group.slice(1, -1).trim();
  if (open === "(" && isGroup(content) && groupEnd(content, 0) === content.length)
    return `(${brokenGroup(content, indent)})`;
  const lines = content.startsWith("for ") ? forLines(content, inner) : memberLines(group, inner);
  return `${open}\n${lines.map((line) => `${inner}${line}\n`).join("")}${indent}${close}`;
}

function memberLines(group: string, indent: string): string[] {
  return membersOf(group).map(([key, value], index, { length }) => {
    if (key !== undefined) return `${key}${ALIGNED}= ${brokenExpression(value, indent, "value")}`;
    const comma = group.startsWith("[") || index < length - 1 ? "," : "";
    return `${brokenExpression(value, indent, "items")}${comma}`;
  });
}

/** `for … :`, and what it makes of each element. */
function forLines(content: string, indent: string): string[] {
  const [head = "", ...body] = split(content, / : /);
  const [names = "", ...collection] = split(head, / in /);
  return [
    `${names} in ${brokenExpression(collection.join(" in "), indent, "operand")} :`,
    brokenExpression(body.join(" : "), indent, "body"),
  ];
}

function objectKey(key: string, spell: typeof templateExpression): string {
  if (/^[A-Za-z_][\w-]*$/.test(key)) return key;
  const isExpression = spell === templateExpression && key.startsWith("${") && cut(key, TEMPLATES).length === 1;
  return isExpression ? `(${spell(key)})` : spell(key);
}

/** HCL knows neither of two of JSON's escapes. */
function escaped(literal: string): string {
  const others: Readonly<Record<string, string>> = { "\\b": "\\u0008", "\\f": "\\u000c" };
  return JSON.stringify(literal)
    .slice(1, -1)
    .replaceAll(/\\./g, (code) => others[code] ?? code);
}
