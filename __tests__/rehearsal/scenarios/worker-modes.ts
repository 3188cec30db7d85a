import { WORKER_MODES } from "../../../lib/idp/worker-mode";
import { type Action } from "../deployment/steps";
import { type ChangeScenario } from "../engine/journey";
import { type Process } from "../project/running-processes";
import { all, withInputs } from "./every-stack";
import { DASHBOARD } from "./monitoring";

const { allInOne, inContainer, separate } = WORKER_MODES;

/** From the default through each mode, back to the default. */
const TOUR = [inContainer, allInOne, separate, inContainer] as const;

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

/** Fails unless these are the processes of the workload with the server, and of that with the worker alone. */
function requirePlaces(
  running: ReadonlyMap<string, readonly Process[]>,
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
    change: withInputs({ worker_mode: to }),
    expected: {
      ...rollout,
      // Its charts are about a separate worker as well.
      ...(to === separate || from === separate ? { [DASHBOARD]: "update" } : {}),
      ...(to === separate ? all("create", separateWorker) : {}),
      ...(from === separate ? all("delete", separateWorker) : {}),
    },
    verify: ({ cloud }) =>
      requirePlaces(cloud.running, isSeparate, to === separate ? [["server"], ["worker"]] : [["server", "worker"]]),
  };
}

/** The worker changes its place until it is back. */
export function workerModeChanges(places: WorkerPlaces): readonly ChangeScenario[] {
  return TOUR.slice(1).map((to, index) => modeChange(TOUR[index] ?? inContainer, to, places));
}
