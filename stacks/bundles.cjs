// Makes one program of many files, for app.cjs. Only a synthesis that finds none kept comes here.
"use strict";

const { readFileSync } = require("node:fs");
const { isBuiltin, wrap } = require("node:module");
const { basename } = require("node:path");

const MAIN = "stacks/main.ts";

/** Imports each stack when it is wanted. */
const ALL_STACKS = "stacks/all-stacks.ts";

/**
 * The stacks and our library. Quick, because packages are left out, and needed after every edit.
 *
 * @returns code, input files, and as `packages` the modules of packages that the named stacks import, or all stacks
 */
exports.bundleStacks = async (checkout, names) => {
  const { code, metafile } = await bundle(checkout, { entryPoints: [MAIN], packages: "external" });
  const isWanted = (path) => names.length === 0 || names.includes(basename(path, ".ts"));
  const needed = new Set([MAIN]);
  // The set grows while it is read.
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
 * These modules of packages. Takes a second, and is needed after an installation.
 *
 * @returns code and input files; the program exports by name a function that loads the module
 */
exports.bundlePackages = async (checkout, packages) => {
  const loaders = packages.map(JSON.stringify).map((name) => `${name}: () => require(${name})`);
  const { code, metafile } = await bundle(checkout, {
    stdin: { contents: `module.exports = { ${loaders.join(", ")} };`, resolveDir: checkout },
    // As Node chooses among what a package offers.
    conditions: [],
    plugins: [ARCHIVING_APART],
  });
  return { code, inputs: Object.keys(metafile.inputs).filter((path) => !/^(<stdin>$|left-out:)/.test(path)) };
};

/**
 * The framework makes an archive of an asset by a module that it runs as a program. Such a run takes the module itself, so
 * it must know its place here too, and what only that run needs, a hundred modules, is left out.
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
  // Loaded late: most syntheses do without.
  const { build } = require("esbuild");
  const { outputFiles, metafile } = await build({
    absWorkingDir: checkout,
    bundle: true,
    platform: "node",
    target: "node20",
    // One byte per character, so that the code is read as fast as the disk allows.
    charset: "ascii",
    // Whatever is imported, and whenever, comes from the program of the packages.
    supported: { "dynamic-import": false },
    legalComments: "none",
    metafile: true,
    write: false,
    logLevel: "warning",
    ...options,
  });
  return { code: wrap(outputFiles[0].text), metafile };
}
