import { assignment, bareExpression, quotedText, templateExpression, valueExpression } from "./hcl-expression";

export type Body = Readonly<Record<string, unknown>>;

/** What stands first in a body, in this order; others follow in alphabetical order. */
const FIRST = [
  ...["count", "for_each", "provider", "source", "version", "description", "type", "default", "nullable"],
  ...["project", "account_id", "secret_id", "secret", "name", "metadata", "display_name", "location", "region", "zone"],
];
const REPEATING = ["count", "for_each"];
const LAST_BLOCKS = ["provisioner", "lifecycle"];

/** Names of the blocks in a block, with those inside them; nothing else tells them from objects. */
export interface Blocks {
  readonly [name: string]: Blocks;
}

/** Blocks of Terraform itself, in every type. */
const OWN_BLOCKS: Blocks = { connection: {}, lifecycle: { postcondition: {}, precondition: {} }, provisioner: {} };

/** Arguments, by the block that they are in, whose strings are references, words or types. */
const BARE = [
  ...["depends_on", "provider", "providers", "moved.from", "moved.to", "import.to", "removed.from", "variable.type"],
  ...["lifecycle.ignore_changes", "lifecycle.replace_triggered_by", "provisioner.on_failure", "provisioner.when"],
  ...["provisioner.depends_on", "dynamic.iterator"],
];

/** Those whose strings are no templates. */
const LITERAL = /^(output[.]description|variable[.](default|description)|(backend|terraform)[.])/;

interface BlockOptions {
  readonly blocks?: Blocks | undefined;

  /** What the block is, where Terraform reads some of its arguments differently. */
  readonly kind?: string;
  readonly indent?: string;
}

/** The lines of a block such as `resource "google_sql_user" "owner"`, whose equals signs are yet to be aligned. */
export function block(header: string, body: Body, { blocks, indent = "", kind = "" }: BlockOptions = {}): string {
  return inBraces(header, indent, linesOf(body, { ...OWN_BLOCKS, ...blocks }, kind, `${indent}  `));
}

function linesOf(body: Body, blocks: Blocks, kind: string, indent: string): string[] {
  const isBlock = (name: string) => name === "dynamic" || name in blocks;
  const isApart = (name: string) => REPEATING.includes(name) && kind !== "dynamic";
  const names = Object.keys(body)
    .filter((name) => name !== "//" && body[name] !== undefined)
    .sort(inOrder);
  const attributes = (of: (name: string) => boolean) =>
    names.filter((name) => !isBlock(name) && of(name)).map((name) => attribute(kind, name, body[name], indent));
  const parts = [
    attributes((name) => isApart(name)),
    attributes((name) => !isApart(name) && name !== "depends_on"),
    ...names.filter(isBlock).flatMap((name) => nested(name, [body[name]].flat() as Body[], blocks, kind, indent)),
    attributes((name) => name === "depends_on"),
  ].filter((part) => part.length > 0);
  return parts.flatMap((part, index) => (index === 0 ? part : ["", ...part]));
}

/** The lines of each block of a name. */
function nested(name: string, bodies: readonly Body[], blocks: Blocks, kind: string, indent: string): string[][] {
  const inner = `${indent}  `;
  const members = bodies.flatMap((each) => Object.entries(each as Readonly<Record<string, Body | readonly Body[]>>));
  if (name === "provisioner") {
    return members.map(([type, body]) => [block(`provisioner "${type}"`, body as Body, { kind: name, indent })]);
  }
  if (name === "dynamic") {
    return members.flatMap(([repeated, given]) =>
      [given].flat().map(({ content, ...rest }: Body) => {
        const lines = linesOf(content as Body, blocks[repeated] ?? {}, kind, `${inner}  `);
        const parts = [...linesOf(rest, {}, name, inner), "", inBraces("content", inner, lines)];
        return [inBraces(`dynamic "${repeated}"`, indent, parts)];
      }),
    );
  }
  const innerKind = name === "lifecycle" && kind === "" ? name : kind;
  return bodies.map((body) => [inBraces(name, indent, linesOf(body, blocks[name] ?? {}, innerKind, inner))]);
}

function inBraces(header: string, indent: string, lines: readonly string[]): string {
  return lines.length === 0 ? `${indent}${header} {}` : `${indent}${header} {\n${lines.join("\n")}\n${indent}}`;
}

function attribute(kind: string, name: string, value: unknown, indent: string): string {
  const key = kind === "" ? name : `${kind}.${name}`;
  const spell = BARE.includes(key) ? bareExpression : LITERAL.test(key) ? quotedText : templateExpression;
  return `${indent}${assignment(name, valueExpression(value, indent, spell))}`;
}

/** Names that are in neither list are between them, in alphabetical order. */
function inOrder(one: string, other: string): number {
  const rank = (name: string) =>
    LAST_BLOCKS.indexOf(name) + 1 || (FIRST.indexOf(name) + 1 || FIRST.length + 1) - FIRST.length - 2;
  return rank(one) - rank(other) || one.localeCompare(other, "en");
}
