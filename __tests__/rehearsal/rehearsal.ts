import { basename } from "node:path";

import { requireSchemas } from "../stacks/provider-schema/provider-schema";
import { Deployment, type DeploymentOptions, type Inputs } from "./deployment";
import { complete, endState, type EndState, rehearseFault, rehearseInterrupt, rehearseKill } from "./fault-scenarios";
import { inputCombinations } from "./input-matrix";
import { Journey, type StepReport } from "./journey";
import { type RehearsalFailure, type RehearsalReport } from "./rehearsal-report";
import { resourceFaults } from "./resource-faults";
import { type StackRehearsal } from "./stack-rehearsal";
import { StepFailure } from "./steps";

export interface RehearsalOptions {
  /** Folder of a synthesized stack; it is copied and never written to. */
  readonly folder: string;
  /** Path of `terraform` or `tofu`. */
  readonly program: string;
  readonly rehearsal: StackRehearsal;
  /** Only one life without faults and without the matrix. */
  readonly lifecycleOnly?: boolean;
  /** Keeps every folder, also of what went well. */
  readonly keep?: boolean;
  /** Told about every step that has ended, and about the folders that are kept. */
  readonly onProgress?: (line: string) => void;
  readonly onCommand?: DeploymentOptions["onCommand"];
}

/** Deployments at a time: one more than two cores, because scripts mostly wait for each other. */
const PARALLEL = 3;

/**
 * Takes a synthesized folder through its whole life with the real Terraform: offline, in seconds, and without writing
 * into it.
 *
 * Never throws for what the folder does: the report says what went wrong first. It does throw for a folder with types of
 * which there is no schema.
 */
export async function rehearse(options: RehearsalOptions): Promise<RehearsalReport> {
  requireSchemas(options.folder);
  const run = new RehearsalRun(options);
  const stack = basename(options.folder);
  try {
    await run.all();
    return { stack, steps: run.steps };
  } catch (error) {
    if (!(error instanceof LocatedFailure)) throw error;
    return { stack, steps: run.steps, failure: error.failure };
  }
}

/** A failure together with the deployment that it happened to. */
class LocatedFailure extends Error {
  constructor(readonly failure: RehearsalFailure) {
    super(failure.message);
  }
}

class RehearsalRun {
  readonly steps: StepReport[] = [];
  private readonly start = performance.now();

  constructor(private readonly options: RehearsalOptions) {}

  async all(): Promise<void> {
    const { rehearsal, lifecycleOnly } = this.options;
    await this.lifecycle(lifecycleOnly === true ? [] : (rehearsal.changes ?? []));
    if (lifecycleOnly === true) return;
    await this.refusals();
    await this.fromStages(this.options.rehearsal.inputs, (stages) => this.faults(stages));
    await this.matrix();
  }

  private async fromStages(inputs: Inputs, work: (stages: readonly Deployment[]) => Promise<void>): Promise<void> {
    const stages = await this.stages(inputs);
    try {
      await work(stages);
    } finally {
      await Promise.all(stages.map((stage) => stage.stop()));
    }
  }

  private async lifecycle(changes: NonNullable<StackRehearsal["changes"]>): Promise<void> {
    await this.with(this.started(), async (deployment) => {
      const journey = new Journey(deployment, this.options.rehearsal.nullOutputs, (report) => {
        this.took(report);
      });
      await journey.setUp();
      for (const change of changes) await journey.change(change);
      await journey.tearDown(this.options.rehearsal.protection);
    });
  }

  /** Deployments of which each has one stage more than the one before; the first has nothing. */
  private async stages(inputs: Inputs): Promise<Deployment[]> {
    const stages = [await this.started(inputs)];
    for (const pattern of this.options.rehearsal.stages ?? []) {
      const stage = await lastOf(stages).fork();
      const plan = stages.length === 1 ? (await stage.init(), await stage.plan()) : await stage.plan();
      const targets = [...plan.actions.keys()].filter((address) => pattern.test(address));
      await stage.applyAtOnce(...targets.map((address) => `-target=${address}`));
      stages.push(stage);
    }
    const [first] = stages;
    await first?.init();
    return stages;
  }

  private async faults(stages: readonly Deployment[]): Promise<void> {
    const { faults = [], kill, stages: patterns = [] } = this.options.rehearsal;
    let expected: EndState | undefined;
    await this.with(lastOf(stages).fork(), async (deployment) => {
      await deployment.applyAtOnce();
      expected = endState(deployment);
    });
    const end = expected ?? { addresses: [], objects: [] };
    await this.each("faults on create", [...resourceFaults(end, patterns), ...faults], async (fault) => {
      const origin = stages[fault.afterStage] ?? lastOf(stages);
      await this.with(origin.fork(), (deployment) => rehearseFault(deployment, fault, end));
    });
    // OpenTofu writes its state every 20 s at most, so after a kill it does not know what it has made.
    if (this.isOpenTofu && kill !== undefined)
      this.say("not killed: OpenTofu loses what it has made since its last save");
    const interruptions = [
      rehearseInterrupt,
      ...(kill === undefined || this.isOpenTofu
        ? []
        : [(deployment: Deployment, expectedEnd: EndState) => rehearseKill(deployment, kill, expectedEnd)]),
    ];
    await this.each("interrupted, killed", interruptions, (interrupt) =>
      this.with(lastOf(stages).fork(), (deployment) => interrupt(deployment, end)),
    );
  }

