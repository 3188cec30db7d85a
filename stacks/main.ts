import { App } from "cdktf";

import { type PortableStack } from "../lib/core/portable-stack";
import { RulesBrokenError } from "../lib/core/rules";
import { createStacks } from "./all-stacks";
import { keepOtherStacks } from "./other-stacks";
import { readSettings } from "./settings";
import { summary } from "./summary";

/** Synthesizes the stacks named on the command line, or all if none is named. */
async function synthesize([, , ...names]: readonly string[]): Promise<void> {
  const app = new App();
  const settings = readSettings(process.env);
  const stacks = await createStacks(app, settings, names);
  if (names.length > 0) keepOtherStacks(app);
  const [first, ...others] = stacks;
  if (first !== undefined && others.length === 0) renderOnce(first);
  app.synth();
  process.stdout.write(summary(app.outdir, stacks, settings.backend));
}

/**
 * Skips the first of two renderings of a stack by the framework: it only finds references to other stacks, and this one
 * is alone.
 */
function renderOnce(stack: PortableStack): void {
  stack.prepareStack = () => {
    stack.ensureBackendExists();
  };
}

synthesize(process.argv).catch((error: unknown) => {
  if (!(error instanceof RulesBrokenError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
