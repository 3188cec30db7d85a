import { basename } from "node:path";

import { schemaProblem } from "../../stacks/provider-schema/provider-schema";
import { Deployment, type DeploymentOptions, type Inputs } from "../deployment/deployment";
import {
  complete,
  endState,
  type EndState,
  rehearseFault,
  rehearseInterrupt,
  rehearseKill,
  type StagedFault,
} from "./fault-scenarios";
import { closedGate, gateScripts, gatesAmong } from "./gates";
import { inputCombinations } from "./input-matrix";
import { requireShortApply } from "./critical-path";
import { dependenciesOf, type Dependencies, requireWaiting } from "./dependency-graph";
import { Journey, requireSoundness, type StepReport } from "./journey";
import { type RehearsalFailure, type RehearsalReport } from "./rehearsal-report";
import { refusalBatches, requireRefusal } from "./refusal-batches";
import { fewerFaults, resourceFaults } from "./resource-faults";
import { type StackRehearsal } from "./stack-rehearsal";
import { inStep, type Plan, StepFailure } from "../deployment/steps";
import { NotBegun, together, WorkSlots } from "./work-slots";

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

/**
 * Takes a synthesized folder through its whole life with the real Terraform: offline, in seconds, and without writing
 * into it.
 *
 * Never throws for what the folder does: the report says what went wrong first.
 */
