import { basename } from "node:path";

import pLimit from "p-limit";

import { Deployment, type Inputs } from "../deployment/deployment";
import { inStep, StepFailure } from "../deployment/steps";
import { toHcl } from "./hcl-folder";
import { type StackRehearsal } from "./stack-rehearsal";

/** A completed step. */
interface StepReport {
  readonly step: string;
  readonly seconds: number;
}

/** The first failure. */
export interface RehearsalFailure {
  readonly step: string;
  /** Address of the resource that the failure names, if any. */
  readonly address: string | undefined;
  /** What was expected, or Terraform's message. */
  readonly message: string;
  /** Folder of the deployment at that time. */
  readonly folder: string;
}

/** Result of the rehearsal of one folder. */
export interface RehearsalReport {
  readonly stack: string;
  readonly steps: readonly StepReport[];
  readonly failure?: RehearsalFailure;
  /** Whether nothing has the name that is asked for. */
  readonly isNothingFound?: boolean;
}

/** What `npm run rehearse` does with each stack. */
export const USUAL_PARTS = ["life", "changes", "faults"] as const;

/** What `npm run rehearse:exhaustive` does: every way to change a part, each resource, and inputs together. */
export const EXHAUSTIVE_PARTS = ["further changes", "further episodes", "failed creations", "combinations"] as const;

type Part = (typeof EXHAUSTIVE_PARTS | typeof USUAL_PARTS)[number];

export interface RehearsalOptions {
  /** Folder of a synthesized stack; it is copied and never modified. */
  readonly folder: string;
  /** Path of `terraform`. */
  readonly program: string;
  readonly rehearsal: StackRehearsal;
  /** What is rehearsed; "life" alone is a life without changes. @default - every part */
  readonly parts?: readonly Part[];
  /** Runs only what has this in its name; changes build on each other, so one match runs them all. */
  readonly only?: string;
  /** Limit of the work at the same time, to be shared by rehearsals that run side by side. */
  readonly limit?: WorkLimit;
  /** Keeps every folder, including those without a failure. */
  readonly keep?: boolean;
  /** Called with every finished step and every kept folder. */
  readonly onProgress?: (line: string) => void;
}

/** Deployments that work at the same time: one more than two cores, because scripts mostly wait. */
const PARALLEL = 3;

/** How many pieces of work run at the same time, in order of request. */
type WorkLimit = ReturnType<typeof pLimit>;

export function workLimit(): WorkLimit {
  return pLimit(PARALLEL);
}

/** A failure with its deployment. */
export class LocatedFailure extends Error {
  constructor(readonly failure: RehearsalFailure) {
    super(failure.message);
  }
}

/** One thing that happens to a deployment of its own. */
export interface Incident {
  readonly name: string;
  readonly begin: () => Promise<Deployment>;
  readonly play: (deployment: Deployment) => Promise<void>;
}

/** What all rehearsals of one folder share: deployments, limited work and the report. */
export class RunContext {
  /** All steps that succeeded. */
  readonly steps: StepReport[] = [];
  private readonly limit: WorkLimit;
  private isAnyFound = false;

  constructor(readonly options: RehearsalOptions) {
    this.limit = options.limit ?? workLimit();
  }

  /** Whether this part is to be rehearsed. */
  includes(part: Part): boolean {
    return this.options.parts?.includes(part) ?? true;
  }

  /** Whether something of this name is to be rehearsed. */
  wants(name: string): boolean {
    const isFound = name.includes(this.options.only ?? "");
    this.isAnyFound ||= isFound;
    return isFound;
  }

  /** Whether a name is asked for that nothing so far has. */
  get isNothingFound(): boolean {
    return this.options.only !== undefined && !this.isAnyFound;
  }

  async started(inputs = this.options.rehearsal.inputs): Promise<Deployment> {
    const { folder, program, rehearsal } = this.options;
    const { externalResourcesExist, prepare } = rehearsal;
    const deployment = await Deployment.start({ source: folder, inputs, program, externalResourcesExist });
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
      if (error instanceof LocatedFailure) throw error;
      keepFolder = true;
      throw locatedFailure(error, deployment);
    } finally {
      await deployment.stop({ keepFolder });
    }
  }

  /** Runs work as soon as there is room for it. Work must not take room for other work: it would wait for itself. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.limit(work);
  }

  /** Runs work as a step, which is reported when it succeeds. */
  async timed<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
    const start = performance.now();
    const result = await work();
    const seconds = (performance.now() - start) / 1000;
    this.steps.push({ step, seconds });
    this.say(`ok ${seconds.toFixed(1).padStart(6)} s  ${basename(this.options.folder)}  ${step}`);
    return result;
  }

  /** Says how long each script has taken, with a cloud that answers at once. */
  tellScripts({ scripts }: Deployment): void {
    for (const { command, seconds } of scripts.splice(0))
      this.say(`   ${seconds.toFixed(1).padStart(6)} s  ${basename(this.options.folder)}  in it, ${command}`);
  }

  /** Plays each incident as soon as there is room for it. */
  each(incidents: readonly Incident[]): Promise<void> {
    const played = ({ name, begin, play }: Incident) =>
      this.take(() => this.timed(name, () => this.with(begin(), play)));
    return together(incidents.map(played));
  }

  /** Runs work on a deployment that has only what the pattern names; in HCL, which Terraform reads faster. */
  fromStage(
    inputs: Inputs,
    pattern: RegExp | undefined,
    work: (deployment: Deployment) => Promise<void>,
  ): Promise<void> {
    return this.with(this.started(inputs), async (deployment) => {
      toHcl(deployment);
      await this.take(async () => {
        await deployment.init();
        if (pattern !== undefined) await inStep("stage", () => applyPart(deployment, pattern));
      });
      await work(deployment);
    });
  }

  say(line: string): void {
    this.options.onProgress?.(line);
  }
}

async function applyPart(deployment: Deployment, pattern: RegExp): Promise<void> {
  const resources = Object.entries(deployment.configuration.resource ?? {});
  const addresses = resources.flatMap(([type, named]) => Object.keys(named).map((name) => `${type}.${name}`));
  const targets = addresses.filter((address) => pattern.test(address));
  await deployment.applyAtOnce(...targets.map((target) => `-target=${target}`));
  deployment.requireNoLeaks("apply");
}

/**
 * Waits for everything, even after a failure, so that nothing continues in the background.
 *
 * @throws the error of the first part in the list that failed
 */
export async function together(parts: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(parts);
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** What to say of a name that nothing has in any rehearsal; undefined where something has it, or fails. */
export function nothingFound(only: string | undefined, reports: readonly RehearsalReport[]): string | undefined {
  if (only === undefined || !reports.every(({ failure, isNothingFound }) => failure === undefined && isNothingFound))
    return undefined;
  return [
    `nothing has "${only}" in its name; npm run rehearse prints the name of each step after ok,`,
    "and __tests__/rehearsal/scenarios has the others; name a part of one",
  ].join(" ");
}

function locatedFailure(error: unknown, { folder }: Deployment): LocatedFailure {
  const message = error instanceof Error ? error.message : String(error);
  const step = error instanceof StepFailure ? error.step : "the rehearsal itself";
  const [address] =
    /(?<=\bwith )[\w.[\]"]+(?=,)|\b(?:aws|google|kubernetes|random|terraform|tls)_\w+\.\w+/.exec(message) ?? [];
  return new LocatedFailure({ step, address, message, folder });
}
