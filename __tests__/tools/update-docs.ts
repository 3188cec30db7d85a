import { existsSync, writeFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { documentedTerraform, synthesizedStacks } from "./documented-stacks";
import { forms } from "./forms";
import { withFreshTables } from "./page-tables";
import { pageOf, pages } from "./pages";

void synthesizedStacks().then((folders) => {
  const stacks = documentedTerraform(folders);
  const fresh = pages().map(({ path, text }) => ({ path, text: withFreshTables(text, stacks) }));
  const updated = [...fresh, ...forms()].filter(
    ({ path, text }) => !existsSync(packageFile(path)) || pageOf(path).text !== text,
  );
  for (const { path, text } of updated) writeFileSync(packageFile(path), text);
  const paths = updated.map(({ path }) => path).join(", ");
  process.stdout.write(paths === "" ? "all pages are up to date\n" : `updated: ${paths}\n`);
});
