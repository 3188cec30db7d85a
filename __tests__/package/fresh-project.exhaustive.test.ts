import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { temporaryFolder } from "../support/temporary-folder";
import { blocksIn, pageOf } from "../tools/pages";
import { REPOSITORY } from "./installed-package";

/** The one thing in a page that a pattern finds. */
const onPage = (page: string, pattern: RegExp): string => {
  const found = [...pageOf(page).text.matchAll(pattern)].map(([, text = ""]) => text);
  expect([...new Set(found)]).toHaveLength(1);
  return found[0] ?? "";
};

describe("An empty project, with what the registry serves today", () => {
  const project = temporaryFolder();
  const run = (command: string): string => execFileSync("sh", ["-c", command], { cwd: project, encoding: "utf8" });

  it("runs the program of the front page by the page's own commands", () => {
    execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", project], { cwd: REPOSITORY });
    run(`${onPage("lib/README.md", /^(npm install \.\/.+)$/gm)} --silent`);
    const [program = ""] = blocksIn(pageOf("README.md").text, "ts");
    writeFileSync(join(project, "main.ts"), program);
    const folder = "cdktf.out/stacks/sign-in";
    expect(run(onPage("README.md", /run `(npx .+?)`/g))).toBe(
      `Next: terraform -chdir=${folder} init && terraform -chdir=${folder} apply\n`,
    );
    expect(readdirSync(join(project, folder))).toContain("cdk.tf.json");
  });

  it.each(["5.9", "7"])("compiles it with TypeScript %s", (release) => {
    run(`npm install --silent --no-save typescript@${release} @types/node@20`);
    const { version } = JSON.parse(readFileSync(join(project, "node_modules/typescript/package.json"), "utf8")) as {
      version: string;
    };
    expect(version).toMatch(new RegExp(`^${release}[.]`));
    renameSync(join(project, "cdktf.out"), join(project, `out-${release}`));
    expect(run("npx tsc --noEmit --strict --module nodenext --moduleResolution nodenext --types node main.ts")).toBe(
      "",
    );
    run("npx tsx main.ts");
    expect(readdirSync(join(project, "cdktf.out/stacks"))).toEqual(["sign-in"]);
  });
});
