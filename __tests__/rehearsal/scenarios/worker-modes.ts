import { WORKER_MODES } from "../../../lib/idp/worker-mode";
import { type Action } from "../deployment/steps";
import { type ChangeScenario } from "../engine/journey";
import { type Moment, type Process } from "../project/running-processes";
import { all, withInputs } from "./every-stack";
import { DASHBOARD } from "./monitoring";

const { allInOne, inContainer, separate } = WORKER_MODES;

/** From the default through each change of one mode to another, back to the default. */
const TOUR = [inContainer, allInOne, separate, inContainer, separate, allInOne, inContainer] as const;

/** Inputs for separate workers. */
export const WITH_SEPARATE_WORKER = { worker_mode: separate } as const;

/** What the modes come to on one platform. */
export interface WorkerPlaces {
  /** Whether a workload, given its type and identity, has the worker alone. */
  readonly isSeparate: (workload: string) => boolean;
  /** What rolls out another revision of the server. */
  readonly rollout: Readonly<Record<string, Action>>;
  /** Everything that there is for a separate worker alone. */
  readonly separateWorker: readonly string[];
}

/** Fails unless a server ran at every moment of a change, and a worker at every moment but where it may be missing. */
function requireProcesses(moments: readonly Moment[], mayLackWorker: (moment: Moment) => boolean): void {
  if (moments.length === 0) throw new Error("nothing was rolled out");
  for (const moment of moments) {
    const processes = [...moment.running.values()].flat();
    if (!processes.includes("server")) throw new Error(`after the change of ${moment.workload} there runs no server`);
    if (processes.includes("worker") === mayLackWorker(moment))
      throw new Error(`after the change of ${moment.workload} there runs ${processes.join(" and ")}`);
  }
}

/** Fails unless these are the processes of the workload with the server, and of that with the worker alone. */
function requirePlaces(
  running: Moment["running"],
  isSeparate: WorkerPlaces["isSeparate"],
  expected: readonly [server: readonly Process[], worker?: readonly Process[]],
): void {
  const places = [...running].sort(([one], [other]) => Number(isSeparate(one)) - Number(isSeparate(other)));
  const found = places.map(([, processes]) => processes);
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(`there runs ${JSON.stringify(Object.fromEntries(places))}`);
}

function modeChange(from: string, to: string, places: WorkerPlaces): ChangeScenario {
  const { isSeparate, rollout, separateWorker } = places;
  return {
    name: `the worker ${to} instead of ${from}`,
    change: (deployment) => {
      deployment.cloud.running.beginAnew();
      withInputs({ worker_mode: to })?.(deployment);
    },
    expected: {
      ...rollout,
      // Its charts are about a separate worker as well.
      ...(to === separate || from === separate ? { [DASHBOARD]: "update" } : {}),
      ...(to === separate ? all("create", separateWorker) : {}),
      ...(from === separate ? all("delete", separateWorker) : {}),
    },
    verify: ({ cloud }) => {
      const { moments } = cloud.running;
      // Terraform deletes what the server needs no more before it changes the server. Tasks wait for the next worker.
      requireProcesses(moments, ({ workload }) => from === separate && isSeparate(workload));
      const end = moments.at(-1)?.running ?? new Map<string, readonly Process[]>();
      requirePlaces(end, isSeparate, to === separate ? [["server"], ["worker"]] : [["server", "worker"]]);
    },
  };
}

/** The worker changes its place in all six directions; a server runs at every moment. */
export function workerModeChanges(places: WorkerPlaces): readonly ChangeScenario[] {
  return TOUR.slice(1).map((to, index) => modeChange(TOUR[index] ?? inContainer, to, places));
}
