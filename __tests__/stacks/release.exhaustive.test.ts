import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

import { Spec, Validation } from "@cyclonedx/cyclonedx-library";

import { packageFile } from "../../lib/core/package-file";
import { describeWith, programPath } from "../support/programs";
import { temporaryFolder } from "../support/temporary-folder";
import { blockWith } from "../tools/pages";

/** An entry of a bill of materials. */
interface Component {
  readonly name: string;
  readonly type: string;
  readonly scope?: string;
  readonly hashes?: readonly { readonly content: string }[];
  readonly properties?: readonly object[];
}

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
    }
    const checked = spawnSync("sha256sum", ["--check", "SHA256SUMS"], { cwd: RELEASE, encoding: "utf8" });
    expect(checked).toMatchObject({ status: 0, stderr: "" });
    const others = readdirSync(RELEASE).filter((name) => name !== "SHA256SUMS");
    expect(checked.stdout.split("\n").filter(Boolean)).toEqual(others.sort().map((name) => `${name}: OK`));
  });

  it("have bills of materials that are right by the schema, and name each file of the archive by its digest", async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    const bills = readdirSync(RELEASE).filter((name) => name.endsWith(".cdx.json"));
    expect(bills).toHaveLength(4);
    for (const name of bills) {
      const text = readFileSync(join(RELEASE, name), "utf8");
      expect(await validator.validate(text)).toBeNull();
      if (name.startsWith("image-")) continue;
      const { components } = JSON.parse(text) as { components: Component[] };
      const archive = join(folder, name.replace(".cdx.json", ""));
      const digests = Object.fromEntries(
        components.filter(({ type }) => type === "file").map((each) => [each.name, each.hashes?.[0]?.content]),
      );
      const files = readdirSync(archive, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      expect(Object.keys(digests)).toHaveLength(files.length);
      for (const entry of files) {
        const path = join(entry.parentPath, entry.name);
        expect(digests[relative(archive, path)]).toBe(createHash("sha256").update(readFileSync(path)).digest("hex"));
      }
    }
  });

  it("name the images that a folder pulls, and the releases of providers that it accepts", () => {
    const componentsOf = (stack: string) => {
      const bill = readdirSync(RELEASE).find((name) => name.startsWith(stack) && name.endsWith(".cdx.json")) ?? "";
      return (JSON.parse(readFileSync(join(RELEASE, bill), "utf8")) as { components: Component[] }).components;
    };
    const imagesOf = (stack: string) =>
      componentsOf(stack)
        .filter(({ type }) => type === "container")
        .map(({ name }) => name)
        .sort();
    expect(imagesOf("idp-serverless")).toEqual([
      "docker.io/library/debian",
      ...new Array<string>(3).fill("docker.io/library/postgres"),
      "gcr.io/cloud-builders/docker",
      "ghcr.io/goauthentik/server",
    ]);
    expect(imagesOf("idp-kubernetes")).toEqual(
      expect.arrayContaining([
        "gcr.io/cloud-sql-connectors/cloud-sql-proxy",
        "ghcr.io/goauthentik/ldap",
        "ghcr.io/goauthentik/server",
        "ghcr.io/maxmind/geoipupdate",
      ]),
    );
    expect(imagesOf("assessment-lab")).toEqual([]);
    expect(componentsOf("assessment-lab")).toContainEqual(
      expect.objectContaining({
        name: "hashicorp/aws",
        properties: [{ name: "terraform:version_constraint", value: ">= 5.100.0, < 7.0.0" }],
      }),
    );
    const scopes = componentsOf("image").flatMap(({ name, scope }) => (scope === undefined ? [] : [[name, scope]]));
    expect(scopes).toEqual([
      ["busybox-static", "required"],
      ["patchelf", "excluded"],
      ["pgbouncer", "required"],
    ]);
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
