/** Longest line of a value, in characters. */
const LINE_LENGTH = 120;

/**
 * Maximum number of members of an object on one line. Such objects, and blocks of one argument, are printed on one line
 * if it has at most `SHORT_LINE` characters.
 */
const FEW_MEMBERS = 3;
export const SHORT_LINE = 96;

/** Placeholder for the spaces before an equals sign until all lines are known. */
export const ALIGNED = "\u0001";

/** Consecutive lines whose equals signs are aligned; a value of several lines ends the group. */
const NEIGHBOURS = new RegExp(`(^[^\n]*${ALIGNED}[^\n]*[^\n([{]$\n?)+`, "gm");
const KEYS = new RegExp(`^[^\n]*(?=${ALIGNED})`, "gm");

/** A name and its value, with an equals sign that `aligned` will align. */
export const assignment = (name: string, value: string): string => `${name}${ALIGNED}= ${value}`;

/** Lines in the format of terraform fmt. */
export function aligned(text: string): string {
  const inColumn = (lines: string): string => {
    const width = Math.max(...(lines.match(KEYS) ?? []).map((key) => key.length));
    return lines.replaceAll(KEYS, (key) => key.padEnd(width));
  };
  return text.replaceAll(NEIGHBOURS, inColumn).replaceAll(ALIGNED, " ");
}

/** A string of Terraform JSON as an expression: the content of a lone `${…}`, or a template in quotes. */
export function templateExpression(text: string, indent = ""): string {
  const isExpression = text.startsWith("${") && cut(text, "text").length === 1;
  return isExpression ? bareExpression(text.slice(2, -1).trim(), indent) : `"${spacedText(text, escaped)}"`;
}

/** A text that is not a template, in quotes. */
export function quotedText(text: string): string {
  return `"${escaped(text).replaceAll(/([$%])(?=\{)/g, "$1$1")}"`;
}

/** A value of Terraform JSON as an expression; `spell` prints the strings in it. */
export function valueExpression(value: unknown, indent = "", spell = templateExpression): string {
  if (typeof value === "string") return spell(value, indent);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (!Array.isArray(value)) {
    const members = Object.entries(value).map(
      ([key, item]) => [objectKey(key, spell), valueExpression(item, inner, spell)] as const,
    );
    if (members.length === 0) return "{}";
    const line = `{ ${members.map(([key, item]) => `${key} = ${item}`).join(", ")} }`;
    if (members.length <= FEW_MEMBERS && line.length + indent.length <= SHORT_LINE && !line.includes("\n")) return line;
    return `{\n${members.map(([key, item]) => `${inner}${assignment(key, item)}\n`).join("")}${indent}}`;
  }
  const items = value.map((item) => valueExpression(item, inner, spell));
  const line = `[${items.join(", ")}]`;
  if (line.length + indent.length <= LINE_LENGTH && !line.includes("\n")) return line;
  return `[\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}]`;
}

function objectKey(key: string, spell: typeof templateExpression): string {
  if (/^[A-Za-z_][\w-]*$/.test(key)) return key;
  const spelled = spell(key);
  return key.startsWith("${") && !spelled.startsWith('"') ? `(${spelled})` : spelled;
}

