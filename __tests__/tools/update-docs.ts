import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { documentedStacks } from "./documented-stacks";
import { withFreshTables } from "./readme-tables";

const path = join(__dirname, "../../README.md");

void documentedStacks().then((stacks) => {
  const before = readFileSync(path, "utf8");
  const after = withFreshTables(before, stacks);
  writeFileSync(path, after);
  process.stdout.write(before === after ? "README.md is up to date\n" : "README.md is updated\n");
});
