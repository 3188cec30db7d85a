import { Token } from "cdktf";

import { CheckedRelation } from "../../core/checked-relation";
import { CheckedValue, oneOf } from "../../core/checked-value";
import { expression } from "../../core/expression";

/** Default tier: the smallest with a dedicated CPU. */
export const DEFAULT_DATABASE_TIER = "db-custom-1-3840";

/** Memory of the shared-core tier in MB. The smaller db-f1-micro has 25 connections, too few for one instance. */
const SHARED_CORE_MEMORY_MB = { "db-g1-small": 1741 } as const;

/** Cloud SQL's default of `max_connections`, by minimum memory. */
const CONNECTION_STEPS = [
  { memoryMb: 0, connections: 25 },
  { memoryMb: 1700, connections: 50 },
  { memoryMb: 3840, connections: 100 },
  { memoryMb: 6144, connections: 200 },
  { memoryMb: 7680, connections: 400 },
  { memoryMb: 15360, connections: 500 },
  { memoryMb: 30720, connections: 600 },
  { memoryMb: 61440, connections: 800 },
  { memoryMb: 122880, connections: 1000 },
] as const;

/** Connections reserved for administrators, the initialization job and the agents of Cloud SQL. */
const RESERVED_CONNECTIONS = 10;

/** Limits of custom tiers. */
const CUSTOM_TIER = {
  maxCpus: 96,
  minMemoryMb: 3840,
  memoryStepMb: 256,
  minMemoryMbPerCpu: 922,
  maxMemoryMbPerCpu: 6656,
} as const;

const CUSTOM_TIER_PATTERN = "^db-custom-([1-9][0-9]*)-([1-9][0-9]*)$";

/** A tier of the ENTERPRISE edition with enough connections for at least one instance. */
export const DATABASE_TIER = new CheckedValue<string>({
  must: `be db-g1-small or db-custom-<CPUs>-<memory in MB> with 1 or an even number of CPUs up to ${CUSTOM_TIER.maxCpus} and memory in steps of ${CUSTOM_TIER.memoryStepMb} MB, at least ${CUSTOM_TIER.minMemoryMb} MB and 0.9 to 6.5 GB per CPU`,
  reason: "the edition offers no other tier with enough connections",
  remedy: `use for example ${DEFAULT_DATABASE_TIER}`,
  schema: { pattern: `^(${Object.keys(SHARED_CORE_MEMORY_MB).join("|")}|${CUSTOM_TIER_PATTERN.slice(1, -1)})$` },
  accepts: (tier) => {
    if (Object.hasOwn(SHARED_CORE_MEMORY_MB, tier)) return true;
    const [, cpuText, memoryText] = new RegExp(CUSTOM_TIER_PATTERN).exec(tier) ?? [];
    const cpus = Number(cpuText);
    const memoryMb = Number(memoryText);
    return (
      (cpus === 1 || (cpus >= 2 && cpus % 2 === 0 && cpus <= CUSTOM_TIER.maxCpus)) &&
      memoryMb % CUSTOM_TIER.memoryStepMb === 0 &&
      memoryMb >= CUSTOM_TIER.minMemoryMb &&
      memoryMb >= cpus * CUSTOM_TIER.minMemoryMbPerCpu &&
      memoryMb <= cpus * CUSTOM_TIER.maxMemoryMbPerCpu
    );
  },
  condition: (tier) => {
    const parts = `regex("${CUSTOM_TIER_PATTERN}", ${tier})`;
    const cpus = `tonumber(${parts}[0])`;
    const memoryMb = `tonumber(${parts}[1])`;
    const custom = [
      `(${cpus} == 1 || (${cpus} >= 2 && ${cpus} % 2 == 0 && ${cpus} <= ${CUSTOM_TIER.maxCpus}))`,
      `${memoryMb} % ${CUSTOM_TIER.memoryStepMb} == 0`,
      `${memoryMb} >= ${CUSTOM_TIER.minMemoryMb}`,
      `${memoryMb} >= ${cpus} * ${CUSTOM_TIER.minMemoryMbPerCpu}`,
      `${memoryMb} <= ${cpus} * ${CUSTOM_TIER.maxMemoryMbPerCpu}`,
    ].join(" && ");
    return `contains(${JSON.stringify(Object.keys(SHARED_CORE_MEMORY_MB))}, ${tier}) || try(${custom}, false)`;
  },
});

