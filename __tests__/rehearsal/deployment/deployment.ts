import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { schemaOfFolder } from "../../stacks/provider-schema/provider-schema";
import { GoogleStandIn } from "../../support/google-stand-in";
import { Cloud } from "../project/cloud";
import { canBeAttached } from "../project/kubernetes-exposure";
import { PROVIDERS } from "../project/provider-types";
import { PluginServer } from "../providers/plugin-server";
import { ResourceProvider } from "../providers/resource-provider";
import { copyFolder } from "./folder-copy";
import {
  type Configuration,
  leaksIn,
  type Place,
  planPlaces,
  secretInputs,
  secretsOf,
  statePlaces,
} from "./secret-scan";
import { copyWhatScriptsSee, standInEnvironment } from "./stand-ins";
import { type Actions, requireActions, StepFailure } from "./steps";
import { actionsIn, keysByAddress, type StateFile } from "./terraform-json";
import { problemsIn, runTerraform, type TerraformOptions, type TerraformRun, unwrapped } from "./terraform-process";

/** Values of input variables; the others have the stack's defaults. */
export type Inputs = Readonly<Record<string, unknown>>;

export interface DeploymentOptions {
  /** A synthesized folder; it is copied and never modified. */
  readonly source: string;
  readonly inputs: Inputs;
  /** Path of `terraform`. */
  readonly program: string;
  /** Whether there is what the folder does not create, and not only what the stack's `prepare` creates. */
  readonly externalResourcesExist?: boolean;
  /** Whether the providers are the newest releases whose schemas are known. @default false */
  readonly newestProviders?: boolean;
}

/** Arguments of a plan and apply in one command. */
export const APPLY_AT_ONCE = ["apply", "-auto-approve", "-input=false"] as const;

/**
 * A synthesized folder with its own project: an empty cloud behind the providers, and web services for the scripts.
 */
export class Deployment {
  readonly folder = mkdtempSync(join(tmpdir(), "rehearsal-"));
  readonly web = new GoogleStandIn();
  readonly cloud: Cloud;
  /** All output of Terraform and the scripts. */
  log = "";

  /** The scripts that were run, and how long each took. */
  readonly scripts: { readonly command: string; readonly seconds: number }[] = [];
  inputs: Inputs;
  /** Environment variables added for Terraform and its scripts; undefined removes one. */
  environment: Record<string, string | undefined> = {};
  private readonly plugins = new PluginServer();
  /** What has been written and not yet searched for secrets. */
  private unsearched: readonly Place[];
  /** As it was synthesized. */
  readonly configuration: Configuration;

  private constructor(
    private readonly options: DeploymentOptions,
    origin?: Deployment,
  ) {
    if (origin === undefined) copyFolder(options.source, this.folder);
    else cpSync(origin.folder, this.folder, { recursive: true });
    // Each look at a build starts a few programs.
    this.web.builds.usualCourse = { states: ["SUCCESS"] };
    this.configuration = origin?.configuration ?? (JSON.parse(this.read("cdk.tf.json") ?? "{}") as Configuration);
    this.inputs = options.inputs;
    this.unsearched = origin?.unsearched ?? [];
    const surroundings = {
      enabledApis: this.web.usage.enabled,
      hasImage: (image: string) => this.web.registry.digests.has(image),
      hasAnswered: (api: string) => this.web.requests.some(({ method }) => method.startsWith(`${api}.`)),
      loadBalancers: this.web.loadBalancers,
    };
    this.cloud = origin === undefined ? new Cloud(surroundings) : origin.cloud.copy(surroundings);
    this.cloud.externalResourcesExist = options.externalResourcesExist ?? false;
    const { cloud } = this;
    this.web.sql.hasInstance = (instance) =>
      cloud.others.has(`google_sql_database_instance ${instance}`) ||
      cloud.ofType("google_sql_database_instance").some(({ values }) => values.name === instance);
    this.web.sql.hasDatabase = (_instance, database) =>
      this.cloud.executions.some(({ environment }) => environment.DB_NAME === database);
    this.web.loadBalancers.exists = (id) => canBeAttached(this.cloud, id);
    if (origin !== undefined) copyWhatScriptsSee(origin.web, this.web);
  }

