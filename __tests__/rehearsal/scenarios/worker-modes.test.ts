import { WORKER_MODES } from "../../../lib/idp/worker-mode";
import { type Deployment } from "../deployment/deployment";
import { Cloud } from "../project/cloud";
import { type Process } from "../project/running-processes";
import { workerModeChanges } from "./worker-modes";

const SERVICE = "service idp";
const POOL = "pool idp";

const { allInOne, inContainer, separate } = WORKER_MODES;

const CHANGES = workerModeChanges({
  isSeparate: (workload) => workload === POOL,
  rollout: { service: "update" },
  separateWorker: ["pool"],
});

type Step = readonly [workload: string, processes: readonly Process[] | undefined];

/** Goes through a change whose apply takes these steps; undefined stops a workload. */
function goThrough(name: string, before: readonly Step[], steps: readonly Step[]): void {
  const change = CHANGES.find((candidate) => candidate.name === name);
  if (change === undefined) throw new Error(`there is no change ${name}`);
  const surroundings = { enabledApis: new Set<string>(), hasImage: () => false, hasAnswered: () => false };
  const cloud = new Cloud(surroundings);
  const deployment: Pick<Deployment, "cloud" | "inputs"> = { cloud, inputs: {} };
  const { running } = cloud;
  const take = ([workload, processes]: Step): void => {
    if (processes === undefined) running.stop(workload);
    else running.start(workload, processes);
  };
  before.forEach(take);
  change.change?.(deployment as Deployment);
  expect(deployment.inputs.worker_mode).toBe(name.split(" ")[2]);
  steps.forEach(take);
  change.verify?.(deployment as Deployment);
}

const BOTH: Step = [SERVICE, ["server", "worker"]];
const SERVER: Step = [SERVICE, ["server"]];
const WORKER: Step = [POOL, ["worker"]];
const NO_WORKER: Step = [POOL, undefined];

const INTO = `the worker ${separate} instead of ${inContainer}`;
const BACK = `the worker ${inContainer} instead of ${separate}`;
const ASIDE = `the worker ${allInOne} instead of ${inContainer}`;

describe("The changes of the worker's mode", () => {
  it("go once in each direction, each from the result of the previous one", () => {
    const modes = Object.values(WORKER_MODES);
    const directions = modes.flatMap((from) =>
      modes.filter((to) => to !== from).map((to) => `the worker ${to} instead of ${from}`),
    );
    const names = CHANGES.map(({ name }) => name);
    expect([...names].sort()).toEqual(directions.sort());
    const ways = names.map((name) => name.replace("the worker ", "").split(" instead of "));
    expect(ways.map(([, from]) => from)).toEqual([inContainer, ...ways.slice(0, -1).map(([to]) => to)]);
  });

  it.each([
    [INTO, [BOTH], [WORKER, SERVER]],
    [BACK, [WORKER, SERVER], [NO_WORKER, BOTH]],
    [ASIDE, [BOTH], [BOTH]],
  ])("accept %s without a loss", (name, before, steps) => {
    expect(() => goThrough(name, before, steps)).not.toThrow();
  });

  it.each<[string, string, readonly Step[], readonly Step[], string]>([
    [
      "a rollout that stops the server first",
      ASIDE,
      [BOTH],
      [[SERVICE, undefined], BOTH],
      `after the change of ${SERVICE} there runs no server`,
    ],
    [
      "a server that stops its worker before there is another one",
      INTO,
      [BOTH],
      [SERVER, WORKER],
      `after the change of ${SERVICE} there runs server`,
    ],
    [
      "a gap that has no end",
      BACK,
      [WORKER, SERVER],
      [NO_WORKER, SERVER],
      `after the change of ${SERVICE} there runs server`,
    ],
    ["a worker in two places", INTO, [BOTH], [WORKER], 'there runs {"service idp":["server","worker"],"pool idp":'],
    ["no rollout at all", ASIDE, [BOTH], [], "nothing was rolled out"],
  ])("notice %s", (_what, name, before, steps, message) => {
    expect(() => goThrough(name, before, steps)).toThrow(message);
  });
});
