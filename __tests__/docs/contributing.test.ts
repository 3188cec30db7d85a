import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import { blocksIn, pageOf, withoutBlocks } from "../tools/pages";

/** Of a page for contributors, the words in code, as they are. */
const WORDS = [...withoutBlocks(pageOf(".github/CONTRIBUTING.md").text).matchAll(/`([^`]+)`/g)].map(
  ([, word = ""]) => word,
);

const filesIn = (folder: string) =>
  readdirSync(packageFile(folder), { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
const FILES = ["lib", "stacks", "__tests__"].flatMap(filesIn);

/** What is written in TypeScript, apart from these tests. */
const sources = () =>
  FILES.filter((file) => file.endsWith(".ts") && file !== __filename)
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");

describe("The page for contributors", () => {
  it("names functions, types, props and inputs that are there", () => {
    const names = WORDS.filter((word) => /^[A-Za-z]+(?:[A-Z]\w*|_\w+)$/.test(word) && word !== "CI");
    expect(names.length).toBeGreaterThan(5);
    const text = sources();
    const isThere = (name: string) =>
      new RegExp(`\\b${name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())}\\b`).test(text);
    expect(names.filter((name) => !isThere(name))).toEqual([]);
  });

  it("names files that are there, also without their folder", () => {
    const named = WORDS.filter((word) => /^[\w-]+(\.[\w-]+)*\.(?:ts|sh|md|json)$/.test(word));
    expect(named.length).toBeGreaterThan(5);
    const there = FILES.map((file) => basename(file));
    expect(named.filter((name) => !there.includes(name) && !existsSync(packageFile(name)))).toEqual([]);
  });

  it("shows a row as it is, apart from what it leaves out", () => {
    const example = blocksIn(pageOf(".github/CONTRIBUTING.md").text, "text").find((block) => block.includes("must: "));
    const row = readFileSync(packageFile("lib/platform/serverless/service-options.ts"), "utf8");
    const lines = (example ?? "").split("\n").map((line) => line.trim().split("…")[0] ?? "");
    expect(lines.length).toBeGreaterThan(4);
    expect(lines.filter((line) => !row.includes(line))).toEqual([]);
  });
});
