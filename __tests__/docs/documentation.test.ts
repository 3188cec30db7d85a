import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { documentedStacks } from "../tools/documented-stacks";
import { UPDATE_COMMAND, withFreshTables } from "../tools/readme-tables";
import { offeredScripts, REPOSITORY, untruth, type Offer } from "./documented-command";

const readme = readFileSync(join(REPOSITORY, "README.md"), "utf8");
const help = readFileSync(join(REPOSITORY, "help"), "utf8");

let offer: Offer;

beforeAll(async () => {
  offer = { scripts: offeredScripts(), stacks: await documentedStacks() };
});

const shellLines = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block]) =>
  (block ?? "").split("\n").filter((line) => line !== ""),
);

const helpCommands = help
  .split("\n")
  .map((line) => /^ {2}((?:[A-Z_]+='[^']*' )?(?:npm|npx|terraform) .*?)(?: {2,}.*)?$/.exec(line)?.[1])
  .filter((command) => command !== undefined);

describe("README", () => {
  it("has shell examples", () => {
    expect(shellLines.length).toBeGreaterThan(10);
  });

  it.each(shellLines)("tells a command that works: %s", (line) => {
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
    expect(targets.filter((target) => !existsSync(join(REPOSITORY, target)))).toEqual([]);
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
    for (const stack of Object.keys(offer.stacks)) expect(help).toContain(stack);
    const daily = offer.scripts.filter((script) => !script.includes(":") && script !== "prepack");
    expect(daily.filter((script) => !new RegExp(`npm (run )?${script}\\b`).test(help))).toEqual([]);
  });

  it.each(helpCommands)("tells a command that works: %s", (command) => {
    expect(untruth(command, offer)).toBeUndefined();
  });
});
