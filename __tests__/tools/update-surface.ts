import { existsSync, readFileSync, writeFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { publicSurfaces } from "../package/public-surface";

/** Updates the reports of what can be imported from the package; with `--check` it only says which are not up to date. */
const onlyChecks = process.argv.includes("--check");

const surfaces = Object.entries(publicSurfaces()).map(([entry, surface]) => ({
  ...surface,
  path: `__tests__/package/public-surface/${entry}.txt`,
}));

const stale = surfaces.filter(({ path, report }) => {
  const file = packageFile(path);
  return !existsSync(file) || readFileSync(file, "utf8") !== report;
});
const undocumented = surfaces.flatMap((surface) => surface.undocumented);

if (undocumented.length > 0) {
  process.stderr.write(
    `${undocumented.join(", ")}: no comment; whoever uses the package reads nothing else; write one\n`,
  );
  process.exitCode = 1;
}
if (!onlyChecks) {
  for (const { path, report } of stale) writeFileSync(packageFile(path), report);
} else if (stale.length > 0) {
  process.stderr.write(
    `${stale.map(({ path }) => path).join(", ")}: not what can be imported now; run npm run surface, and commit the difference if it is meant\n`,
  );
  process.exitCode = 1;
}
