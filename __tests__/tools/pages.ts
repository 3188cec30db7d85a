import { readdirSync, readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";

/** A page of the documentation. */
export interface Page {
  /** Where it is, from the top of the checkout. */
  readonly path: string;
  readonly text: string;
}

export interface Heading {
  /** Number of its marks; the title of a page has 1. */
  readonly level: number;
  readonly title: string;

  /** What a link to it ends in, after the `#`. */
  readonly anchor: string;
}

/** A TypeScript example that is a whole program. */
export interface Program {
  /** Ids of the stacks that it synthesizes. */
  readonly stacks: readonly string[];
  readonly text: string;
}

const FOLDERS = [".github", "__tests__", "image", "lib", "stacks"];

/** Every page, the first one first. */
export function pages(): Page[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(packageFile(folder), { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
  );
  return [...readdirSync(packageFile(".")), ...inFolders.sort()]
    .filter((path) => path.endsWith(".md") && !path.includes("node_modules/"))
    .map(pageOf);
}

export function pageOf(path: string): Page {
  return { path, text: readFileSync(packageFile(path), "utf8") };
}

/** The blocks of one language, also those of a step in a list, without its indentation. */
export function blocksIn(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^\\1\`\`\`$`, "gm"))].map(
    ([, indentation = "", block = ""]) => block.replaceAll(new RegExp(`^${indentation}`, "gm"), ""),
  );
}

/** The programs of the pages that a user of the package has. */
export function programs(): Program[] {
  return ["README.md", "lib/README.md"].flatMap((path) =>
    blocksIn(pageOf(path).text, "ts").map((text) => ({
      stacks: [...text.matchAll(/new \w+\(app, "([^"]+)"/g)].map(([, stack = ""]) => stack),
      text,
    })),
  );
}

/** Names of the folders of examples, each with a program `main.ts`. */
export function exampleFolders(): string[] {
  return readdirSync(packageFile("stacks/examples"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
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

export function withoutBlocks(text: string): string {
  return text.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, "");
}