/** HCL has JSON's escapes except `\b` and `\f`; these two characters need no escape. */
function escaped(literal: string): string {
  return literal.replaceAll(/(?![\b\f])["\\\p{Cc}]/gu, (character) => JSON.stringify(character).slice(1, -1));
}

/** End of a group by its beginning. A group begins with two characters in a text and with one in an expression. */
const ENDS = new Map(["${}", "%{}", '""', "()", "[]", "{}"].map((pair) => [pair.slice(0, -1), pair.slice(-1)]));
const TOKENS = /\\["\\]|\$\$\{|%%\{|[$%]\{|[^"\\$%()[\]{}]+|[^]/g;
const isGroup = (piece: string): boolean => ENDS.has(piece.charAt(0));

/**
 * A text or an expression, cut into groups and the pieces between them; a string inside an expression is cut like a
 * text.
 */
function cut(whole: string, kind: "expression" | "text" = "expression"): string[] {
  const cuts = [0];
  const awaited: string[] = [];
  for (const { 0: token, index } of whole.matchAll(TOKENS)) {
    const isInText = awaited.length === 0 ? kind === "text" : awaited[0] === '"';
    if (token === awaited[0]) {
      awaited.shift();
      if (awaited.length === 0) cuts.push(index + 1);
    } else if (ENDS.has(token) && isInText === token.length > 1) {
      if (awaited.length === 0) cuts.push(index);
      awaited.unshift(ENDS.get(token) ?? "");
    }
  }
  return cuts.map((from, index) => whole.slice(from, cuts[index + 1])).filter((piece) => piece !== "");
}

/** The parts of an expression between separators outside of brackets and strings. */
function split(expression: string, separator: RegExp | string): string[] {
  return cut(expression)
    .map((piece) => (isGroup(piece) ? piece : piece.replaceAll(separator, "\0")))
    .join("")
    .split("\0")
    .flatMap((part) => part.trim() || []);
}

/**
 * An expression on one line, with the spacing of terraform fmt, and with equals signs between the names and values of
 * objects.
 */
function spaced(expression: string): string {
  return cut(expression)
    .reduce(withoutJoin, [])
    .map((piece, index, all) => {
      if (piece.startsWith('"')) return spacedText(piece);
      if (!isGroup(piece)) return all[index + 1]?.startsWith("(") === true ? piece.replace(/\bif $/, "if") : piece;
      if (isCondition(piece, all[index - 1], all[index + 1])) return spaced(piece.slice(1, -1).trim());
      const inner = membersOf(piece).map(([key, value]) => `${key === undefined ? "" : `${key} = `}${spaced(value)}`);
      const pad = piece.startsWith("{") && inner.length > 0 ? " " : "";
      return `${piece.charAt(0)}${pad}${inner.join(", ")}${pad}${piece.slice(-1)}`;
    })
    .join("");
}

/** Whether parentheses are superfluous: around a whole condition, or around an operand of sufficient precedence. */
function isCondition(group: string, before = "", after = ""): boolean {
  const binds = before === "" && after.startsWith(" ? ") ? /\?/g : /\?|&&|\|\|/g;
  const isOperand = /(^| (&&|\|\|) )$/.test(before) && /^( (\?|&&|\|\|) |$)/.test(after) && before + after !== "";
  return group.startsWith("(") && isOperand && split(group.slice(1, -1), binds).length === 1;
}

/** Removes a `join` of a single text, which has no effect. */
function withoutJoin(pieces: readonly string[], piece: string): string[] {
  const [before = "", ...others] = pieces.toReversed();
  const [, text] = before.endsWith("join") ? (/^\("", \[(".*")\]\)$/s.exec(piece) ?? []) : [];
  if (text === undefined || cut(text).length > 1) return [...pieces, piece];
  return [...others.toReversed(), before.slice(0, -"join".length), text];
}

/** A text with spacing applied to the expressions of its templates too. */
function spacedText(text: string, spell = (literal: string) => literal): string {
  const write = (piece: string) => `${piece.slice(0, 2)}${ungrouped(spaced(piece.slice(2, -1).trim()))}}`;
  return cut(text, "text")
    .map((piece) => (/^[$%]\{/.test(piece) ? write(piece) : spell(piece)))
    .join("");
}

/** A member of an object: its key as written, and its value. */
const MEMBER = /^("(?:[^"\\]|\\.)*"|\([^)]*\)|[\w-]+)\s*[:=](?![=])\s*(.*)$/s;

/** The items in brackets; members of an object have keys. */
function membersOf(group: string): (readonly [key: string | undefined, value: string])[] {
  const content = group.slice(1, -1).trim();
  const isObject = group.startsWith("{") && !content.startsWith("for ");
  return split(content, ",").map((part) => {
    const [, key, value = part] = (isObject ? MEMBER.exec(part) : undefined) ?? [];
    return [key, value];
  });
}

/** An expression as the whole value of an argument; a long one is broken between operands, or in brackets. */
export function bareExpression(expression: string, indent = ""): string {
  return brokenOperand(ungrouped(spaced(expression)), indent);
}

function brokenOperand(line: string, indent: string): string {
  if (operandLines(line, indent) === undefined) return brokenInside(line, indent);
  return brokenBranch(line, indent) ?? brokenGroup(`(${line})`, indent);
}

/** A choice with only one long branch, in brackets: `condition ? value : (`, the branch, `)`. */
function brokenBranch(line: string, indent: string): string | undefined {
  const [condition = "", yes = "", no = "", ...more] = split(line, / [?:] /g).map(ungrouped);
  const isLong = (branch: string) => operandLines(branch, indent) !== undefined;
  if (no === "" || more.length > 0 || isLong(yes) === isLong(no)) return undefined;
  const [before, long, after] = isLong(no)
    ? [`${condition} ? ${yes} : `, no, ""]
    : [`${condition} ? `, yes, ` : ${no}`];
  return before.length + after.length > LINE_LENGTH / 2 ? undefined : `${before}${brokenOperand(long, indent)}${after}`;
}

const ungrouped = (expression: string): string =>
  expression.startsWith("(") && cut(expression).length === 1 ? expression.slice(1, -1).trim() : expression;

/** The operands of a long expression on separate lines, broken at the operator of lowest precedence. */
function operandLines(line: string, indent: string): string | undefined {
  if (line.length + indent.length <= LINE_LENGTH) return undefined;
  const broken = (part: string) => brokenOperand(part, indent);
  const [condition = "", yes = "", no, ...more] = split(line, / [?:] /g);
  if (no !== undefined && more.length === 0)
    return [broken(condition), `? ${broken(yes)}`, `: ${broken(no)}`].join(`\n${indent}`);
  const operator = [" ||", " &&"].find((each) => no === undefined && split(line, `${each} `).length > 1);
  return (
    operator &&
    together(split(line, `${operator} `), operator, indent)
      .map(broken)
      .join(`${operator}\n${indent}`)
  );
}

/** Lines of operands; neighbours with the same references share a line if they fit. */
function together(operands: readonly string[], operator: string, indent: string): string[] {
  const subject = (operand: string) => [...new Set(operand.match(REFERENCES))].sort().join(" ");
  return operands.reduce<string[]>((lines, operand) => {
    const line = lines.at(-1);
    const both = `${line ?? ""}${operator} ${operand}`;
    const isTogether = line !== undefined && subject(line) !== "" && subject(line) === subject(operand);
    if (!isTogether || indent.length + both.length + operator.length > LINE_LENGTH) return [...lines, operand];
    return [...lines.slice(0, -1), both];
  }, []);
}

/** References in an expression, such as `var.region`. */
const REFERENCES = /\b[a-z_]\w*(?:[.]\w+)+/g;

/** An expression with its longest pair of brackets broken over lines. */
function brokenInside(line: string, indent: string): string {
  const pieces = cut(line);
  const lengths = pieces.map((piece) => (/^[([{]/.test(piece) ? piece.length : 0));
  const longest = lengths.indexOf(Math.max(...lengths));
  if (line.length + indent.length <= LINE_LENGTH || (lengths[longest] ?? 0) < LINE_LENGTH / 3) return line;
  const broken = (piece: string) =>
    brokenArgument(piece, indent, pieces.slice(0, longest).join("")) ?? brokenGroup(piece, indent);
  return pieces.map((piece, index) => (index === longest ? broken(piece) : piece)).join("");
}

/** Whether a pair of brackets encloses the whole expression. */
const isBracketed = (expression: string): boolean => /^[([{]/.test(expression) && cut(expression).length === 1;

/** The function name at the beginning of a call. */
const CALL = /^[a-z_]\w*(?=\()/;

/** Whether an argument is a list, an object or a call, which can be broken inside its brackets. */
function isBreakable(argument: string): boolean {
  const [name = ""] = CALL.exec(argument) ?? [];
  return isBracketed(argument.slice(name.length)) && (name !== "" || !argument.startsWith("("));
}

/**
 * Arguments of a function, with only the first or the last one broken: `contains([`, its items, `], value)`. Undefined
 * if another argument is too long as well, or does not fit on the same line.
 */
function brokenArgument(group: string, indent: string, before: string): string | undefined {
  const all = group.startsWith("(") ? split(group.slice(1, -1), ",") : [];
  const long = all.findIndex((argument) => indent.length + argument.length >= LINE_LENGTH && isBreakable(argument));
  const shortArguments = all.filter((_, index) => index !== long);
  const isOutermost = long === 0 || long === all.length - 1;
  if (long < 0 || !isOutermost || shortArguments.some((other) => /[[{(]/.test(other))) return undefined;
  const texts = all.map((argument, index) => (index === long ? brokenCall(argument, indent) : argument));
  const text = `(${texts.join(", ")})`;
  const [first = "", last = ""] = [text.split("\n").at(0), text.split("\n").at(-1)];
  const isTooLong = indent.length + before.length + first.length > LINE_LENGTH || last.length > LINE_LENGTH;
  return isTooLong ? undefined : text;
}

/** A list, an object or a call, broken in its brackets. */
function brokenCall(argument: string, indent: string): string {
  const [name = ""] = CALL.exec(argument) ?? [];
  const group = argument.slice(name.length);
  return `${name}${brokenArgument(group, indent, name) ?? brokenGroup(group, indent)}`;
}

function brokenGroup(group: string, indent: string): string {
  const inner = `${indent}  `;
  const content = group.slice(1, -1).trim();
  const [open, close] = [group.charAt(0), group.slice(-1)];
  if (open === "(" && isBracketed(content)) return `(${brokenGroup(content, indent)})`;
  const members = membersOf(group).map(([key, value], index, { length }) => {
    const bare = ungrouped(value);
    if (key !== undefined) return assignment(key, brokenOperand(bare, inner));
    const comma = open === "[" || index < length - 1 ? "," : "";
    return `${operandLines(bare, inner) ?? brokenInside(bare, inner)}${comma}`;
  });
  const isLong = open === "[" && members.length > FEW && members.every((member) => WORD.test(member));
  const lines = content.startsWith("for ") ? forLines(content, inner) : isLong ? filled(members, inner) : members;
  return `${open}\n${lines.map((line) => `${inner}${line}\n`).join("")}${indent}${close}`;
}

/** A text or a number, with its comma. */
const WORD = /^(?:"(?:[^"\\]|\\.)*"|[0-9.]+),$/;

/** Maximum length of a list with one word on each line. */
const FEW = 6;

/** Words, with as many on a line as fit. */
function filled(words: readonly string[], indent: string): string[] {
  return words.reduce<string[]>((lines, word) => {
    const line = lines.at(-1);
    if (line === undefined || indent.length + line.length + word.length >= LINE_LENGTH) return [...lines, word];
    return [...lines.slice(0, -1), `${line} ${word}`];
  }, []);
}

/** Lines of a `for` expression: `for … :`, the result for each element, and `if` with its condition. */
function forLines(content: string, indent: string): string[] {
  const [head = "", ...rest] = split(content, " : ");
  const [names = "", collection = ""] = split(head, " in ");
  const body = rest.join(" : ");
  const [made = "", condition] = split(body, / if(?=[ (])/g);
  const divided = (line: string) => operandLines(ungrouped(line), indent) ?? brokenInside(line, indent);
  const isShort = body.length + indent.length <= LINE_LENGTH;
  // Without a space, because terraform fmt takes `if (` for a function call.
  const only = condition === undefined ? [] : [`if ${divided(condition)}`.replace(/^if \(/, "if(")];
  const lines = isShort ? [body] : made.includes(" => ") ? [brokenInside(body, indent)] : [divided(made), ...only];
  return [`${names} in ${brokenOperand(collection, indent)} :`, ...lines];
}
