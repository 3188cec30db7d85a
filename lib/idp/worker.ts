import { Token, ref } from "cdktf";

import { type Check } from "../core/checks";
import { isWord } from "../core/conditional";
import { expression } from "../core/expression";
import { choice, number, text, type Relation, type ValuesOf } from "../core/inputs";
import { type ContainerSpec } from "./container-spec";
import {
  CONNECTIONS_PER_INSTANCE,
  ENTRYPOINT_PATH,
  LATEST_VERSION,
  SERVER_CONNECTIONS,
  WORKER_CONNECTIONS,
} from "./contract";
import { type ImageInputs } from "./idp-image";
import { RECOMMENDED_VERSION } from "./releases";

/** Where the worker runs: beside the server, supervised by the image's entrypoint or by the application, or separate. */
export const WORKER_MODES = { inContainer: "in-container", allInOne: "all-in-one", separate: "separate" } as const;

/** Arguments of the image's entrypoint, for modes other than its default, server and worker. */
export const ENTRYPOINT_COMMANDS = { allInOne: "allinone", serverAlone: "server-alone", worker: "worker" } as const;

/** First release that supervises server and worker itself. */
const ALL_IN_ONE_SINCE = { year: 2026, feature: 5 } as const;

/** Variables for the size of a worker, with the application's own defaults. */
const PROCESSES = { variable: "IDP_WORKER__PROCESSES", usual: 1 } as const;
const THREADS = { variable: "IDP_WORKER__THREADS", usual: 2 } as const;

/** Name of a separate worker's container, and part of the names of its objects. */
export const WORKER_NAME = "worker";

/** Separate workers, and their size: twice the memory that the upstream gives one, for the cache of the media mount. */
export const WORKER_DEFAULTS = { count: 1, cpu: 1, memory: "2Gi" } as const;

/**
 * Where the worker runs, and how many tasks it runs at a time.
 *
 * @param place what a separate worker runs in
 */
function workerForm(place: string) {
  return {
    /**
     * Where the worker runs: `in-container`, the default, beside the server and supervised by the image's entrypoint;
     * `all-in-one`, beside the server and supervised by the application, from release 2026.5 on; `separate`, in a worker
     * pool or deployment.
     */
    workerMode: choice(Object.values(WORKER_MODES), `; use ${WORKER_MODES.inContainer}`, {
      default: WORKER_MODES.inContainer,
      description: `Where the worker runs: ${WORKER_MODES.inContainer}, beside the server, restarted by the image's entrypoint; ${WORKER_MODES.allInOne}, beside the server, and the application ends both when one ends, from release 2026.5 on; ${WORKER_MODES.separate}, in ${place}, billed by itself. A change rolls out new instances; tasks wait meanwhile and none is lost.`,
    }),
    /** Processes of one worker; by default the application's own number, 1. */
    workerProcesses: number({
      default: null,
      description: `Processes of one worker, in every mode; null for the application's own ${PROCESSES.usual}. Each takes memory and database connections. ${PROCESSES.variable} in environment_variables overrides it, and is not counted. A change rolls out new instances.`,
      schema: { multipleOf: 1, minimum: 1 },
    }),
    /** Threads of each process of a worker, and so tasks at a time; by default the application's own number, 2. */
    workerThreads: number({
      default: null,
      description: `Threads of each process of a worker, and so tasks at a time, in every mode; null for the application's own ${THREADS.usual}. Each takes a database connection. ${THREADS.variable} in environment_variables overrides it, and is not counted. A change rolls out new instances.`,
      schema: { multipleOf: 1, minimum: 1 },
    }),
  };
}

/** The same where no platform is known. */
export const WORKER_FORM = workerForm("a worker pool or a deployment");
export type WorkerForm = typeof WORKER_FORM;

/** How the worker runs on a platform. */
interface WorkerPlatform {
  /** What a separate worker runs in. */
  readonly place: string;
  /** The choice of CPUs, in words. */
  readonly cpuChoice: string;
  readonly cpu: Check;
  /** Whether a separate worker's memory fits its CPUs, as an HCL condition, and the rule in words. */
  readonly memory: { readonly fits: (cpu: string, memory: string) => string; readonly rule: string };
  /** What their number means, as a sentence. */
  readonly countMeaning: string;
}

