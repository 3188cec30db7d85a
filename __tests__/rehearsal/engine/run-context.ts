import { basename } from "node:path";

import { Deployment, type DeploymentOptions } from "../deployment/deployment";
import { StepFailure } from "../deployment/steps";
import { type StepReport } from "./journey";
import { type RehearsalFailure } from "./rehearsal-report";
import { type StackRehearsal } from "./stack-rehearsal";
import { NotBegun, together, WorkSlots } from "./work-slots";

export interface RehearsalOptions {
  /** Folder of a synthesized stack; it is copied and never written to. */
  readonly folder: string;
  /** Path of `terraform` or `tofu`. */
  readonly program: string;
  readonly rehearsal: StackRehearsal;
  /** Only one life without faults and without the matrix. */
  readonly lifecycleOnly?: boolean;
  /**
   * Part of the names of what is rehearsed: changes, faults, episodes, refused inputs, or combinations as JSON. Changes
   * build on each other, so one of them brings all.
   *
   * @default - everything is
   */
  readonly only?: string;
  /** Keeps every folder, also of what went well. */
  readonly keep?: boolean;
  /** Told about every step that has ended, and about the folders that are kept. */
  readonly onProgress?: (line: string) => void;
  readonly onCommand?: DeploymentOptions["onCommand"];
}

/** A failure together with the deployment that it happened to. */
export class LocatedFailure extends Error {
  constructor(readonly failure: RehearsalFailure) {
    super(failure.message);
  }
}

/** How many of many are done between two lines. */
const ITEMS_PER_LINE = 10;

/** What everything that is rehearsed of one folder shares: deployments, turns to work, and the report. */
export class RunContext {
  readonly slots = new WorkSlots();
  /** Steps of the one life that has everything, and what was rehearsed beside it. */
  readonly lifecycle: StepReport[] = [];
  private readonly further: StepReport[] = [];
  private readonly start = performance.now();

  constructor(readonly options: RehearsalOptions) {}

  /** Everything that went well. */
  get steps(): readonly StepReport[] {
    return [...this.lifecycle, ...this.further];
  }

  get isOpenTofu(): boolean {
    return basename(this.options.program).startsWith("tofu");
  }

  /** Whether something of this name is to be rehearsed. */
  wants(name: string): boolean {
    return name.includes(this.options.only ?? "");
  }

  async started(inputs = this.options.rehearsal.inputs): Promise<Deployment> {
    const { folder, onCommand, program } = this.options;
    const { admission, othersExist, prepare } = this.options.rehearsal;
    const deployment = await Deployment.start({ source: folder, inputs, program, admission, othersExist, onCommand });
    prepare?.(deployment);
    return deployment;
  }

  /** Works with a deployment and stops it; a failure keeps its folder. */
  async with<Result>(
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

  /** The same, with the number of resources in the end. */
  count(starting: Promise<Deployment>, work: (deployment: Deployment) => Promise<void>): Promise<number> {
    return this.with(starting, async (deployment) => {
      await work(deployment);
      return deployment.stateAddresses().length;
    });
  }

  /** Many of one kind, as one line of the report; the work tells how many resources there are in the end, if any. */
  async each<Item>(step: string, items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
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

  took(report: StepReport, steps: StepReport[]): void {
    steps.push(report);
    this.progress(report.step);
  }

  say(line: string): void {
    this.options.onProgress?.(line);
  }

  private progress(what: string): void {
    const elapsed = ((performance.now() - this.start) / 1000).toFixed(1).padStart(6);
    this.say(`${elapsed} s  ${basename(this.options.folder)}  ${what}`);
  }
}

export function locatedFailure(error: unknown, { folder }: Deployment): LocatedFailure {
  const message = error instanceof Error ? error.message : String(error);
  const step = error instanceof StepFailure ? error.step : "the rehearsal itself";
  const [address] =
    /(?<=\bwith )[\w.[\]"]+(?=,)|\b(?:aws|google|kubernetes|random|terraform|tls)_\w+\.\w+/.exec(message) ?? [];
  return new LocatedFailure({ step, address, message, folder });
}
