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

  const main = (...given: readonly string[]) => {
    const program = [packageFile("node_modules/tsx/dist/cli.mjs"), packageFile("stacks/main.ts"), ...given];
    return spawnSync(process.execPath, program, { encoding: "utf8" });
  };

  it.each<[readonly string[], string]>([
    [["--hlc"], "--hlc is no option; did you mean --hcl[?] There are --hcl, .* and --help"],
    [["--verbose"], "--verbose is no option; there are --hcl, .* and --help"],
    [["idp-serverless", "--settings"], "--settings has no file after it; it must have one, .*; name a [*].tfvars"],
    [["--settings", "--hcl"], "--settings has no file after it; it must have one, .*; name a [*].tfvars"],
    [["--hcl=yes"], "--hcl has the value yes; it must have none, .*; leave the value out"],
  ])("refuses %j, with a fix", (given, problem) => {
    const { status, stderr } = main(...given);
    expect(stderr).toMatch(new RegExp(`^stacks to synthesize: 1 problem\\n  - ${problem}\\n$`));
    expect(status).toBe(1);
  });

  it("refuses a folder that it cannot write to, before it synthesizes", () => {
    const program = [packageFile("node_modules/tsx/dist/cli.mjs"), packageFile("stacks/main.ts"), "idp-serverless"];
    const outdir = packageFile("package.json/out");
    expect(run(process.execPath, program, { CDKTF_OUTDIR: outdir })).toEqual({
      status: 1,
      stderr: [
        "stacks to synthesize: 1 problem",
        `  - ${outdir} cannot be written (ENOTDIR); it must be a folder that you may write to, ` +
          "because the folders of the stacks are written there; set CDKTF_OUTDIR to another one",
        "",
      ].join("\n"),
    });
  });

  it("says which options there are, and writes nothing", () => {
    const { status, stderr, stdout } = main("--help");
    expect(stdout).toMatch(/^npm run synth -- .*\n\n[^]*--settings FILE /);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it("says how it exits, which a file that cannot be read tells from one that is refused", () => {
    expect(main("--help").stdout).toContain("Exits with 1 if something is refused, and with 2 if FILE cannot be read.");
    const { status, stderr } = main("idp-serverless", "--settings", "missing.json");
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining("missing.json is not there; it must be a file") as string,
    });
  });

  it("is a rehearsal of a stack that there is, or says which was meant", () => {
    const program = [
      packageFile("node_modules/tsx/dist/cli.mjs"),
      packageFile("__tests__/rehearsal/command/rehearse.ts"),
    ];
    // A path that exists, because it is looked at first.
    const { status, stderr } = run(process.execPath, [...program, "idp-serverles", "--terraform", process.execPath]);
    expect(stderr).toMatch(/^idp-serverles is no stack; did you mean idp-serverless[?]\n/);
    expect(status).toBe(1);
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
