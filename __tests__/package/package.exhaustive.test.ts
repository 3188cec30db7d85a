import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { temporaryFolder } from "../support/temporary-folder";
import { pageOf, programs } from "../tools/pages";
import { installPackage, linkPackages, PEERS, REPOSITORY } from "./installed-package";

const filesUnder = (folder: string): string[] =>
  readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: "utf8" })
    .map((file) => join(folder, file))
    .filter((file) => statSync(join(REPOSITORY, file)).isFile());

/** What the package must hold beside compiled code: whatever is not TypeScript. */
const ASSETS = [...filesUnder("lib").filter((file) => !file.endsWith(".ts")), ...filesUnder("image")];

const { exports: EXPORTS } = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as {
  exports: Record<string, string | { default: string; types: string }>;
};

/** Everything that can be imported from the package, by the names under which `exports` offers it. */
const SUBPATHS = Object.keys(EXPORTS).map((name) => `cdktf-idp-stacks${name.slice(1)}`);
const MODULES = SUBPATHS.filter((subpath) => !subpath.endsWith(".json"));

/** How a project may look for modules; the first is the framework's own template, strictness included. */
const RESOLUTIONS: Readonly<Record<string, object>> = {
  "the framework's template (node10)": {
    lib: ["ES2018"],
    module: "CommonJS",
    target: "ES2018",
    resolveJsonModule: true,
    noFallthroughCasesInSwitch: true,
    noImplicitReturns: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
  },
  "nodenext, with every strict option": {
    module: "NodeNext",
    moduleResolution: "NodeNext",
    skipLibCheck: false,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noImplicitOverride: true,
    noPropertyAccessFromIndexSignature: true,
  },
};

