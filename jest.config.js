/** @type {import("jest").Config} */
module.exports = {
  testEnvironment: "node",
  testMatch: ["<rootDir>/__tests__/**/*.test.ts"],
  transform: { "^.+\\.ts$": "@sucrase/jest-plugin" },
  // Tested by `npm run test:rehearsal`: it applies whole stacks and makes keys of full length.
  testPathIgnorePatterns: ["/node_modules/", "<rootDir>/__tests__/rehearsal/"],
  // The default leaves one core idle, which on a small machine is half of it.
  maxWorkers: "100%",
  // Scripts, databases and images are run for real; a busy machine must not fail them.
  testTimeout: 60_000,
  cacheDirectory: "<rootDir>/.jest-cache",
  // Compiled code and synthesized folders hold copies of package.json, which the module map would report as collisions.
  modulePathIgnorePatterns: ["<rootDir>/dist", "<rootDir>/cdktf.out"],
};
