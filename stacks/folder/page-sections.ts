import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { headingsOf, type Heading } from "./headings";
import { type Rows } from "./markdown-tables";

/** A heading of a page of this repository: `<page>.md#<anchor>`, the page from the folder of the stacks. */
export interface Place {
  readonly page: string;
  readonly anchor: string;
}

/**
 * The text below a heading up to the next one, in the form for the folder of a stack: with its commands, without
 * markers and without text for other stacks only.
 *
 * @throws Error when the page has no such heading
 */
export function sectionOf(place: Place, stack: string): string {
  const text = ofStack(rawSection(place), stack)
    .replaceAll(/^ *<!-- .*? -->\n/gm, "")
    .replaceAll(/(terraform) -chdir=\S+/g, "$1")
    .replaceAll(/cdktf\.out\/stacks\/[a-z-]+\//g, "")
    .replaceAll(" -var project_id=my-project", "")
    .replaceAll("the synthesized folder", "this folder")
    .replaceAll(/\n{3,}/g, "\n\n");
  return withoutRowsOf(OTHER_PLATFORM[stack], text).trim();
}

/** First cell of the rows about the platform of another stack. */
const OTHER_PLATFORM: Readonly<Record<string, string>> = { "idp-serverless": "GKE", "idp-kubernetes": "Cloud Run" };

function withoutRowsOf(platform: string | undefined, text: string): string {
  return platform === undefined ? text : text.replaceAll(new RegExp(`^\\| ${platform} \\|.*\n`, "gm"), "");
}

/** The table of a section: header and rows. */
export function tableOf(place: Place, stack: string): { readonly header: readonly string[]; readonly rows: Rows } {
  const [header, , ...rows] = sectionOf(place, stack)
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map(cellsOf);
  if (header === undefined) throw new Error(`${place.page} has no table below #${place.anchor}`);
  return { header, rows };
}

/** The paragraph of a section that begins with some words. */
export function paragraphOf(place: Place, stack: string, beginning: string): string {
  const paragraph = sectionOf(place, stack)
    .split("\n\n")
    .find((each) => each.startsWith(beginning));
  if (paragraph === undefined) throw new Error(`${place.page} does not say "${beginning}" below #${place.anchor}`);
  return paragraph;
}

/**
 * Text for some stacks only is between `<!-- only: a, b -->` and `<!-- end only -->`; with `this page` as a stack, it
 * is in no folder.
 */
function ofStack(text: string, stack: string): string {
  return text.replaceAll(
    /^ *<!-- only: ([^>]+) -->\n([\s\S]*?)^ *<!-- end only -->\n/gm,
    (_, stacks: string, part: string) => (stacks.split(", ").includes(stack) ? part : ""),
  );
}

function rawSection({ anchor, page }: Place): string {
  const { headings, text } = pageOf(page);
  const index = headings.findIndex((heading) => heading.anchor === anchor);
  const heading = headings[index];
  if (heading === undefined) throw new Error(`${page} has no heading #${anchor}`);
  const line = ({ level, title }: { level: number; title: string }) => `\n${"#".repeat(level)} ${title}\n`;
  // A title can occur twice, so each is searched after the previous one.
  const start = headings.slice(0, index + 1).reduce((place, each) => text.indexOf(line(each), place) + 1, 0);
  const next = headings[index + 1];
  const end = next === undefined ? text.length : text.indexOf(line(next), start);
  return text.slice(start + line(heading).length - 1, end);
}

interface Page {
  readonly headings: readonly Heading[];
  readonly text: string;
}

const PAGES = new Map<string, Page>();

/** The text of a page, by its path from the folder of the stacks. */
export function pageText(page: string): string {
  return pageOf(page).text;
}

/** Read once, because a folder contains many sections of few pages. */
function pageOf(page: string): Page {
  const known = PAGES.get(page);
  if (known !== undefined) return known;
  const text = readFileSync(packageFile(`stacks/${page}`), "utf8");
  const read = { text, headings: headingsOf(text) };
  PAGES.set(page, read);
  return read;
}

function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}
