import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import { temporaryFolder } from "../support/temporary-folder";

const run = (program: string, args: readonly string[], environment = {}) => {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8", env: { ...process.env, ...environment } });
  return { status, stderr };
};

describe("A command in a clone", () => {
  const CHECK = "stacks/check-installation.cjs";

  it("says in one sentence that the packages are not installed", () => {
    const clone = temporaryFolder();
    mkdirSync(join(clone, "stacks"), { recursive: true });
    for (const file of ["package.json", CHECK]) copyFileSync(packageFile(file), join(clone, file));
    expect(run(process.execPath, [join(clone, CHECK)])).toEqual({
      status: 1,
      stderr: "The packages are not installed; run npm ci first.\n",
    });
  });

  it.each([
    ["v18.19.0", 1, "Node is v18.19.0; it must be 20.9 or newer: https://nodejs.org/\n"],
    ["v20.8.1", 1, "Node is v20.8.1; it must be 20.9 or newer: https://nodejs.org/\n"],
    ["v20.9.0", 0, ""],
    ["v24.0.0", 0, ""],
  ])("says in one sentence that Node is too old, or nothing: %s", (version, status, stderr) => {
    const program = `Object.defineProperty(process, "version", { value: "${version}" }); require("${packageFile(CHECK)}")`;
    expect(run(process.execPath, ["--eval", program])).toEqual({ status, stderr });
  });

  it.each([
    [{ npm_config_hcl: "true" }, "--hcl had no -- before it,", "npm run synth -- <stack> --hcl"],
    [
      { npm_config_hcl: "true", npm_config_settings: "acme.tfvars" },
      "--hcl and --settings had no -- before it,",
      "npm run synth -- <stack> --hcl --settings <file>",
    ],
  ])("refuses options that npm has taken for its own: %j", (environment, beginning, end) => {
    const program = [packageFile("node_modules/tsx/dist/cli.mjs"), packageFile("stacks/main.ts"), "idp-serverless"];
    const { status, stderr } = run(process.execPath, program, environment);
    expect(status).toBe(1);
    expect(stderr).toContain(`stacks to synthesize: 1 problem
  - ${beginning}`);
    expect(stderr.trimEnd()).toMatch(new RegExp(`${end}$`));
  });
});