  static start(options: DeploymentOptions): Promise<Deployment> {
    return new Deployment(options).listen();
  }

  /** Runs work on a deployment, which is stopped after it. */
  static async use(options: DeploymentOptions, work: (deployment: Deployment) => Promise<void>): Promise<void> {
    const deployment = await Deployment.start(options);
    try {
      await work(deployment);
    } finally {
      await deployment.stop();
    }
  }

  /** An independent copy of this deployment in its current state. */
  fork(inputs: Inputs = this.inputs): Promise<Deployment> {
    return new Deployment({ ...this.options, inputs }, this).listen();
  }

  private async listen(): Promise<this> {
    const { cloud, plugins, web } = this;
    await web.start();
    for (const [name, kinds] of Object.entries(PROVIDERS)) {
      const schema = schemaOfFolder(name, this.options.source, this.options.newestProviders);
      if (schema !== undefined) await plugins.add(name, new ResourceProvider(schema, kinds, cloud));
    }
    return this;
  }

  async stop({ keepFolder = false } = {}): Promise<void> {
    this.plugins.stop();
    await this.web.stop();
    // Asynchronous, because removing a folder can take long and this process also serves other deployments.
    if (!keepFolder) await rm(this.folder, { recursive: true, force: true });
  }

  /** Edits a file of the folder, as its owner might. */
  edit(path: string, change: (text: string) => string): void {
    const file = join(this.folder, path);
    const before = readFileSync(file, "utf8");
    const after = change(before);
    if (after === before) throw new Error(`the edit of ${path} changes nothing`);
    this.cloud.publicPayloads.add(before);
    writeFileSync(file, after);
  }

  read(path: string): string | undefined {
    const file = join(this.folder, path);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  }

  /** Environment of a program that works on this deployment: stand-ins replace everything external. */
  get programEnvironment(): Record<string, string> {
    return standInEnvironment({ ...this.web.environment, ...this.plugins.environment }, this.environment);
  }

  async terraform(command: readonly string[], onOutput?: TerraformOptions["onOutput"]): Promise<TerraformRun> {
    const run = await runTerraform(
      {
        program: this.options.program,
        folder: this.folder,
        environment: this.programEnvironment,
        onOutput,
      },
      ...command,
      "-no-color",
    );
    this.log += run.output;
    const name = `what ${command[0] ?? "Terraform"} has printed`;
    this.unsearched = [...this.unsearched, { name, kind: "text", bytes: Buffer.from(run.output) }];
    return run;
  }

  /** Runs a script of the folder, as its owner would, in an environment with these variables too. */
  async script(words: readonly string[], further: Readonly<Record<string, string>>): Promise<TerraformRun> {
    const environment = { ...this.programEnvironment, TERRAFORM: this.options.program, ...further };
    const start = performance.now();
    const run = await runTerraform({ program: "/bin/sh", folder: this.folder, environment }, ...words);
    this.scripts.push({ command: words.join(" "), seconds: (performance.now() - start) / 1000 });
    this.log += run.output;
    const name = `what ${words[0] ?? "a script"} has printed`;
    this.unsearched = [...this.unsearched, { name, kind: "text", bytes: Buffer.from(run.output) }];
    return run;
  }

  async init(): Promise<void> {
    await this.succeed("init", "-input=false");
  }

  /** Plans into a file. */
  async plan(...further: string[]): Promise<{ readonly file: string; readonly actions: Actions }> {
    const file = "plan.tfplan";
    this.writeInputs();
    const output = await this.succeed("plan", "-input=false", `-out=${file}`, ...further);
    this.unsearched = [...this.unsearched, ...planPlaces(this.folder, file)];
    return { file, actions: actionsIn(output) };
  }

  /** Fails unless a plan is empty. */
  async requireEmptyPlan(step: string): Promise<void> {
    this.writeInputs();
    const { exitCode, output } = await this.terraform(["plan", "-input=false", "-detailed-exitcode"]);
    if (exitCode === 0) return;
    if (exitCode === 1) throw new StepFailure(step, problemsIn(output));
    requireActions(step, actionsIn(output), {});
    const [, changed] = output.split("Changes to Outputs:");
    throw new StepFailure(step, `the plan changes outputs:${changed ?? output}`);
  }

