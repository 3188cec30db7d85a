import { basename } from "node:path";

import { schemaProblem } from "../../stacks/provider-schema/provider-schema";
import { type Deployment, type Inputs } from "../deployment/deployment";
import { inStep } from "../deployment/steps";
import { DEPENDENCIES_STEP, requireDependencies } from "./dependencies";
import {
  closedGates,
  complete,
  type EndState,
  endState,
  gatedApis,
  rehearseFailedCreations,
  rehearseFault,
  rehearseInterrupt,
} from "./fault-scenarios";
import { toHcl } from "./hcl-folder";
import { inputCombinations } from "./input-matrix";
import { type ChangeScenario, Journey, requireSoundness } from "./journey";
import {
  type Incident,
  LocatedFailure,
  type RehearsalOptions,
  type RehearsalReport,
  RunContext,
  together,
} from "./run-context";
import { type StackRehearsal } from "./stack-rehearsal";

/**
 * Takes a copy of a synthesized folder through its whole life with the real Terraform, offline and in seconds.
 *
 * Never throws because of the folder: the report contains the first failure.
 */
export async function rehearse(options: RehearsalOptions): Promise<RehearsalReport> {
  const { folder } = options;
  const stack = basename(folder);
  const refused = (step: string, message: string): RehearsalReport => ({
    stack,
    steps: [],
    failure: { step, address: undefined, message, folder },
  });
  const problem = schemaProblem(folder);
  if (problem !== undefined) return refused("schemas", problem);
  const context = new RunContext(options);
  const { steps } = context;
  try {
    await everyPart(context);
    return { stack, steps, isNothingFound: context.isNothingFound };
  } catch (error) {
    if (!(error instanceof LocatedFailure)) throw error;
    return { stack, steps, failure: error.failure };
  }
}

/** Everything runs in parallel, the longest chains of applies first. */
function everyPart(context: RunContext): Promise<void> {
  const { changes = [], furtherChanges = [], verifyDestroyed } = context.options.rehearsal;
  const isChanged = context.includes("changes");
  return together([
    ...(context.includes("life") && isAnyWanted(context, changes)
      ? [life(context, isChanged ? changes : [], { verifyDestroyed: isChanged ? verifyDestroyed : undefined })]
      : []),
    ...(context.includes("further changes") && isAnyWanted(context, furtherChanges)
      ? [life(context, furtherChanges, { isInHcl: true })]
      : []),
    ...(context.includes("failed creations") ? [failedCreations(context)] : []),
    ...(context.includes("faults") || context.includes("further episodes") ? [incidents(context)] : []),
    ...(context.includes("combinations") ? [combinations(context)] : []),
  ]);
}

/** Changes build on each other, so one that is asked for takes all of them. */
function isAnyWanted(context: RunContext, changes: readonly ChangeScenario[]): boolean {
  return context.options.only === undefined || changes.some(({ name }) => context.wants(name));
}

/**
 * One deployment, from an empty folder through these changes until it is destroyed.
 *
 * @param isInHcl whether the folder is in HCL throughout; otherwise during the changes
 */
async function life(
  context: RunContext,
  changes: readonly ChangeScenario[],
  { isInHcl = false, verifyDestroyed }: { isInHcl?: boolean } & Pick<StackRehearsal, "verifyDestroyed"> = {},
): Promise<void> {
  const { nullOutputs, protection } = context.options.rehearsal;
  await context.with(context.started(), (deployment) =>
    context.take(async () => {
      const journey = new Journey(deployment, (step, work) => context.timed(step, work));
      if (isInHcl) toHcl(deployment);
      await journey.setUp(nullOutputs);
      const back = isInHcl ? undefined : toHcl(deployment);
      // A life without changes has this plan before the destroy.
      if (back !== undefined && changes.length > 0)
        await context.timed("plan in the other format", () => deployment.requireEmptyPlan("plan in the other format"));
      for (const change of changes) await journey.change(change);
      if (changes.length > 0) back?.();
      await journey.tearDown(protection, verifyDestroyed);
    }),
  );
}

