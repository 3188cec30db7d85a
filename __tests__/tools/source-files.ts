import { readdirSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";

/** What the library is written in, by path: TypeScript, shell and what scripts read. */
export function sourceFiles(): string[] {
  return readdirSync(packageFile("lib"), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:awk|jq|ps1|sh|sql|ts)$/.test(file))
    .map((file) => `lib/${file}`)
    .sort();
}
