import { allOf, type Expr, interpolated, literal, namedStep } from "../core/expr/expr";
import { element, lookup, split, toNumber } from "../core/expr/functions";
import { type Relation } from "../core/inputs/relations";
import { choice, number, object, type ObjectRow, type PropsOf, type Table, text } from "../core/inputs/rows";
import { isWhole, type Rule, shown } from "../core/inputs/rules";
import { type Value, type ValuesOf } from "../core/inputs/value";
import { type WarningRelation } from "../core/inputs/warnings";
import { mebibytes } from "../core/memory";
import { prose } from "../core/prose";
import { type ContainerSpec } from "./container-spec";
import {
  CONNECTIONS_BESIDE_WORKER,
  CONTAINER_PORT,
  HEALTH_PATH,
  LATEST_VERSION,
  SERVER_CONNECTIONS,
  WORKER_CONNECTIONS,
} from "./contract";
import { type EnvironmentInputs, optionalVariables } from "./environment";
import { bothPrefixes } from "./environment-rules";
import { type ImageInputs } from "./idp-image";
import { MISSPELT_WORKER_HEALTH, PINNED_VERSION, RECOMMENDED_VERSION } from "./releases";

/** Place of the worker: beside the server, supervised by the image's entrypoint or by the application, or separate. */
export const WORKER_MODES = { inContainer: "in-container", allInOne: "all-in-one", separate: "separate" } as const;

/** Arguments of the image's entrypoint for modes other than the default, which is server and worker. */
export const ENTRYPOINT_COMMANDS = { allInOne: "allinone", serverAlone: "server-alone", worker: "worker" } as const;

/** First release that supervises server and worker itself. */
const ALL_IN_ONE_SINCE = { year: 2026, feature: 5 } as const;

/**
 * Variables for the size of a worker.
 *
 * The synchronization of a directory is a task that occupies a thread while it waits for further tasks, one for each
 * page. With a single thread, those tasks could never run. Therefore each process has two threads, as the upstream
 * recommends. There are two processes if the memory suffices for the second one, which takes up to 330 MB.
 */
const PROCESSES = { variable: "IDP_WORKER__PROCESSES", usual: 2, inShortMemory: 1 } as const;
const THREADS = { variable: "IDP_WORKER__THREADS", usual: 2 } as const;

/**
 * Minimum memory for two processes: the upstream's requirement (for server and worker, or for a worker alone), and half
 * a gibibyte.
 */
const ROOMY_MEBIBYTES = { beside: 2560, separate: 1536 } as const;
type WorkerPlace = keyof typeof ROOMY_MEBIBYTES;

/** Name of a separate worker's container, and part of the names of its objects. */
export const WORKER_NAME = "worker";

/**
 * Number and size of separate workers. The memory is twice the upstream's recommendation, because it also contains the
 * cache of the media mount.
 */
export const WORKER_DEFAULTS = { count: 1, cpu: 1, memory: "2Gi" } as const;

/** Input for the place of the worker. @param place name of the platform's resource for a separate worker, in words */
function workerMode(place: string) {
  return {
    /** Place of the worker: `in-container`, the default; `all-in-one`, from release 2026.5 on; or `separate`. */
    workerMode: choice(Object.values(WORKER_MODES), {
      fix: `use ${WORKER_MODES.inContainer}`,
      default: WORKER_MODES.inContainer,
      description: prose`
        Where the worker runs: ${WORKER_MODES.inContainer}, beside the server,
        restarted by the image's entrypoint; ${WORKER_MODES.allInOne}, beside the server,
        and the application ends both when one ends, from release 2026.5 on; ${WORKER_MODES.separate},
        in ${place}, billed by itself. A change rolls out new instances; tasks wait meanwhile and none is lost.
      `,
    }),
  };
}

type WorkerMode = ReturnType<typeof workerMode>;

