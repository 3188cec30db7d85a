import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import { isLower, neededVersion, type Reports, surfaceChange } from "./surface-change";

/**
 * Says which version the next release must have at least, by what can be imported since the last one; fails if
 * `package.json` has a lower one.
 */
const REPORTS = "__tests__/package/public-surface";

const git = (...command: string[]): string =>
  execFileSync("git", command, { cwd: packageFile("."), encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

const { version } = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string };

const releases = git("tag", "--list", "v*")
  .split("\n")
  .map((tag) => tag.slice(1))
  .filter((each) => /^\d+\.\d+\.\d+$/.test(each) && each !== version)
  .sort((one, other) => (isLower(one, other) ? 1 : -1));

const [former] = releases;
if (former === undefined) {
  process.stdout.write(`${version}: there is no tag of a former release, so that any version is right\n`);
} else {
  const change = surfaceChange(reportsOf(former), presentReports());
  const needed = neededVersion(former, change);
  const meaning = { added: "is added", broken: "no longer compiles", none: "is the same" }[change];
  const found = `since ${former}, what can be imported ${meaning}; the next release must be ${needed} or later`;
  if (isLower(version, needed)) {
    process.stderr.write(`${found}, because programs take lower ones by themselves; package.json has ${version}\n`);
    process.exitCode = 1;
  } else process.stdout.write(`${found}: ${version}\n`);
}

function reportsOf(release: string): Reports {
  const files = git("ls-tree", "--name-only", `v${release}`, `${REPORTS}/`).split("\n");
  const reports = files.filter((file) => file.endsWith(".api.md"));
  return Object.fromEntries(reports.map((file) => [nameOf(file), git("show", `v${release}:${file}`)]));
}

function presentReports(): Reports {
  const reports = readdirSync(packageFile(REPORTS)).filter((file) => file.endsWith(".api.md"));
  return Object.fromEntries(
    reports.map((file) => [nameOf(file), readFileSync(packageFile(join(REPORTS, file)), "utf8")]),
  );
}

function nameOf(file: string): string {
  return file.replace(/^.*\/|\.api\.md$/g, "");
}
