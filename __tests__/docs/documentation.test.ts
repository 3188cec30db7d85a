import { existsSync, readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { documentedStacks } from "../tools/documented-stacks";
import { UPDATE_COMMAND, withFreshTables } from "../tools/readme-tables";
import { copiesOf, offeredScripts, untruth, type Offer } from "./documented-command";

const readme = readFileSync(packageFile("README.md"), "utf8");
const help = readFileSync(packageFile("help"), "utf8");

const shellLines = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block]) =>
  (block ?? "").split("\n").filter((line) => line !== ""),
);

/** Whole commands within sentences, and those within such a command. */
const commandsInSentences = [
  ...readme.matchAll(/`((?:npm run|npm test|npx|terraform -chdir=\S+) ?[^`]*)`|\$\((terraform [^)]*)\)/g),
].map(([, command, inner]) => command ?? inner ?? "");

/** Each indented line of `help` under its heading, parted where two spaces are. */
const helpLines = help.split("\n").reduce<{ heading: string; left: string }[]>((lines, line) => {
  const heading = line.startsWith("  ") ? lines.at(-1)?.heading : line;
  const left = /^ {2}(.*?)(?: {2,}.*)?$/.exec(line)?.[1] ?? "";
  return [...lines, { heading: heading ?? "", left }];
}, []);

const helpCommands = helpLines
  .filter(({ heading, left }) => heading !== "Stacks" && left !== "")
  .map(({ left }) => left);

/** The chapters of the README and what each has below it, in this order. */
const EACH_STACK = ["`idp-serverless`", "`idp-kubernetes`", "`assessment-lab`"];

const CHAPTERS: readonly (readonly [chapter: string, parts: readonly string[]])[] = [
  ["Quick start", ["A lab in ten minutes"]],
  ["What you get", EACH_STACK],
  ["Inputs", EACH_STACK],
  ["Outputs", EACH_STACK],
  ["Using the constructs", []],
  ["Handing a folder to another team", []],
  [
    "Operations",
    [
      "First sign-in",
      "Upgrade",
      "Backup and restore",
      "What may be rotated",
      "What must never be rotated",
      "Destroy and what survives it",
      "After a failed apply",
      "The cluster",
      "The assessment service",
    ],
  ],
  ["Traps", []],
  ["Design decisions", []],
  ["Contributing", ["Rehearsal"]],
];

let offer: Offer;

beforeAll(async () => {
  offer = { copies: copiesOf(shellLines), scripts: offeredScripts(), stacks: await documentedStacks() };
});

describe("README", () => {
  it("has the chapters of the house in its order, each stack in every one that is per stack", () => {
    const withoutCode = readme.replaceAll(/^```[\s\S]*?^```$/gm, "");
    const headings = [...withoutCode.matchAll(/^(##+) (.*)$/gm)].map(([, marks, title]) => `${marks} ${title}`);
    expect(headings).toEqual(
      CHAPTERS.flatMap(([chapter, parts]) => [`## ${chapter}`, ...parts.map((part) => `### ${part}`)]),
    );
  });

  it("shows every stack in the picture that it begins with, after one sentence", () => {
    const [, purpose, picture] = /^# [^\n]*\n\n(.*?)\n\n```text\n(.*?)^```$/ms.exec(readme) ?? [];
    expect(purpose?.replace(/\.$/, "")).not.toMatch(/\.\s/);
    expect(picture?.match(/^\S+/gm)).toEqual(Object.keys(offer.stacks));
  });

  it("says of every trap and every decision since when it is there", () => {
    const chapter = (title: string) => readme.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
    const traps = chapter("Traps").match(/^\| (?!Symptom|---).*$/gm) ?? [];
    const decisions = chapter("Design decisions").match(/^- .*$/gm) ?? [];
    expect(traps.length).toBeGreaterThan(30);
    expect(decisions.length).toBeGreaterThan(5);
    const undated = [
      ...traps.filter((row) => !/^\|(?: [^|]+ \|){3} 20\d\d-\d\d-\d\d \|$/.test(row)),
      ...decisions.filter((decision) => !/^- \*\*[^*]+\*\* \(20\d\d-\d\d-\d\d\)\. /.test(decision)),
    ];
    expect(undated).toEqual([]);
  });

  it("has shell examples", () => {
    expect(shellLines.length).toBeGreaterThan(10);
  });

  it.each([...new Set([...shellLines, ...commandsInSentences])])("tells a command that works: %s", (line) => {
    expect(untruth(line, offer)).toBeUndefined();
  });

  it(`shows the inputs and outputs as they are synthesized; when this fails, run: ${UPDATE_COMMAND}`, () => {
    expect(readme).toBe(withFreshTables(readme, offer.stacks));
  });

  it("documents every stack's inputs and outputs", () => {
    for (const stack of Object.keys(offer.stacks)) {
      expect(readme).toContain(`<!-- inputs: ${stack} -->`);
      expect(readme).toContain(`<!-- outputs: ${stack} -->`);
    }
  });

  it("links to files that exist", () => {
    const targets = [...readme.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, target]) => target ?? "");
    expect(targets.length).toBeGreaterThan(0);
    expect(targets.filter((target) => !existsSync(packageFile(target)))).toEqual([]);
  });

  it("describes inputs and outputs in sentences that end", () => {
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
    expect(stacks.map(({ left }) => left)).toEqual(Object.keys(offer.stacks));
    const daily = Object.keys(offer.scripts).filter((script) => !script.includes(":") && script !== "prepack");
    expect(daily.filter((script) => !new RegExp(`npm (run )?${script}\\b`).test(help))).toEqual([]);
  });

  it.each(helpCommands)("tells a command that works: %s", (command) => {
    expect(untruth(command, offer)).toBeUndefined();
  });
});
