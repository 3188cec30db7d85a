import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { RulesBrokenError } from "./inputs/rules-broken-error";
import { prose } from "./prose";

/** Absolute path of a file in this package; works from the TypeScript sources and from the compiled code. */
export function packageFile(pathInPackage: string): string {
  return join(PACKAGE_FOLDER, pathInPackage);
}

const PACKAGE_NAME = "cdktf-idp-stacks";

const PACKAGE_FOLDER = nearestPackageFolder(__dirname);

/** @throws RulesBrokenError if a bundler has moved this code into a file of another package */
function nearestPackageFolder(folder: string): string {
  const manifest = join(folder, "package.json");
  if (existsSync(manifest)) {
    const { name } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly name?: string };
    if (name === PACKAGE_NAME) return folder;
  }
  if (dirname(folder) !== folder) return nearestPackageFolder(dirname(folder));
  throw new RulesBrokenError(PACKAGE_NAME, [
    prose`
      its code is in a bundle; it must be a package of its own, because its scripts and its image are files beside
      it; keep it external (esbuild: --packages=external)
    `,
  ]);
}
