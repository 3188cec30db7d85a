import { type Expr, interpolated, literal, namedStep, type Operand } from "../core/expr/expr";
import { compact, jsonOf } from "../core/expr/functions";
import { type Relation } from "../core/inputs/relations";
import { type Input, number, text } from "../core/inputs/rows";
import { isWhole, wholeNumber } from "../core/inputs/rules";
import { type Value, type ValuesOf } from "../core/inputs/value";
import { type WarningRelation } from "../core/inputs/warnings";
import { isMemory, mebibytes } from "../core/memory";
import { prose } from "../core/prose";
import { wordList } from "../core/word-list";
import { type ConnectionPoolInputs, isPooled } from "../idp/connection-pool";
import {
  MAX_INSTANCE_COUNT,
  MIN_INSTANCE_COUNT,
  MIN_POOLED_CONNECTIONS,
  RESOURCES,
  SERVER_CONNECTIONS,
} from "../idp/contract";
import { type EnvironmentInputs } from "../idp/environment";
import { type ImageInputs } from "../idp/idp-image";
import {
  connections,
  type InstanceSize,
  isSeparate,
  MIN_CONNECTIONS,
  MIN_WORKER_CONNECTIONS,
  USUAL_CONNECTIONS,
  type WorkerForm,
  type WorkerInputs,
  workerMemory,
} from "../idp/worker";
import { type DatabaseInputs, maxConnections, RESERVED_CONNECTIONS, smallestSufficientTier } from "./sql/database-size";
import { type EXISTING_DATABASE } from "./sql/existing-database";

/** Longest duration of a request, including the web sockets that outposts and the administration pages keep open. */
export const DEFAULT_REQUEST_TIMEOUT_SECONDS = 3600;

/** Separate workers during a rollout on either platform, if one worker is configured. */
const MIN_ROLLOUT_WORKERS = 2;

/** Rules and descriptions for the instances of a platform. */
interface InstancePlatform extends InstanceSize {
  /** Lowest minimum number, and a sentence about its effect; empty if there is no effect to mention. */
  readonly least: number;
  readonly leastMeaning: string;
  /** Instances that a rollout adds, in words and by the maximum; and the maximum for a number during a rollout. */
  readonly rollout: {
    readonly words: string;
    readonly more: (count: Expr<number>) => Operand<number>;
    readonly maximumOf: (all: Expr<number>) => Expr<number>;
  };
  /** The time limit of a request, as the beginning of a sentence, and the effect of a change, as a sentence. */
  readonly requestTimeout: { readonly limit: string; readonly change: string };
}

/** Inputs for the number and size of instances. */
export function instanceInputs({ cpu, cpuChoice, least, leastMeaning, requestTimeout, rollout }: InstancePlatform) {
  return {
    /** Instances that always run, and are always billed; 1 by default. */
    minInstanceCount: number({
      default: MIN_INSTANCE_COUNT,
      description: ["Instances that always run, and are always billed.", leastMeaning, "Changing it later is safe."]
        .filter((sentence) => sentence !== "")
        .join(" "),
      schema: { multipleOf: 1, minimum: least },
    }),
    /** Maximum number of instances, 3 by default, which share the connections of the database. */
    maxInstanceCount: number({
      default: MAX_INSTANCE_COUNT,
      description: prose`
        Maximum number of instances, ${rollout.words} during a rollout;
        each needs ${USUAL_CONNECTIONS} database connections with a worker of the default size,
        ${SERVER_CONNECTIONS} with separate workers, and ${MIN_POOLED_CONNECTIONS} for requests,
        or without connection_pool one for each request in progress. A change rolls out new instances,
        because each gets another share.
      `,
      schema: { multipleOf: 1, minimum: 1 },
    }),
    /** CPUs of one instance, 2 by default: 1, 2, 4 or 8 on Cloud Run, 0.5 to 28 in steps of 0.25 on GKE. */
    containerCpu: number({
      default: RESOURCES.cpu,
      description: `CPUs of one instance: ${cpuChoice}. A change rolls out new instances.`,
      must: cpu,
    }),
    /**
     * Memory of one instance, `4Gi` by default, in Mi or Gi, shared by the server, a worker beside it and the cache of
     * the media mount.
     */
    containerMemory: text({
      default: RESOURCES.memory,
      description: prose`
        Memory of one instance, with Mi or Gi, shared by the server,
        a worker beside it and the cache of the media mount. A change rolls out new instances.
      `,
    }),
    /**
     * Time limit of a request or web socket, in seconds: 1 to 3600; 3600 by default. On GKE, the limit of the domain's
     * load balancer.
     */
    requestTimeoutSeconds: number({
      default: DEFAULT_REQUEST_TIMEOUT_SECONDS,
      description: prose`
        ${requestTimeout.limit}, and of a web socket: 1 to 3600 seconds. With less,
        outposts and administration pages are cut off and connect again. ${requestTimeout.change}
      `,
      must: wholeNumber(
        1,
        3600,
        prose`
          , because Cloud Run allows no longer requests, and both platforms have the same limit;
          use ${DEFAULT_REQUEST_TIMEOUT_SECONDS}
        `,
      ),
    }),
  };
}

