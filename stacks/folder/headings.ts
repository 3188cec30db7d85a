/** A heading of a page. */
export interface Heading {
  /** Level; the title of a page has 1. */
  readonly level: number;
  readonly title: string;

  /** Anchor: the part of a link after the `#`. */
  readonly anchor: string;
}

/** The headings of a text below its title, with the anchors that the usual renderers of Markdown give them. */
export function headingsOf(text: string): Heading[] {
  const seen = new Map<string, number>();
  return [...withoutBlocks(text).matchAll(/^(##+) (.*)$/gm)].map(([, marks = "", title = ""]) => {
    const slug = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    const number = seen.get(slug) ?? 0;
    seen.set(slug, number + 1);
    return { level: marks.length, title, anchor: number === 0 ? slug : `${slug}-${number}` };
  });
}

/** A text without its blocks of code. */
export function withoutBlocks(text: string): string {
  return text.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, "");
}

/** Links to headings, as the contents of a page. */
export function contents(headings: readonly Heading[]): string {
  return headings.map(({ anchor, level, title }) => `${"  ".repeat(level - 2)}- [${title}](#${anchor})`).join("\n");
}