/** Whether there is a standby in another zone. */
export const DATABASE_AVAILABILITY = oneOf(["ZONAL", "REGIONAL"], {
  remedy: "use ZONAL for one zone, REGIONAL for a standby in another",
});

/** Value of the flag `max_connections` for a tier, which is a literal or an expression. */
export function maxConnections(tier: string): string {
  if (Token.isUnresolved(tier)) return expression(maxConnectionsExpression(tier));
  const memoryMb = Object.hasOwn(SHARED_CORE_MEMORY_MB, tier)
    ? SHARED_CORE_MEMORY_MB[tier as keyof typeof SHARED_CORE_MEMORY_MB]
    : Number(new RegExp(CUSTOM_TIER_PATTERN).exec(tier)?.[2]);
  const reached = CONNECTION_STEPS.filter((step) => memoryMb >= step.memoryMb);
  return String(Math.max(...reached.map((step) => step.connections)));
}

/** The same as a Terraform expression; `tier` is an expression without `${}`. */
export function maxConnectionsExpression(tier: string): string {
  const sharedCore = Object.entries(SHARED_CORE_MEMORY_MB).map(([name, memoryMb]) => `"${name}" = ${memoryMb}`);
  const memoryMb = `try(tonumber(regex("${CUSTOM_TIER_PATTERN}", ${tier})[1]), lookup({${sharedCore.join(", ")}}, ${tier}, 0))`;
  const steps = CONNECTION_STEPS.map((step) => `[${step.memoryMb}, ${step.connections}]`);
  return `max([for step in [${steps.join(", ")}] : step[1] if ${memoryMb} >= step[0]]...)`;
}

/** Connections to a database at a time. */
export interface ConnectionDemand {
  readonly maxInstanceCount: number;

  /** Connections that the database accepts; undefined if unknown at synth. */
  readonly maxConnections: number | undefined;

  /** Maximum number of connections of one instance. */
  readonly perInstance: number;

  /** Maximum number of connections of all separate workers. */
  readonly ofWorkers: number;
}

/**
 * Limits the number of instances to what the database's connections allow.
 *
 * @param surge instances that a rollout runs in addition to the maximum
 */
export function enoughConnections(surge: number) {
  const needed = ({ maxInstanceCount, ofWorkers, perInstance }: ConnectionDemand) =>
    (maxInstanceCount + surge) * perInstance + ofWorkers;
  const neededExpression = ({ maxInstanceCount, ofWorkers, perInstance }: Record<keyof ConnectionDemand, string>) =>
    `${surge === 0 ? maxInstanceCount : `(${maxInstanceCount} + ${surge})`} * ${perInstance} + ${ofWorkers}`;
  return new CheckedRelation<ConnectionDemand, "needed" | "share">({
    accepts: (demand) => needed(demand) + RESERVED_CONNECTIONS <= (demand.maxConnections ?? Infinity),
    condition: (demand) => `${neededExpression(demand)} + ${RESERVED_CONNECTIONS} <= ${demand.maxConnections}`,
    figures: {
      needed: { of: needed, expression: neededExpression },
      share: {
        of: ({ ofWorkers }) => (ofWorkers > 0 ? `, ${ofWorkers} of them for separate workers,` : ""),
        expression: ({ ofWorkers }) =>
          `${ofWorkers} > 0 ? format(", %d of them for separate workers,", ${ofWorkers}) : ""`,
      },
    },
    problem: (names, shown, { needed: connections, share }) =>
      `${names.maxInstanceCount} is ${shown.maxInstanceCount}; ${surge === 0 ? "" : `with ${surge} more during a rollout `}that needs ${connections} database connections${share} and ${RESERVED_CONNECTIONS} are reserved for administration, but the database accepts ${shown.maxConnections}, and an instance without a connection cannot answer; lower it, or choose a ${names.maxConnections} with more memory`,
  });
}
