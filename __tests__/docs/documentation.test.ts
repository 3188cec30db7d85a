import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import { headingsOf, withoutBlocks } from "../../stacks/folder/headings";
import { documentedStacks } from "../tools/documented-stacks";
import { UPDATE_COMMAND, withFreshParts, type DocumentedTerraform } from "../tools/page-parts";
import { blocksIn, pageOf, pages, type Page } from "../tools/pages";

const PAGES = pages().map((page): [path: string, page: Page] => [page.path, page]);
const help = execFileSync("./help", { cwd: packageFile("."), encoding: "utf8" });
const { scripts } = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as {
  scripts: Readonly<Record<string, string>>;
};

let stacks: Readonly<Record<string, DocumentedTerraform>>;

beforeAll(async () => {
  stacks = await documentedStacks();
});

describe.each(PAGES)("%s", (path, { text }) => {
  it(`shows what is synthesized, and its own contents; when this fails, run: ${UPDATE_COMMAND}`, () => {
    expect(text).toBe(withFreshParts(text, stacks));
  });

  it("contains nothing that a renderer would take for a tag", () => {
    const prose = withoutBlocks(text).replaceAll(/`[^`]*`/g, "");
    expect(prose.match(/(?<!\\)<(?!!--)[^>]*>/g)).toBeNull();
  });

  it("links to files and headings that exist", () => {
    const links = [...withoutBlocks(text).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link]) => link ?? "");
    expect(links.filter((link) => !leadsSomewhere(path, link))).toEqual([]);
  });

  it("names files and folders that exist", () => {
    const named = withoutBlocks(text).matchAll(/`((?:lib|stacks|image|__tests__|\.ci|\.github)\/[\w./-]*)`/g);
    expect([...named].map(([, file = ""]) => file).filter((file) => !existsSync(packageFile(file)))).toEqual([]);
  });
});

/** What commands name, and where that must be: scripts of `package.json`, stacks, inputs and outputs. */
const NAMES: readonly (readonly [pattern: RegExp, isThere: (name: string) => boolean])[] = [
  [/npm run (?:--silent |-s )?([\w:]+)/g, (name) => name in scripts],
  [/\/stacks\/((?:idp|assessment)-[\w-]+)/g, (name) => name in stacks],
  [/ --?var[= ]'?(\w+)=/g, (name) => Object.values(stacks).some(({ variable }) => name in variable)],
  [/ output -(?:raw|json) (\w+)/g, (name) => Object.values(stacks).some(({ output }) => name in output)],
  [/-- (__tests__\/[\w./-]+)/g, (name) => existsSync(packageFile(name))],
];

const COMMANDS = [
  ...PAGES.map(([path, { text }]) => [path, blocksIn(text, "sh").join("\n")] as const),
  ["help", help] as const,
];

describe.each(COMMANDS)("The commands of %s", (_path, commands) => {
  it("name scripts, stacks, inputs and outputs that exist", () => {
    const unknown = NAMES.flatMap(([pattern, isThere]) =>
      [...commands.matchAll(pattern)].map(([, name = ""]) => name).filter((name) => !isThere(name)),
    );
    expect(unknown).toEqual([]);
  });
});

describe("The page of each stack", () => {
  it("says what it creates and costs, its inputs and outputs, how it is operated, and its traps", () => {
    for (const stack of Object.keys(stacks)) {
      const titles = headingsOf(pageOf(`stacks/${stack}.md`).text).map(({ title }) => title);
      const expected = ["What it creates", "Costs", "Inputs", "Outputs", "Operations", "Traps"];
      expect([stack, titles.filter((title) => expected.includes(title))]).toEqual([stack, expected]);
    }
  });
});

describe("help", () => {
  it("fits on one screen", () => {
    expect(help.split("\n").length).toBeLessThanOrEqual(40);
  });

  it("names every stack, every command of the project, and pages that exist", () => {
    expect(Object.keys(stacks).filter((stack) => !help.includes(`  ${stack} `))).toEqual([]);
    const daily = Object.keys(scripts).filter((script) => !script.includes(":") && script !== "prepack");
    expect(daily.filter((script) => !new RegExp(`npm (run )?${script}\\b`).test(help))).toEqual([]);
    const named = [...help.matchAll(/\S+\.md\b/g)].map(([page]) => page.replace("<stack>", "idp-serverless"));
    expect(named.filter((page) => !existsSync(packageFile(page)))).toEqual([]);
  });
});

function leadsSomewhere(from: string, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? from : join(dirname(from), file);
  if (!existsSync(packageFile(target))) return false;
  if (anchor === undefined) return true;
  return (
    statSync(packageFile(target)).isFile() &&
    headingsOf(pageOf(target).text).some((heading) => heading.anchor === anchor)
  );
}
