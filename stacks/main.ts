import { parseArgs } from "node:util";

import { App } from "cdktf";

import { RulesBrokenError } from "../lib/core/rules-broken-error";
import { createStacks } from "./all-stacks";
import { keepOtherStacks } from "./other-stacks";
import { readSettings } from "./settings";
import { readSettingsFile, SettingsFileError } from "./settings-file";
import { summary } from "./summary";

/** Synthesizes the stacks named on the command line, or all if none is named. */
async function synthesize([, , ...given]: readonly string[]): Promise<void> {
  refuseOptionsOfNpm(process.env);
  const { hcl, names, settingsFile } = optionsIn(given);
  const app = new App({ hclOutput: hcl });
  const settings = readSettings(process.env);
  const values = settingsFile === undefined ? undefined : await readSettingsFile(settingsFile);
  const stacks = await createStacks(app, settings, names, values);
  if (names.length > 0) keepOtherStacks(app);
  app.synth();
  process.stdout.write(summary(app.outdir, stacks, settings.backend, given));
}

/** @throws RulesBrokenError for an option that there is not, or one without its value */
function optionsIn(given: readonly string[]) {
  const options = { hcl: { type: "boolean" }, settings: { type: "string" } } as const;
  try {
    const { positionals, values } = parseArgs({ args: [...given], options, allowPositionals: true });
    return { hcl: values.hcl === true, names: positionals, settingsFile: values.settings };
  } catch (error) {
    throw new RulesBrokenError("stacks to synthesize", [
      [
        `${(error as Error).message}; options must be --hcl, which writes HCL instead of JSON, and --settings <file>,`,
        `for a folder with what one deployment needs; correct them`,
      ].join(" "),
    ]);
  }
}

/**
 * Without `--` before it, npm takes an option for its own, and says nothing.
 *
 * @throws RulesBrokenError naming the option
 */
function refuseOptionsOfNpm(environment: Readonly<Record<string, string | undefined>>): void {
  const taken = ["hcl", "settings"].filter((option) => environment[`npm_config_${option}`] !== undefined);
  if (taken.length === 0) return;
  const options = taken.map((option) => `--${option}`).join(" and ");
  const written = taken.map((option) => (option === "settings" ? "--settings <file>" : `--${option}`)).join(" ");
  throw new RulesBrokenError("stacks to synthesize", [
    [
      `${options} had no -- before it, so that npm took it for itself; options of the stacks must come after --;`,
      `write npm run synth -- <stack> ${written}`,
    ].join(" "),
  ]);
}

synthesize(process.argv).catch((error: unknown) => {
  if (!(error instanceof RulesBrokenError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error instanceof SettingsFileError ? 2 : 1;
});
