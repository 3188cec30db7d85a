import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

import { WORKER_CONNECTIONS } from "../../lib/idp/contract";
import { instanceConnections, workerConnections } from "../../lib/idp/worker-connections";
import { packageFile } from "../../lib/core/package-file";
import { PROTECTION_RULES } from "../../lib/platform/edge/protection-rules";
import { documentedStacks } from "../tools/documented-stacks";
import { UPDATE_COMMAND, withFreshParts } from "../tools/page-parts";
import { headingsOf, withoutBlocks } from "../../stacks/folder/headings";
import { blocksIn, pageOf, pages, type Page } from "../tools/pages";
import { copiesOf, offeredScripts, untruth, type Offer } from "./documented-command";

const PAGES = pages().map((page): [path: string, page: Page] => [page.path, page]);
const FRONT_PAGE = pageOf("README.md");
const SHARED_PAGE = "stacks/identity-provider.md";
const help = execFileSync("./help", { cwd: packageFile("."), encoding: "utf8" });

const shellLines = PAGES.flatMap(([, { text }]) => blocksIn(text, "sh"))
  .flatMap((block) => block.split("\n"))
  .filter((line) => line !== "");

/** Whole commands within sentences, and those within such a command. */
const commandsInSentences = PAGES.flatMap(([, { text }]) => [
  ...text.matchAll(/`((?:npm run|npm test|npx|terraform -chdir=\S+) ?[^`]*)`|\$\((terraform [^)]*)\)/g),
]).map(([, command, inner]) => command ?? inner ?? "");

/** Each indented line of `help` under its heading, parted where two spaces are. */
const helpLines = help.split("\n").reduce<{ heading: string; left: string }[]>((lines, line) => {
  const heading = line.startsWith("  ") ? lines.at(-1)?.heading : line;
  const left = /^ {2}(.*?)(?: {2,}.*)?$/.exec(line)?.[1] ?? "";
  return [...lines, { heading: heading ?? "", left }];
}, []);

const helpCommands = helpLines
  .filter(({ heading, left }) => heading !== "Stacks" && left !== "")
  .map(({ left }) => left);

/** The rows of the tables under a heading of the second level, each as its cells. */
const rowsUnder = (page: Page, title: string): string[][] =>
  (page.text.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line, index, lines) => line.startsWith("| ") && ![line, lines[index + 1]].some(isSeparator))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

let offer: Offer;
let stackNames: readonly string[];

beforeAll(async () => {
  offer = { copies: copiesOf(shellLines), scripts: offeredScripts(), stacks: await documentedStacks() };
  stackNames = Object.keys(offer.stacks);
});

describe("The front page", () => {
  it("can be read in a few minutes", () => {
    expect(FRONT_PAGE.text.split("\n").length).toBeLessThanOrEqual(250);
  });
});

describe("The costs", () => {
  it("of each stack are the sums of its parts, and those of the front page", () => {
    const sums = stackNames.map((stack) => {
      const rows = rowsUnder(pageOf(`stacks/${stack}.md`), "Costs").filter((cells) => cells.length === 7);
      const parts = rows.slice(0, -1).map((cells) => cells.slice(3, 6).map(Number));
      const sum = parts.reduce((one, other) => one.map((amount, index) => amount + (other[index] ?? 0)));
      expect(rows.at(-1)?.slice(3, 6)).toEqual(sum.map((amount) => `**${Math.round(amount)}**`));
      return [`[\`${stack}\`](stacks/${stack}.md#costs)`, ...sum.map((amount) => String(Math.round(amount)))];
    });
    expect(rowsUnder(FRONT_PAGE, "Costs")).toEqual(sums);
  });
});

