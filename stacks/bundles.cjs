// Bundles many files into one program, for app.cjs. Loaded only if no cached program can be used.
"use strict";

const { readFileSync } = require("node:fs");
const { isBuiltin, wrap } = require("node:module");
const { basename } = require("node:path");

const MAIN = "stacks/main.ts";

/** Imports each stack when it is needed. */
const ALL_STACKS = "stacks/all-stacks.ts";

/**
 * Bundles the stacks and the library. Quick, because packages are left out; needed after every edit.
 *
 * @returns code, input files, and as `packages` the modules of packages that the named stacks import, or all stacks
 */
exports.bundleStacks = async (checkout, names) => {
  const { code, metafile } = await bundle(checkout, { entryPoints: [MAIN], packages: "external" });
  const isWanted = (path) => names.length === 0 || names.includes(basename(path, ".ts"));
  const needed = new Set([MAIN]);
  // The set grows during the loop.
  for (const file of needed) {
    for (const { path, kind } of metafile.inputs[file]?.imports ?? []) {
      if (file !== ALL_STACKS || kind !== "dynamic-import" || isWanted(path)) needed.add(path);
    }
  }
  const [{ imports }] = Object.values(metafile.outputs);
  const packages = new Set(imports.map(({ path }) => path).filter((path) => needed.has(path) && !isBuiltin(path)));
  return { code, inputs: Object.keys(metafile.inputs), packages: [...packages].sort() };
};

/**
 * Bundles these modules of packages. Takes a second; needed after an installation.
 *
 * @returns code and input files; the program exports by name a function that loads the module
 */
exports.bundlePackages = async (checkout, packages) => {
  const loaders = packages.map(JSON.stringify).map((name) => `${name}: () => require(${name})`);
  const { code, metafile } = await bundle(checkout, {
    stdin: { contents: `module.exports = { ${loaders.join(", ")} };`, resolveDir: checkout },
    // The same choice among the exports of a package as Node makes.
    conditions: [],
    plugins: [ARCHIVING_APART],
  });
  return { code, inputs: Object.keys(metafile.inputs).filter((path) => !/^(<stdin>$|left-out:)/.test(path)) };
};

/**
 * The framework archives assets with a module that it runs as a program of its own. Such a run uses the module itself,
 * so its path must be right here too, and the hundred modules that only that run needs are left out.
 */
const ARCHIVING_APART = {
  name: "archiving-apart",
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /[/\\]cdktf[/\\]lib[/\\]private[/\\]fs[.]js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll("__filename", JSON.stringify(path)),
    }));
    onResolve({ filter: /^archiver$/ }, ({ path }) => ({ path, namespace: "left-out" }));
    onLoad({ filter: /./, namespace: "left-out" }, () => ({ contents: "" }));
  },
};

async function bundle(checkout, options) {
  // Loaded late, because most syntheses do not need it.
  const { build } = require("esbuild");
  const { outputFiles, metafile } = await build({
    absWorkingDir: checkout,
    bundle: true,
    platform: "node",
    target: "node20",
    // One byte per character, so that the code is read as fast as the disk allows.
    charset: "ascii",
    // All imports, even late ones, come from the program of the packages.
    supported: { "dynamic-import": false },
    legalComments: "none",
    metafile: true,
    write: false,
    logLevel: "warning",
    ...options,
  });
  return { code: wrap(outputFiles[0].text), metafile };
}
