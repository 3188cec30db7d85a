import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import { describeWith, programPath } from "../support/programs";
import { temporaryFolder } from "../support/temporary-folder";
import { blocksIn, pageOf } from "../tools/pages";

const RELEASE = packageFile("dist/release");
const folder = temporaryFolder();
const packed: Record<string, string> = {};

beforeAll(() => {
  for (const round of ["first", "second"]) {
    execFileSync("npm", ["run", "--silent", "release"], { cwd: packageFile("."), stdio: "pipe" });
    for (const name of readdirSync(RELEASE).filter((each) => each.endsWith(".sha256")))
      packed[`${round} ${name}`] = readFileSync(join(RELEASE, name), "utf8");
  }
  for (const name of readdirSync(RELEASE).filter((each) => each.endsWith(".gz")))
    execFileSync("tar", ["-xzf", join(RELEASE, name), "-C", folder]);
}, 120_000);

describe("The archives of a release", () => {
  it("are the same bytes each time, with their checksums", () => {
    const of = (round: string) =>
      Object.entries(packed)
        .filter(([name]) => name.startsWith(round))
        .map(([, sum]) => sum);
    expect(of("first")).toEqual(of("second"));
    expect(of("first")).toHaveLength(3);
    for (const name of readdirSync(RELEASE).filter((each) => each.endsWith(".sha256")))
      expect(spawnSync("sha256sum", ["--check", name], { cwd: RELEASE }).status).toBe(0);
  });

  it("hold HCL, scripts and pages, and no state", () => {
    for (const stack of readdirSync(folder)) {
      const files = readdirSync(join(folder, stack));
      expect(files).toEqual(expect.arrayContaining(["README.md", "root.tf", "scripts", "terraform.tfvars.example"]));
      expect(files.filter((file) => /state|json$/.test(file))).toEqual(["inputs.schema.json"]);
    }
  });
});

describeWith(["terraform"], "A folder as a module", () => {
  const [tenants = "", kubernetes = ""] = blocksIn(pageOf("stacks/module.md").text, "hcl");

  it.each([
    ["idp-serverless", tenants],
    ["idp-kubernetes", kubernetes],
  ])(
    "is what the page makes of the archive of %s, formatted and without blocks that a module must not have",
    (stack, root) => {
      const place = join(folder, `root of ${stack}`);
      mkdirSync(place);
      writeFileSync(join(place, "main.tf"), root);
      const archive = readdirSync(folder).find((name) => name.startsWith(`${stack}-`)) ?? "";
      cpSync(join(folder, archive), join(place, stack), { recursive: true });
      rmSync(join(place, stack, "root.tf"));
      const parts = readdirSync(join(place, stack)).filter((name) => name.endsWith(".tf"));
      for (const name of parts)
        expect(readFileSync(join(place, stack, name), "utf8")).not.toMatch(/^(provider "|  backend "|  cloud \{)/m);
      const run = (...command: string[]) =>
        spawnSync(programPath("terraform"), command, { cwd: place, encoding: "utf8" });
      expect(run("fmt", "-check", "-recursive").stdout).toBe("");
      expect(run("get").status).toBe(0);
      expect(existsSync(join(place, ".terraform", "modules", "modules.json"))).toBe(true);
    },
  );
});
