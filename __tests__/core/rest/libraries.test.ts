import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

import { packageFile } from "../../../lib/core/package-file";

const CORE_LIBRARIES = ["rest-script", "google-credentials", "google-rest"].map(
  (name) => `lib/core/scripts/${name}.sh`,
);
const LAB_LIBRARY = "lib/lab/scripts/assessment-rest.sh";

const SHARED_FOLDERS = ["lib/core/scripts", "lib/idp/scripts", "lib/platform/kubernetes/scripts"];

/** Shell without comments, which may name functions that are not used. */
function commandsOf(path: string): string {
  return readFileSync(packageFile(path), "utf8").replace(/^ *#.*$/gm, "");
}

/** The functions of a library, with their text. */
function functionsOf(library: string): ReadonlyMap<string, string> {
  const functions = commandsOf(library).matchAll(/^(google_\w+)\(\) \{\n([^]*?)^\}$(?=\n\n|\n*$(?![^]))/gm);
  return new Map([...functions].map(([, name = "", text = ""]) => [name, text]));
}

/** The scripts of the folders, without the libraries. */
function scriptsIn(...folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) => readdirSync(packageFile(folder)).map((file) => `${folder}/${file}`))
    .filter((path) => path.endsWith(".sh") && !CORE_LIBRARIES.includes(path) && path !== LAB_LIBRARY);
}

/** A script with its own libraries, which are in the same folder. */
function withOwnLibraries(script: string): string {
  const text = commandsOf(script);
  const own = [...text.matchAll(/^\. "\$scripts\/([\w-]+\.sh)"$/gm)].map(([, name = ""]) => name);
  const paths = own.map((name) => script.replace(/[^/]+$/, name)).filter((path) => path !== LAB_LIBRARY);
  return [text, ...paths.map(commandsOf)].join("\n");
}

/** The functions that a shell text calls, directly or indirectly. */
function reachedFrom(text: string, functions: ReadonlyMap<string, string>): ReadonlySet<string> {
  const reached = new Set<string>();
  const pending = [text];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [name] of next.matchAll(/\bgoogle_\w+/g)) {
      const body = functions.get(name);
      if (body === undefined || reached.has(name)) continue;
      reached.add(name);
      pending.push(body);
    }
  }
  return reached;
}

/** Functions that no file calls. */
function unreached(functions: ReadonlyMap<string, string>, ...paths: readonly string[]): string[] {
  const reached = reachedFrom(paths.map(commandsOf).join("\n"), functions);
  return [...functions.keys()].filter((name) => !reached.has(name));
}

describe("The shell libraries of the REST scripts", () => {
  const core = new Map(CORE_LIBRARIES.flatMap((library) => [...functionsOf(library)]));
  const lab = functionsOf(LAB_LIBRARY);

  it("are parsed completely by this test", () => {
    for (const library of [...CORE_LIBRARIES, LAB_LIBRARY])
      expect([...functionsOf(library).keys()]).toEqual(commandsOf(library).match(/^\w+(?=\(\))/gm));
  });

  it("have in core only what other scripts use too", () => {
    expect(unreached(core, ...scriptsIn(...SHARED_FOLDERS))).toEqual([]);
  });

  it("have no unused functions", () => {
    const scripts = scriptsIn(...SHARED_FOLDERS, "lib/lab/scripts");
    expect(unreached(new Map([...core, ...lab]), ...scripts)).toEqual([]);
  });

  it("use in core nothing of the lab's library, and define no function twice", () => {
    const text = CORE_LIBRARIES.map(commandsOf).join("\n");
    expect([...lab.keys()].filter((name) => new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
  });

  it("can print, wait and end without the library that calls", () => {
    const [script = "", calls = ""] = CORE_LIBRARIES;
    const reached = reachedFrom(commandsOf(script), functionsOf(calls));
    expect([...reached]).toEqual([]);
  });

  it("are both sourced by exactly the scripts that use the lab's library", () => {
    const scripts = scriptsIn(...SHARED_FOLDERS, "lib/lab/scripts").filter((path) =>
      readFileSync(packageFile(path), "utf8").startsWith("#!"),
    );
    const using = scripts.filter((script) => reachedFrom(withOwnLibraries(script), lab).size > 0);
    const reading = scripts.filter((script) =>
      /google-rest\.sh[^]*^\. .*assessment-rest\.sh"$/m.test(commandsOf(script)),
    );
    expect(using.length).toBeGreaterThan(0);
    expect(reading).toEqual(using);
  });

  it.each([
    ["in its own folder, by its bare name", "lib/core/scripts", "wait-for-api.sh"],
    ["from elsewhere, by a path", ".", "lib/core/scripts/wait-for-api.sh"],
  ])("are found by a script that is started %s", (_place, folder, script) => {
    const known = execFileSync("sh", [script, "--list"], { cwd: packageFile(folder), encoding: "utf8" });
    expect(known).toMatch(/^run projects\//m);
  });
});
