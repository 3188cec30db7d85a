import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describeWith, pythonPackage } from "../support/programs";
import { temporaryFolder } from "../support/temporary-folder";
import { installPackage, linkPackages, PEERS, releaseOf, REPOSITORY } from "./installed-package";

/** Where each construct is imported from, and the providers whose bindings must be beside it. */
const CONSTRUCTS = {
  ServerlessIdentityProvider: ["cdktf-idp-stacks", "Google"],
  KubernetesIdentityProvider: ["cdktf-idp-stacks/kubernetes", "Google", "Kubernetes"],
  AssessmentLab: ["cdktf-idp-stacks/lab", "Google", "Random", "Tls"],
};
type Construct = keyof typeof CONSTRUCTS;

function programOf(construct: Construct): string {
  const [place, ...providers] = CONSTRUCTS[construct];
  const props = { projectId: "demo-project", ...(construct === "AssessmentLab" ? {} : { tenantId: "acme" }) };
  return [
    'import { App, TerraformStack } from "cdktf";',
    `import { ${construct} } from "${place}";`,
    ...providers.map((name) => `import { ${name}Provider } from "@cdktf/provider-${name.toLowerCase()}/lib/provider";`),
    "const app = new App();",
    `const stack = new TerraformStack(app, "${construct}");`,
    ...providers.map((name) => `new ${name}Provider(stack, "${name}");`),
    `new ${construct}(stack, "Whole", ${JSON.stringify(props)});`,
    "app.synth();",
  ].join("\n");
}

/** Holds all projects; in the first, the packed library is installed as npm does it. */
const FOLDER = temporaryFolder();

beforeAll(() => {
  installPackage(FOLDER, {});
});

/** Compiles and runs programs of these constructs beside the peers; gives their stacks and the framework's releases. */
function synthesizedWith(peers: Readonly<Record<string, string>>, constructs: readonly Construct[]) {
  const project = mkdtempSync(join(FOLDER, "project-"));
  cpSync(join(FOLDER, "node_modules"), join(project, "node_modules"), { recursive: true });
  linkPackages(project, peers);
  for (const construct of constructs) writeFileSync(join(project, `${construct}.ts`), programOf(construct));
  const compilerOptions = {
    strict: true,
    skipLibCheck: true,
    target: "ES2022",
    module: "CommonJS",
    moduleResolution: "Node10",
    // Links stand for packages of the project's own, so what these ask for is looked for in the project.
    types: ["node"],
    preserveSymlinks: true,
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const compiler = join(REPOSITORY, "node_modules/typescript/bin/tsc");
  expect(spawnSync(process.execPath, [compiler, "--project", project], { encoding: "utf8" }).stdout).toBe("");
  return constructs.map((construct) => {
    execFileSync(process.execPath, ["--preserve-symlinks", `${construct}.js`], { cwd: project, stdio: "pipe" });
    const text = readFileSync(join(project, "cdktf.out/stacks", construct, "cdk.tf.json"), "utf8");
    const { "//": root, ...terraform } = JSON.parse(text) as { "//": { metadata: { version: string } } };
    return { release: root.metadata.version, text: withoutMetadata(terraform).replaceAll(project, "") };
  });
}

/** Elements carry the paths of their constructs; the framework's own backend, the path of the project. */
const withoutMetadata = (value: unknown): string =>
  JSON.stringify(value, (key, item: unknown) => (key === "//" ? undefined : item), 1);

/**
 * As with `"cdktf": "npm:cdktn@…"` among the dependencies, and `"overrides": { "cdktf": "$cdktf" }` for the bindings.
 */
it("Every construct compiles without unused bindings, and synthesizes the same with the framework's successor", () => {
  const constructs = Object.keys(CONSTRUCTS) as Construct[];
  const before = constructs.flatMap((construct) => {
    const [, ...used] = CONSTRUCTS[construct].map((name) => `@cdktf/provider-${name.toLowerCase()}`);
    const peers = Object.entries(PEERS).filter(([peer]) => !peer.includes("/provider-") || used.includes(peer));
    return synthesizedWith(Object.fromEntries(peers), [construct]);
  });
  const after = synthesizedWith({ ...PEERS, cdktf: "cdktn" }, constructs);
  expect(before.map(({ release }) => release)).toEqual(constructs.map(() => releaseOf("cdktf")));
  expect(after).toEqual(before.map(({ text }) => ({ release: releaseOf("cdktn"), text })));
});

/** Where Python's packages have the bindings of the successor, which are the ones that npm would install. */
const NEWER_BINDINGS = ["google", "kubernetes", "random", "tls"];
const placeOf = (name: string) => `cdktn_provider_${name}`;

function unpacked(name: string): string {
  const folder = temporaryFolder();
  const place = join(pythonPackage(placeOf(name)) ?? "", "_jsii");
  const [archive = ""] = readdirSync(place).filter((file) => file.endsWith(".tgz"));
  execFileSync("tar", ["-xzf", join(place, archive), "-C", folder, "--strip-components=1"]);
  return folder;
}

describeWith(
  ["tar"],
  "The successor's own bindings",
  () => {
    it("give the same, as what their names stand for", () => {
      const constructs = Object.keys(CONSTRUCTS) as Construct[];
      const bindings = NEWER_BINDINGS.map((name) => [`@cdktf/provider-${name}`, unpacked(name)] as const);
      const after = synthesizedWith(
        { ...PEERS, cdktf: "cdktn", cdktn: "cdktn", ...Object.fromEntries(bindings) },
        constructs,
      );
      expect(after).toEqual(synthesizedWith({ ...PEERS, cdktf: "cdktn" }, constructs));
    });
  },
  { python: NEWER_BINDINGS.map(placeOf) },
);