describe("The page of each stack", () => {
  it("says what it creates and costs, its inputs and outputs, how it is operated, and its traps", () => {
    for (const stack of stackNames) {
      const titles = headingsOf(pageOf(`stacks/${stack}.md`).text).map(({ title }) => title);
      const expected = ["What it creates", "Costs", "Inputs", "Outputs", "Operations", "Traps"];
      expect([stack, titles.filter((title) => expected.includes(title))]).toEqual([stack, expected]);
    }
  });

  it("has each input and output once, on its own page or on that of both identity providers", () => {
    for (const stack of stackNames) {
      const own = pageOf(`stacks/${stack}.md`);
      const isShared = own.text.includes("(identity-provider.md#inputs)");
      const tables = [own, ...(isShared ? [pageOf(SHARED_PAGE)] : [])];
      const { output, variable } = offer.stacks[stack] ?? { output: {}, variable: {} };
      const shown = (title: string) =>
        tables.flatMap((page) => rowsUnder(page, title)).map(([name]) => name?.replaceAll("`", ""));
      expect([stack, shown("Inputs").sort()]).toEqual([stack, Object.keys(variable).sort()]);
      expect([stack, shown("Outputs").sort()]).toEqual([stack, Object.keys(output).sort()]);
    }
  });
});

describe("The worker of an identity provider", () => {
  it("needs the connections that the page says", () => {
    const connections = rowsUnder(pageOf(SHARED_PAGE), "The worker").slice(3, 6);
    const worker = workerConnections({});
    expect(connections.map(([, count]) => count)).toEqual([
      `${instanceConnections({}) - worker} + those of a worker, which is ${instanceConnections({})} by default, + 1 for each request in progress`,
      `${instanceConnections({ workerMode: "separate" })} + 1 for each request in progress`,
      `${workerConnections({ workerProcesses: 0 })} + \`worker_processes\` × (\`worker_threads\` + ${WORKER_CONNECTIONS.perProcess}), which is ${worker} by default`,
    ]);
  });
});

describe("The domain of an identity provider", () => {
  const variants = ["idp-serverless", "idp-kubernetes"];

  it("has as many rules without the web application firewall as the page says", () => {
    const always = PROTECTION_RULES.filter(({ onlyWith }) => onlyWith === undefined);
    for (const stack of variants)
      expect(pageOf(`stacks/${stack}.md`).text).toContain(`With \`waf = "off"\`, there are ${always.length} rules.`);
  });

  it("is protected by rules that the page calls by their priorities", () => {
    const named = rowsUnder(pageOf(SHARED_PAGE), "Domain").flatMap(
      ([cell = ""]) => cell.match(/^\d{4,}|(?<= to )\d{4}/g) ?? [],
    );
    expect(new Set(named.map(Number))).toEqual(new Set(PROTECTION_RULES.map(({ priority }) => priority)));
  });
});

describe("Files of inputs", () => {
  const blocks = PAGES.flatMap(([, { text }]) => blocksIn(text, "hcl"));

  it("contain only existing inputs and members", () => {
    const types = Object.assign({}, ...Object.values(offer.stacks).map(({ variable }) => variable)) as Record<
      string,
      { type: string }
    >;
    const unknown = blocks.flatMap((block) =>
      [...block.matchAll(/^(\w+) *= *(\{[\s\S]*?\}$|.*$)/gm)].flatMap(([, input = "", value = ""]) => {
        const members = value.startsWith("{") ? [...value.matchAll(/(\w+) *=/g)].map(([, member = ""]) => member) : [];
        const type = types[input]?.type;
        if (type === undefined) return [input];
        return members.filter((member) => !type.includes(`${member} = `)).map((member) => `${input}.${member}`);
      }),
    );
    expect(blocks.length).toBeGreaterThan(1);
    expect(unknown).toEqual([]);
  });
});

describe("Traps", () => {
  it("have a symptom, a cause and what the code does about it", () => {
    const traps = PAGES.flatMap(([, page]) => rowsUnder(page, "Traps"));
    expect(traps.length).toBeGreaterThan(30);
    expect(traps.filter((cells) => cells.length !== 3 || cells.some((cell) => cell === ""))).toEqual([]);
  });
});