/** Inputs of the worker. */
export function workerInputs({ countMeaning, cpu, cpuChoice, place }: WorkerPlatform) {
  return {
    ...workerForm(place),
    /** Number of separate workers, 1 by default; on GKE, the minimum. */
    workerCount: number({
      default: null,
      description: `${countMeaning} Null for ${WORKER_DEFAULTS.count}. Changing it later is safe.`,
      schema: { multipleOf: 1, minimum: 1 },
    }),
    /** CPUs of a separate worker, 1 by default: 1, 2, 4 or 8 on Cloud Run, 0.5 to 28 in steps of 0.25 on GKE. */
    workerCpu: number({
      default: null,
      description: `CPUs of a separate worker: ${cpuChoice}; null for ${WORKER_DEFAULTS.cpu}. A change rolls out new workers.`,
      schema: cpu.schema,
    }),
    /** Memory of a separate worker, `2Gi` by default, in Mi or Gi, shared with the cache of the media mount. */
    workerMemory: text({
      default: null,
      description: `Memory of a separate worker, with Mi or Gi, shared with the cache of the media mount; null for ${WORKER_DEFAULTS.memory}. A change rolls out new workers.`,
    }),
  };
}

export type WorkerInputs = ReturnType<typeof workerInputs>;

const RELEASE = "^([0-9]{4})[.]([0-9]{1,2})[.]";
const FIRST_ALL_IN_ONE = ALL_IN_ONE_SINCE.year * 100 + ALL_IN_ONE_SINCE.feature;

/** Number and size apply to separate workers only. */
const isSeparateOr = (v: ValuesOf<WorkerInputs>, name: "workerCount" | "workerCpu" | "workerMemory") =>
  `${v[name]} == null || ${v.workerMode} == "${WORKER_MODES.separate}"`;

/** Number, CPUs and memory of separate workers, with their defaults, as HCL expressions. */
export const workerCount = (v: ValuesOf<WorkerInputs>) => `coalesce(${v.workerCount}, ${WORKER_DEFAULTS.count})`;
const workerCpu = (v: ValuesOf<WorkerInputs>) => `coalesce(${v.workerCpu}, ${WORKER_DEFAULTS.cpu})`;
const workerMemory = (v: ValuesOf<WorkerInputs>) => `coalesce(${v.workerMemory}, "${WORKER_DEFAULTS.memory}")`;

export function workerRelations({ cpu, memory }: WorkerPlatform): readonly Relation<ImageInputs & WorkerInputs>[] {
  const { fits, rule } = memory;
  return [
    ...WORKER_FORM_RELATIONS,
    {
      // Not with the mode, on which other rules depend: a wrong release would hide what they refuse.
      of: "applicationVersion",
      holds: ({ applicationVersion: version, workerMode }) => {
        const part = (index: number) => `tonumber(regex("${RELEASE}", ${version})[${index}])`;
        return `${workerMode} != "${WORKER_MODES.allInOne}" || ${version} == "${LATEST_VERSION}" || try(${part(0)} * 100 + ${part(1)} >= ${FIRST_ALL_IN_ONE}, true)`;
      },
      says: ({ applicationVersion: version, workerMode: mode }) =>
        `${mode.name} is ${mode.shown} with ${version.name} ${version.shown}; it needs release ${ALL_IN_ONE_SINCE.year}.${ALL_IN_ONE_SINCE.feature} or newer, because older ones cannot supervise server and worker themselves; use ${WORKER_MODES.inContainer} or for example "${RECOMMENDED_VERSION}"`,
    },
    {
      of: "workerCount",
      holds: (v) =>
        `${v.workerCount} == null ? true : ${v.workerMode} == "${WORKER_MODES.separate}" && ${v.workerCount} >= 1 && floor(${v.workerCount}) == ${v.workerCount}`,
      says: ({ workerCount: count, workerMode: mode }) =>
        `${count.name} is ${count.shown} with ${mode.name} ${mode.shown}; it must be a whole number from 1, because nothing else sends mail or runs tasks, and needs "${WORKER_MODES.separate}"; use ${WORKER_DEFAULTS.count} and set ${mode.name} to "${WORKER_MODES.separate}", or leave it out`,
    },
    {
      of: "workerCpu",
      holds: (v) => `(${isSeparateOr(v, "workerCpu")}) && (${cpu.condition(workerCpu(v))})`,
      says: ({ workerCpu: given, workerMode: mode }) =>
        `${given.name} is ${given.shown} with ${mode.name} ${mode.shown}; it needs "${WORKER_MODES.separate}", because otherwise every instance of the server has a worker in it, and must ${cpu.must}, or leave it out`,
    },
    {
      of: "workerMemory",
      holds: (v) => `(${isSeparateOr(v, "workerMemory")}) && (${fits(workerCpu(v), workerMemory(v))})`,
      says: (v) =>
        `${v.workerMemory.name} is \${jsonencode(${workerMemory(v)})} with ${v.workerCpu.name} \${jsonencode(${workerCpu(v)})} and ${v.workerMode.name} ${v.workerMode.shown}; it must be a whole number with Mi or Gi ${rule}, of a "${WORKER_MODES.separate}" worker; change one of these`,
    },
  ];
}

