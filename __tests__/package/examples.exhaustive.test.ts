import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { type Inputs } from "../rehearsal/deployment/deployment";
import { rehearse } from "../rehearsal/engine/rehearsal";
import { describeWith, programPath } from "../support/programs";
import { temporaryFolder } from "../support/temporary-folder";
import { exampleFolders, programs } from "../tools/pages";
import { installPackage, linkPackages, PEERS, releaseOf, REPOSITORY } from "./installed-package";

const execute = promisify(execFile);

const EXAMPLES = join(REPOSITORY, "stacks/examples");

/** Examples that are projects of their own, and those that are a program alone. */
const PROJECTS = exampleFolders().filter((name) => existsSync(join(EXAMPLES, name, "package.json")));
const PROGRAMS = exampleFolders().filter((name) => !PROJECTS.includes(name));

/** Programs of pages that are in no folder of examples. */
const ON_PAGES = ["sign-in-by-hand"];

/** Inputs that lift the protection of those that have it. */
const PROTECTION_OFF: Readonly<Record<string, Inputs>> = { acme: { protect: false } };

/** APIs that must be on before a stack makes a network of its own. */
const ENABLED_APIS: Readonly<Record<string, readonly string[]>> = {
  "sign-in-with-network": ["compute", "servicenetworking"],
};

const stacksOf = (text: string): readonly string[] => programs().find((each) => each.text === text)?.stacks ?? [];

/** Every stack, with the folder of its project. */
const STACKS = [
  ...exampleFolders().flatMap((name) =>
    stacksOf(readFileSync(join(EXAMPLES, name, "main.ts"), "utf8")).map((stack) => [stack, name] as const),
  ),
  ...ON_PAGES.map((name) => [name, name] as const),
];

describeWith(["terraform"], "The examples, with the packed library", () => {
  let place: string;
  let library: string;
  const folderOf = (name: string) => join(PROJECTS.includes(name) ? place : library, name);

  beforeAll(async () => {
    place = temporaryFolder();
    library = join(place, "library");
    mkdirSync(library);
    installPackage(library, PEERS);
    for (const name of exampleFolders()) cpSync(join(EXAMPLES, name), folderOf(name), { recursive: true });
    for (const name of ON_PAGES) {
      mkdirSync(folderOf(name));
      const program = programs().find(({ stacks }) => stacks.includes(name));
      writeFileSync(join(folderOf(name), "main.ts"), program?.text ?? "");
    }
    await Promise.all([synthesizePrograms(), ...PROJECTS.map(synthesizeProject)]);
  });

  /** Compiles as the framework's template does. */
  async function synthesizePrograms(): Promise<void> {
    const names = [...PROGRAMS, ...ON_PAGES];
    const files = names.map((name) => `${name}/main.ts`);
    const template = join(folderOf("identity-provider"), "tsconfig.json");
    writeFileSync(join(library, "tsconfig.json"), JSON.stringify({ extends: template, include: files }));
    await execute(process.execPath, [join(REPOSITORY, "node_modules/typescript/bin/tsc")], { cwd: library });
    for (const name of names) await execute(process.execPath, ["main.js"], { cwd: folderOf(name) });
  }

  /** Installs what the project's `package.json` names, and runs what its `cdktf.json` says. */
  async function synthesizeProject(name: string): Promise<void> {
    const cwd = folderOf(name);
    const read = (file: string): unknown => JSON.parse(readFileSync(join(cwd, file), "utf8"));
    const { dependencies, devDependencies } = read("package.json") as Record<string, Record<string, string>>;
    const packages: Record<string, string> = { ".bin/ts-node": ".bin/ts-node" };
    for (const [dependency, release] of Object.entries({ ...dependencies, ...devDependencies })) {
      const [, alias] = /^npm:(.+)@/.exec(release) ?? [];
      const packed = release.startsWith("file:") ? join(library, "node_modules", dependency) : undefined;
      packages[dependency] = packed ?? alias ?? dependency;
    }
    linkPackages(cwd, packages);
    const { app } = read("cdktf.json") as { app: string };
    // Links stand for packages of the project's own, so what these ask for is looked for in the project.
    const own = { NODE_PRESERVE_SYMLINKS: "1", TS_NODE_COMPILER_OPTIONS: '{ "preserveSymlinks": true }' };
    await execute("sh", ["-c", app], { cwd, env: { ...process.env, ...own } });
  }

  it("compile and synthesize, those of the framework's template and of its successor as projects of their own", () => {
    const release = ([stack, name]: readonly [string, string]) => {
      const text = readFileSync(join(folderOf(name), "cdktf.out/stacks", stack, "cdk.tf.json"), "utf8");
      return (JSON.parse(text) as { "//": { metadata: { version: string } } })["//"].metadata.version;
    };
    expect(PROJECTS).toEqual(["identity-provider", "two-tenants"]);
    for (const each of STACKS) {
      const framework = each[1] === "two-tenants" ? "cdktn" : "cdktf";
      expect([each, release(each)]).toEqual([each, releaseOf(framework)]);
    }
  });

  // The second of two tenants, and the smallest program, are the first tenant under other names.
  it.each(STACKS.filter(([stack]) => !["globex", "sign-in"].includes(stack)))(
    "apply, change nothing in a second plan, and leave nothing after a destroy: %s",
    async (stack, name) => {
      const off = PROTECTION_OFF[stack];
      const report = await rehearse({
        folder: join(folderOf(name), "cdktf.out/stacks", stack),
        program: programPath("terraform"),
        parts: ["life"],
        rehearsal: {
          inputs: {},
          externalResourcesExist: true,
          prepare: ({ cloud }) => {
            cloud.addOthersSecret("my-project", "mail-password", 1, "of-the-mail-server");
            for (const api of ENABLED_APIS[stack] ?? []) cloud.surroundings.enabledApis.add(`${api}.googleapis.com`);
          },
          protection: off === undefined ? undefined : { off },
        },
      });
      expect(report.failure).toBeUndefined();
      expect(report.steps.map(({ step }) => step)).toEqual(expect.arrayContaining(["apply", "plan again", "destroy"]));
    },
  );
});
