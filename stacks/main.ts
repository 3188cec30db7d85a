import { accessSync, constants, mkdirSync } from "node:fs";
import { parseArgs } from "node:util";

import { App } from "cdktf";

import { nearest } from "../lib/core/inputs/nearest";
import { RulesBrokenError } from "../lib/core/inputs/rules-broken-error";
import { prose } from "../lib/core/prose";
import { createStacks } from "./all-stacks";
import { keepOtherStacks } from "./other-stacks";
import { readSettings } from "./settings";
import { readSettingsFile, SettingsFileError } from "./settings-file";
import { summary } from "./summary";
import { withoutSourceMaps } from "./without-source-maps";

/** Synthesizes the stacks named on the command line, or all if none is named. */
async function synthesize([, , ...given]: readonly string[]): Promise<void> {
  refuseOptionsOfNpm(process.env);
  const { hcl, help, names, settingsFile } = optionsIn(given);
  if (help) {
    process.stdout.write(USAGE);
    return;
  }
  refuseUnwritable(process.env.CDKTF_OUTDIR ?? "cdktf.out");
  const app = new App({ hclOutput: hcl });
  const settings = readSettings(process.env);
  const values = settingsFile === undefined ? undefined : await readSettingsFile(settingsFile);
  const stacks = await createStacks(app, settings, names, values);
  if (names.length > 0) keepOtherStacks(app);
  withoutSourceMaps(() => {
    app.synth();
  });
  process.stdout.write(summary(app.outdir, stacks, settings.backend, given));
}

const OPTIONS = { hcl: { type: "boolean" }, settings: { type: "string" }, help: { type: "boolean" } } as const;

/** @throws RulesBrokenError for an unknown option, or an option without its value */
function optionsIn(given: readonly string[]) {
  const { positionals, tokens, values } = parseArgs({
    args: [...given],
    options: OPTIONS,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const problems = tokens.flatMap((token) => (token.kind === "option" ? problemOf(token.rawName, token.value) : []));
  if (problems.length > 0) throw new RulesBrokenError("stacks to synthesize", problems);
  const settingsFile = typeof values.settings === "string" ? values.settings : undefined;
  return { help: values.help === true, hcl: values.hcl === true, names: positionals, settingsFile };
}

/** The problem of an option; undefined if it is right. */
function problemOf(option: string, value: string | undefined): string[] {
  const known = Object.keys(OPTIONS).map((name) => `--${name}`);
  if (!known.includes(option)) {
    const near = nearest(option, known);
    const hint = near === undefined ? "there are" : `did you mean ${near}? There are`;
    return [
      prose`
        ${option} is no option; ${hint} --hcl, which writes HCL instead of JSON, --settings <file>,
        for a folder with what one deployment needs, and --help
      `,
    ];
  }
  if (option === "--settings" && (value === undefined || value.startsWith("-")))
    return ["--settings has no file after it; it must have one, because it holds the settings; name a *.tfvars"];
  if (option !== "--settings" && value !== undefined)
    return [`${option} has the value ${value}; it must have none, because it is on or off; leave the value out`];
  return [];
}

const USAGE = `npm run synth -- [stack...] [--hcl] [--settings FILE]

Writes the folder of each named stack, or of all, to cdktf.out/stacks/<stack>/, or to where CDKTF_OUTDIR says.
  --hcl             HCL to hand over, instead of JSON
  --settings FILE   what one deployment needs, from its *.tfvars or *.tfvars.json; for one stack
STATE_BACKEND says where the state is kept. npm run help lists all commands.
Exits with 1 if something is refused, and with 2 if FILE cannot be read.
`;

/**
 * Refuses an option without `--` before it, because npm silently treats it as its own.
 *
 * @throws RulesBrokenError naming the option
 */
function refuseOptionsOfNpm(environment: Readonly<Record<string, string | undefined>>): void {
  const taken = ["hcl", "settings"].filter((option) => environment[`npm_config_${option}`] !== undefined);
  if (taken.length === 0) return;
  const options = taken.map((option) => `--${option}`).join(" and ");
  const written = taken.map((option) => (option === "settings" ? "--settings <file>" : `--${option}`)).join(" ");
  throw new RulesBrokenError("stacks to synthesize", [
    prose`
      ${options} had no -- before it, so that npm took it for itself; options of the stacks must come after --;
      write npm run synth -- <stack> ${written}
    `,
  ]);
}

/**
 * Creates the folder of the synthesis, before the framework fails to.
 *
 * @throws RulesBrokenError naming the folder
 */
function refuseUnwritable(outdir: string): void {
  try {
    mkdirSync(outdir, { recursive: true });
    accessSync(outdir, constants.W_OK);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new RulesBrokenError("stacks to synthesize", [
      prose`
        ${outdir} cannot be written (${code}); it must be a folder that you may write to,
        because the folders of the stacks are written there; set CDKTF_OUTDIR to another one
      `,
    ]);
  }
}

synthesize(process.argv).catch((error: unknown) => {
  if (!(error instanceof RulesBrokenError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error instanceof SettingsFileError ? 2 : 1;
});
