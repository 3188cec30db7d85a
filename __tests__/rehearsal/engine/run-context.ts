import pLimit from "p-limit";

import { Deployment, type DeploymentOptions } from "../deployment/deployment";
import { StepFailure } from "../deployment/steps";
import { type StepReport } from "./journey";
import { type RehearsalFailure } from "./rehearsal-report";
import { type StackRehearsal } from "./stack-rehearsal";

/** What `npm run rehearse` does with each stack. */
export const USUAL_PARTS = ["life", "changes", "faults"] as const;

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
  /** Called with what is found out on the way, and every kept folder. */
  readonly onProgress?: (line: string) => void;
  readonly onCommand?: DeploymentOptions["onCommand"];
}

/** Deployments that work at the same time: one more than two cores, because scripts mostly wait. */
const PARALLEL = 3;

/** How many pieces of work run at the same time, in order of request. */
type WorkLimit = ReturnType<typeof pLimit>;

export function workLimit(): WorkLimit {
  return pLimit(PARALLEL);
}

/** Thrown for work that was not started because something else had already failed. */
class NotBegun extends Error {}

/** A failure with its deployment. */
export class LocatedFailure extends Error {
  constructor(readonly failure: RehearsalFailure) {
    super(failure.message);
  }
}

/** What all rehearsals of one folder share: deployments, limited work and the report. */
export class RunContext {
  /** Steps of the complete life. */
  readonly lifecycle: StepReport[] = [];
  private readonly further: StepReport[] = [];
  private readonly limit: WorkLimit;
  private hasFailed = false;

  constructor(readonly options: RehearsalOptions) {
    this.limit = options.limit ?? workLimit();
  }

  /** All steps that succeeded. */
  get steps(): readonly StepReport[] {
    return [...this.lifecycle, ...this.further];
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

  /**
   * Runs work as soon as there is room for it. Work must not take room for other work: it would wait for itself.
   *
   * @throws NotBegun after any failure
   */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.limit(async () => {
      if (this.hasFailed) throw new NotBegun("something else has failed");
      try {
        return await work();
      } catch (error) {
        this.hasFailed = true;
        throw error;
      }
    });
  }

  /** Runs many items as one line of the report; the work may return the number of resources at the end. */
  async each<Item>(step: string, items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
    if (items.length === 0) return;
    const start = performance.now();
    let resources: number | undefined;
    const one = async (item: Item): Promise<void> => {
      const count = await this.take(() => work(item));
      if (typeof count === "number") resources = (resources ?? 0) + count;
    };
    await together(items.map(one));
    const seconds = (performance.now() - start) / 1000;
    this.further.push({ step: `${step} (${items.length})`, seconds, resources });
  }

  say(line: string): void {
    this.options.onProgress?.(line);
  }
}

/**
 * Waits for everything, even after a failure, so that nothing continues in the background.
 *
 * @throws the error of the first part in the list that failed
 */
export async function together(parts: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(parts);
  const reasons = results.flatMap((result): unknown[] => (result.status === "rejected" ? [result.reason] : []));
  if (reasons.length > 0) throw reasons.find((reason) => !(reason instanceof NotBegun)) ?? reasons[0];
}

export function locatedFailure(error: unknown, { folder }: Deployment): LocatedFailure {
  const message = error instanceof Error ? error.message : String(error);
  const step = error instanceof StepFailure ? error.step : "the rehearsal itself";
  const [address] =
    /(?<=\bwith )[\w.[\]"]+(?=,)|\b(?:aws|google|kubernetes|random|terraform|tls)_\w+\.\w+/.exec(message) ?? [];
  return new LocatedFailure({ step, address, message, folder });
}
