import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { inputCombinations } from "./input-matrix";
import { type StepReport } from "./journey";
import { type RehearsalOptions } from "./rehearsal";
import { type RehearsalReport } from "./rehearsal-report";
import { runTerraform, type TerraformRun } from "./terraform-process";

export interface RealProvidersOptions extends RehearsalOptions {
  /** Filesystem mirror of providers, laid out as `terraform providers mirror` does. */
  readonly mirror: string;
}

/**
 * Plans every combination of the inputs with the real providers' binaries: no account, no network, nothing applied.
 *
 * It shows what only the real ones know: what they refuse, and that nothing asks an API at plan.
 */
export async function planWithRealProviders(options: RealProvidersOptions): Promise<RehearsalReport> {
  const { mirror, onProgress, program, rehearsal } = options;
  const stack = basename(options.folder);
  const folder = mkdtempSync(join(tmpdir(), "real-providers-"));
  const steps: StepReport[] = [];
  cpSync(options.folder, folder, { recursive: true });
  const settings = join(folder, "settings.tfrc");
  writeFileSync(settings, `provider_installation {\n  filesystem_mirror { path = ${JSON.stringify(mirror)} }\n}\n`);
  const environment = { TF_CLI_CONFIG_FILE: settings, GOOGLE_OAUTH_ACCESS_TOKEN: "fake", PATH: process.env.PATH ?? "" };
  const run = (command: readonly string[]): Promise<TerraformRun> =>
    runTerraform({ program, folder, environment }, ...command, "-no-color");

  const combinations = inputCombinations(rehearsal);
  const work = [
    { step: "init", inputs: undefined, command: ["init", "-input=false"] },
    { step: "validate", inputs: undefined, command: ["validate"] },
    ...[rehearsal.inputs, ...combinations].map((inputs, index) => ({
      step: index === 0 ? "plan" : `plan ${index} of ${combinations.length}`,
      inputs,
      command: ["plan", "-input=false"],
    })),
  ];
  for (const { step, inputs, command } of work) {
    const start = performance.now();
    if (inputs !== undefined) {
      writeFileSync(join(folder, "rehearsal.auto.tfvars.json"), JSON.stringify({ ...rehearsal.inputs, ...inputs }));
    }
    const { exitCode, output } = await run(command);
    const seconds = (performance.now() - start) / 1000;
    onProgress?.(`${seconds.toFixed(1).padStart(6)} s  ${stack}  ${step}`);
    if (exitCode !== 0) {
      const message = inputs === undefined ? output : `${JSON.stringify(inputs)}\n${output}`;
      return { stack, steps, failure: { step, address: undefined, message, folder } };
    }
    const resources = Number(/Plan: (\d+) to add/.exec(output)?.[1] ?? 0);
    steps.push({ step, seconds, resources });
  }
  rmSync(folder, { recursive: true, force: true });
  return { stack, steps };
}
