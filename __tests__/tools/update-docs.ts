import { writeFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { documentedStacks } from "./documented-stacks";
import { withFreshParts } from "./page-parts";
import { pages } from "./pages";

void documentedStacks().then((stacks) => {
  const updated = pages().flatMap(({ path, text }) => {
    const fresh = withFreshParts(text, stacks);
    if (fresh === text) return [];
    writeFileSync(packageFile(path), fresh);
    return [path];
  });
  process.stdout.write(updated.length === 0 ? "all pages are up to date\n" : `updated: ${updated.join(", ")}\n`);
});
