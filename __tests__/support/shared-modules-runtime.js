const { AsyncLocalStorage } = require("node:async_hooks");
const { createRequire } = require("node:module");

const { default: Runtime } = require("jest-runtime");

/** The framework and its bindings: large, without any state that a test can see, and loaded by nearly every file. */
const SHARED = /^(cdktf|constructs|@cdktf\/)/;

/** What the test runner itself asks for by the name of a package, such as `expect`; what it keeps of a file has paths. */
const PACKAGE = /^(?!(@jest\/)?expect$)[^./]/;

/** Modules by who asked for them and how, which are looked for once. */
const found = new Map();

/** One storage for all files: Node hands every storage that there ever was to each promise. */
const storage = new AsyncLocalStorage();
const asyncHooks = {
  AsyncLocalStorage: function SharedStorage() {
    return storage;
  },
};

// Every token of the framework remembers where it was created. The test runner maps each line of that to its source file,
// which takes longer than the synthesis itself.
require("cdktf/lib/tokens/private/stack-trace").captureStackTrace = () => [];

/** Lets all files of a worker share these modules, which each would otherwise load and compile anew. */
module.exports = class SharedModulesRuntime extends Runtime {
  requireModuleOrMock(from, name) {
    return SHARED.test(name) ? require(name) : super.requireModuleOrMock(from, name);
  }

  requireInternalModule(from, name) {
    if (name === "node:async_hooks") return asyncHooks;
    if (name === undefined || !PACKAGE.test(name)) return super.requireInternalModule(from, name);
    const request = `${from} ${name}`;
    if (!found.has(request)) found.set(request, createRequire(from)(name));
    return found.get(request);
  }
};
