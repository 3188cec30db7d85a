import {
  ALIGNED,
  aligned,
  assignment,
  bareExpression,
  quotedText,
  SHORT_LINE,
  templateExpression,
  valueExpression,
} from "./hcl-expression";

export type Body = Readonly<Record<string, unknown>>;

/** Order of attributes and blocks. The empty name marks the place of all other names, in alphabetical order. */
const ORDER = [
  "count",
  "for_each",
  "provider",
  "source",
  "version",
  "description",
  "type",
  "default",
  "nullable",
  "project",
  "account_id",
  "secret_id",
  "secret",
  "name",
  "metadata",
  "display_name",
  "location",
  "region",
  "zone",
  "",
  "provisioner",
  "lifecycle",
  "depends_on",
];

/** Names of nested blocks, recursively; needed because JSON does not distinguish blocks from objects. */
export interface Blocks {
  readonly [name: string]: Blocks;
}

/** Terraform's own blocks, which every type supports. */
const LIFECYCLE: Blocks = { postcondition: {}, precondition: {} };
export const OWN_BLOCKS: Blocks = { connection: {}, lifecycle: LIFECYCLE, provisioner: { connection: {} } };

/** Arguments with references, keywords or types as strings, by block; a leading dot marks a nested block. */
const BARE = [
  "depends_on",
  "provider",
  "providers",
  "moved.from",
  "moved.to",
  "import.to",
  "removed.from",
  "variable.type",
  ".lifecycle.ignore_changes",
  ".lifecycle.replace_triggered_by",
  "output.depends_on",
  ".dynamic.iterator",
  ".provisioner.on_failure",
  ".provisioner.when",
];

/** Arguments with strings that Terraform does not read as templates. */
const LITERAL = /^(output[.]description|variable[.](default|description)|(backend|terraform)[.])/;

/**
 * A block such as `resource "google_sql_user" "owner"`, before its equals signs are aligned.
 *
 * @param kind type of the block, for `BARE` and `LITERAL`
 */
export function block(header: string, body: Body, blocks: Blocks = {}, kind = "", indent = ""): string {
  const isBlock = (name: string) => name === "dynamic" || name in blocks;
  const place = (name: string) =>
    ORDER.indexOf(ORDER.includes(name) ? name : "") + (isBlock(name) || name === "depends_on" ? ORDER.length : 0);
  const parts = Object.keys(body)
    .filter((name) => name !== "//" && body[name] !== undefined)
    .sort((one, other) => place(one) - place(other) || one.localeCompare(other, "en"))
    .flatMap((name) => {
      if (isBlock(name)) return grouped(nested(name, body[name], blocks, `${indent}  `));
      const key = kind === "" ? name : `${kind}.${name}`;
      const spell = BARE.includes(key) ? bareExpression : LITERAL.test(key) ? quotedText : templateExpression;
      const text = `${indent}  ${assignment(name, valueExpression(body[name], `${indent}  `, spell))}`;
      // Meta-arguments get empty lines around them, like blocks.
      return ["count", "for_each", "depends_on"].includes(name) && kind !== ".dynamic" ? `\n${text}\n` : text;
    });
  const lines = parts
    .join("\n")
    .replaceAll(/^\n|\n$|\n(?=\n\n)/g, "")
    .replaceAll(BETWEEN_SHORT_BLOCKS, "\n");
  const line = indent === "" ? undefined : onOneLine(`${indent}${header}`, lines);
  if (line !== undefined) return line;
  return lines === "" ? `${indent}${header} {}` : `${indent}${header} {\n${lines}\n${indent}}`;
}

/** Blocks of one name with empty lines around them, but none between simple blocks. */
function grouped(texts: readonly string[]): string[] {
  const areSimple = texts.every((text) => !text.includes("\n\n"));
  return areSimple && texts.length > 0 ? [`\n${texts.join("\n")}\n`] : texts.map((text) => `\n${text}\n`);
}

/** Removes empty lines between blocks of one line each. */
const SHORT_BLOCK = `[^\n${ALIGNED}]* \\{ [^\n]* \\}`;
const BETWEEN_SHORT_BLOCKS = new RegExp(`(?<=^${SHORT_BLOCK})\n\n(?=${SHORT_BLOCK}(?:\n|$))`, "gm");

/** A nested block with a single argument on one line, as HCL allows; undefined for any other block. */
function onOneLine(header: string, lines: string): string | undefined {
  if (lines.includes("\n") || !lines.includes(ALIGNED)) return undefined;
  const line = `${header} { ${aligned(lines.trim())} }`;
  return line.length <= SHORT_LINE ? line : undefined;
}

/** The nested blocks of one name; `dynamic` and `provisioner` blocks have labels. */
function nested(name: string, value: unknown, blocks: Blocks, indent: string): string[] {
  const bodies = [value].flat() as Body[];
  if (name !== "dynamic" && name !== "provisioner")
    return bodies.map((body) => block(name, body, blocks[name], `.${name}`, indent));
  return bodies.flatMap(Object.entries<unknown>).flatMap(([label, given]) => {
    const inner = name === "dynamic" ? { content: blocks[label] ?? {} } : blocks[name];
    return [given].flat().map((body) => block(`${name} "${label}"`, body as Body, inner, `.${name}`, indent));
  });
}
