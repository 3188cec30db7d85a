// Makes one program of many files, for app.cjs. Only a synthesis that finds none kept comes here.
"use strict";

const { readFileSync } = require("node:fs");
const { isBuiltin, wrap } = require("node:module");
const { basename } = require("node:path");

const MAIN = "stacks/main.ts";

/**
 * The stacks and our library. Quick, because packages are left out, and needed after every edit.
 *
 * @returns code, input files, and as `packages` the modules of packages that the named stacks import, or all stacks
 */
exports.bundleStacks = async (checkout, names) => {
  const { code, metafile } = await bundle(checkout, { entryPoints: [MAIN], packages: "external" });
  const isWanted = (path) => names.length === 0 || names.includes(basename(path, ".ts"));
  const files = new Set([MAIN]);
  // The set grows while it is read. What is imported late is a stack.
  for (const file of files) {
    for (const { path, kind } of metafile.inputs[file]?.imports ?? []) {
      if (kind !== "dynamic-import" || isWanted(path)) files.add(path);
    }
  }
  const [{ imports }] = Object.values(metafile.outputs);
  const packages = new Set(imports.map(({ path }) => path).filter((path) => files.has(path) && !isBuiltin(path)));
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
  // Loaded late: it takes longer than the rest of a synthesis that finds its programs kept.
  const { build } = require("esbuild");
  const { outputFiles, metafile } = await build({
    absWorkingDir: checkout,
    bundle: true,
    platform: "node",
    target: "node20",
    // One byte per character, so that the code is read as fast as the disk allows.
    charset: "ascii",
    legalComments: "none",
    metafile: true,
    write: false,
    logLevel: "warning",
    ...options,
  });
  return { code: wrap(outputFiles[0].text), metafile };
}