export async function rehearse(options: RehearsalOptions): Promise<RehearsalReport> {
  const stack = basename(options.folder);
  const problem = schemaProblem(options.folder);
  if (problem !== undefined) {
    const failure = { step: "schemas", address: undefined, message: problem, folder: options.folder };
    return { stack, steps: [], failure };
  }
  const run = new RehearsalRun(options);
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

/** A deployment that others begin from, and what is planned there. */
class Stage {
  private planned?: Promise<Plan>;

  constructor(readonly deployment: Deployment) {}

  /** Made when it is first asked for; deployments that are forked from then on have its file. */
  plan(): Promise<Plan> {
    return (this.planned ??= this.deployment.plan());
  }
}

class RehearsalRun {
  private readonly lifecycle: StepReport[] = [];
  private readonly further: StepReport[] = [];
  private readonly slots = new WorkSlots();
  private readonly start = performance.now();

  constructor(private readonly options: RehearsalOptions) {}

  /** Everything that went well: one life, then what was rehearsed beside it. */
  get steps(): readonly StepReport[] {
    return [...this.lifecycle, ...this.further];
  }

  /** A stack that does not come up fails at once; everything else goes on side by side. */
  async all(): Promise<void> {
    const { lifecycleOnly = false, rehearsal } = this.options;
    const { changes = [], nullOutputs, protection, verifyDestroyed } = rehearsal;
    await this.with(this.started(), async (deployment) => {
      const journey = new Journey(deployment, nullOutputs, (report) => {
        this.took(report, this.lifecycle);
      });
      await journey.setUp();
      if (lifecycleOnly) return journey.tearDown(protection);
      const goOn = async () => {
        for (const change of changes) await journey.change(change);
        await journey.tearDown(protection, verifyDestroyed);
      };
      await together([this.slots.take(goOn), this.refusals(), this.faults(), this.matrix()]);
    });
  }

  /** Stages of which each has what one more of the patterns names; the first has nothing. */
  private async fromStages(
    inputs: Inputs,
    patterns: readonly RegExp[],
    work: (stages: readonly Stage[]) => Promise<void>,
  ): Promise<void> {
    const stages: Stage[] = [];
    let broken: Deployment | undefined;
    const at = async <Result>(deployment: Deployment, work: () => Promise<Result>) => {
      try {
        return await work();
      } catch (error) {
        broken = deployment;
        throw locatedFailure(error, deployment);
      }
    };
    const add = (deployment: Deployment, step: string, apply: () => Promise<void>) => {
      stages.push(new Stage(deployment));
      return at(deployment, async () => {
        await inStep(step, apply);
        deployment.requireNoLeaks(step);
      });
    };
    try {
      await this.slots.take(async () => {
        const first = await this.started(inputs);
        await add(first, "init", () => first.init());
      });
      for (const pattern of patterns) {
        const step = `stage ${pattern.source}`;
        await this.slots.take(async () => {
          const before = lastOf(stages);
          const { actions } = await at(before.deployment, () => inStep(step, () => before.plan()));
          const targets = [...actions.keys()].filter((address) => pattern.test(address));
          const next = await before.deployment.fork();
          await add(next, step, () => next.applyAtOnce(...targets.map((target) => `-target=${target}`)));
        });
      }
      await work(stages);
    } finally {
      await Promise.all(stages.map(({ deployment }) => deployment.stop({ keepFolder: deployment === broken })));
    }
  }

  private faults(): Promise<void> {
    const { faultInputs, inputs, lateStage, stages: patterns = [] } = this.options.rehearsal;
    const all = lateStage === undefined ? patterns : [...patterns, lateStage];
    return this.fromStages(faultInputs ?? inputs, all, async (stages) => {
      const begun = stages[patterns.length] ?? lastOf(stages);
      await this.with(begun.deployment.fork(), async (deployment) => {
        const end = await this.slots.take(async () => {
          const step = "apply before the faults";
          await inStep(step, () => deployment.applyAtOnce());
          deployment.requireNoLeaks(step);
          return endState(deployment);
        });
        const faults = await this.slots.take(() => this.faultsOf(deployment, end, all));
        await together([
          this.episodes(begun, deployment),
          this.each("faults on create", faults, async (fault) => {
            const origin = stages[fault.afterStage] ?? lastOf(stages);
            const plan = await inStep(fault.name, () => origin.plan());
            return this.count(origin.deployment.fork(), (fork) => rehearseFault(fork, plan, fault, end));
          }),
          this.interruptions(begun, end),
        ]);
      });
    });
  }

  /** Faults of everything that there is in the end, and those that the stack describes. */
  private async faultsOf(
    complete: Deployment,
    end: EndState,
    patterns: readonly RegExp[],
  ): Promise<readonly StagedFault[]> {
    const { closedGates, failTogether, faults = [] } = this.options.rehearsal;
    const dependencies = await this.dependencies(complete);
    const ofResources =
      failTogether === undefined || dependencies === undefined
        ? resourceFaults(end, patterns)
        : fewerFaults(end, patterns, failTogether, dependencies);
    const gates = gatesAmong(end.addresses).filter(({ api }) => closedGates?.includes(api) ?? true);
    return [...ofResources, ...gates.map((gate) => closedGate(gate, patterns)), ...faults];
  }

  private interruptions(begun: Stage, end: EndState): Promise<void> {
    const { kill } = this.options.rehearsal;
    // OpenTofu writes its state every 20 s at most, so after a kill it does not know what it has made.
    if (this.isOpenTofu && kill !== undefined)
      this.say("not killed: OpenTofu loses what it has made since its last save");
    const interruptions = [
      rehearseInterrupt,
      ...(kill === undefined || this.isOpenTofu
        ? []
        : [(deployment: Deployment, expectedEnd: EndState) => rehearseKill(deployment, kill, expectedEnd)]),
    ];
    return this.each("interrupted, killed", interruptions, (interrupt) =>
      this.count(begun.deployment.fork(), (deployment) => interrupt(deployment, end)),
    );
  }

  /** What waits for what, after a look at whether it should; OpenTofu draws another kind of graph. */
  private async dependencies(deployment: Deployment): Promise<Dependencies | undefined> {
    const { scripts } = this.options.rehearsal;
    if (scripts === undefined || this.isOpenTofu) return undefined;
    const gates = gateScripts(gatesAmong(deployment.stateAddresses()));
    const dependencies = await dependenciesOf(deployment, { ...gates, ...scripts });
    requireWaiting(dependencies);
    for (const line of requireShortApply(dependencies)) this.say(line);
    return dependencies;
  }

  private async episodes(begun: Stage, complete: Deployment): Promise<void> {
    const { episodes = [] } = this.options.rehearsal;
    await this.each("episodes", episodes, ({ name, play, fromNothing = false }) =>
      this.count((fromNothing ? begun.deployment : complete).fork(), async (deployment) => {
        await inStep(name, () => play(deployment));
        requireSoundness(deployment, name);
        await new Journey(deployment, undefined).requireEmptyPlan(name);
        deployment.requireNoLeaks(name);
      }),
    );
  }

  private async matrix(): Promise<void> {
    const { inputs: required, stages: patterns = [] } = this.options.rehearsal;
    const combinations = inputCombinations(this.options.rehearsal);
    // Combinations that agree in the required inputs begin where these alone have led.
    const places = new Map<string, Inputs[]>();
    for (const inputs of combinations) {
      const own = Object.fromEntries(Object.entries(required).map(([name, value]) => [name, inputs[name] ?? value]));
      const key = JSON.stringify(own);
      places.set(key, [...(places.get(key) ?? []), inputs]);
    }
    await together(
      [...places].map(([key, group]) =>
        this.fromStages(JSON.parse(key) as Inputs, patterns, (stages) =>
          this.each(`matrix of inputs, ${key.replace(/[{}"]/g, "")}`, group, (inputs) =>
            this.count(lastOf(stages).deployment.fork({ ...required, ...inputs }), (deployment) =>
              complete(deployment, `matrix ${JSON.stringify(inputs)}`),
            ),
          ),
        ),
      ),
    );
  }

  private async refusals(): Promise<void> {
    const { refused = [], inputs: required } = this.options.rehearsal;
    if (refused.length === 0) return;
    await this.with(this.started(), async (origin) => {
      await origin.init();
      const { variable = {} } = JSON.parse(origin.read("cdk.tf.json") ?? "{}") as { variable?: Record<string, object> };
      const batches = refusalBatches(refused, variable);
      await this.each(`${refused.length} refused inputs, by plans`, batches, ([behaviour, inputs, texts]) =>
        this.with(origin.fork({ ...required, ...inputs }), (deployment) =>
          requireRefusal(deployment, behaviour, texts, this.isOpenTofu),
        ),
      );
    });
  }

  /** Many of one kind, as one line of the report; the work tells how many resources there are in the end, if any. */
  private async each<Item>(
    step: string,
    items: readonly Item[],
    work: (item: Item) => Promise<unknown>,
  ): Promise<void> {
    if (items.length === 0) return;
    const start = performance.now();
    let done = 0;
    let resources: number | undefined;
    await together(
      items.map((item) =>
        this.slots.take(async () => {
          const count = await work(item);
          if (typeof count === "number") resources = (resources ?? 0) + count;
          done += 1;
          if (done % ITEMS_PER_LINE === 0 && done < items.length) this.progress(`${step}: ${done} of ${items.length}`);
        }),
      ),
    );
    const seconds = (performance.now() - start) / 1000;
    this.took({ step: `${step} (${items.length})`, seconds, resources }, this.further);
  }

  private took(report: StepReport, steps: StepReport[]): void {
    steps.push(report);
    this.progress(report.step);
  }

  private progress(what: string): void {
    const elapsed = ((performance.now() - this.start) / 1000).toFixed(1).padStart(6);
    this.say(`${elapsed} s  ${basename(this.options.folder)}  ${what}`);
  }

  private say(line: string): void {
    this.options.onProgress?.(line);
  }

  private get isOpenTofu(): boolean {
    return basename(this.options.program).startsWith("tofu");
  }

  private started(inputs = this.options.rehearsal.inputs): Promise<Deployment> {
    const { folder, onCommand, program } = this.options;
    const { admission, othersExist, prepare } = this.options.rehearsal;
    const starting = Deployment.start({ source: folder, inputs, program, admission, othersExist, onCommand });
    return starting.then((deployment) => {
      prepare?.(deployment);
      return deployment;
    });
  }

  /** Works with a deployment as below, and counts its resources in the end. */
  private count(starting: Promise<Deployment>, work: (deployment: Deployment) => Promise<void>): Promise<number> {
    return this.with(starting, async (deployment) => {
      await work(deployment);
      return deployment.stateAddresses().length;
    });
  }

  /** Works with a deployment and stops it; a failure keeps its folder. */
  private async with<Result>(
    starting: Promise<Deployment>,
    work: (deployment: Deployment) => Promise<Result>,
  ): Promise<Result> {
    const deployment = await starting;
    let keepFolder = this.options.keep === true;
    try {
      const result = await work(deployment);
      if (keepFolder) this.say(`kept ${deployment.folder}`);
      return result;
    } catch (error) {
      if (error instanceof LocatedFailure || error instanceof NotBegun) throw error;
      keepFolder = true;
      throw locatedFailure(error, deployment);
    } finally {
      await deployment.stop({ keepFolder });
    }
  }
}

/** How many of many are done between two lines. */
const ITEMS_PER_LINE = 10;

function lastOf(stages: readonly Stage[]): Stage {
  const last = stages.at(-1);
  if (last === undefined) throw new Error("there is no stage to begin with");
  return last;
}

function locatedFailure(error: unknown, { folder }: Deployment): LocatedFailure {
  const message = error instanceof Error ? error.message : String(error);
  const step = error instanceof StepFailure ? error.step : "the rehearsal itself";
  const [address] =
    /(?<=\bwith )[\w.[\]"]+(?=,)|\b(?:aws|google|kubernetes|random|terraform|tls)_\w+\.\w+/.exec(message) ?? [];
  return new LocatedFailure({ step, address, message, folder });
}