  /** Runs a command that must fail with these messages and must not reveal secrets. */
  async refuse(command: readonly string[], ...messages: readonly string[]): Promise<void> {
    const step = command.join(" ");
    this.writeInputs();
    const { exitCode, output } = await this.terraform(command);
    this.requireNoLeaks(step);
    if (exitCode === 0) throw new StepFailure(step, "it succeeds, expected a refusal");
    const said = unwrapped(output).replaceAll(/\s+/g, " ");
    const missing = messages.filter((message) => !said.includes(message));
    if (missing.length > 0) throw new StepFailure(step, `expected "${missing.join('", "')}" in:\n${output}`);
  }

  /** The same of a command that must delete nothing either. */
  async refuseWholly(command: readonly string[], ...messages: readonly string[]): Promise<void> {
    const before = [...this.cloud.objects.keys()];
    await this.refuse(command, ...messages);
    const gone = before.filter((key) => !this.cloud.objects.has(key));
    if (gone.length > 0) throw new StepFailure(command.join(" "), `refused, but these are gone: ${gone.join(", ")}`);
  }

  /** Plans and applies in one go; returns the actions. */
  async applyAtOnce(...further: string[]): Promise<Actions> {
    this.writeInputs();
    return actionsIn(await this.succeed(...APPLY_AT_ONCE, ...further));
  }

  /** The same with these inputs, which stay. */
  applyWith(inputs: Inputs, ...further: string[]): Promise<Actions> {
    this.inputs = inputs;
    return this.applyAtOnce(...further);
  }

  /** An apply, with these inputs from now on, after which a plan is empty. */
  async settle(inputs = this.inputs, ...further: string[]): Promise<void> {
    await this.applyWith(inputs, ...further);
    await this.requireEmptyPlan("second plan");
  }

  /** Fails unless a destroy leaves nothing in the state, and in the project nothing but what is kept. */
  async destroy(kept: readonly string[] = []): Promise<void> {
    await this.applyAtOnce("-destroy");
    const existing = [...this.cloud.objects.keys()].filter((key) => !kept.includes(key));
    const left = [...this.stateAddresses(), ...existing];
    if (left.length > 0) throw new StepFailure("destroy", `there still is ${left.join(", ")}`);
  }

  /** Fails if the state, or what has been written since the last time, reveals the value of a secret. */
  requireNoLeaks(step: string): void {
    const { cloud, folder } = this;
    const requests = this.web.requests.map(({ path, body }) => `${path} ${JSON.stringify(body)}`).join("\n");
    const sent: Place = { name: "requests of scripts", kind: "text", bytes: Buffer.from(requests) };
    const secrets = secretsOf(cloud, folder, secretInputs(this.configuration, this.inputs));
    const leaks = leaksIn([...statePlaces(folder), ...this.unsearched, sent], secrets);
    if (leaks.length > 0) throw new StepFailure(step, leaks.join("\n"));
    this.unsearched = [];
    // What is generated and never stored can only be in what the command wrote that it was generated for.
    cloud.handedOut.clear();
  }

  /** Secret inputs and their values. */
  get givenSecrets(): string {
    return JSON.stringify(secretInputs(this.configuration, this.inputs));
  }

  get state(): StateFile {
    return JSON.parse(this.read("terraform.tfstate") ?? "{}") as StateFile;
  }

  /** Addresses of everything in the state. */
  stateAddresses(): string[] {
    return [...this.stateKeys.keys()];
  }

  /** Type and identity of everything in the state, by address. */
  get stateKeys(): ReadonlyMap<string, string> {
    return keysByAddress(this.state);
  }

  writeInputs(): void {
    // Terraform prints the line of a refused input, which must not contain other inputs.
    writeFileSync(join(this.folder, "rehearsal.auto.tfvars.json"), JSON.stringify(this.inputs, undefined, 2));
  }

  /** Runs a command that must succeed; returns its output. */
  async succeed(...command: readonly [step: string, ...further: string[]]): Promise<string> {
    const { exitCode, output } = await this.terraform(command);
    if (exitCode !== 0) throw new StepFailure(command[0], problemsIn(output));
    return output;
  }
}
