import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { joinedScript } from "../../lib/core/joined-script";
import { packageFile } from "../../lib/core/package-file";
import { temporaryFolder } from "./temporary-folder";

/** Path of a script as it arrives where it runs, in a temporary folder that is removed after the tests of the file. */
export function deliveredScript(pathInPackage: string): string {
  const folder = temporaryFolder();
  const path = join(folder, basename(pathInPackage));
  writeFileSync(path, joinedScript(packageFile(pathInPackage)));
  return path;
}
