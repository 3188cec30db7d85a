// Synthesizes the stacks that are named, or all: the app command of cdktf.json and of `npm run synth`. Types are checked by
// `npm run check`, not here; bundling our own files takes a fraction of the time that loading them one by one does. The
// bundle stays in memory, so that nothing is written to the checkout and any number of syntheses run side by side.
"use strict";

const { Module } = require("node:module");
const { dirname, join } = require("node:path");
const { build } = require("esbuild");

// The framework notes for each value where in the code it was made, which nobody reads here and takes a tenth of the time.
Error.prepareStackTrace = (error, places) => (error instanceof Error ? [error, ...places].join("\n    at ") : "");

async function run() {
  const bundling = build({
    entryPoints: [join(__dirname, "main.ts")],
    bundle: true,
    platform: "node",
    target: "node20",
    packages: "external",
    write: false,
    logLevel: "warning",
  });
  // The bundler is a program of its own: the framework is loaded while it works.
  await new Promise(setImmediate);
  require("cdktf");
  const { outputFiles } = await bundling;

  // Packages and files of this one are found from where the bundle is said to be.
  const bundle = new Module(join(dirname(__dirname), "stacks.cjs"));
  bundle.filename = bundle.id;
  bundle.paths = module.paths;
  bundle._compile(outputFiles[0].text, bundle.filename);
}

void run();