/** Size of a worker in every mode. */
const WORKER_SIZE = {
  /** Processes of one worker; 2 by default, or 1 if the memory is below 2560Mi (1536Mi for a separate worker). */
  processes: number({
    default: null,
    description: prose`
      processes of one worker, in every mode[[; null for ${PROCESSES.usual},
      or ${PROCESSES.inShortMemory} with two threads or more in less than ${ROOMY_MEBIBYTES.beside}Mi,
      ${ROOMY_MEBIBYTES.separate}Mi of a separate worker]];
      each takes up to 330 MB and ${WORKER_CONNECTIONS.perProcess} database connections;
      ${PROCESSES.variable} in environment_variables overrides it, and is not counted
    `,
    schema: { multipleOf: 1, minimum: 1 },
  }),
  /** Threads of each process of a worker; each thread runs one task at a time. 2 by default. */
  threads: number({
    default: null,
    description: prose`
      threads of each process, and so tasks that it runs at a time, in every mode[[; null for ${THREADS.usual}]];
      with one, synchronizations of directories can wait for each other until their time limit;
      each takes a database connection;
      ${THREADS.variable} in environment_variables overrides it, and is not counted
    `,
    schema: { multipleOf: 1, minimum: 1 },
  }),
};

/** Processes and threads of a worker. */
export interface WorkerSize extends PropsOf<typeof WORKER_SIZE> {}

const describeWorker = (members: string) =>
  `Size of a worker. ${members} A change rolls out new instances, or new workers.`;

/** Inputs of a worker that are independent of the platform. */
export const WORKER_FORM = {
  ...workerMode("a worker pool or a deployment"),
  /** Size of a worker. */
  worker: object(WORKER_SIZE, { default: {}, description: describeWorker }),
};
export type WorkerForm = typeof WORKER_FORM;

/** CPUs and memory that a platform offers. */
export interface InstanceSize {
  /** The choice of CPUs, in words. */
  readonly cpuChoice: string;
  readonly cpu: Rule<number>;
  /** Whether the memory fits the CPUs, and the rule in words. */
  readonly memory: {
    readonly fits: (cpu: Expr<number>, memory: Expr<string>) => Expr<boolean>;
    readonly rule: string;
  };
}

/** Description of separate workers on a platform. */
interface WorkerPlatform extends InstanceSize {
  /** Resource of a separate worker, in words. */
  readonly place: string;
  /** Meaning of the number of separate workers, in words. */
  readonly countMeaning: string;
}

/** Number and size of separate workers. */
const separateWorkers = ({ countMeaning, cpu, cpuChoice }: WorkerPlatform) => ({
  /** Number of separate workers, 1 by default; on GKE, the minimum. */
  count: number({
    default: null,
    description: `${countMeaning}[[; null for ${WORKER_DEFAULTS.count}]]`,
    schema: { multipleOf: 1, minimum: 1 },
  }),
  /** CPUs of a separate worker, 1 by default: 1, 2, 4 or 8 on Cloud Run, 0.5 to 28 in steps of 0.25 on GKE. */
  cpu: number({
    default: null,
    description: `CPUs of a separate worker: ${cpuChoice}[[; null for ${WORKER_DEFAULTS.cpu}]]`,
    schema: cpu.schema,
  }),
  /** Memory of a separate worker, `2Gi` by default, in Mi or Gi, shared with the cache of the media mount. */
  memory: text({
    default: null,
    description: prose`
      memory of a separate worker, with Mi or Gi, shared with the cache of the media
      mount[[; null for ${WORKER_DEFAULTS.memory}]]
    `,
  }),
});

type WorkerMembers = ReturnType<typeof separateWorkers> & typeof WORKER_SIZE;

/** Inputs of the worker on a platform that has further members. */
export type WorkerInputsWith<Members extends Table> = WorkerMode & {
  /** Size of a worker, and number and size of separate workers. */
  readonly worker: ObjectRow<Members & WorkerMembers>;
};

export type WorkerInputs = WorkerInputsWith<WorkerMembers>;

/** Inputs of the worker. @param further further members for the platform */
export function workerInputs<Further extends Table>(
  platform: WorkerPlatform,
  further: Further,
): WorkerInputsWith<Further> {
  const { count, cpu, memory } = separateWorkers(platform);
  const members: Further & WorkerMembers = { ...WORKER_SIZE, count, ...further, cpu, memory };
  return { ...workerMode(platform.place), worker: object(members, { default: {}, description: describeWorker }) };
}

/** Size of a worker, and number and size of separate workers. */
export interface WorkerProps extends PropsOf<WorkerInputs["worker"]["members"]> {}

/** A feature release. */
interface Feature {
  readonly year: number;
  readonly feature: number;
}

