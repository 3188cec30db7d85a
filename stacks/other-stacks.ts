import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { Manifest, type App, type StackManifest } from "cdktf";

/**
 * Keeps in the manifest what earlier syntheses have left in the output folder, beside the stacks of this app.
 *
 * The framework's command line deletes every stack's folder that the manifest does not name, with the state in it.
 */
export function keepOtherStacks({ manifest, node, outdir }: App): void {
  const own = node.children.map((stack) => stack.node.id);
  for (const [name, stack] of Object.entries(stacksIn(join(outdir, Manifest.fileName)))) {
    const isThere = existsSync(join(outdir, stack.synthesizedStackPath));
    if (isThere && !own.includes(name)) manifest.stacks[name] = stack;
  }
}

function stacksIn(path: string): Readonly<Record<string, StackManifest>> {
  try {
    return (JSON.parse(readFileSync(path, "utf8")) as { stacks: Record<string, StackManifest> }).stacks;
  } catch {
    // There is none yet, or another synthesis is just writing it.
    return {};
  }
}
