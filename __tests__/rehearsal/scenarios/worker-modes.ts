import { WORKER_MODES } from "../../../lib/idp/worker-mode";
import { type Expected } from "../deployment/steps";
import { type ChangeScenario } from "../engine/journey";
import { all, withInputs } from "./every-stack";
import { DASHBOARD } from "./monitoring";

const { allInOne, inContainer, separate } = WORKER_MODES;

/** Inputs for separate workers. */
export const WITH_SEPARATE_WORKER = { worker_mode: separate } as const;

/** From the default through each mode, back to the default; the dashboard has charts about a separate worker. */
export function workerModeChanges(rollout: Expected, separateWorker: readonly string[]): readonly ChangeScenario[] {
  const change = (name: string, mode: string, expected: Expected): ChangeScenario => ({
    name,
    change: withInputs({ worker_mode: mode }),
    expected: { ...rollout, ...expected },
  });
  return [
    change("all in one process", allInOne, {}),
    change("a separate worker", separate, { [DASHBOARD]: "update", ...all("create", separateWorker) }),
    change("a worker beside the server", inContainer, { [DASHBOARD]: "update", ...all("delete", separateWorker) }),
  ];
}
