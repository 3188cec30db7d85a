import { folderValues, type PageConfiguration } from "./folder-values";
import { headingsOf } from "./headings";
import { table } from "./markdown-tables";
import { pageText, paragraphOf, sectionOf, tableOf, type Place } from "./page-sections";

/** The parts of a page. */
export interface PageParts {
  /** Name of the stack in this repository. */
  readonly stack: string;

  /** Page in `pages/` with the text that is specific to it. */
  readonly page: string;
  readonly configuration: PageConfiguration;
  readonly version: string;
}

/**
 * The page of a folder: a text of `pages/` with these placeholders filled in:
 *
 * - `{{#a, b}} … {{/}}`: text for the stacks a and b only
 * - `{{section <page>#<heading>}}`, `{{paragraph <page>#<heading>: <beginning>}}`: a part of another page
 * - `{{table <page>#<heading> where <column> has <pattern> without <column>}}`: the table there, or some of it
 * - `{{both}} … {{/both}}`: a table whose last column is commands, for Terraform and for OpenTofu
 * - `{{<name>}}`: a value of this folder
 *
 * @throws Error when a placeholder is unknown
 */
export function folderPage(parts: PageParts): string {
  const { page, stack } = parts;
  const ofStack = (text: string) => ofStackAlone(text, stack).replaceAll("{{stack}}", stack);
  // An included part may contain placeholders too.
  const text = [1, 2].reduce((all) => ofStack(withPartsOfPages(all, stack)), ofStack(pageText(`folder/pages/${page}`)));
  const values = folderValues(parts, text);
  const filled = text
    .replaceAll(/\{\{both\}\}\n([\s\S]*?)\n\{\{\/both\}\}/g, (_, rows: string) => forBothPrograms(rows))
    .replaceAll(/\{\{([^}]*)\}\}/g, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`${page} has the unknown placeholder {{${name}}}`);
      return value;
    });
  return `${withOwnLinks(filled)
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim()}\n`;
}

function ofStackAlone(text: string, stack: string): string {
  return text.replaceAll(/\{\{#([^}]+)\}\}(\n?)([\s\S]*?)\{\{\/\}\}\2/g, (_, stacks: string, _line, part: string) =>
    stacks.split(", ").includes(stack) ? part : "",
  );
}

const PART =
  /\{\{(section|paragraph|table) ([^#}]+)#([^\s:}]+)(?:: ([^}]+)| where (.+?) has ([^}]+?))?(?: without ([^}]+))?\}\}/g;

function withPartsOfPages(text: string, stack: string): string {
  return text.replaceAll(PART, (_, kind: string, page: string, anchor: string, ...given: (string | undefined)[]) => {
    const [beginning = "", column = "", pattern = "", left = ""] = given.slice(0, 4).map((each) => each ?? "");
    const place: Place = { page, anchor };
    if (kind === "paragraph") return withMarkedLinks(paragraphOf(place, stack, beginning));
    if (kind === "section") return withMarkedLinks(sectionOf(place, stack));
    return withMarkedLinks(someOfTable(place, stack, { column, pattern, left }));
  });
}

/** A table of a page: the rows in which a column has a pattern, without another column. */
function someOfTable(
  place: Place,
  stack: string,
  { column, left, pattern }: Readonly<Record<"column" | "left" | "pattern", string>>,
): string {
  const { header, rows } = tableOf(place, stack);
  const missing = [column, left].filter((name) => name !== "" && !header.includes(name));
  if (missing.length > 0) throw new Error(`the table of ${place.page}#${place.anchor} has no column ${missing.join()}`);
  const kept = (cells: readonly string[]) => cells.filter((_, index) => header[index] !== left);
  const wanted = rows.filter((cells) => new RegExp(pattern).test(cells[header.indexOf(column)] ?? ""));
  return table(kept(header), wanted.map(kept));
}

/** Rows of a table with a column for OpenTofu, whose commands are those of Terraform under another name. */
function forBothPrograms(rows: string): string {
  return rows
    .split("\n")
    .map((row) => {
      const last = row.split(" | ").at(-1) ?? "";
      if (last === "Terraform |") return `${row} OpenTofu |`;
      return `${row} ${last.replaceAll(/\bterraform\b(?!\.)/g, "tofu")}`;
    })
    .join("\n");
}

/** Links of other pages are marked, because most of their targets are not in the folder. */
function withMarkedLinks(text: string): string {
  return text.replaceAll(
    /\]\((?!https?:)[^)]*?(?:#([^)]*))?\)/g,
    (_, anchor: string | undefined) => `](+${anchor ?? ""})`,
  );
}

/** A marked link becomes a link to the same heading of this page, or plain text. */
function withOwnLinks(text: string): string {
  const anchors = headingsOf(text).map(({ anchor }) => anchor);
  return text.replaceAll(/\[([^\]]+)\]\(\+([^)]*)\)/g, (_, words: string, anchor: string) =>
    anchors.includes(anchor) ? `[${words}](#${anchor})` : words,
  );
}
