import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { trimmedSchema } from "../../stacks/provider-schema/provider-schema";
import { brokenCloudBSetUp } from "../../support/broken-cloudb-files";
import { Cloud } from "../project/cloud";
import { PROVIDERS } from "../project/provider-types";
import { copyFolder } from "../deployment/folder-copy";
import { inputCombinations } from "../engine/input-matrix";
import { type RehearsalOptions, type RehearsalReport, stepLine, type StepReport } from "../engine/run-context";
import { PluginServer } from "../providers/plugin-server";
import { ResourceProvider } from "../providers/resource-provider";
import { runTerraform, type TerraformRun } from "../deployment/terraform-process";

export interface RealProvidersOptions extends RehearsalOptions {
  /** Filesystem mirror of providers, laid out as `terraform providers mirror` does. */
  readonly mirror: string;
}

/** Nothing is applied, so the project is never used. */
const NO_SURROUNDINGS = { enabledApis: new Set<string>(), hasImage: () => false, hasAnswered: () => false };

interface RealProviderPlace {
  /** Folder to plan in. */
  readonly folder: string;
  readonly mirror: string;
  /** Serves what the mirror lacks. */
  readonly plugins: PluginServer;
  readonly onProgress?: (line: string) => void;
}

/** Environment for the real providers of a mirror, without an account; stand-ins replace what the mirror lacks. */
export async function realProviderEnvironment(place: RealProviderPlace): Promise<Record<string, string>> {
  const { folder, mirror, plugins, onProgress } = place;
  const settings = join(folder, "settings.tfrc");
  writeFileSync(settings, `provider_installation {\n  filesystem_mirror { path = ${JSON.stringify(mirror)} }\n}\n`);
  for (const [name, kinds] of Object.entries(PROVIDERS)) {
    const schema = existsSync(join(mirror, "registry.terraform.io/hashicorp", name)) ? undefined : trimmedSchema(name);
    if (schema === undefined) continue;
    await plugins.add(name, new ResourceProvider(schema, kinds, new Cloud(NO_SURROUNDINGS)));
    onProgress?.(`${mirror} has no provider ${name}: a stand-in takes its place`);
  }
  return {
    ...plugins.environment,
    TF_CLI_CONFIG_FILE: settings,
    GOOGLE_OAUTH_ACCESS_TOKEN: "fake",
    ...brokenCloudBSetUp(folder),
    PATH: process.env.PATH ?? "",
  };
}

/**
 * Plans every combination of the inputs with the real providers' binaries: no account, no network, nothing applied.
 *
 * It shows what only the real providers can: what they refuse, that no plan calls an API, and that nothing depends on
 * the user's AWS configuration. A stand-in replaces a provider that the mirror lacks, and the progress says so.
 */
export async function planWithRealProviders(options: RealProvidersOptions): Promise<RehearsalReport> {
  const { mirror, onProgress, program, rehearsal } = options;
  const stack = basename(options.folder);
  const folder = mkdtempSync(join(tmpdir(), "real-providers-"));
  const steps: StepReport[] = [];
  copyFolder(options.folder, folder);
  const plugins = new PluginServer();
  const environment = await realProviderEnvironment({ folder, mirror, plugins, onProgress });
  const run = (command: readonly string[]): Promise<TerraformRun> =>
    runTerraform({ program, folder, environment }, ...command, "-no-color");

  const { matrix = {}, plansOffline = () => true } = rehearsal;
  const combinations = inputCombinations(matrix).filter(plansOffline);
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
    if (exitCode !== 0) {
      const message = inputs === undefined ? output : `${JSON.stringify(inputs)}\n${output}`;
      plugins.stop();
      return { stack, steps, failure: { step, address: undefined, message, folder } };
    }
    steps.push({ step, seconds });
    onProgress?.(stepLine(stack, { step, seconds }));
  }
  plugins.stop();
  rmSync(folder, { recursive: true, force: true });
  return { stack, steps };
}
