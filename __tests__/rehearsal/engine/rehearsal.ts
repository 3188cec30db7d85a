import { basename } from "node:path";

import { schemaProblem } from "../../stacks/provider-schema/provider-schema";
import { type Deployment, type Inputs } from "../deployment/deployment";
import { inStep } from "../deployment/steps";
import { requireShortApply } from "./critical-path";
import { dependenciesOf, gatesAmong, gateScripts, requireWaiting } from "./dependency-graph";
import {
  closedGates,
  complete,
  endState,
  type EndState,
  rehearseFailedCreations,
  rehearseFault,
  rehearseInterrupt,
  rehearseKill,
  type StagedFault,
} from "./fault-scenarios";
import { inputCombinations } from "./input-matrix";
import { type ChangeScenario, Journey, requireSoundness } from "./journey";
import { type RehearsalReport } from "./rehearsal-report";
import { LocatedFailure, type RehearsalOptions, RunContext, together } from "./run-context";
import { type StackRehearsal } from "./stack-rehearsal";
import { fromStages, lastOf, type Stage } from "./stages";

/**
 * Takes a copy of a synthesized folder through its whole life with the real Terraform, offline and in seconds.
 *
 * Never throws because of the folder: the report contains the first failure.
 */
export async function rehearse(options: RehearsalOptions): Promise<RehearsalReport> {
  const { folder, only } = options;
  const stack = basename(folder);
  const refused = (step: string, message: string): RehearsalReport => ({
    ...{ stack, steps: [] },
    failure: { step, address: undefined, message, folder },
  });
  const problem = schemaProblem(folder);
  if (problem !== undefined) return refused("schemas", problem);
  const context = new RunContext(options);
  try {
    await together(partsOf(context));
    if (only !== undefined && context.steps.length === 0)
      return refused("--only", `nothing that is rehearsed has "${only}" in its name`);
    return { stack, steps: context.steps };
  } catch (error) {
    if (!(error instanceof LocatedFailure)) throw error;
    return { stack, steps: context.steps, failure: error.failure };
  }
}

/** A stack that does not come up fails at once; everything else runs in parallel. */
function partsOf(context: RunContext): Promise<void>[] {
  // The longest chains of applies begin first.
  const works = {
    "further changes": furtherLife,
    "failed creations": failedCreations,
    faults,
    combinations,
  };
  const others = () =>
    (Object.keys(works) as (keyof typeof works)[])
      .filter((part) => context.includes(part))
      .map((part) => works[part](context));
  const { changes = [] } = context.options.rehearsal;
  return context.includes("life") && isAnyWanted(context, changes) ? [life(context, others)] : others();
}

/** Changes build on each other, so one that is asked for takes all of them. */
function isAnyWanted(context: RunContext, changes: readonly ChangeScenario[]): boolean {
  return context.options.only === undefined || changes.some(({ name }) => context.wants(name));
}

function life(context: RunContext, others: () => Promise<void>[]): Promise<void> {
  const { changes = [], verifyDestroyed } = context.options.rehearsal;
  if (!context.includes("changes")) return lifeWith(context, [], undefined, others);
  return lifeWith(context, changes, verifyDestroyed, others);
}

function furtherLife(context: RunContext): Promise<void> {
  const { furtherChanges = [] } = context.options.rehearsal;
  if (furtherChanges.length === 0 || !isAnyWanted(context, furtherChanges)) return Promise.resolve();
  return lifeWith(context, furtherChanges);
}

/** One deployment, from an empty folder through these changes until it is destroyed; the others begin when it is there. */
async function lifeWith(
  context: RunContext,
  changes: readonly ChangeScenario[],
  verifyDestroyed?: StackRehearsal["verifyDestroyed"],
  others: () => Promise<void>[] = () => [],
): Promise<void> {
  const { nullOutputs, protection } = context.options.rehearsal;
  await context.with(context.started(), async (deployment) => {
    const journey = new Journey(deployment, nullOutputs, (report) => {
      context.lifecycle.push(report);
    });
    await journey.setUp();
    const goOn = async () => {
      for (const change of changes) await journey.change(change);
      await journey.tearDown(protection, verifyDestroyed);
    };
    await together([context.take(goOn), ...others()]);
  });
}

function faults(context: RunContext): Promise<void> {
  const { faultInputs, inputs, lateStage, stages: patterns = [] } = context.options.rehearsal;
  const all = lateStage === undefined ? patterns : [...patterns, lateStage];
  return fromStages(context, faultInputs ?? inputs, all, async (stages) => {
    const begun = stages[patterns.length] ?? lastOf(stages);
    await context.with(begun.deployment.fork(), async (deployment) => {
      const end = await context.take(() => endWithoutFaults(deployment));
      const faults = await context.take(() => faultsOf(context, deployment, end, all));
      const wanted = faults.filter(({ name }) => context.wants(name));
      await together([
        episodes(context, begun, deployment),
        context.each("faults of a first apply", wanted, async (fault) => {
          const origin = stages[fault.afterStage] ?? lastOf(stages);
          const plan = await inStep(fault.name, () => origin.plan());
          return context.count(origin.deployment.fork(), (fork) => rehearseFault(fork, plan, fault, end));
        }),
        interruptions(context, begun, end),
      ]);
    });
  });
}

