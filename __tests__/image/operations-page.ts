import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";

/** What the operations page runs in a container, in words. */
export function documentedCommand(): string[] {
  const [, command] =
    / -c server -- ([^`\n]+)`/.exec(readFileSync(packageFile("stacks/idp-kubernetes.md"), "utf8")) ?? [];
  if (command === undefined) throw new Error("the page shows no command for a container");
  return command.split(" ");
}
