import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import { describeWith, programPath } from "../support/programs";
import { temporaryFolder } from "../support/temporary-folder";
import { blockWith } from "../tools/pages";

const RELEASE = packageFile("dist/release");
const folder = temporaryFolder();

beforeAll(() => {
  execFileSync("npm", ["run", "--silent", "release"], { cwd: packageFile("."), stdio: "pipe" });
  for (const name of readdirSync(RELEASE).filter((each) => each.endsWith(".gz")))
    execFileSync("tar", ["-xzf", join(RELEASE, name), "-C", folder]);
}, 120_000);

describe("The archives of a release", () => {
  it("say nothing of the time and the owner, and have the checksums beside them", () => {
    const archives = readdirSync(RELEASE).filter((name) => name.endsWith(".gz"));
    expect(archives).toHaveLength(3);
    for (const name of archives) {
      const list = execFileSync("tar", ["-tvzf", join(RELEASE, name), "--numeric-owner", "--utc"], {
        encoding: "utf8",
      });
      expect(
        list.split("\n").filter((line) => !/^(-rw-r--r--|[-d]rwxr-xr-x) 0\/0 +\d+ 1970-01-01 00:00 |^$/.test(line)),
      ).toEqual([]);
      expect(spawnSync("sha256sum", ["--check", `${name}.sha256`], { cwd: RELEASE }).status).toBe(0);
    }
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
  it.each([
    ["idp-serverless", blockWith("stacks/guides/module.md", "hcl", 'source   = "./idp-serverless"')],
    ["idp-kubernetes", blockWith("stacks/guides/module.md", "hcl", 'source = "./idp-kubernetes"')],
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
