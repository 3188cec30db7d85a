import { type Deployment, type Inputs } from "../deployment/deployment";
import { inStep, type Plan } from "../deployment/steps";
import { locatedFailure, type RunContext } from "./run-context";

/** A deployment from which others are forked, and its plan. */
export class Stage {
  private planned?: Promise<Plan>;

  constructor(readonly deployment: Deployment) {}

  /** Planned on first use; deployments forked after that have the plan file. */
  plan(): Promise<Plan> {
    return (this.planned ??= this.deployment.plan());
  }
}

/** Runs work on stages; the first is empty, and each further one also has the resources of the next pattern. */
export async function fromStages(
  context: RunContext,
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
    await context.take(async () => {
      const first = await context.started(inputs);
      await add(first, "init", () => first.init());
    });
    for (const pattern of patterns) {
      const step = `stage ${pattern.source}`;
      await context.take(async () => {
        // The first plan has everything, so it serves all stages.
        const [nothing = lastOf(stages)] = stages;
        const { actions } = await at(nothing.deployment, () => inStep(step, () => nothing.plan()));
        const targets = [...actions.keys()].filter((address) => pattern.test(address));
        const next = await lastOf(stages).deployment.fork();
        await add(next, step, () => next.applyAtOnce(...targets.map((target) => `-target=${target}`)));
      });
    }
    await work(stages);
  } finally {
    await Promise.all(stages.map(({ deployment }) => deployment.stop({ keepFolder: deployment === broken })));
  }
}

export function lastOf(stages: readonly Stage[]): Stage {
  const last = stages.at(-1);
  if (last === undefined) throw new Error("there is no stage to begin with");
  return last;
}
