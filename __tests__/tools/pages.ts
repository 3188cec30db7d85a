import { existsSync, readdirSync, readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";

export interface Page {
  readonly path: string;
  readonly text: string;
}

/** A TypeScript example that is a whole program. */
export interface Program {
  readonly stacks: readonly string[];
  readonly text: string;
}

const FOLDERS = [".github", "__tests__", "image", "lib", "stacks"];

export function pages(): Page[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(packageFile(folder), { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
  );
  return (
    [...readdirSync(packageFile(".")), ...inFolders.sort()]
      // They are looked at in their folders, where their links lead.
      .filter((path) => path.endsWith(".md") && !/(^|\/)node_modules\/|^stacks\/(folder|registry)\//.test(path))
      .map(pageOf)
  );
}

export function pageOf(path: string): Page {
  return { path, text: readFileSync(packageFile(path), "utf8") };
}

/** The anchors of the headings of a text, as the usual renderers of Markdown give them. */
export function anchorsOf(text: string): string[] {
  return [...withoutBlocks(text).matchAll(/^##+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** A text without its blocks of code. */
export function withoutBlocks(text: string): string {
  return text.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, "");
}

/** The blocks of one language, also those of a step in a list, without its indentation. */
export function blocksIn(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^\\1\`\`\`$`, "gm"))].map(
    ([, indentation = "", block = ""]) => block.replaceAll(new RegExp(`^${indentation}`, "gm"), ""),
  );
}

/** The one block of a page that has this in it, wherever it stands. @throws Error unless there is exactly one */
export function blockWith(page: string, language: string, part: string): string {
  const [block, ...others] = blocksIn(pageOf(page).text, language).filter((each) => each.includes(part));
  if (block === undefined || others.length > 0)
    throw new Error(`${page} has not one block of ${language} with ${part}`);
  return block;
}

/** The programs of the pages that a user of the package has, and those of the folders of examples. */
export function programs(): Program[] {
  const onPages = ["README.md", "lib/README.md"].flatMap((path) => blocksIn(pageOf(path).text, "ts"));
  const inFolders = exampleFolders().map((name) => pageOf(`stacks/examples/${name}/main.ts`).text);
  return [...new Set([...onPages, ...inFolders])].map((text) => ({
    stacks: [...text.matchAll(/new \w+\(app, "([^"]+)"/g)].map(([, stack = ""]) => stack),
    text,
  }));
}

export function exampleFolders(): string[] {
  return (
    readdirSync(packageFile("stacks/examples"), { withFileTypes: true })
      // The others hold inputs of stacks alone.
      .filter(({ name }) => existsSync(packageFile(`stacks/examples/${name}/main.ts`)))
      .map(({ name }) => name)
      .sort()
  );
}