/** Whether a release is a feature release or later; a release without numbers counts as later. */
function isSince(version: Expr<string>, { feature, year }: Feature): Expr<boolean> {
  const rankOf = (release: Expr<string>) => {
    const part = (index: number) => toNumber(element(split(".", release), index));
    return part(0).times(100).plus(part(1));
  };
  const isLater = (release: Expr<string>) => rankOf(release).ge(year * 100 + feature);
  const isPinnedLater = isLater(literal(PINNED_VERSION));
  return version.eq(LATEST_VERSION).choose(isPinnedLater, isLater(version).tryOr(true));
}

/** Whether workers are separate. */
export const isSeparate = ({ workerMode }: Pick<ValuesOf<WorkerForm>, "workerMode">) =>
  workerMode.eq(WORKER_MODES.separate);

/** Number, CPUs and memory of separate workers, with their defaults. */
export const workerCount = (v: ValuesOf<WorkerInputs>) => v.worker.at.count.coalesce(WORKER_DEFAULTS.count);
const workerCpu = (v: ValuesOf<WorkerInputs>) => v.worker.at.cpu.coalesce(WORKER_DEFAULTS.cpu);
export const workerMemory = (v: ValuesOf<WorkerInputs>) => v.worker.at.memory.coalesce(WORKER_DEFAULTS.memory);

type WorkerModeValue = ValuesOf<WorkerForm>["workerMode"];

/** Message of a rule for separate workers: the mode is another one, or the worker breaks the rule. */
export function separateWorkerMessage(member: Value, mode: WorkerModeValue, rule: string): string {
  const broken = `${member.name} is ${member.shown}; it must ${rule}`;
  return isSeparate({ workerMode: mode }).choose<string>(broken, needsSeparateWorker(member, mode)).text;
}

function needsSeparateWorker(member: Value, mode: WorkerModeValue): string {
  return prose`
    ${member.name} is ${member.shown}; it needs ${mode.name} "${WORKER_MODES.separate}",
    because otherwise every instance of the server has a worker in it; set that, or leave it out
  `;
}

export function workerRelations({
  cpu,
  memory,
}: WorkerPlatform): readonly Relation<ImageInputs & SizeInputs & WorkerInputs>[] {
  const { fits, rule } = memory;
  return [
    ...WORKER_FORM_RELATIONS,
    {
      // Not `of: "workerMode"`, because a broken rule of the mode would hide other rules that depend on the mode.
      host: "applicationVersion",
      holds: ({ applicationVersion: version, workerMode }) =>
        workerMode.ne(WORKER_MODES.allInOne).or(isSince(version, ALL_IN_ONE_SINCE)),
      message: ({ applicationVersion: version, workerMode: mode }) =>
        prose`
          ${mode.name} is ${mode.shown} with ${version.name} ${version.shown};
          it needs release ${ALL_IN_ONE_SINCE.year}.${ALL_IN_ONE_SINCE.feature} or newer,
          because older ones cannot supervise server and worker themselves;
          use ${WORKER_MODES.inContainer} or for example "${RECOMMENDED_VERSION}"
        `,
    },
    {
      host: "worker",
      holds: (v) => v.worker.at.count.isNullOr((count) => isSeparate(v).and(isWhole(count, 1))),
      message: ({
        worker: {
          at: { count },
        },
        workerMode: mode,
      }) =>
        separateWorkerMessage(
          count,
          mode,
          prose`
            be a whole number from 1, because nothing else sends mail or runs tasks;
            set it to ${WORKER_DEFAULTS.count} or more, or leave it out
          `,
        ),
    },
    {
      host: "worker",
      holds: (v) => v.worker.at.cpu.isNullOr((given) => isSeparate(v).and(cpu.condition(given))),
      message: ({
        worker: {
          at: { cpu: given },
        },
        workerMode: mode,
      }) => separateWorkerMessage(given, mode, `${cpu.must}; correct it, or leave it out`),
    },
    {
      host: "worker",
      holds: (v) => isSeparate(v).choose(fits(workerCpu(v), workerMemory(v)), v.worker.at.memory.isNull()),
      message: (v) => {
        const { cpu: usedCpu, memory: usedMemory } = v.worker.at;
        const unfit = prose`
          ${usedMemory.name} is ${shown(workerMemory(v))} with ${usedCpu.name} ${shown(workerCpu(v))};
          it must be a whole number with Mi or Gi ${rule}; change one of the two
        `;
        return isSeparate(v).choose<string>(unfit, needsSeparateWorker(usedMemory, v.workerMode)).text;
      },
    },
  ];
}

