import { type ChildProcess } from "node:child_process";

import { APPLY_AT_ONCE, type Deployment } from "../deployment/deployment";
import { type Gate } from "./dependency-graph";
import { requireSoundness, requireVerified } from "./journey";
import { inStep, type Plan, StepFailure } from "../deployment/steps";
import { killWithScripts } from "../deployment/terraform-process";

/** Something that goes wrong once during the first apply. */
export interface StagedFault {
  readonly name: string;
  /** How many stages of the stack are applied before it. */
  readonly afterStage: number;
  /** Injects the fault before anything is applied. */
  readonly prepare: (deployment: Deployment) => void;
  /** Parts of the failed apply's output. */
  readonly refusals: readonly string[];
  /** Checks the project after the failed apply; throws if it is not as expected. */
  readonly verify?: (deployment: Deployment) => void;
  /** Removes a fault that does not pass by itself. */
  readonly repair?: (deployment: Deployment) => void;
}

/** What a deployment must end as, whatever happened before. */
export interface EndState {
  readonly addresses: readonly string[];
  readonly objects: readonly string[];
}

export function endState(deployment: Deployment): EndState {
  const objects = [...deployment.cloud.objects.keys()].filter((key) => !hasIdentityOfChance(key));
  return { addresses: deployment.stateAddresses().sort(), objects: objects.sort() };
}

/** Whether a provider generates the resource locally: it cannot fail, and its name differs in every run. */
function hasIdentityOfChance(key: string): boolean {
  return /^(random|tls)_/.test(key);
}

/** Applies a plan with the fault, which must fail, then again without it, which must end as an apply without faults. */
export async function rehearseFault(
  deployment: Deployment,
  plan: Plan,
  fault: StagedFault,
  expected: EndState,
): Promise<void> {
  fault.prepare(deployment);
  await requireFailure(deployment, fault.name, ["apply", "-input=false", plan.file], fault.refusals);
  if (!deployment.cloud.allFaultsMet) throw new StepFailure(fault.name, "the injected fault was never met");
  requireVerified(fault.name, () => fault.verify?.(deployment));
  fault.repair?.(deployment);
  await inStep(fault.name, () => complete(deployment, "second apply", expected));
}

/** Runs an apply that must fail, for these reasons and because of nothing that did not wait for what failed. */
async function requireFailure(
  deployment: Deployment,
  name: string,
  command: readonly string[],
  reasons: readonly string[],
): Promise<void> {
  await inStep(name, () => deployment.refuse(command, ...reasons));
  // What needs the failed resource must have waited for it, and not only happen to come later when nothing fails.
  const [premature] = deployment.cloud.refusals;
  if (premature !== undefined) throw new StepFailure(name, `tried without waiting for what it needs: ${premature}`);
}

/** Types whose creation may fail after the resource exists, which must then be replaced. */
const BREAKABLE = [
  ...["google_cloud_run_v2_job", "google_cloud_run_v2_service", "google_cloud_run_v2_worker_pool"],
  ...["kubernetes_deployment_v1", "kubernetes_ingress_v1", "kubernetes_job_v1", "kubernetes_service_v1"],
];

/**
 * Applies until everything is there, while the creation of each resource fails once, or twice where it can also break: as
 * often as there are levels, because what does not wait for each other fails in one apply.
 */
export async function rehearseFailedCreations(deployment: Deployment, expected: EndState): Promise<void> {
  const name = "every creation fails once";
  const { cloud } = deployment;
  const breaking = new Set(expected.objects.filter((key) => BREAKABLE.includes(key.split(" ")[0] ?? "")));
  for (const key of expected.objects) cloud.failNext(key, "refused");
  while (!cloud.allFaultsMet) {
    await requireFailure(deployment, name, APPLY_AT_ONCE, ["injected failure"]);
    for (const key of [...breaking].filter((candidate) => !cloud.pendingFaults.includes(candidate))) {
      breaking.delete(key);
      cloud.failNext(key, "broken");
    }
  }
  await complete(deployment, name, expected);
}

/** Applies and compares the end state with the expected one. */
export async function complete(deployment: Deployment, name: string, expected?: EndState): Promise<void> {
  await inStep(name, () => deployment.applyAtOnce());
  if (expected !== undefined) requireSameEnd(name, endState(deployment), expected);
  requireSoundness(deployment, name);
  deployment.requireNoLeaks(name);
}

