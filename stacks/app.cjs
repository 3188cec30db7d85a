// Synthesizes the stacks that are named, or all: the app command of cdktf.json and of `npm run synth`. Types are
// checked by `npm run check`, not here. It runs two programs, each bundled into one file instead of hundreds: the
// library with the stacks, and the packages that they need. Both are cached with their compiled code, so that most
// syntheses neither bundle nor compile anything.
"use strict";

const { dirname, join } = require("node:path");
const { setFlagsFromString } = require("node:v8");

const { bundlePackages, bundleStacks } = require("./bundles.cjs");
const { loadProgram } = require("./kept-program.cjs");

const CHECKOUT = dirname(__dirname);

// A synthesis is too short for optimized code or a full garbage collection to pay off.
setFlagsFromString("--no-opt");
setFlagsFromString("--no-incremental-marking");

// The framework records a stack trace for each token, which nobody reads here and takes a tenth of the time. Errors
// have their own.
Error.captureStackTrace = () => undefined;

// Skips the teardown of Node's heap.
process.once("beforeExit", () => process.exit());

async function run(...names) {
  const program = (name, key, make) =>
    loadProgram({
      file: join(CHECKOUT, "node_modules/.cache", require("../package.json").name, name),
      checkout: CHECKOUT,
      // A program contains the paths of its packages, and modules that Node preloads may change what is bundled.
      key: JSON.stringify([key, CHECKOUT, process.execArgv, process.env.NODE_OPTIONS]),
      make,
    });
  const wanted = [...new Set(names)].sort().join("+") || "all";
  const stacks = await program(`stacks-${encodeURIComponent(wanted)}`, "", () => bundleStacks(CHECKOUT, names));
  const packages = await program(`packages-${encodeURIComponent(wanted)}`, stacks.packages, () =>
    bundlePackages(CHECKOUT, stacks.packages),
  );

  const loaders = packages.run(join(CHECKOUT, "packages.cjs"), require);
  // Files of this package are found relative to the name of its program.
  stacks.run(join(CHECKOUT, "stacks.cjs"), (name) => (Object.hasOwn(loaders, name) ? loaders[name]() : require(name)));
}

void run(...process.argv.slice(2));
