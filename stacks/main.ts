import { App } from "cdktf";

import { RulesBrokenError } from "../lib/core/rules-broken-error";
import { createStacks } from "./all-stacks";
import { keepOtherStacks } from "./other-stacks";
import { readSettings } from "./settings";
import { summary } from "./summary";

/** Option that writes HCL instead of JSON. */
const HCL = "--hcl";

/** Synthesizes the stacks named on the command line, or all if none is named. */
async function synthesize([, , ...given]: readonly string[]): Promise<void> {
  const names = given.filter((name) => name !== HCL);
  const app = new App({ hclOutput: given.includes(HCL) });
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