/** The size of a worker, and the variables of the caller, because these can override the size. */
type SizeInputs = typeof WORKER_FORM & Pick<EnvironmentInputs, "environmentVariables">;

/** Whether a worker has one process or one thread, by the caller's variable, the input or the default. */
function isOne(v: ValuesOf<SizeInputs>, { usual, variable }: typeof PROCESSES | typeof THREADS): Expr<boolean> {
  const input = variable === THREADS.variable ? v.worker.at.threads : v.worker.at.processes;
  const byInput: Expr<string> = interpolated`${input.coalesce(usual)}`;
  // The upstream's own name takes precedence.
  const chosen = bothPrefixes(variable).reduce(
    (otherwise, name) => lookup(v.environmentVariables, name, otherwise),
    byInput,
  );
  return namedStep(variable === THREADS.variable ? "chosen_worker_threads" : "chosen_worker_processes", chosen).eq("1");
}

/** A rule for the size of a worker in every mode. */
export const WORKER_FORM_RELATIONS: readonly Relation<SizeInputs>[] = [
  {
    host: "worker",
    holds: (v) => {
      const { processes, threads } = v.worker.at;
      const areWhole = [processes, threads].map((value) => value.isNullOr((number) => isWhole(number, 1)));
      return allOf(...areWhole, isOne(v, PROCESSES).and(isOne(v, THREADS)).not());
    },
    message: ({
      environmentVariables: plain,
      worker: {
        at: { processes, threads },
      },
    }) =>
      prose`
        ${processes.name} is ${processes.shown} and ${threads.name} is ${threads.shown};
        each must be a whole number from 1, and not both 1, because the synchronization of a directory holds a thread
        while others run its pages; ${PROCESSES.variable} and ${THREADS.variable} in ${plain.name} override them;
        correct them, or leave them out for the default
      `,
  },
];

/** Warnings about valid sizes with which a worker may be slow or get stuck. */
export const WORKER_WARNINGS: readonly WarningRelation<SizeInputs>[] = [
  {
    localId: "WorkerHasSecondThread",
    holds: (v) => isOne(v, THREADS).not(),
    message: ({
      environmentVariables: plain,
      worker: {
        at: { processes, threads },
      },
    }) =>
      prose`
        ${threads.name}, or ${THREADS.variable} in ${plain.name}, is 1; each synchronization of a directory then
        occupies a whole process while it waits for its pages, and as many at once as there are processes wait for
        each other until their time limit of hours; leave it out for ${THREADS.usual}, and raise ${processes.name}
        for more tasks at a time
      `,
  },
];

/** Connections of an instance with a worker of the default size. */
export const USUAL_CONNECTIONS =
  CONNECTIONS_BESIDE_WORKER +
  WORKER_CONNECTIONS.pool +
  PROCESSES.usual * (THREADS.usual + WORKER_CONNECTIONS.perProcess);

/** Connections of the smallest worker, which has one process, and of an instance with this worker. */
export const MIN_WORKER_CONNECTIONS = WORKER_CONNECTIONS.pool + THREADS.usual + WORKER_CONNECTIONS.perProcess;
export const MIN_CONNECTIONS = CONNECTIONS_BESIDE_WORKER + MIN_WORKER_CONNECTIONS;

/** Names of steps in calculations, by the place of the worker. */
const STEPS = {
  beside: { processes: "worker_processes", connections: "connections_of_worker_beside" },
  separate: { processes: "separate_worker_processes", connections: "connections_of_separate_worker" },
} as const;

/** Processes of a worker and threads of each, given the memory of its container. */
function sizeOf(v: ValuesOf<SizeInputs>, workerPlace: WorkerPlace, memory: Expr<string>) {
  // Falls back to a default, because an error here would hide the messages of the rules for the memory.
  const isRoomy = mebibytes(memory).ge(ROOMY_MEBIBYTES[workerPlace]).tryOr(false);
  // One thread implies two processes, because a single process with a single thread could not run a synchronization.
  const isLarge = isOne(v, THREADS).or(isRoomy);
  const usual = isLarge.choose<number>(PROCESSES.usual, PROCESSES.inShortMemory);
  const processes = namedStep(STEPS[workerPlace].processes, v.worker.at.processes.coalesce(usual));
  return { processes, threads: v.worker.at.threads.coalesce(THREADS.usual) };
}

