import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";

import { temporaryFolder } from "../support/temporary-folder";
import { REPOSITORY } from "./installed-package";

/** The archive that npm would publish, of what `npm run build` has compiled. */
const archive = (() => {
  const folder = temporaryFolder();
  const command = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const said = execFileSync("npm", command, { cwd: REPOSITORY, encoding: "utf8", stdio: "pipe" });
  const [{ filename }] = JSON.parse(said) as [{ filename: string }];
  return join(folder, filename);
})();

/** What a program of an installed package says of the archive. */
const judgedBy = (program: string, ...options: string[]) => {
  const { status, stdout } = spawnSync("npx", ["--no-install", program, archive, ...options], {
    cwd: REPOSITORY,
    encoding: "utf8",
  });
  return { status, stdout };
};

describe("The package as the registry gets it", () => {
  it("has nothing that publint would change", () => {
    const { status, stdout } = judgedBy("publint", "--strict");
    expect(stdout).toContain("All good!");
    expect(status).toBe(0);
  });

  it("has the right types for each entry, however a project looks for modules", () => {
    const { status, stdout } = judgedBy("attw", "--format", "json");
    const { analysis } = JSON.parse(stdout) as { analysis: { entrypoints: object; problems: unknown[] } };
    expect(analysis.problems).toEqual([]);
    expect(Object.keys(analysis.entrypoints).sort()).toEqual([".", "./kubernetes", "./lab", "./package.json"]);
    expect(status).toBe(0);
  });
});
