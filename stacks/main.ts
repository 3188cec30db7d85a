import { App } from "cdktf";

import { RulesBrokenError } from "../lib/core/rules";
import { IdpServerlessStack } from "./idp-serverless";
import { readSettings } from "./settings";
import { summary } from "./summary";

try {
  const { backend } = readSettings(process.env);
  const app = new App();
  const stacks = [new IdpServerlessStack(app, "idp-serverless", { backend })];
  app.synth();
  process.stdout.write(summary(app.outdir, stacks));
} catch (error) {
  if (!(error instanceof RulesBrokenError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
