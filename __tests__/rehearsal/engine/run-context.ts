import { basename } from "node:path";

import { Deployment, type DeploymentOptions } from "../deployment/deployment";
import { StepFailure } from "../deployment/steps";
import { type StepReport } from "./journey";
import { type RehearsalFailure } from "./rehearsal-report";
import { type StackRehearsal } from "./stack-rehearsal";
import { NotBegun, together, type WorkLimit, WorkSlots } from "./work-slots";

/** What `npm run rehearse` does with each stack. */
export const USUAL_PARTS = ["life", "changes", "refusals", "faults"] as const;

/** What `npm run rehearse:exhaustive` does: every way to change a part, each resource, and each two values of inputs. */
export const EXHAUSTIVE_PARTS = ["further changes", "failed creations", "combinations"] as const;

type Part = (typeof EXHAUSTIVE_PARTS | typeof USUAL_PARTS)[number];

export interface RehearsalOptions {
  /** Folder of a synthesized stack; it is copied and never modified. */
  readonly folder: string;
  /** Path of `terraform` or `tofu`. */
  readonly program: string;
  readonly rehearsal: StackRehearsal;
  /**
   * What is rehearsed; "life" alone is a life without changes.
   *
   * @default - every part
   */
  readonly parts?: readonly Part[];
  /**
   * Runs only what has this in its name: changes, faults, episodes, refused inputs, or combinations as JSON. Changes
   * build on each other, so one match runs them all.
   *
   * @default - everything is
   */
  readonly only?: string;
  /**
   * Limit of the work at the same time, to be shared by rehearsals that run side by side.
   *
   * @default - one of its own
   */
  readonly limit?: WorkLimit;
  /** Keeps every folder, including those without a failure. */
  readonly keep?: boolean;
  /** Called with every completed step and every kept folder. */
  readonly onProgress?: (line: string) => void;
  readonly onCommand?: DeploymentOptions["onCommand"];
}

/** A failure with its deployment. */
export class LocatedFailure extends Error {
  constructor(readonly failure: RehearsalFailure) {
    super(failure.message);
  }
}

/** Items per progress line. */
const ITEMS_PER_LINE = 10;

/** What all rehearsals of one folder share: deployments, work slots and the report. */
export class RunContext {
  readonly slots: WorkSlots;
  /** Steps of the complete life. */
  readonly lifecycle: StepReport[] = [];
  private readonly further: StepReport[] = [];
  private readonly start = performance.now();

  constructor(readonly options: RehearsalOptions) {
    this.slots = new WorkSlots(options.limit);
  }

  /** All steps that succeeded. */
  get steps(): readonly StepReport[] {
    return [...this.lifecycle, ...this.further];
  }

  get isOpenTofu(): boolean {
    return basename(this.options.program).startsWith("tofu");
  }

  /** Whether this part is to be rehearsed. */
  includes(part: Part): boolean {
    return this.options.parts?.includes(part) ?? true;
  }

  /** Whether something of this name is to be rehearsed. */
  wants(name: string): boolean {
    return name.includes(this.options.only ?? "");
  }

  async started(inputs = this.options.rehearsal.inputs): Promise<Deployment> {
    const { folder, onCommand, program } = this.options;
    const { externalResourcesExist, prepare } = this.options.rehearsal;
    const options = { source: folder, inputs, program, externalResourcesExist, onCommand };
    const deployment = await Deployment.start(options);
    prepare?.(deployment);
    return deployment;
  }

  /** Runs work on a deployment and stops it; keeps the folder after a failure. */
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

  /** Like `with`; returns the number of resources at the end. */
  count(starting: Promise<Deployment>, work: (deployment: Deployment) => Promise<void>): Promise<number> {
    return this.with(starting, async (deployment) => {
      await work(deployment);
      return deployment.stateAddresses().length;
    });
  }

  /** Runs many items as one line of the report; the work may return the number of resources at the end. */
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
