const { accessSync, constants, statfsSync } = require("node:fs");

// Databases and container images are thousands of small files, which memory takes in half the time of a disk.
const MEMORY_FOLDER = "/dev/shm";
if (process.env.TMPDIR === undefined && hasRoom(MEMORY_FOLDER)) process.env.TMPDIR = MEMORY_FOLDER;

/** @type {import("jest").Config} */
module.exports = {
  testEnvironment: "node",
  setupFiles: ["<rootDir>/__tests__/support/no-stack-traces.ts"],
  testMatch: ["<rootDir>/__tests__/**/*.test.ts"],
  transform: { "(\\.ts|/@marcbachmann/.+\\.js)$": ["@swc/jest", { jsc: { parser: { syntax: "typescript" } } }] },
  // A package that is published as modules only.
  transformIgnorePatterns: ["/node_modules/(?!@marcbachmann/)"],
  // `npm run test:exhaustive` runs these: whole stacks applied, scripts killed at every step, every fault on every call.
  testPathIgnorePatterns: ["/node_modules/", "<rootDir>/__tests__/rehearsal/", "\\.exhaustive\\.test\\.ts$"],
  // The default leaves one core idle, which on a small machine is half of it.
  maxWorkers: "100%",
  // Scripts, databases and images are run for real; a busy machine must not fail them.
  testTimeout: 300_000,
  cacheDirectory: "<rootDir>/.jest-cache",
  // Compiled code and synthesized folders hold copies of package.json, which the module map would report as collisions.
  modulePathIgnorePatterns: ["<rootDir>/dist", "<rootDir>/cdktf.out"],
};

function hasRoom(folder) {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > 2 ** 30;
  } catch {
    return false;
  }
}
