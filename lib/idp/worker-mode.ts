import { ref, Token } from "cdktf";

import { CheckedRelation } from "../core/checked-relation";
import { oneOf, wholeNumber } from "../core/checked-value";
import { isWord } from "../core/conditional";
import { numberExpression, numberText } from "../core/expression";
import { type Rule } from "../core/rules";
import { LATEST_VERSION } from "./contract";
import { RECOMMENDED_VERSION } from "./releases";

/** Where the worker runs: beside the server, supervised by the image's entrypoint or by the application, or separate. */
export const WORKER_MODES = { inContainer: "in-container", allInOne: "all-in-one", separate: "separate" } as const;

export const DEFAULT_WORKER_MODE: string = WORKER_MODES.inContainer;

/** Arguments of the image's entrypoint, for modes other than its default, server and worker. */
export const ENTRYPOINT_COMMANDS = { allInOne: "allinone", serverAlone: "server-alone", worker: "worker" } as const;

/** First release that supervises server and worker itself. */
const ALL_IN_ONE_SINCE = { year: 2026, feature: 5 } as const;

/** Variables for the size of a worker, with the application's own defaults. */
export const WORKER_PROCESSES = { variable: "IDP_WORKER__PROCESSES", default: 1 } as const;
export const WORKER_THREADS = { variable: "IDP_WORKER__THREADS", default: 2 } as const;

/** Name of a separate worker's container, and part of the names of its objects. */
export const WORKER_NAME = "worker";

/** Separate workers. */
export const DEFAULT_WORKER_COUNT = 1;

/** Workers that the autoscaler of GKE may add. */
export const EXTRA_WORKERS = 1;

/** The default maximum for this minimum number of workers, which may be known only at plan. */
export function usualWorkerMaximum(count: number): number {
  if (!Token.isUnresolved(count)) return count + EXTRA_WORKERS;
  return numberExpression(`${numberText(count)} + ${EXTRA_WORKERS}`);
}

/** Size of a separate worker: twice the memory that the upstream gives one, for the cache of the media mount. */
export const WORKER_RESOURCES = { cpu: 1, memory: "2Gi" } as const;

/** Where the worker runs. */
export const WORKER_MODE = oneOf(Object.values(WORKER_MODES), { remedy: `use ${DEFAULT_WORKER_MODE}` });

/** Number of separate workers. */
export const WORKER_COUNT = wholeNumber(
  { from: 1 },
  { reason: "nothing else sends mail or runs tasks", remedy: `use ${DEFAULT_WORKER_COUNT}` },
);

/** Processes of one worker, or threads of one process. */
export const WORKER_SIZE = wholeNumber({ from: 1 }, { remedy: "leave it out for the application's own default" });

/** Minimum and maximum number of separate workers. */
export const WORKER_RANGE = new CheckedRelation<{ workerCount: number; workerMaxCount: number }>({
  // A maximum below 1 has its own rule.
  accepts: ({ workerCount, workerMaxCount }) => workerMaxCount < 1 || workerCount <= workerMaxCount,
  condition: ({ workerCount, workerMaxCount }) => `${workerMaxCount} < 1 || ${workerCount} <= ${workerMaxCount}`,
  problem: (names, shown) =>
    `${names.workerCount} is ${shown.workerCount}; it must not exceed ${names.workerMaxCount}, which is ${shown.workerMaxCount}; lower one or raise the other`,
});

/** Number and size apply to separate workers only. */
export const NEEDS_SEPARATE = new CheckedRelation<{ given: number | string | undefined; workerMode: string }>({
  accepts: ({ given, workerMode }) => given === undefined || workerMode === WORKER_MODES.separate,
  condition: ({ given, workerMode }) => `${given} == null || ${workerMode} == "${WORKER_MODES.separate}"`,
  problem: (names, shown) =>
    `${names.given} is ${shown.given} with ${names.workerMode} ${shown.workerMode}; it needs "${WORKER_MODES.separate}", because otherwise every instance of the server has a worker in it; set ${names.workerMode} to "${WORKER_MODES.separate}", or leave it out`,
});

