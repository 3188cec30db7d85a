import { App } from "cdktf";

import { RulesBrokenError } from "../lib/core/rules-broken-error";
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
  app.synth();
  process.stdout.write(summary(app.outdir, stacks, settings.backend));
}

synthesize(process.argv).catch((error: unknown) => {
  if (!(error instanceof RulesBrokenError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