/**
 * Database connections of one instance of the server, excluding requests, and of one separate worker.
 *
 * @param memory memory of the container, for a worker beside the server and for a separate one
 */
export function connections(v: ValuesOf<SizeInputs>, memory: Readonly<Record<WorkerPlace, Expr<string>>>) {
  const { perProcess, pool } = WORKER_CONNECTIONS;
  const of = (workerPlace: WorkerPlace) => {
    const { processes, threads } = sizeOf(v, workerPlace, memory[workerPlace]);
    return namedStep(
      STEPS[workerPlace].connections,
      literal<number>(pool).plus(processes.times(threads.plus(perProcess))),
    );
  };
  const beside = literal<number>(CONNECTIONS_BESIDE_WORKER).plus(of("beside"));
  return {
    perInstance: namedStep("connections_of_instance", isSeparate(v).choose(SERVER_CONNECTIONS, beside)),
    perWorker: of("separate"),
  };
}

/** Arguments of the container with the server; undefined, or null at plan, for the image's own. */
export function serverArguments(v: ValuesOf<WorkerForm>): readonly string[] | undefined {
  const isAllInOne = v.workerMode.eq(WORKER_MODES.allInOne);
  const otherwise = isSeparate(v).choose([ENTRYPOINT_COMMANDS.serverAlone], null);
  const chosen = isAllInOne.choose<readonly string[] | null>([ENTRYPOINT_COMMANDS.allInOne], otherwise);
  return chosen.isLiteral && chosen.literal === null ? undefined : chosen.list;
}

/** Variables for the size of a worker. @param memory memory of its container */
export function workerVariables(
  v: ValuesOf<SizeInputs>,
  workerPlace: WorkerPlace,
  memory: Expr<string>,
): Readonly<Record<string, string>> {
  const { processes, threads } = sizeOf(v, workerPlace, memory);
  return optionalVariables({ [PROCESSES.variable]: processes, [THREADS.variable]: threads });
}

/**
 * A separate worker is restarted after 15 minutes without an answer. The time is long because, up to 2026.5, a worker
 * does not answer while its database is unavailable, and a restart would not help then. Google states 30 seconds for
 * maintenance of this edition; a failover takes minutes at most.
 */
const WORKER_LIVENESS = {
  initialDelaySeconds: 60,
  periodSeconds: 60,
  timeoutSeconds: 30,
  failureThreshold: 15,
} as const;

/**
 * The container of a separate worker: image, settings, secrets, database and mounts of the server, but with another
 * command, without requests, and with its own probes and connection pool.
 */
export function workerContainer(
  server: ContainerSpec,
  v: ValuesOf<ImageInputs & SizeInputs & WorkerInputs>,
  connectionPool: Readonly<Record<string, string>>,
): ContainerSpec {
  const { applicationVersion: version, existingContainerImage: image } = v;
  // An existing image of unknown release is probed under the corrected spelling, because this never restarts a healthy
  // worker.
  const isUnstated = image.isSet().and(version.eq(LATEST_VERSION));
  const isCorrected = isUnstated.or(isSince(version, MISSPELT_WORKER_HEALTH.before));
  const path = isCorrected.choose<string>(HEALTH_PATH, MISSPELT_WORKER_HEALTH.path);
  const health = namedStep("worker_health_path", path).text;
  const { environment } = server;
  return {
    ...server,
    args: [ENTRYPOINT_COMMANDS.worker],
    canIdle: false,
    environment: {
      ...environment,
      optional: { ...environment.optional, ...workerVariables(v, "separate", workerMemory(v)), ...connectionPool },
    },
    livenessProbe: { ...WORKER_LIVENESS, path: `${health}live/` },
    port: undefined,
    probePort: CONTAINER_PORT,
    resources: { cpu: workerCpu(v).text, memory: workerMemory(v).text },
    startupProbe: server.startupProbe && { ...server.startupProbe, path: `${health}ready/` },
    tlsPort: undefined,
  };
}