  private async matrix(): Promise<void> {
    const { inputs: required } = this.options.rehearsal;
    const combinations = inputCombinations(this.options.rehearsal);
    // Combinations that agree in the required inputs begin where these alone have led.
    const places = new Map<string, Inputs[]>();
    for (const inputs of combinations) {
      const own = Object.fromEntries(Object.entries(required).map(([name, value]) => [name, inputs[name] ?? value]));
      const key = JSON.stringify(own);
      places.set(key, [...(places.get(key) ?? []), inputs]);
    }
    for (const [key, group] of places) {
      await this.fromStages(JSON.parse(key) as Inputs, async (stages) => {
        await this.each(`matrix of inputs, ${key.replace(/[{}"]/g, "")}`, group, async (inputs) => {
          await this.with(lastOf(stages).fork({ ...required, ...inputs }), (deployment) =>
            complete(deployment, `matrix ${JSON.stringify(inputs)}`),
          );
        });
      });
    }
  }

  private async refusals(): Promise<void> {
    const { refused = [], inputs: required } = this.options.rehearsal;
    if (refused.length === 0) return;
    await this.with(this.started(), async (origin) => {
      await origin.init();
      await this.each("refused inputs", refused, async ([behaviour, inputs, texts]) => {
        await this.with(origin.fork({ ...required, ...inputs }), (deployment) =>
          requireRefusal(deployment, behaviour, texts, this.isOpenTofu),
        );
      });
    });
  }

  /** Many of one kind, some at a time, as one line of the report. */
  private async each<Item>(step: string, items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    const start = performance.now();
    const left = [...items];
    const workers = Array.from({ length: PARALLEL }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
    });
    const results = await Promise.allSettled(workers);
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    this.took({ step: `${step} (${items.length})`, seconds: (performance.now() - start) / 1000, resources: 0 });
  }

  private took(report: StepReport): void {
    this.steps.push(report);
    const elapsed = ((performance.now() - this.start) / 1000).toFixed(1).padStart(6);
    this.say(`${elapsed} s  ${basename(this.options.folder)}  ${report.step}`);
  }

  private say(line: string): void {
    this.options.onProgress?.(line);
  }

  private get isOpenTofu(): boolean {
    return basename(this.options.program).startsWith("tofu");
  }

  private started(inputs = this.options.rehearsal.inputs): Promise<Deployment> {
    const { folder, onCommand, program } = this.options;
    return Deployment.start({ source: folder, inputs, program, onCommand });
  }

  /** Works with a deployment and stops it; a failure keeps its folder. */
  private async with(starting: Promise<Deployment>, work: (deployment: Deployment) => Promise<void>): Promise<void> {
    const deployment = await starting;
    let keepFolder = this.options.keep === true;
    try {
      await work(deployment);
      if (keepFolder) this.say(`kept ${deployment.folder}`);
    } catch (error) {
      keepFolder = true;
      if (error instanceof LocatedFailure) throw error;
      throw new LocatedFailure(failureOf(error, deployment.folder));
    } finally {
      await deployment.stop({ keepFolder });
    }
  }
}

function lastOf(stages: readonly Deployment[]): Deployment {
  const last = stages.at(-1);
  if (last === undefined) throw new Error("there is no stage to begin with");
  return last;
}

function failureOf(error: unknown, folder: string): RehearsalFailure {
  const message = error instanceof Error ? error.message : String(error);
  const step = error instanceof StepFailure ? error.step : "the rehearsal itself";
  const problem = message.slice(Math.max(0, message.indexOf("Error: ")));
  const [address] = /(?<=\bwith )[\w.[\]"]+(?=,)|\b(?:google|random|terraform)_\w+\.\w+/.exec(problem) ?? [];
  return { step, address, message: problem, folder };
}

async function requireRefusal(
  deployment: Deployment,
  behaviour: string,
  texts: readonly string[],
  isOpenTofu: boolean,
): Promise<void> {
  const { output } = await deployment.refuse(behaviour, ["plan", "-input=false"]);
  // Lines are broken anywhere between words.
  const flat = output.replace(/\s+/g, " ");
  const isShown = (text: string) => flat.includes(text.replace(/\s+/g, " "));
  // OpenTofu stops at the first broken rule of an input.
  const isExcused = (text: string) =>
    isOpenTofu && texts.some((other) => inputOf(other) === inputOf(text) && isShown(other));
  const missing = texts.filter((text) => !isShown(text) && !isExcused(text));
  if (missing.length > 0) throw new StepFailure(behaviour, `expected "${missing.join('", "')}" in:\n${output}`);
}

/** Every text about an input begins with its name. */
function inputOf(text: string): string | undefined {
  return text.split(" ")[0];
}
