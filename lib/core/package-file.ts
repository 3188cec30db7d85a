import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Absolute path of a file in this package; works from the TypeScript sources and from the compiled code. */
export function packageFile(pathInPackage: string): string {
  return join(PACKAGE_FOLDER, pathInPackage);
}

const PACKAGE_FOLDER = nearestPackageFolder(__dirname);

function nearestPackageFolder(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : nearestPackageFolder(dirname(folder));
}
