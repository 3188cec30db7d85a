import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import { temporaryFolder } from "../support/temporary-folder";
import { runAppCommand, type SynthesisProcess } from "./synthesis-process";

const STACK_NAMES = ["idp-serverless", "idp-kubernetes", "assessment-lab"];

/** Modules that only one stack needs. */
const OWN_MODULES = {
  "idp-serverless": /^@cdktf\/provider-google\/lib\/cloud-run-v2-/,
  "idp-kubernetes": /^@cdktf\/provider-(kubernetes|google\/lib\/container-cluster)(\/|$)/,
  "assessment-lab": /^@cdktf\/provider-(tls|google\/lib\/compute-instance)(\/|$)/,
};

/** What becomes the program of the packages. */
const { bundleStacks } = jest.requireActual<{
  bundleStacks: (checkout: string, names: readonly string[]) => Promise<{ packages: readonly string[] }>;
}>("../../stacks/bundles.cjs");

let all: SynthesisProcess;

beforeAll(async () => {
  all = await runAppCommand();
});

describe("The app command", () => {
  it("prints per stack its folder, the number of resources and the next command, and warns of local states", () => {
    expect(all.output).toMatch(
      new RegExp(
        `^${STACK_NAMES.map(
          (name) =>
            `cdktf.out/stacks/${name}: \\d+ resources with the defaults; next: terraform -chdir=cdktf.out/stacks/${name} init && terraform -chdir=cdktf.out/stacks/${name} apply -var project_id=<your project>\n`,
        ).join("")}warning: [^\n]*\n$`,
      ),
    );
  });

  describe("for one stack after the other, in a project with packages of its own", () => {
    const cwd = temporaryFolder();
    const ownPackage = join(cwd, "node_modules/cdktf");
    const state = join(cwd, "cdktf.out/stacks/idp-serverless/terraform.tfstate");

    beforeAll(() => {
      mkdirSync(ownPackage, { recursive: true });
      writeFileSync(join(ownPackage, "index.js"), "throw new Error('a package of somebody else');");
    });

    it.each(STACK_NAMES)("synthesizes %s to the same bytes", async (name) => {
      const { output, textOf } = await runAppCommand({ cwd, stackNames: [name] });
      const lines = output.trim().split("\n");
      expect(lines).toEqual([expect.stringContaining(`/${name}: `), expect.stringMatching(/^warning: /)]);
      expect(textOf(name)).toBe(all.textOf(name));
      if (name === STACK_NAMES[0]) writeFileSync(state, "{}");
    });

    it("keeps the other stacks with their states, and in the manifest of the framework's command line", () => {
      expect(existsSync(state)).toBe(true);
      const manifest = JSON.parse(readFileSync(join(cwd, "cdktf.out/manifest.json"), "utf8")) as { stacks: object };
      expect(Object.keys(manifest.stacks).sort()).toEqual([...STACK_NAMES].sort());
    });
  });

  it.each(STACK_NAMES)("bundles for %s alone no package that only others need", async (name) => {
    const { packages } = await bundleStacks(packageFile("."), [name]);
    const needed = Object.entries(OWN_MODULES).filter(([, own]) => packages.some((module) => own.test(module)));
    expect(needed.map(([owner]) => owner)).toEqual([name]);
  });

  it("refuses unknown stack names, all at once, with a message, and synthesizes none", async () => {
    const cwd = temporaryFolder();
    const stackNames = ["idp-severless", "assessment-lab", "constructor"];
    await expect(runAppCommand({ cwd, stackNames })).rejects.toMatchObject({
      code: 1,
      stderr:
        'stacks to synthesize: 1 problem\n  - "idp-severless", "constructor" must be among idp-serverless, idp-kubernetes, assessment-lab, because there are no other stacks; use these names, or none for all stacks\n',
    });
    expect(readdirSync(join(cwd, "cdktf.out/stacks"))).toEqual([]);
  });

  it("writes no list of stacks if the existing one cannot be read", async () => {
    const cwd = temporaryFolder();
    const manifest = join(cwd, "cdktf.out/manifest.json");
    mkdirSync(join(cwd, "cdktf.out"));
    writeFileSync(manifest, '{ "version": "0.21.0", "sta');
    await expect(runAppCommand({ cwd, stackNames: ["assessment-lab"] })).rejects.toMatchObject({
      code: 1,
      stderr:
        "stacks to synthesize: 1 problem\n  - cdktf.out/manifest.json cannot be read; it must list the existing stacks, because the framework's command line deletes the folder of any other, with its state; run the same command again, or synthesize all stacks\n",
    });
    expect(readFileSync(manifest, "utf8")).toBe('{ "version": "0.21.0", "sta');
  });

  it("reports a wrong setting with a message, not a stack trace", async () => {
    const environment = { STATE_BACKEND: "floppy" };
    await expect(runAppCommand({ environment, stackNames: ["idp-serverless"] })).rejects.toMatchObject({
      code: 1,
      stderr:
        'STATE_BACKEND: 1 problem\n  - the value must be local, gcs, {"local": {"path": "…"}} or {"gcs": {"bucket": "…"}}; for any other backend, add a file backend_override.tf to the synthesized folder\n',
    });
  });

  it("writes nothing to the checkout, and runs side by side with another backend", async () => {
    const checkout = temporaryFolder();
    const parts = ["CHANGELOG.md", "README.md", "cdktf.json", "image", "lib", "package.json", "stacks"];
    for (const part of parts) cpSync(packageFile(part), join(checkout, part), { recursive: true });
    symlinkSync(packageFile("node_modules"), join(checkout, "node_modules"));
    const files = () => readdirSync(checkout, { recursive: true, encoding: "utf8" }).sort();
    const before = files();
    const bucket = '{"gcs": {"bucket": "my-states"}}';
    const [own, ofOthers] = await Promise.all(
      ["local", bucket].map((backend) =>
        runAppCommand({ checkout, environment: { STATE_BACKEND: backend }, stackNames: ["assessment-lab"] }),
      ),
    );
    expect(files()).toEqual(before);
    expect(own?.textOf("assessment-lab")).toBe(all.textOf("assessment-lab"));
    const { terraform } = JSON.parse(ofOthers?.textOf("assessment-lab") ?? "") as { terraform: { backend?: unknown } };
    expect(terraform.backend).toEqual({ gcs: { bucket: "my-states", prefix: "assessment-lab" } });
  });
});
