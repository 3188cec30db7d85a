import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { preProcessFile } from "typescript";

import { packageFile } from "../../lib/core/package-file";

interface Import {
  readonly file: string;
  readonly from: string;
}

/** Every module that a TypeScript file of the folder loads in any way; text that only resembles an import is ignored. */
function importsOf(folder: string): Import[] {
  const sources = readdirSync(packageFile(folder), { recursive: true, encoding: "utf8" });
  return sources
    .filter((source) => source.endsWith(".ts"))
    .flatMap((source) => {
      const file = join(folder, source);
      const { importedFiles } = preProcessFile(readFileSync(packageFile(file), "utf8"), true, true);
      return importedFiles.map(({ fileName }) => ({ file, from: fileName }));
    });
}

describe("Imports", () => {
  const imports = ["lib", "stacks", "__tests__"].flatMap(importsOf);
  const ofProviders = imports.filter(({ from }) => from.startsWith("@cdktf/provider-"));

  it("load one resource of a provider package at a time, because the root takes seconds and hundreds of megabytes", () => {
    expect(ofProviders.length).toBeGreaterThan(5);
    expect(ofProviders.filter(({ from }) => !/^@cdktf\/provider-[a-z-]+\/lib\/[a-z0-9-]+$/.test(from))).toEqual([]);
  });

  it("keep core independent of what is built on it", () => {
    const strangers = imports.filter(
      ({ file, from }) => file.startsWith("lib/core/") && from.startsWith(".") && !from.startsWith("./"),
    );
    expect(strangers).toEqual([]);
  });

  it("draw random cases with a fixed seed only, so that nobody's first run fails by chance", () => {
    const drawing = imports.filter(({ from }) => from === "fast-check").map(({ file }) => file);
    expect(drawing).toEqual(["__tests__/support/seeded-cases.ts"]);
  });

  it.each(["lib", "stacks"])("find nothing of the tests from %s", (folder) => {
    const ofFolder = imports.filter(({ file }) => file.startsWith(`${folder}/`));
    expect(ofFolder.length).toBeGreaterThan(50);
    expect(ofFolder.filter(({ from }) => from.includes("__tests__"))).toEqual([]);
  });
});
