import { Token } from "cdktf";

import { CheckedRelation } from "../../core/checked-relation";
import { CheckedValue, oneOf } from "../../core/checked-value";
import { expression } from "../../core/expression";

/** Default tier: the smallest with a dedicated CPU. */
export const DEFAULT_DATABASE_TIER = "db-custom-1-3840";

/** Memory of the shared-core tier in MB. The smaller db-f1-micro has 25 connections, too few for one instance. */
const SHARED_CORE_MEMORY_MB = { "db-g1-small": 1741 } as const;

/**
 * Memory of the database for each connection that it accepts, in MB: a busy one takes about 5, and half of the memory stays
 * for shared buffers. Cloud SQL's own default accepts 100 connections with 3840 MB.
 */
const MEMORY_MB_PER_CONNECTION = 10;

/** More connections than this slow PostgreSQL down, whatever its memory. */
const MOST_CONNECTIONS = 5000;

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
  return String(Math.min(Math.floor(memoryMb / MEMORY_MB_PER_CONNECTION), MOST_CONNECTIONS));
}

/** The same as a Terraform expression; `tier` is an expression without `${}`. */
export function maxConnectionsExpression(tier: string): string {
  const sharedCore = Object.entries(SHARED_CORE_MEMORY_MB).map(([name, memoryMb]) => `"${name}" = ${memoryMb}`);
  const memoryMb = `try(tonumber(regex("${CUSTOM_TIER_PATTERN}", ${tier})[1]), lookup({${sharedCore.join(", ")}}, ${tier}, 0))`;
  return `min(floor(${memoryMb} / ${MEMORY_MB_PER_CONNECTION}), ${MOST_CONNECTIONS})`;
}

/** What a rollout runs beside the maximum of instances: this many for each of them, and this many in all. */
export interface RolloutInstances {
  readonly forEach: 0 | 1;

  readonly inAll: number;
}

/** Connections to a database at a time. */
export interface ConnectionDemand {
  readonly maxInstanceCount: number;

  /** Connections that the database accepts; undefined if unknown at synth. */
  readonly maxConnections: number | undefined;

  /** Maximum number of connections of one instance, without those of requests. */
  readonly perInstance: number;

  /** Requests that one instance answers at the same time. */
  readonly requests: number;

  /** Maximum number of connections of all separate workers. */
  readonly ofWorkers: number;
}

/** Number of instances during a rollout; a token if the number is one. */
export function duringRollout(count: number, { forEach, inAll }: RolloutInstances): number {
  return Token.isUnresolved(count) ? count : count * (1 + forEach) + inAll;
}

/** Limits the number of instances to what the database's connections allow, during a rollout too. */
export function enoughConnections(rollout: RolloutInstances) {
  const more = ({ maxInstanceCount: count }: ConnectionDemand) => duringRollout(count, rollout) - count;
  const moreExpression = ({ maxInstanceCount }: Texts) =>
    rollout.forEach === 0 ? String(rollout.inAll) : maxInstanceCount;
  const needed = (demand: ConnectionDemand) =>
    duringRollout(demand.maxInstanceCount, rollout) * (demand.perInstance + demand.requests) + demand.ofWorkers;
  const neededExpression = (demand: Texts) =>
    `(${demand.maxInstanceCount} + ${moreExpression(demand)}) * (${demand.perInstance} + ${demand.requests}) + ${demand.ofWorkers}`;
  return new CheckedRelation<ConnectionDemand, "more" | "needed" | "share">({
    accepts: (demand) => needed(demand) + RESERVED_CONNECTIONS <= (demand.maxConnections ?? Infinity),
    condition: (demand) => `${neededExpression(demand)} + ${RESERVED_CONNECTIONS} <= ${demand.maxConnections}`,
    figures: {
      more: { of: more, expression: moreExpression },
      needed: { of: needed, expression: neededExpression },
      share: {
        of: ({ ofWorkers }) => (ofWorkers > 0 ? `, ${ofWorkers} of them for separate workers,` : ""),
        expression: ({ ofWorkers }) =>
          `${ofWorkers} > 0 ? format(", %d of them for separate workers,", ${ofWorkers}) : ""`,
      },
    },
    problem: (names, shown, { more: surge, needed: connections, share }) => {
      const helpful = [names.requests, names.perInstance].filter((name) => name !== "");
      const ofWorkers = names.ofWorkers === "" ? "" : `, or of separate workers ${names.ofWorkers}`;
      return `${names.maxInstanceCount} is ${shown.maxInstanceCount}; with ${surge} more during a rollout that needs ${connections} database connections${share} and ${RESERVED_CONNECTIONS} are reserved for administration, but the database accepts ${shown.maxConnections}, and a request without a connection fails; lower it${helpful.length === 0 ? "" : ` or one of ${helpful.join(", ")}`}${ofWorkers}, or choose a ${names.maxConnections} with more memory`;
    },
  });
}

type Texts = Readonly<Record<keyof ConnectionDemand, string>>;