export type InstanceInputs = ReturnType<typeof instanceInputs>;
type Inputs = ConnectionPoolInputs &
  DatabaseInputs &
  EnvironmentInputs &
  ImageInputs &
  InstanceInputs &
  typeof EXISTING_DATABASE &
  WorkerInputs;

/** Database connections that instances and workers need, and the inputs that lower their number. */
export interface ConnectionDemand<T> {
  /** Requests that one instance without a connection pool answers at the same time. */
  readonly requests: (values: ValuesOf<T>) => Operand<number>;
  /** Maximum number of separate workers at a time. */
  readonly mostWorkers: (values: ValuesOf<T>) => Expr<number>;
  readonly loweringRequests: readonly (keyof T)[];
  readonly loweringWorkers: (values: ValuesOf<T>) => readonly Value[];
}

/** Number of concurrent instances, and connections of each and of all separate workers. */
function budgetOf<T extends Inputs>(v: ValuesOf<T>, { rollout }: InstancePlatform, demand: ConnectionDemand<T>) {
  const { perInstance, perWorker } = connections(v, { beside: v.containerMemory, separate: workerMemory(v) });
  return {
    // During a rollout, old and new instances run at the same time.
    instances: v.maxInstanceCount.plus(rollout.more(v.maxInstanceCount)),
    ofWorkers: isSeparate(v).choose(demand.mostWorkers(v).times(perWorker), 0),
    perInstance,
    perWorker,
  };
}

/** Connections that the deployment may use; on an existing instance without a given limit, as many as needed. */
const mostConnections = ({ databaseTier, existingDatabase }: ValuesOf<Inputs>, needed: Expr<number>) =>
  existingDatabase.isNull().choose(maxConnections(databaseTier), existingDatabase.at.maxConnections.coalesce(needed));

/** Connections of the pools of one instance and of one separate worker. */
export function poolSizes<T extends Inputs>(v: ValuesOf<T>, platform: InstancePlatform, demand: ConnectionDemand<T>) {
  const { instances, ofWorkers, perInstance, perWorker } = budgetOf(v, platform, demand);
  const needed = instances.times(perInstance.plus(MIN_POOLED_CONNECTIONS)).plus(ofWorkers).plus(RESERVED_CONNECTIONS);
  const available = mostConnections(v, needed).minus(RESERVED_CONNECTIONS).minus(ofWorkers);
  return { ofInstance: available.dividedBy(instances).floor(), ofWorker: perWorker };
}

