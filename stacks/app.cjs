// Synthesizes the stacks that are named, or all: the app command of cdktf.json and of `npm run synth`. Types are checked by
// `npm run check`, not here. What it runs are two programs, each one file instead of hundreds: ours, and the packages that
// it needs. Both are kept compiled, so that most syntheses neither bundle nor compile anything.
"use strict";

const { dirname, join } = require("node:path");
const { setFlagsFromString } = require("node:v8");

const { bundlePackages, bundleStacks } = require("./bundles.cjs");
const { loadProgram } = require("./kept-program.cjs");

const CHECKOUT = dirname(__dirname);

// A synthesis ends before code that is optimized, or a collection of all garbage, has paid for itself.
setFlagsFromString("--no-opt");
setFlagsFromString("--no-incremental-marking");

// The framework notes for each value where in the code it was made, which nobody reads here and takes a tenth of the time.
// Errors know where they were thrown without it.
Error.captureStackTrace = () => undefined;

// At its end, Node would take the heap apart first.
process.once("beforeExit", () => process.exit());

async function run(...names) {
  const program = (name, key, make) =>
    loadProgram({
      file: join(CHECKOUT, "node_modules/.cache", require("../package.json").name, name),
      checkout: CHECKOUT,
      // A program knows where its packages are, and what Node loads before it may change what is bundled.
      key: JSON.stringify([key, CHECKOUT, process.execArgv, process.env.NODE_OPTIONS]),
      make,
    });
  const wanted = [...new Set(names)].sort().join("+") || "all";
  const stacks = await program(`stacks-${encodeURIComponent(wanted)}`, "", () => bundleStacks(CHECKOUT, names));
  const packages = await program(`packages-${encodeURIComponent(wanted)}`, stacks.packages, () =>
    bundlePackages(CHECKOUT, stacks.packages),
  );

  const loaders = packages.run(join(CHECKOUT, "packages.cjs"), require);
  // Files of this package are found from where its program is said to be.
  stacks.run(join(CHECKOUT, "stacks.cjs"), (name) => (Object.hasOwn(loaders, name) ? loaders[name]() : require(name)));
}

void run(...process.argv.slice(2));