async function incidents(context: RunContext): Promise<void> {
  const { rehearsal } = context.options;
  const { faultInputs = rehearsal.inputs, stage } = rehearsal;
  const isUsual = context.includes("faults");
  const episodes = [
    ...(isUsual ? (rehearsal.episodes ?? []) : []),
    ...(context.includes("further episodes") ? (rehearsal.furtherEpisodes ?? []) : []),
  ];
  if (!isUsual && episodes.length === 0) return;
  await context.fromStage(faultInputs, stage, (begun) =>
    context.with(begun.fork(), async (whole) => {
      const end = await context.take(() => endWithoutFaults(whole));
      const played: readonly Incident[] = episodes.map(({ name, play, fromNothing = false }) => ({
        name,
        begin: () => (fromNothing ? begun : whole).fork(),
        play: async (deployment) => {
          await inStep(name, () => play(deployment));
          context.tellScripts(deployment);
          requireSoundness(deployment, name);
          const isDestroyed = deployment.stateAddresses().length === 0;
          if (!isDestroyed) await deployment.requireEmptyPlan(`${name}: second plan`);
          deployment.requireNoLeaks(name);
        },
      }));
      const wanted = (each: readonly Incident[]) => each.filter(({ name }) => context.wants(name));
      if (!isUsual) return context.each(wanted(played));
      if (context.wants(DEPENDENCIES_STEP))
        await context.take(() => context.timed(DEPENDENCIES_STEP, () => requireDependencies(whole)));
      const faults: readonly Incident[] = [
        ...(rehearsal.faults ?? []).map((fault) => ({
          name: fault.name,
          begin: () => begun.fork(),
          play: (deployment: Deployment) => rehearseFault(deployment, fault, end),
        })),
        { name: "interrupted", begin: () => begun.fork(), play: (deployment) => rehearseInterrupt(deployment, end) },
      ];
      await together([context.each(wanted([...played, ...faults])), gates(context, end)]);
    }),
  );
}

function gates(context: RunContext, end: EndState): Promise<void> {
  const { inputs, faultInputs = inputs } = context.options.rehearsal;
  const fault = closedGates(gatedApis(end.addresses));
  if (!context.wants(fault.name)) return Promise.resolve();
  return context.fromStage(faultInputs, undefined, (deployment) =>
    context.take(() => context.timed(fault.name, () => rehearseFault(deployment, fault, end))),
  );
}

/** The creation of every resource fails, from nothing on. */
function failedCreations(context: RunContext): Promise<void> {
  const { inputs, faultInputs = inputs } = context.options.rehearsal;
  const name = "failed creations";
  if (!context.wants(name)) return Promise.resolve();
  return context.fromStage(faultInputs, undefined, async (begun) => {
    const begin = () => begun.fork();
    const end = await context.take(() => context.with(begin(), endWithoutFaults));
    await context.each([{ name, begin, play: (deployment) => rehearseFailedCreations(deployment, end) }]);
  });
}

/** Applies everything, as what is compared with the end after faults. */
async function endWithoutFaults(deployment: Deployment): Promise<EndState> {
  const step = "apply before the faults";
  await inStep(step, () => deployment.applyAtOnce());
  deployment.requireNoLeaks(step);
  return endState(deployment);
}

/** Combinations with the same required inputs start from a deployment with only those. */
async function combinations(context: RunContext): Promise<void> {
  const { inputs: required, matrix = {}, stage } = context.options.rehearsal;
  const places = new Map<string, Inputs[]>();
  const wanted = inputCombinations(matrix).filter((inputs) => context.wants(JSON.stringify(inputs)));
  for (const inputs of wanted) {
    const own = Object.fromEntries(Object.entries(required).map(([name, value]) => [name, inputs[name] ?? value]));
    const key = JSON.stringify(own);
    places.set(key, [...(places.get(key) ?? []), inputs]);
  }
  const works = [...places].map(([key, group]) =>
    context.fromStage(JSON.parse(key) as Inputs, stage, (begun) =>
      context.each(
        group.map((inputs, index) => ({
          name: `combination ${index + 1} of ${group.length} with ${key.replace(/[{}"]/g, "")}`,
          begin: () => begun.fork({ ...required, ...inputs }),
          play: (deployment) => complete(deployment, `matrix ${JSON.stringify(inputs)}`),
        })),
      ),
    ),
  );
  await together(works);
}