/** Where the worker runs, and how many tasks it runs at a time. */
export interface WorkerOptions {
  /**
   * Where the worker runs: `in-container`, beside the server and supervised by the image's entrypoint; `all-in-one`,
   * beside the server and supervised by the application, from release 2026.5 on; `separate`, in a worker pool or deployment.
   *
   * @default "in-container"
   */
  readonly workerMode?: "in-container" | "all-in-one" | "separate" | (string & {});

  /**
   * Processes of one worker; null at plan means the application's own default.
   *
   * @default - the application's own, 1
   */
  readonly workerProcesses?: number;

  /**
   * Threads of each process of a worker, and so tasks at a time; null at plan means the application's own default.
   *
   * @default - the application's own, 2
   */
  readonly workerThreads?: number;
}

export const WORKER_FORM_RULES: readonly Rule<WorkerOptions>[] = [
  WORKER_MODE.ruleOn("workerMode", ({ workerMode }) => workerMode),
  WORKER_SIZE.ruleOn("workerProcesses", ({ workerProcesses }) => workerProcesses),
  WORKER_SIZE.ruleOn("workerThreads", ({ workerThreads }) => workerThreads),
];

const RELEASE_PATTERN = "^([0-9]{4})[.]([0-9]{1,2})[.]";
const FIRST_ALL_IN_ONE = ALL_IN_ONE_SINCE.year * 100 + ALL_IN_ONE_SINCE.feature;

/** The application's own supervision needs a release that has it. */
export const ALL_IN_ONE_RELEASE = new CheckedRelation<{ workerMode: string; applicationVersion: string }>({
  accepts: ({ applicationVersion: version, workerMode }) => {
    if (workerMode !== WORKER_MODES.allInOne || version === LATEST_VERSION) return true;
    const [, year, feature] = new RegExp(RELEASE_PATTERN).exec(version) ?? [];
    // Anything that is not a release has its own rule.
    return year === undefined || Number(year) * 100 + Number(feature) >= FIRST_ALL_IN_ONE;
  },
  condition: ({ applicationVersion: version, workerMode }) => {
    const part = (index: number) => `tonumber(regex("${RELEASE_PATTERN}", ${version})[${index}])`;
    return `${workerMode} != "${WORKER_MODES.allInOne}" || try(${part(0)} * 100 + ${part(1)} >= ${FIRST_ALL_IN_ONE}, true)`;
  },
  problem: (names, shown) =>
    `${names.workerMode} is ${shown.workerMode} with ${names.applicationVersion} ${shown.applicationVersion}; it needs release ${ALL_IN_ONE_SINCE.year}.${ALL_IN_ONE_SINCE.feature} or newer, because older ones cannot supervise server and worker themselves; use ${WORKER_MODES.inContainer} or for example "${RECOMMENDED_VERSION}"`,
});

/** Arguments of the container with the server, undefined for the image's own; the mode may be known only at plan. */
export function serverArguments(mode: string): readonly string[] | undefined {
  if (!Token.isUnresolved(mode)) return ARGUMENTS[mode];
  const [[first, ofFirst], [second, ofSecond]] = Object.entries(ARGUMENTS) as [Arguments, Arguments];
  const choice = `${mode} == "${second}" ? ${JSON.stringify(ofSecond)} : null`;
  return Token.asList(ref(`(${mode} == "${first}" ? ${JSON.stringify(ofFirst)} : ${choice})`));
}

type Arguments = [mode: string, args: readonly string[]];

const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  [WORKER_MODES.allInOne]: [ENTRYPOINT_COMMANDS.allInOne],
  [WORKER_MODES.separate]: [ENTRYPOINT_COMMANDS.serverAlone],
};

/** Whether workers are separate, as a string: `true`, `false` or a boolean expression. */
export function isSeparate(mode: string): string {
  return isWord(mode, WORKER_MODES.separate);
}
