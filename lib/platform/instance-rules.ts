import { CheckedRelation } from "../core/checked-relation";
import { wholeNumber } from "../core/checked-value";
import { type Rule } from "../core/rules";
import { MAX_INSTANCE_COUNT, MIN_INSTANCE_COUNT, REQUESTS_PER_INSTANCE } from "../idp/contract";
import { enoughConnections, type RolloutInstances } from "./sql/database-size";

/** Minimum number of instances on Cloud Run, which can scale to zero. */
export const MIN_INSTANCES_OR_NONE = wholeNumber({ from: 0 }, { remedy: `use ${MIN_INSTANCE_COUNT}` });

/** Minimum number of instances on GKE, which cannot scale to zero. */
export const MIN_INSTANCES = wholeNumber({ from: 1 }, { remedy: `use ${MIN_INSTANCE_COUNT}` });

/** Maximum number of instances. */
export const MAX_INSTANCES = wholeNumber({ from: 1 }, { remedy: "use 1 or more" });

/** Longest duration of a request, including web sockets, which outposts and the administration pages keep open. */
export const DEFAULT_REQUEST_TIMEOUT_SECONDS = 3600;

/** Time limit of a request, on both platforms. */
export const REQUEST_TIMEOUT = wholeNumber(
  { from: 1, to: 3600 },
  { reason: "Cloud Run allows no longer requests", remedy: `use ${DEFAULT_REQUEST_TIMEOUT_SECONDS}` },
);

/** Minimum and maximum together. */
export const INSTANCE_RANGE = new CheckedRelation<{ minInstanceCount: number; maxInstanceCount: number }>({
  // A maximum below 1 has its own rule.
  accepts: ({ maxInstanceCount, minInstanceCount }) => maxInstanceCount < 1 || minInstanceCount <= maxInstanceCount,
  condition: ({ maxInstanceCount, minInstanceCount }) =>
    `${maxInstanceCount} < 1 || ${minInstanceCount} <= ${maxInstanceCount}`,
  problem: (names, shown) =>
    `${names.minInstanceCount} is ${shown.minInstanceCount}; it must not exceed ${names.maxInstanceCount}, which is ${shown.maxInstanceCount}; lower one or raise the other`,
});

/** Format of memory: a whole number with its unit. */
const MEMORY_PATTERN = "^([0-9]+)(Mi|Gi)$";

export const MIB_PER_GIB = 1024;

/** Memory in MiB; NaN for any other format. */
export function mebibytes(memory: string): number {
  const [, amount, unit] = new RegExp(MEMORY_PATTERN).exec(memory) ?? [];
  return Number(amount) * (unit === "Gi" ? MIB_PER_GIB : 1);
}

/** The same as a Terraform expression, which fails for any other format. */
export function mebibytesExpression(memory: string): string {
  const parts = `regex("${MEMORY_PATTERN}", ${memory})`;
  return `tonumber(${parts}[0]) * (${parts}[1] == "Gi" ? ${MIB_PER_GIB} : 1)`;
}

interface InstanceCounts {
  readonly maxInstanceCount?: number;
  readonly minInstanceCount?: number;
}

/** How a rule finds the connections to the database. */
interface DemandSources<Props> {
  /**
   * Name of the setting that decides how many connections the database accepts, and their number; undefined if unknown
   * at synth.
   */
  readonly maxConnections: readonly [tierName: string, valueOf: (props: Props) => number | undefined];

  /** Maximum number of connections of one instance, without those of requests. */
  readonly perInstance: (props: Props) => number;

  /** Requests that one instance answers at the same time. Default: those that the database is sized for. */
  readonly requests?: (props: Props) => number | undefined;

  /** Props that lower it, and the maximum number of connections of all separate workers. Default: there are none. */
  readonly ofWorkers?: readonly [names: string, valueOf: (props: Props) => number];
}

/**
 * Rules for constructs that run several instances of a container.
 *
 * @param least rule for the minimum
 * @param rollout instances that a rollout runs in addition to the maximum
 */
export function instanceCountRules<Props extends InstanceCounts>(
  least: typeof MIN_INSTANCES,
  rollout: RolloutInstances,
  demand: DemandSources<Props>,
): readonly Rule<Props>[] {
  const maxInstanceCount = ["maxInstanceCount", most] as const;
  return [
    least.ruleOn("minInstanceCount", ({ minInstanceCount }) => minInstanceCount),
    MAX_INSTANCES.ruleOn("maxInstanceCount", ({ maxInstanceCount: count }) => count),
    INSTANCE_RANGE.ruleOn({
      minInstanceCount: ["minInstanceCount", ({ minInstanceCount = MIN_INSTANCE_COUNT }) => minInstanceCount],
      maxInstanceCount,
    }),
    enoughConnections(rollout).ruleOn({
      maxConnections: demand.maxConnections,
      maxInstanceCount,
      perInstance: [demand.ofWorkers === undefined ? "" : "workerProcesses, workerThreads", demand.perInstance],
      requests: [
        demand.requests === undefined ? "" : "maxInstanceRequestConcurrency",
        (props) => demand.requests?.(props) ?? REQUESTS_PER_INSTANCE,
      ],
      ofWorkers: demand.ofWorkers ?? ["", () => 0],
    }),
  ];
}

function most({ maxInstanceCount = MAX_INSTANCE_COUNT }: InstanceCounts): number {
  return maxInstanceCount;
}
