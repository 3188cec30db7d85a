import { Module } from "node:module";

/**
 * Required before anything else, makes every `cdktf` of the process the framework's successor, for the provider bindings
 * as well.
 */
const loader = Module as unknown as { _resolveFilename: (request: string, ...context: unknown[]) => string };
const resolveAsBefore = loader._resolveFilename.bind(loader);

loader._resolveFilename = (request, ...context) =>
  resolveAsBefore(request.replace(/^cdktf(?=$|\/)/, "cdktn"), ...context);
