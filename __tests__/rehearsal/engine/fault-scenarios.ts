import { APPLY_AT_ONCE, type Deployment } from "../deployment/deployment";
import { inStep, StepFailure } from "../deployment/steps";
import { requireSoundness } from "./journey";

/** Something that goes wrong once during the first apply. */
export interface Fault {
  readonly name: string;
  /** Injects the fault before anything is applied. */
  readonly prepare: (deployment: Deployment) => void;
  /** Parts of the failed apply's output. */
  readonly refusals: readonly string[];
  /** Removes a fault that does not pass by itself. */
  readonly repair?: (deployment: Deployment) => void;
}

/** What a deployment must end as, whatever happened before. */
export interface EndState {
  readonly addresses: readonly string[];
  readonly objects: readonly string[];
}

export function endState(deployment: Deployment): EndState {
  // Their providers generate them locally: they cannot fail, and their names differ in every run.
  const objects = [...deployment.cloud.objects.keys()].filter((key) => !/^(random|tls)_/.test(key));
  return { addresses: deployment.stateAddresses().sort(), objects: objects.sort() };
}

/** Applies with the fault, which must fail, then again without it, which must end as an apply without faults. */
export async function rehearseFault(deployment: Deployment, fault: Fault, expected: EndState): Promise<void> {
  fault.prepare(deployment);
  await requireFailure(deployment, fault.name, fault.refusals);
  if (deployment.cloud.pendingFaults.length > 0) throw new StepFailure(fault.name, "the injected fault was never met");
  fault.repair?.(deployment);
  await inStep(fault.name, () => complete(deployment, "second apply", expected));
}

/** Runs an apply that must fail, for these reasons and because of nothing that did not wait for what failed. */
async function requireFailure(deployment: Deployment, name: string, reasons: readonly string[]): Promise<void> {
  await inStep(name, () => deployment.refuse(APPLY_AT_ONCE, ...reasons));
  // What needs the failed resource must have waited for it, and not only happen to come later when nothing fails.
  const [premature] = deployment.cloud.refusals;
  if (premature !== undefined) throw new StepFailure(name, `tried without waiting for what it needs: ${premature}`);
}

/** Types whose creation may fail after the resource exists, which must then be replaced. */
const BREAKABLE = [
  "google_cloud_run_v2_job",
  "google_cloud_run_v2_service",
  "google_cloud_run_v2_worker_pool",
  "kubernetes_deployment_v1",
  "kubernetes_ingress_v1",
  "kubernetes_job_v1",
  "kubernetes_service_v1",
];

/**
 * Applies until everything is there, while the creation of each resource fails once, or twice where it can also break:
 * as often as there are levels, because what does not wait for each other fails in one apply.
 */
export async function rehearseFailedCreations(deployment: Deployment, expected: EndState): Promise<void> {
  const name = "every creation fails once";
  const { cloud } = deployment;
  const breaking = new Set(expected.objects.filter((key) => BREAKABLE.includes(key.split(" ")[0] ?? "")));
  for (const key of expected.objects) cloud.failNext(key, "refused");
  while (cloud.pendingFaults.length > 0) {
    await requireFailure(deployment, name, ["injected failure"]);
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

/** APIs with a gate, which opens when the API answers; created in `lib/core/project-apis.ts`. One is never asked. */
export function gatedApis(addresses: readonly string[]): string[] {
  return addresses
    .flatMap((address) => /^google_project_service\.\w*apis_(\w+)\b/.exec(address)?.[1] ?? [])
    .filter((api) => api !== "iamcredentials");
}

/** The fault of gates that all stay closed until they time out; none of them waits for another. */
export function closedGates(apis: readonly string[]): Fault {
  return {
    name: "no API answers in time after it was enabled",
    prepare: ({ environment, web }) => {
      environment.WAIT_SECONDS = "0";
      // Otherwise no gate is reached.
      web.usage.enabled.add("cloudresourcemanager.googleapis.com");
      for (const api of apis) web.inject(api, { kind: "service-disabled" });
    },
    refusals: apis.map((api) => `${api}.googleapis.com did not answer in project`),
    repair: ({ environment }) => {
      environment.WAIT_SECONDS = undefined;
    },
  };
}
