import { writeFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { documentedTerraform, synthesizedStacks } from "./documented-stacks";
import { withFreshTables } from "./page-tables";
import { pages } from "./pages";

void synthesizedStacks().then((folders) => {
  const stacks = documentedTerraform(folders);
  const updated = pages().flatMap(({ path, text }) => {
    const fresh = withFreshTables(text, stacks);
    if (fresh === text) return [];
    writeFileSync(packageFile(path), fresh);
    return [path];
  });
  process.stdout.write(updated.length === 0 ? "all pages are up to date\n" : `updated: ${updated.join(", ")}\n`);
});
