const { default: Runtime } = require("jest-runtime");

/** The framework and its bindings: large, without any state that a test can see, and loaded by nearly every file. */
const SHARED = /^(cdktf|constructs|@cdktf\/)/;

/** Lets all files of a worker share these modules, which each would otherwise load and compile anew. */
module.exports = class SharedModulesRuntime extends Runtime {
  requireModuleOrMock(from, name) {
    return SHARED.test(name) ? require(name) : super.requireModuleOrMock(from, name);
  }
};