/** The creation of every resource fails, from nothing on. */
function failedCreations(context: RunContext): Promise<void> {
  const { faultInputs, inputs } = context.options.rehearsal;
  const step = "failed creations";
  if (!context.wants(step)) return Promise.resolve();
  return fromStages(context, faultInputs ?? inputs, [], async (stages) => {
    const { deployment: nothing } = lastOf(stages);
    const end = await context.take(() => context.with(nothing.fork(), endWithoutFaults));
    await context.each(step, end.objects.length > 0 ? [end.objects] : [], (keys) =>
      context.count(nothing.fork(), (deployment) => rehearseFailedCreations(deployment, keys, end)),
    );
  });
}

/** Applies everything, as what is compared with the end after faults. */
async function endWithoutFaults(deployment: Deployment): Promise<EndState> {
  const step = "apply before the faults";
  await inStep(step, () => deployment.applyAtOnce());
  deployment.requireNoLeaks(step);
  return endState(deployment);
}

/** Faults of the gates in the end state, and those that the stack describes. */
async function faultsOf(
  context: RunContext,
  complete: Deployment,
  end: EndState,
  patterns: readonly RegExp[],
): Promise<readonly StagedFault[]> {
  const { faults = [] } = context.options.rehearsal;
  await checkDependencies(context, complete);
  const gates = gatesAmong(end.addresses);
  return [...(gates.length > 0 ? [closedGates(gates, patterns)] : []), ...faults];
}

/** Checks that the dependencies cover all needs. */
async function checkDependencies(context: RunContext, deployment: Deployment): Promise<void> {
  const { scripts } = context.options.rehearsal;
  if (scripts === undefined) return;
  const gates = gateScripts(gatesAmong(deployment.stateAddresses()));
  const dependencies = await dependenciesOf(deployment, { ...gates, ...scripts });
  requireWaiting(dependencies);
  for (const line of requireShortApply(dependencies)) context.say(line);
}

function interruptions(context: RunContext, begun: Stage, end: EndState): Promise<void> {
  const { kill } = context.options.rehearsal;
  const works = [{ name: "interrupted", work: (deployment: Deployment) => rehearseInterrupt(deployment, end) }];
  if (kill !== undefined) works.push({ name: "killed", work: (deployment) => rehearseKill(deployment, kill, end) });
  const wanted = works.filter(({ name }) => context.wants(name));
  return context.each(wanted.map(({ name }) => name).join(", "), wanted, ({ work }) =>
    context.count(begun.deployment.fork(), work),
  );
}

function episodes(context: RunContext, begun: Stage, complete: Deployment): Promise<void> {
  const wanted = (context.options.rehearsal.episodes ?? []).filter(({ name }) => context.wants(name));
  return context.each("episodes", wanted, ({ name, play, fromNothing = false }) =>
    context.count((fromNothing ? begun.deployment : complete).fork(), async (deployment) => {
      await inStep(name, () => play(deployment));
      requireSoundness(deployment, name);
      await new Journey(deployment, undefined).requireEmptyPlan(name);
      deployment.requireNoLeaks(name);
    }),
  );
}

async function combinations(context: RunContext): Promise<void> {
  const { inputs: required, stages: patterns = [] } = context.options.rehearsal;
  // Combinations with the same required inputs start from a deployment with only those.
  const places = new Map<string, Inputs[]>();
  const wanted = inputCombinations(context.options.rehearsal).filter((inputs) => context.wants(JSON.stringify(inputs)));
  for (const inputs of wanted) {
    const own = Object.fromEntries(Object.entries(required).map(([name, value]) => [name, inputs[name] ?? value]));
    const key = JSON.stringify(own);
    places.set(key, [...(places.get(key) ?? []), inputs]);
  }
  await together(
    [...places].map(([key, group]) =>
      fromStages(context, JSON.parse(key) as Inputs, inOne(patterns), (stages) =>
        context.each(`matrix of inputs, ${key.replace(/[{}"]/g, "")}`, group, (inputs) =>
          context.count(lastOf(stages).deployment.fork({ ...required, ...inputs }), (deployment) =>
            complete(deployment, `matrix ${JSON.stringify(inputs)}`),
          ),
        ),
      ),
    ),
  );
}

/** One stage in the place of several. */
function inOne(patterns: readonly RegExp[]): RegExp[] {
  return patterns.length === 0 ? [] : [new RegExp(patterns.map(({ source }) => source).join("|"))];
}
