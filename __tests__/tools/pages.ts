import { readdirSync, readFileSync } from "node:fs";

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
      // What the pages of folders are made of is looked at there, as it is handed over.
      .filter((path) => path.endsWith(".md") && !path.includes("node_modules/") && !path.startsWith("stacks/folder/"))
      .map(pageOf)
  );
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
  return ["README.md", "lib/README.md", "stacks/organization-policies.md"].flatMap((path) =>
    blocksIn(pageOf(path).text, "ts").map((text) => ({
      stacks: [...text.matchAll(/new \w+\(app, "([^"]+)"/g)].map(([, stack = ""]) => stack),
      text,
    })),
  );
}

export function exampleFolders(): string[] {
  return readdirSync(packageFile("stacks/examples"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}
