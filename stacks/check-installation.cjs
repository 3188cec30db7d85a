// Says in one sentence what is missing, before a program that is not there fails with less. Plain JavaScript, because it
// runs before anything is installed, on any release of Node.
const { existsSync } = require("fs");
const { join } = require("path");

const REPOSITORY = join(__dirname, "..");
const { engines } = require(join(REPOSITORY, "package.json"));

/** Major and minor release in a text such as `>=20.9` or `v20.11.1`. */
const releaseIn = (text) => /(\d+)[.](\d+)/.exec(text).slice(1).map(Number);

const [major, minor] = releaseIn(process.version);
const [leastMajor, leastMinor] = releaseIn(engines.node);

if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
  console.error(`Node is ${process.version}; it must be ${leastMajor}.${leastMinor} or newer: https://nodejs.org/`);
  process.exitCode = 1;
} else if (!existsSync(join(REPOSITORY, "node_modules", "tsx"))) {
  console.error("The packages are not installed; run npm ci first.");
  process.exitCode = 1;
}
