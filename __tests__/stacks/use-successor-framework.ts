import { Module } from "node:module";

import * as bundler from "esbuild";

/**
 * Required before anything else, makes every `cdktf` of the process the framework's successor, for the provider bindings
 * as well: in what Node loads, and in what the app command bundles.
 */
const loader = Module as unknown as { _resolveFilename: (request: string, ...context: unknown[]) => string };
const resolveAsBefore = loader._resolveFilename.bind(loader);

loader._resolveFilename = (request, ...context) =>
  resolveAsBefore(request.replace(/^cdktf(?=$|\/)/, "cdktn"), ...context);

const loadedBundler = require.cache[require.resolve("esbuild")];
if (loadedBundler === undefined) throw new Error("the bundler is not among the loaded modules");
loadedBundler.exports = {
  ...bundler,
  build: (options: bundler.BuildOptions) => bundler.build({ ...options, alias: { cdktf: "cdktn" } }),
};
