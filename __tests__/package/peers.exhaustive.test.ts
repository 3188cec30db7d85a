import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";

import { installPackage, linkPackages, PEERS, REPOSITORY, variantProgram, VARIANTS } from "./installed-package";
import { temporaryFolder } from "../support/temporary-folder";

const COMPILER = join(REPOSITORY, "node_modules/typescript/bin/tsc");

const LAB_PROGRAM = `
import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { RandomProvider } from "@cdktf/provider-random/lib/provider";
import { TlsProvider } from "@cdktf/provider-tls/lib/provider";
import { App, TerraformStack } from "cdktf";
import { AssessmentLab } from "cdktf-idp-stacks/lab";

const app = new App();
const stack = new TerraformStack(app, "alone");
new GoogleProvider(stack, "google", { project: "demo-project" });
new RandomProvider(stack, "random");
new TlsProvider(stack, "tls");
new AssessmentLab(stack, "Lab", { projectId: "demo-project" });
app.synth();
`;

const PROGRAMS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(VARIANTS.map(([variant, subpath]) => [variant, variantProgram(variant, subpath)])),
  AssessmentLab: LAB_PROGRAM,
};

/** Holds all projects; in the first, the packed library is installed as npm does it. */
const FOLDER = temporaryFolder();
const FIRST = join(FOLDER, "first");

beforeAll(() => {
  mkdirSync(FIRST);
  installPackage(FIRST, {});
});

/** A project with the installed library and other peers, and with a folder for one of the programs. */
const projectWith = (peers: Readonly<Record<string, string>>, program: string): string => {
  const project = mkdtempSync(join(FOLDER, "project-"));
  cpSync(join(FIRST, "node_modules"), join(project, "node_modules"), { recursive: true });
  linkPackages(project, peers);
  writeFileSync(join(project, "main.ts"), program);
  const compilerOptions = {
    ...{ strict: true, skipLibCheck: true, target: "ES2022", module: "CommonJS", moduleResolution: "Node10" },
    // Links stand for packages of the project's own, so what these ask for is looked for in the project.
    ...{ types: ["node"], preserveSymlinks: true },
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.ts"] }));
  return project;
};

/** Compiles and runs one of the programs beside the peers, and gives its first stack and the framework's release. */
const synthesizedWith = (peers: Readonly<Record<string, string>>, name: string) => {
  const cwd = projectWith(peers, PROGRAMS[name] ?? "");
  const { stdout } = spawnSync(process.execPath, [COMPILER, "--project", cwd], { encoding: "utf8" });
  expect(stdout).toBe("");
  execFileSync(process.execPath, ["--preserve-symlinks", "main.js"], { cwd, stdio: "pipe" });
  const { "//": root, ...terraform } = JSON.parse(
    readFileSync(join(cwd, "cdktf.out/stacks/alone/cdk.tf.json"), "utf8"),
  ) as { "//": { metadata: { version: string } } };
  return { release: root.metadata.version, text: withoutMetadata(terraform).replaceAll(cwd, "") };
};

/** Elements carry the paths of their constructs; the framework's own backend, the path of the project. */
const withoutMetadata = (value: unknown): string =>
  JSON.stringify(value, (key, item: unknown) => (key === "//" ? undefined : item), 1);

const releaseOf = (name: string) =>
  (JSON.parse(readFileSync(join(REPOSITORY, "node_modules", name, "package.json"), "utf8")) as { version: string })
    .version;

/** As with `"cdktf": "npm:cdktn@…"` among the dependencies, and `"overrides": { "cdktf": "$cdktf" }` for the bindings. */
describe("With the framework's successor in its place", () => {
  it.each(Object.keys(PROGRAMS))("%s compiles, and synthesizes the same", (name) => {
    const before = synthesizedWith(PEERS, name);
    const after = synthesizedWith({ ...PEERS, cdktf: "cdktn" }, name);
    expect([before.release, after.release]).toEqual([releaseOf("cdktf"), releaseOf("cdktn")]);
    expect(after.text).toBe(before.text);
  });
});

describe("Without the bindings that it does not use", () => {
  it.each([
    ["AssessmentLab", ["aws", "kubernetes"]],
    ["ServerlessIdentityProvider", ["aws", "kubernetes", "random", "tls"]],
    ["KubernetesIdentityProvider", ["aws", "random", "tls"]],
  ])("%s compiles and synthesizes: without %j", (name, unused) => {
    const isUsed = ([peer]: readonly [string, string]) =>
      !unused.some((provider) => peer === `@cdktf/provider-${provider}`);
    const { release } = synthesizedWith(Object.fromEntries(Object.entries(PEERS).filter(isUsed)), name);
    expect(release).toBe(releaseOf("cdktf"));
  });
});
