import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { type App, Manifest, type StackManifest } from "cdktf";

import { RulesBrokenError } from "../lib/core/inputs/rules-broken-error";
import { prose } from "../lib/core/prose";

/**
 * Keeps the stacks of earlier syntheses in the manifest, in addition to those of this app.
 *
 * The CDKTF command line deletes the folder of every stack that is missing from the manifest, including its state.
 *
 * @throws RulesBrokenError when the existing manifest cannot be read
 */
export function keepOtherStacks({ manifest, node, outdir }: App): void {
  const ownStacks = node.children.map((stack) => stack.node.id);
  for (const [name, stack] of Object.entries(stacksIn(join(outdir, Manifest.fileName)))) {
    const isThere = existsSync(join(outdir, stack.synthesizedStackPath));
    if (isThere && !ownStacks.includes(name)) manifest.stacks[name] = stack;
  }
}

function stacksIn(path: string): Readonly<Record<string, StackManifest>> {
  if (!existsSync(path)) return {};
  try {
    return (JSON.parse(readFileSync(path, "utf8")) as { stacks: Record<string, StackManifest> }).stacks;
  } catch {
    throw new RulesBrokenError("stacks to synthesize", [
      prose`
        ${path} cannot be read; it must list the existing stacks, because the framework's command line deletes the
        folder of any other, with its state; run the same command again, or synthesize all stacks
      `,
    ]);
  }
}
