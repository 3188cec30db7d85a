import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const REPOSITORY = join(__dirname, "../..");

/** What a user of the package installs beside it. */
const PEERS = ["cdktf", "constructs", "@cdktf/provider-google"];

/** What only users of the lab install. */
const LAB_PEERS = ["@cdktf/provider-aws", "@cdktf/provider-random", "@cdktf/provider-tls"];

const README_PROGRAMS = [
  ...readFileSync(join(REPOSITORY, "README.md"), "utf8").matchAll(/^```ts\n([\s\S]*?)^```$/gm),
].map(([, program]) => program ?? "");

/** An empty project in which the packed library is installed, and every TypeScript example of the README. */
describe("the packed library", () => {
  let project: string;

  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), "consumer-"));
    const run = (program: string, args: readonly string[], cwd: string) =>
      execFileSync(program, args, { cwd, encoding: "utf8", stdio: "pipe" });
    const npm = (args: readonly string[], cwd: string) =>
      run("npm", [...args, "--offline", "--no-audit", "--no-fund", "--loglevel=error"], cwd);

    const [packed] = JSON.parse(npm(["pack", "--json", "--pack-destination", project], REPOSITORY)) as [
      { filename: string },
    ];
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", private: true }));
    // Peers are linked from here instead, so that no registry is asked.
    npm(["install", "--legacy-peer-deps", "--ignore-scripts", `./${packed.filename}`], project);
    for (const dependency of [...PEERS, ...LAB_PEERS, "@types/node"]) {
      const link = join(project, "node_modules", dependency);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(REPOSITORY, "node_modules", dependency), link);
    }

    README_PROGRAMS.forEach((program, index) => {
      const folder = join(project, `example-${index + 1}`);
      mkdirSync(folder);
      writeFileSync(join(folder, "main.ts"), program);
    });
    writeFileSync(
      join(project, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          skipLibCheck: true,
          target: "ES2022",
          module: "Node16",
          moduleResolution: "Node16",
          types: ["node"],
        },
        include: ["example-*/main.ts"],
      }),
    );
  });

  afterAll(() => {
    rmSync(project, { recursive: true, force: true });
  });

  it("holds the compiled constructs, their types, every script and the image, and nothing of the tests", () => {
    const folder = join(project, "node_modules/cdktf-idp-stacks");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    expect(files).toEqual(
      expect.arrayContaining([
        "LICENSE",
        "README.md",
        "dist/lib/index.d.ts",
        "dist/lib/index.js",
        "image/Dockerfile",
        "image/cloud-entrypoint.sh",
        "lib/core/scripts/google-rest.sh",
        "lib/idp/scripts/build-image.sh",
        "lib/idp/scripts/db-init.sh",
        "lib/lab/scripts/assessment-rest.sh",
        "lib/lab/scripts/no-profile.ini",
        "lib/lab/scripts/linux-first-boot.sh",
        "lib/lab/scripts/windows-first-boot.ps1",
      ]),
    );
    expect(files.filter((file) => /__tests__|stacks|\.test\.|(?<!\.d)\.ts$/.test(file))).toEqual([]);
  });

  it("offers its types to every example of the README", () => {
    expect(README_PROGRAMS.length).toBeGreaterThanOrEqual(2);
    // The examples are also emitted, to be run below.
    const compiler = join(REPOSITORY, "node_modules/typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [compiler], { cwd: project, encoding: "utf8" });
    expect(stdout).toBe("");
  });

  it.each(README_PROGRAMS.map((_, index) => index + 1))("synthesizes example %d of the README", (number) => {
    const folder = join(project, `example-${number}`);
    execFileSync(process.execPath, ["main.js"], { cwd: folder, stdio: "pipe" });
    const stacks = join(folder, "cdktf.out/stacks");
    const [stack = ""] = readdirSync(stacks);
    const { terraform, resource } = JSON.parse(readFileSync(join(stacks, stack, "cdk.tf.json"), "utf8")) as {
      terraform: { required_providers: Record<string, { version: string }> };
      resource: Record<string, object>;
    };
    expect(terraform.required_providers.google?.version).toBe(">= 7.42.0, < 8.0.0");
    const made = { "sign-in": "google_secret_manager_secret", training: "google_compute_instance" }[stack];
    expect(Object.keys(resource)).toContain(made);
  });

  it("composes AssessmentLab, from a place of its own, with its start-up scripts", () => {
    const folder = join(project, "example-3/cdktf.out/stacks/training");
    const { resource } = JSON.parse(readFileSync(join(folder, "cdk.tf.json"), "utf8")) as {
      resource: Record<string, Record<string, Record<string, unknown>>>;
    };
    expect(resource.google_compute_instance?.lab_linux_vm).toMatchObject({ count: 5 });
    expect(resource.google_compute_firewall?.lab_firewall_allow_rdp).toMatchObject({
      source_ranges: ["203.0.113.0/24"],
    });
    for (const script of ["linux-first-boot.sh", "windows-first-boot.ps1"])
      expect(readFileSync(join(folder, "scripts", script))).toEqual(
        readFileSync(join(REPOSITORY, "lib/lab/scripts", script)),
      );
  });

  it("needs nothing of the lab where there is none", () => {
    const main = readFileSync(join(project, "node_modules/cdktf-idp-stacks/dist/lib/index.js"), "utf8");
    expect(main).not.toMatch(/lab\//);
  });

  it("composes IdpSecrets and MediaBucket in the first example", () => {
    const text = readFileSync(join(project, "example-1/cdktf.out/stacks/sign-in/cdk.tf.json"), "utf8");
    expect(text).toMatch(/"secret_id": "secret-acme-[0-9a-f]{6}-idp-secret-key"/);
    expect(text).toMatch(/"secret_id": "secret-acme-[0-9a-f]{6}-idp-bootstrap-password"/);
    expect(text).toMatch(/"name": "bkt-idpacme-[0-9a-f]{6}-storage"/);
  });

  it("finds its scripts from where it is installed", () => {
    const script = join(project, "example-2/cdktf.out/stacks/sign-in/scripts/db-init.sh");
    expect(existsSync(script)).toBe(true);
    expect(readFileSync(script)).toEqual(readFileSync(join(REPOSITORY, "lib/idp/scripts/db-init.sh")));
  });
});