/** A package's file in place of its folder, which is what the pages say for projects of ES modules. */
const asModule = (text: string): string => text.replaceAll(/(?<="@cdktf\/provider-[^"]+)(?=")/g, "/index.js");

/** Snapshots of a user's own tests, of all that synthesizes, in a stack of each kind. */
const OWN_TESTS = `
const { readdirSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const { GoogleProvider } = require("@cdktf/provider-google/lib/provider");
const { RandomProvider } = require("@cdktf/provider-random/lib/provider");
const { TlsProvider } = require("@cdktf/provider-tls/lib/provider");
const { TerraformStack, Testing } = require("cdktf");
const { PortableStack, ServerlessIdentityProvider } = require("cdktf-idp-stacks");
const { KubernetesIdentityProvider } = require("cdktf-idp-stacks/kubernetes");
const { AssessmentLab } = require("cdktf-idp-stacks/lab");

const given = { projectId: "my-project", tenantId: "acme", domain: "sign-in.example.com", alertEmails: ["a@example.com"] };
const constructs = { ServerlessIdentityProvider, KubernetesIdentityProvider, AssessmentLab };
describe.each(Object.entries(constructs))("%s", (name, Construct) => {
  const create = (scope) => new Construct(scope, "Whole", name === "AssessmentLab" ? { projectId: "my-project" } : given);
  it("synthScope", () => expect(Testing.synthScope((scope) => void create(scope))).toMatchSnapshot());
  describe.each([TerraformStack, PortableStack])("%p", (Stack) => {
    const stack = new Stack(Testing.app(), "own", { providers: ["google", "random", "tls"] });
    for (const Provider of [GoogleProvider, RandomProvider, TlsProvider]) new Provider(stack, Provider.name, {});
    create(stack);
    it("synth", () => expect(Testing.synth(stack, true)).toMatchSnapshot());
    it("fullSynth", () => {
      const folder = Testing.fullSynth(stack);
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())) {
        const path = join(entry.parentPath ?? entry.path, entry.name);
        expect(readFileSync(path, "utf8")).toMatchSnapshot(path.slice(folder.length));
      }
    });
  });
});
`;

/** An empty project in which the packed library is installed, and every TypeScript example of its pages. */
describe("the packed library", () => {
  let project: string;

  beforeAll(() => {
    project = temporaryFolder();
    installPackage(project, { ...PEERS, "@types/jest": "@types/jest" });

    mkdirSync(join(project, "modules"));
    writeFileSync(join(project, "modules/package.json"), JSON.stringify({ type: "module" }));
    for (const [index, { stacks, text }] of programs().entries()) {
      mkdirSync(join(project, `example-${index}`));
      writeFileSync(join(project, `example-${index}/main.ts`), text);
      if (stacks.length > 0) writeFileSync(join(project, `modules/example-${index}.ts`), asModule(text));
    }
    mkdirSync(join(project, "example-of-everything"));
    writeFileSync(
      join(project, "example-of-everything/main.ts"),
      MODULES.map((subpath, index) => `export * as module${index} from ${JSON.stringify(subpath)};\n`).join(""),
    );
    Object.entries(RESOLUTIONS).forEach(([name, options], index) => {
      const types = ["node", "jest"];
      const compilerOptions = { strict: true, skipLibCheck: true, target: "ES2022", types, ...options };
      const include = ["example-*/main.ts"];
      if (name.startsWith("nodenext")) include.push("modules/*.ts");
      writeFileSync(join(project, `tsconfig-${index}.json`), JSON.stringify({ compilerOptions, include }));
    });
  });

  it("holds the compiled constructs, their types, every script and the image, and nothing of the tests", () => {
    const folder = join(project, "node_modules/cdktf-idp-stacks");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    expect(files).toEqual(
      expect.arrayContaining(["LICENSE", "README.md", "dist/lib/index.d.ts", "dist/lib/index.js", ...ASSETS]),
    );
    const ours = files.filter((file) => !file.startsWith("stacks/examples/"));
    expect(ours.filter((file) => /__tests__|stacks.*\.(?!svg|md)\w+$|\.test\.|(?<!\.d)\.ts$/.test(file))).toEqual([]);
  });

  it("holds everything that its pages link to or show", () => {
    const folder = join(project, "node_modules/cdktf-idp-stacks");
    const pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".md"));
    const missing = pages.flatMap((page) =>
      [...readFileSync(join(folder, page), "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
        .map(([, link = ""]) => join(dirname(page), link))
        .filter((file) => !existsSync(join(folder, file)))
        .map((file) => `${page}: ${file}`),
    );
    expect(pages.length).toBeGreaterThan(10);
    expect(missing).toEqual([]);
  });

  // Each also emits the programs; the last ones are run below.
  it.each([...Object.keys(RESOLUTIONS).entries()].reverse())(
    "offers its types to every example of its pages, and those of everything that can be imported, in setting %d: %s",
    (index) => {
      expect(programs().length).toBeGreaterThan(5);
      const compiler = join(REPOSITORY, "node_modules/typescript/bin/tsc");
      const args = [compiler, "--project", `tsconfig-${index}.json`];
      const { stdout } = spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" });
      expect(stdout).toBe("");
    },
  );

  it("can be imported by three names, whether as CommonJS or as ES modules, and by no other", () => {
    expect(MODULES).toEqual(["cdktf-idp-stacks", "cdktf-idp-stacks/kubernetes", "cdktf-idp-stacks/lab"]);
    const run = (...args: readonly string[]) =>
      execFileSync(process.execPath, args, { cwd: project, encoding: "utf8", stdio: "pipe" });
    run("--eval", `for (const subpath of ${JSON.stringify(SUBPATHS)}) require(subpath);`);
    const names = { "": "IdpSecrets", "/kubernetes": "KubernetesIdentityProvider", "/lab": "AssessmentLab" };
    const imports = Object.entries(names).map(([path, name]) => `import { ${name} } from "cdktf-idp-stacks${path}";`);
    const program = `${imports.join("\n")}\nconsole.log(${Object.values(names).join(".name, ")}.name);`;
    expect(run("--input-type=module", "--eval", program)).toBe("IdpSecrets KubernetesIdentityProvider AssessmentLab\n");
    expect(() => run("--eval", 'require("cdktf-idp-stacks/core/names")')).toThrow("ERR_PACKAGE_PATH_NOT_EXPORTED");
  });

  it("runs as an ES module that imports the bindings by their files, as the page says", () => {
    expect(pageOf("lib/README.md").text).toContain("`@cdktf/provider-google/lib/provider/index.js`");
    const index = programs().findIndex(({ stacks }) => stacks.includes("sign-in-on-kubernetes"));
    execFileSync(process.execPath, [`example-${index}.js`], { cwd: join(project, "modules"), stdio: "pipe" });
    expect(readdirSync(join(project, "modules/cdktf.out/stacks"))).toEqual(["sign-in-on-kubernetes"]);
  });

  it("gives a user's own tests the same snapshots in any folder and in any order", () => {
    const example = programs().findIndex(({ text }) => text.includes("toMatchSnapshot"));
    const written = readFileSync(join(project, `example-${example}/main.js`), "utf8");
    const folders = [temporaryFolder(), join(temporaryFolder(), "another/place")];
    const jest = (folder: string, ...options: readonly string[]) => {
      const args = [join(REPOSITORY, "node_modules/jest/bin/jest.js"), "--runInBand", "--transform={}", ...options];
      // The framework leaves its folders of tests behind.
      const env = { ...process.env, TMPDIR: project };
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", env });
      return { status, snapshots: /^Snapshots:.*$/m.exec(stderr)?.[0], failures: stderr.match(/^ {2}●.*$/gm) };
    };
    for (const folder of folders) {
      mkdirSync(folder, { recursive: true });
      for (const part of ["package.json", "node_modules/cdktf-idp-stacks"])
        cpSync(join(project, part), join(folder, part), { recursive: true });
      linkPackages(folder, PEERS);
      writeFileSync(join(folder, "example.test.js"), written);
      writeFileSync(join(folder, "own.test.js"), OWN_TESTS);
    }
    const [here = "", elsewhere = ""] = folders;
    const first = jest(here, "--ci=false");
    expect(first).toEqual({ status: 0, snapshots: expect.stringMatching(/ written, /) as unknown, failures: null });
    cpSync(join(here, "__snapshots__"), join(elsewhere, "__snapshots__"), { recursive: true });
    const again = {
      ...first,
      snapshots: first.snapshots?.replace(/\d+ written/, (count) => count.replace("written", "passed")),
    };
    // A seed with which some stacks are first synthesized in full, and others not.
    expect(jest(elsewhere, "--ci", "--randomize", "--seed=2")).toEqual(again);
  });

  it("says in one sentence that it cannot be bundled", () => {
    const bundle = join(temporaryFolder(), "bundle");
    cpSync(join(project, "node_modules/cdktf-idp-stacks/dist/lib/core"), bundle, { recursive: true });
    const { stderr } = spawnSync(process.execPath, [join(bundle, "package-file.js")], { encoding: "utf8" });
    expect(stderr).toMatch(
      /cdktf-idp-stacks: 1 problem\n {2}- its code is in a bundle; .*; keep it external \(esbuild: [^\n]*\n/,
    );
  });

  it("loads nothing of the lab without one", () => {
    const main = readFileSync(join(project, "node_modules/cdktf-idp-stacks/dist/lib/index.js"), "utf8");
    expect(main).not.toMatch(/lab\//);
  });
});