describe.each(PAGES)("%s", (path, { text }) => {
  it(`shows what is synthesized, and its own contents; when this fails, run: ${UPDATE_COMMAND}`, () => {
    expect(text).toBe(withFreshParts(text, offer.stacks));
  });

  it("contains nothing that a renderer would take for a tag", () => {
    const prose = withoutBlocks(text).replaceAll(/`[^`]*`/g, "");
    expect(prose.match(/(?<!\\)<(?!!--)[^>]*>/g)).toBeNull();
  });

  it("links to files and headings that exist", () => {
    const links = [...withoutBlocks(text).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link]) => link ?? "");
    expect(links.filter((link) => !leadsSomewhere(path, link))).toEqual([]);
  });
});

describe("Long pages", () => {
  it("begin with their contents", () => {
    const long = PAGES.filter(([, { text }]) => headingsOf(text).length > 4 && !text.startsWith("# Changelog"));
    expect(long.length).toBeGreaterThan(5);
    expect(long.filter(([, { text }]) => !text.includes("\n<!-- contents -->\n")).map(([path]) => path)).toEqual([]);
  });
});

describe("The pages", () => {
  it("name files and folders that exist", () => {
    const named = PAGES.flatMap(([page, { text }]) =>
      [...withoutBlocks(text).matchAll(/`((?:lib|stacks|image|__tests__|\.ci|\.github)\/[\w./-]*)`/g)].map(
        ([, path]) => [page, path ?? ""] as const,
      ),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(([, path]) => !existsSync(packageFile(path)))).toEqual([]);
  });

  it("have shell examples", () => {
    expect(shellLines.length).toBeGreaterThan(10);
  });

  it.each([...new Set([...shellLines, ...commandsInSentences])])("contain a command that works: %s", (line) => {
    expect(untruth(line, offer)).toBeUndefined();
  });

  it("describe inputs and outputs in sentences that end", () => {
    const descriptions = Object.values(offer.stacks).flatMap(({ variable, output }) =>
      [...Object.values(variable), ...Object.values(output)].map(({ description }) => description),
    );
    expect(descriptions.filter((description) => !description.endsWith("."))).toEqual([]);
  });
});

describe("help", () => {
  it("fits on one screen", () => {
    expect(help.split("\n").length).toBeLessThanOrEqual(40);
  });

  it("names every stack and every command of the project", () => {
    const stacks = helpLines.filter(({ heading, left }) => heading === "Stacks" && left !== "");
    expect(stacks.map(({ left }) => left)).toEqual(stackNames);
    const daily = Object.keys(offer.scripts).filter((script) => !script.includes(":") && script !== "prepack");
    expect(daily.filter((script) => !new RegExp(`npm (run )?${script}\\b`).test(help))).toEqual([]);
  });

  it("names pages that exist", () => {
    const named = [...help.matchAll(/\S+\.md\b/g)].flatMap(([page]) =>
      page.includes("<stack>") ? stackNames.map((stack) => page.replace("<stack>", stack)) : [page],
    );
    expect(named.length).toBeGreaterThan(stackNames.length);
    expect(named.filter((page) => !existsSync(packageFile(page)))).toEqual([]);
  });

  it.each(helpCommands)("contains a command that works: %s", (command) => {
    expect(untruth(command, offer)).toBeUndefined();
  });
});

/** True of the line between the header and the rows of a table. */
function isSeparator(line = ""): boolean {
  return line.startsWith("| --- ");
}

/** Anchors by page. */
const anchors = new Map<string, ReadonlySet<string>>();

function leadsSomewhere(from: string, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? from : join(dirname(from), file);
  if (!existsSync(packageFile(target))) return false;
  if (anchor === undefined) return true;
  if (!statSync(packageFile(target)).isFile()) return false;
  if (!anchors.has(target))
    anchors.set(target, new Set(headingsOf(pageOf(target).text).map((heading) => heading.anchor)));
  return anchors.get(target)?.has(anchor) === true;
}