function requireSameEnd(name: string, end: EndState, expected: EndState): void {
  for (const kind of ["addresses", "objects"] as const) {
    const missing = expected[kind].filter((item) => !end[kind].includes(item));
    const surplus = end[kind].filter((item) => !expected[kind].includes(item));
    if (missing.length + surplus.length > 0) {
      throw new StepFailure(name, `another end: missing ${missing.join(", ")}; surplus ${surplus.join(", ")}`);
    }
  }
}

/** A moment at which a script waits, so that Terraform can be killed while nothing else happens. */
export interface KillScenario {
  /** Makes the script wait. */
  readonly prepare: (deployment: Deployment) => void;
  /** Output that shows that it waits. */
  readonly waiting: string;
  /** What continues in the cloud after the kill. */
  readonly meanwhile: (deployment: Deployment) => void;
}

/** Kills Terraform and its scripts while a script waits and nothing else changes. */
export async function rehearseKill(deployment: Deployment, scenario: KillScenario, expected: EndState): Promise<void> {
  const name = "killed in the middle of an apply";
  scenario.prepare(deployment);
  deployment.writeInputs();
  const run = await deployment.terraform(APPLY_AT_ONCE, killAtRest(deployment, scenario.waiting));
  if (run.exitCode !== null) throw new StepFailure(name, `Terraform ended by itself with ${run.exitCode}`);
  deployment.requireNoLeaks(name);
  scenario.meanwhile(deployment);
  await complete(deployment, name, expected);
}

/** Interrupts Terraform, as Ctrl-C does, as soon as the first resources exist. */
export async function rehearseInterrupt(deployment: Deployment, expected: EndState): Promise<void> {
  const name = "interrupted in the middle of an apply";
  deployment.writeInputs();
  const run = await deployment.terraform(APPLY_AT_ONCE, (output, child) => {
    // A second signal would make it exit immediately.
    if (child.killed || !output.includes("Creation complete")) return;
    child.kill("SIGINT");
  });
  deployment.requireNoLeaks(name);
  if (run.exitCode === 0) throw new StepFailure(name, "the apply was over before it could be interrupted");
  await complete(deployment, name, expected);
}

/** The project is at rest if nothing has changed for this long. */
const REST_MILLISECONDS = 300;

/**
 * Kills Terraform once it waits and knows of everything that it has made: what it has made without having saved it would
 * be in the way of the next apply, with the platforms, too.
 */
function killAtRest(deployment: Deployment, waiting: string): (output: string, child: ChildProcess) => void {
  const before = new Set(deployment.cloud.objects.keys());
  let timer: NodeJS.Timeout | undefined;
  return (output, child) => {
    if (timer !== undefined || !output.includes(waiting)) return;
    let count = -1;
    timer = setInterval(() => {
      if (child.exitCode !== null || child.signalCode !== null) {
        clearInterval(timer);
        return;
      }
      const made = [...deployment.cloud.objects.keys()].filter((key) => !before.has(key));
      if (made.length === count && isSaved(deployment, made)) killWithScripts(child);
      count = made.length;
    }, REST_MILLISECONDS);
  };
}

/** Whether the state on disk has all of these. */
function isSaved(deployment: Deployment, keys: readonly string[]): boolean {
  try {
    const saved = new Set(deployment.stateKeys.values());
    return keys.every((key) => saved.has(key));
  } catch (error) {
    // Half written.
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** The fault of gates that all stay closed until they time out; none of them waits for another. */
export function closedGates(gates: readonly Gate[], stages: readonly RegExp[]): StagedFault {
  return {
    name: `the gates of ${gates.map(({ api }) => api).join(", ")} never open`,
    afterStage: stages.findIndex((pattern) => gates.every(({ address }) => pattern.test(address))),
    prepare: ({ environment, web }) => {
      environment.WAIT_SECONDS = "0";
      for (const { api } of gates) web.inject(api, { kind: "service-disabled" });
    },
    refusals: gates.map(({ api }) => `${api}.googleapis.com did not answer in project`),
    repair: ({ environment }) => {
      environment.WAIT_SECONDS = undefined;
    },
  };
}