/** A rule for the size of a worker in every mode. */
export const WORKER_FORM_RELATIONS: readonly Relation<WorkerForm>[] = [
  {
    of: "workerProcesses",
    holds: ({ workerProcesses: processes, workerThreads: threads }) =>
      [processes, threads]
        .map((value) => `(${value} == null ? true : ${value} >= 1 && floor(${value}) == ${value})`)
        .join(" && "),
    says: ({ workerProcesses: processes, workerThreads: threads }) =>
      `${processes.name} is ${processes.shown} and ${threads.name} is ${threads.shown}; each must be a whole number from 1; correct it, or leave it out for the application's own default`,
  },
];

/** Connections to the database without those of requests: of one instance of the server, and of one separate worker. */
export function connections(v: ValuesOf<WorkerForm>): { readonly perInstance: string; readonly perWorker: string } {
  const { perProcess, pool } = WORKER_CONNECTIONS;
  const usual = pool + PROCESSES.usual * (THREADS.usual + perProcess);
  const processes = `coalesce(${v.workerProcesses}, ${PROCESSES.usual})`;
  const threads = `coalesce(${v.workerThreads}, ${THREADS.usual})`;
  const perWorker = `(${pool} + ${processes} * (${threads} + ${perProcess}))`;
  const pair = `${CONNECTIONS_PER_INSTANCE - usual} + ${perWorker}`;
  return {
    perInstance: `(${v.workerMode} == "${WORKER_MODES.separate}" ? ${SERVER_CONNECTIONS} : ${pair})`,
    perWorker,
  };
}

/** Whether workers are separate, as an HCL condition. */
export const isSeparate = (v: ValuesOf<WorkerForm>) => isWord(v.workerMode.text, WORKER_MODES.separate);

/** Arguments of the container with the server; null for the image's own. */
export function serverArguments({ workerMode: mode }: ValuesOf<WorkerForm>): readonly string[] {
  const [first, second] = [ENTRYPOINT_COMMANDS.allInOne, ENTRYPOINT_COMMANDS.serverAlone].map((each) => `["${each}"]`);
  return Token.asList(
    ref(
      `(${mode} == "${WORKER_MODES.allInOne}" ? ${first} : ${mode} == "${WORKER_MODES.separate}" ? ${second} : null)`,
    ),
  );
}

/** Variables for the size of a worker; each is null, and so left out, for the application's own default. */
export function workerVariables({ workerProcesses, workerThreads }: ValuesOf<WorkerForm>): Record<string, string> {
  return {
    [PROCESSES.variable]: expression(`${workerProcesses}`),
    [THREADS.variable]: expression(`${workerThreads}`),
  };
}

/**
 * The container of a separate worker: image, settings, secrets, database and mounts of the server, but another command,
 * and neither port nor probes.
 *
 * @param server container of the server
 */
export function workerContainer(server: ContainerSpec, v: ValuesOf<WorkerInputs>): ContainerSpec {
  return {
    ...server,
    args: [ENTRYPOINT_COMMANDS.worker],
    // The application's own check, through the entrypoint, which translates the settings.
    healthCommand: [ENTRYPOINT_PATH, "healthcheck"],
    livenessProbe: undefined,
    canIdle: "false",
    port: undefined,
    resources: { cpu: expression(workerCpu(v)), memory: expression(workerMemory(v)) },
    startupProbe: undefined,
    tlsPort: undefined,
  };
}
