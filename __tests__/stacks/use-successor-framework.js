// Required before anything else, makes every `cdktf` of the process the framework's successor, for the provider bindings
// as well.
const Module = require("node:module");

const resolveAsBefore = Module._resolveFilename;
Module._resolveFilename = (request, ...context) =>
  resolveAsBefore(request.replace(/^cdktf(?=$|\/)/, "cdktn"), ...context);
