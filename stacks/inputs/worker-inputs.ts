import { connectionExpressions } from "../../lib/idp/worker-connections";
import {
  DEFAULT_WORKER_COUNT,
  DEFAULT_WORKER_MODE,
  EXTRA_WORKERS,
  NEEDS_SEPARATE,
  WORKER_COUNT,
  WORKER_MODE,
  WORKER_MODES,
  WORKER_PROCESSES,
  WORKER_RANGE,
  WORKER_RESOURCES,
  WORKER_SIZE,
  WORKER_THREADS,
} from "../../lib/idp/worker-mode";
import { MAX_INSTANCES } from "../../lib/platform/instance-rules";
import { type Input } from "./input-table";
import { type PlatformWords } from "./platform-words";

/** Number of separate workers that always run, as a Terraform expression. */
export const WORKER_COUNT_EXPRESSION = `coalesce(var.worker_count, ${DEFAULT_WORKER_COUNT})`;

/** Maximum number of separate workers on GKE, as a Terraform expression. */
export const WORKER_MAX_COUNT_EXPRESSION = `coalesce(var.worker_max_count, ${WORKER_COUNT_EXPRESSION} + ${EXTRA_WORKERS})`;

const CONNECTIONS = connectionExpressions({
  workerMode: "var.worker_mode",
  workerProcesses: "var.worker_processes",
  workerThreads: "var.worker_threads",
});

/**
 * Terraform expressions for the rule on the connections of the database.
 *
 * @param most maximum number of separate workers at a time
 */
export function workerDemand(most: string) {
  return {
    perInstance: CONNECTIONS.perInstance,
    ofWorkers: `(var.worker_mode == "${WORKER_MODES.separate}" ? ${most} * ${CONNECTIONS.perWorker} : 0)`,
  } as const;
}

const needsSeparate = (given: string) => NEEDS_SEPARATE.validationOf({ given, workerMode: "worker_mode" });

/** Inputs of the worker. */
export function workerInputs(platform: PlatformWords) {
  return {
    worker_mode: {
      type: "string",
      default: DEFAULT_WORKER_MODE,
      description: `Where the worker runs: ${WORKER_MODES.inContainer}, beside the server, restarted by the image's entrypoint; ${WORKER_MODES.allInOne}, beside the server, and the application ends both when one ends, from release 2026.5 on; ${WORKER_MODES.separate}, in ${platform.workerPlace}, billed by itself. A change rolls out new instances; tasks wait meanwhile and none is lost.`,
      must: WORKER_MODE,
    },
    worker_count: {
      type: "number",
      default: null,
      description: `${platform.workerCountMeaning} Null for ${DEFAULT_WORKER_COUNT}. Changing it later is safe.`,
      must: WORKER_COUNT,
      together: [needsSeparate("worker_count")],
    },
    worker_cpu: {
      type: "number",
      default: null,
      description: `CPUs of a separate worker: ${platform.cpuChoice}; null for ${WORKER_RESOURCES.cpu}. A change rolls out new workers.`,
      must: platform.workerCpu,
      together: [needsSeparate("worker_cpu")],
    },
    worker_memory: {
      type: "string",
      default: null,
      description: `Memory of a separate worker, with Mi or Gi, shared with the cache of the media mount; null for ${WORKER_RESOURCES.memory}. A change rolls out new workers.`,
      together: [
        needsSeparate("worker_memory"),
        platform.memory.validationOf(
          { cpu: "worker_cpu", memory: "worker_memory" },
          {
            cpu: `coalesce(var.worker_cpu, ${WORKER_RESOURCES.cpu})`,
            memory: `coalesce(var.worker_memory, "${WORKER_RESOURCES.memory}")`,
          },
        ),
      ],
    },
    worker_processes: {
      type: "number",
      default: null,
      description: `Processes of one worker, in every mode; null for the application's own ${WORKER_PROCESSES.default}. Each takes memory and database connections. ${WORKER_PROCESSES.variable} in environment_variables overrides it, and is not counted. A change rolls out new instances.`,
      must: WORKER_SIZE,
    },
    worker_threads: {
      type: "number",
      default: null,
      description: `Threads of each process of a worker, and so tasks at a time, in every mode; null for the application's own ${WORKER_THREADS.default}. Each takes a database connection. ${WORKER_THREADS.variable} in environment_variables overrides it, and is not counted. A change rolls out new instances.`,
      must: WORKER_SIZE,
    },
  } as const satisfies Record<string, Input>;
}

/** The input of the worker that exists only on GKE. */
export const KUBERNETES_WORKER_INPUTS = {
  worker_max_count: {
    type: "number",
    default: null,
    description:
      "Maximum number of separate workers, plus 1 during a rollout; null for one more than worker_count. Changing it later is safe.",
    must: MAX_INSTANCES,
    together: [
      needsSeparate("worker_max_count"),
      WORKER_RANGE.validationOf(
        { workerCount: "worker_count", workerMaxCount: "worker_max_count" },
        { workerCount: WORKER_COUNT_EXPRESSION, workerMaxCount: WORKER_MAX_COUNT_EXPRESSION },
      ),
    ],
  },
} as const satisfies Record<string, Input>;