export function instanceRelations<T extends Inputs>(
  platform: InstancePlatform,
  demand: ConnectionDemand<T>,
): readonly Relation<T>[] {
  const { least, memory: ofMemory, rollout } = platform;
  const needed = (v: ValuesOf<T>) => {
    const { instances, ofWorkers, perInstance } = budgetOf(v, platform, demand);
    const requests = isPooled(v).choose<number>(MIN_POOLED_CONNECTIONS, demand.requests(v));
    const ofEach = perInstance.plus(requests);
    const all = instances.times(ofEach).plus(ofWorkers);
    return { all, instances, ofEach, ofInstance: perInstance, ofRequests: requests, ofWorkers };
  };
  /** Alternative changes, each sufficient alone; null for a change that does not suffice. */
  const remedies = (v: ValuesOf<T>): readonly Expr<string | null>[] => {
    const { connectionPool: pool, databaseTier: tier, existingDatabase: existing, maxInstanceCount: most } = v;
    const { all, instances, ofEach, ofInstance, ofRequests, ofWorkers } = needed(v);
    const available = mostConnections(v, all).minus(RESERVED_CONNECTIONS);
    const maximum = namedStep(
      "most_instances",
      rollout.maximumOf(available.minus(ofWorkers).dividedBy(ofEach).floor()),
    );
    const required = all.plus(RESERVED_CONNECTIONS);
    const raised = existing.isNull().choose<string | null>(
      smallestSufficientTier(required, tier, (enough) => interpolated`set ${tier.name} to ${enough}`),
      interpolated`raise ${existing.at.maxConnections.name} to ${required}`,
    );
    const ifEnough = (ofOne: Operand<number>, ofAllWorkers: Operand<number>, text: Operand<string>) =>
      instances.times(ofOne).plus(ofAllWorkers).le(available).choose<string | null>(text, null);
    const { processes, threads } = v.worker.at;
    const lowering = (...values: readonly Value[]) => {
      const names = values.map(({ name }) => name);
      return `lower ${wordList(names, "or")}`;
    };
    const smaller = isSeparate(v).choose(
      ifEnough(
        ofEach,
        MIN_ROLLOUT_WORKERS * MIN_WORKER_CONNECTIONS,
        lowering(processes, threads, ...demand.loweringWorkers(v)),
      ),
      ifEnough(ofRequests.plus(MIN_CONNECTIONS), 0, lowering(processes, threads)),
    );
    const fewerRequests = demand.loweringRequests.map((name) =>
      ifEnough(ofInstance.plus(1), ofWorkers, `lower ${v[name].name}`),
    );
    return [
      maximum.ge(1).choose<string | null>(interpolated`set ${most.name} to at most ${maximum}`, null),
      raised,
      smaller,
      ...[
        ifEnough(ofInstance.plus(MIN_POOLED_CONNECTIONS), ofWorkers, `set ${pool.name} to true`),
        ...fewerRequests,
      ].map((way) => isPooled(v).choose<string | null>(null, way)),
    ];
  };
  return [
    {
      host: "minInstanceCount",
      holds: ({ maxInstanceCount: most, minInstanceCount: count }) =>
        isWhole(count, least).and(isWhole(most, 1), count.le(most)),
      message: ({ maxInstanceCount: most, minInstanceCount: count }) => {
        const notWhole = (each: Value<Input<number>>, from: number, value: number) =>
          interpolated`${each.name} is ${jsonOf(each)}; it must be a whole number from ${from}; set it to ${value}`;
        const are = interpolated`${count.name} is ${count} and ${most.name} is ${most}`;
        const fix = interpolated`lower it to ${most}, or raise the other to ${count}`;
        const outOfOrder = interpolated`${are}; the minimum must not exceed the maximum; ${fix}`;
        const wrongMaximum = notWhole(most, 1, MAX_INSTANCE_COUNT);
        const wrongMinimum = notWhole(count, least, MIN_INSTANCE_COUNT);
        return isWhole(count, least).choose(isWhole(most, 1).choose(outOfOrder, wrongMaximum), wrongMinimum).text;
      },
    },
    {
      host: "maxInstanceCount",
      holds: (v) => {
        const all = needed(v).all.plus(RESERVED_CONNECTIONS);
        return all.le(mostConnections(v, all));
      },
      message: (v) => {
        const { maxInstanceCount: most } = v;
        const { all, instances, ofWorkers } = needed(v);
        const separate = ofWorkers.gt(0).choose(interpolated`, ${ofWorkers} of them for separate workers`, "");
        return prose`
          ${most.name} is ${most.shown}; a rollout then runs ${instances.text} instances, which need ${all.text}
          database connections${separate.text}, and the database accepts ${jsonOf(mostConnections(v, all)).text},
          ${RESERVED_CONNECTIONS} of them reserved for administration, and a request without a connection fails;
          ${compact(remedies(v)).joinedBy(", or ").text}
        `;
      },
    },
    {
      host: "containerMemory",
      holds: (v) => ofMemory.fits(v.containerCpu, v.containerMemory),
      message: ({ containerCpu: cpu, containerMemory: memory }) => {
        const fix = isMemory(memory).choose("change one of the two", `write it as ${RESOURCES.memory}, for example`);
        return prose`
          ${memory.name} is ${memory.shown} with ${cpu.name} ${cpu.shown};
          it must be a whole number with Mi or Gi ${ofMemory.rule}; ${fix.text}
        `;
      },
    },
  ];
}

/** Minimum memory in the table of sizes, for a server with a worker beside it. */
const MIN_MEMORY = "2Gi";

/** Warnings about memory sizes that a platform accepts, but that are too small to run. */
export const INSTANCE_WARNINGS: readonly WarningRelation<Pick<InstanceInputs, "containerMemory"> & WorkerForm>[] = [
  {
    localId: "InstancesHaveRoomForWorkers",
    holds: (v) =>
      isSeparate(v).or(
        mebibytes(v.containerMemory)
          .ge(mebibytes(literal(MIN_MEMORY)))
          .tryOr(true),
      ),
    message: ({ containerMemory: memory, workerMode: mode }) =>
      prose`
        ${memory.name} is ${memory.shown}; a server with a worker beside it needs ${MIN_MEMORY} or more,
        because the platform ends an instance whose memory is full, and sign-ins with it;
        raise it, or set ${mode.name} to "separate": guides/worker-and-sizes.md#sizes
      `,
  },
];
