import { App } from "cdktf";

import { RulesBrokenError } from "../lib/core/rules";
import { createStacks } from "./all-stacks";
import { readSettings } from "./settings";
import { summary } from "./summary";

try {
  const app = new App();
  const stacks = createStacks(app, readSettings(process.env));
  app.synth();
  process.stdout.write(summary(app.outdir, stacks));
} catch (error) {
  if (!(error instanceof RulesBrokenError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
