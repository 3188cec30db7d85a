import { allOf, anyOf, type Expr, literal, namedStep } from "../../core/expr/expr";
import { allIn, captured, eachEntry, element, min, some, startsWith, toNumber } from "../../core/expr/functions";
import { choice, number, text } from "../../core/inputs/rows";
import { wholeNumber } from "../../core/inputs/rules";
import { prose } from "../../core/prose";

/** Memory of the shared-core tier in MB. The smaller db-f1-micro has 25 connections, too few for one instance. */
const SHARED_CORE = { tier: "db-g1-small", memoryMb: 1741 } as const;

/**
 * Memory of the database for each accepted connection, in MB: a busy connection takes about 5, and half of the memory
 * stays for shared buffers. Cloud SQL's own default accepts 100 connections with 3840 MB.
 */
const MEMORY_MB_PER_CONNECTION = 10;

/** More connections would slow PostgreSQL down, regardless of its memory. */
const MAX_CONNECTIONS = 5000;

/** Connections reserved for administrators, the initialization job and the agents of Cloud SQL. */
export const RESERVED_CONNECTIONS = 10;

/** Default tier: the smallest with a dedicated CPU. */
export const DEFAULT_DATABASE_TIER = "db-custom-1-3840";

const CUSTOM = "^db-custom-([1-9][0-9]*)-([1-9][0-9]*)$";

/** Tiers of Enterprise Plus, by their CPUs. Each CPU has 8 GB of memory, except in the largest tier. */
const CPUS_OF_PLUS = [2, 4, 8, 16, 32, 48, 64, 80, 96, 128];
const OF_ENTERPRISE_PLUS = `^db-perf-optimized-N-(${CPUS_OF_PLUS.join("|")})$`;
const ENTERPRISE_PLUS_MEMORY_MB_PER_CPU = 8192;

/** Edition to which a tier belongs. */
export function editionOf(tier: Expr<string>): Expr<string> {
  return startsWith(tier, "db-perf-optimized-").choose<string>("ENTERPRISE_PLUS", "ENTERPRISE");
}

/** A tier with enough connections for at least one instance. */
function isTier(tier: Expr<string>): Expr<boolean> {
  const isCustom = some(
    allIn(tier, CUSTOM),
    (size) => {
      const [cpus, memoryMb] = [toNumber(element(size, 0)), toNumber(element(size, 1))] as const;
      return allOf(hasCpus(cpus), hasMemory(memoryMb, cpus));
    },
    "size",
  );
  return anyOf(tier.eq(SHARED_CORE.tier), tier.matches(OF_ENTERPRISE_PLUS), isCustom.tryOr(false));
}

const MAX_CPUS = 96;
const MEMORY_STEP_MB = 256;
const MIN_MEMORY_MB = 3840;
/** Least and most memory for each CPU, in MB. */
const MEMORY_MB_OF_CPU = { least: 922, most: 6656 } as const;

const hasCpus = (cpus: Expr<number>) => cpus.eq(1).or(allOf(cpus.ge(2), cpus.modulo(2).eq(0), cpus.le(MAX_CPUS)));

const hasMemory = (memoryMb: Expr<number>, cpus: Expr<number>) =>
  allOf(
    memoryMb.modulo(MEMORY_STEP_MB).eq(0).and(memoryMb.ge(MIN_MEMORY_MB)),
    memoryMb.ge(cpus.times(MEMORY_MB_OF_CPU.least)),
    memoryMb.le(cpus.times(MEMORY_MB_OF_CPU.most)),
  );

const CPU_RULE = `1 or an even number of CPUs up to ${MAX_CPUS}`;
const MEMORY_RULE = `memory in steps of ${MEMORY_STEP_MB} MB, at least ${MIN_MEMORY_MB} MB and 0.9 to 6.5 GB per CPU`;
const PLUS_RULE = `${CPUS_OF_PLUS.slice(0, -1).join(", ")} or ${CPUS_OF_PLUS.slice(-1).join("")} CPUs`;

/** The rule that a literal breaks, and the nearest tier. */
function tierRule(tier: Expr<string>): string | undefined {
  const [cpus, memoryMb] = [0, 1].map((index) => captured(tier, CUSTOM, index).tryOr("").literal).map(Number);
  if (cpus !== undefined && memoryMb !== undefined && cpus > 0) {
    if (!hasCpus(literal(cpus)).literal) return `have ${CPU_RULE}; use ${nearTier(cpus, memoryMb)}`;
    return `have ${MEMORY_RULE}; use ${nearTier(cpus, memoryMb)}`;
  }
  const ofPlus = Number(/^db-perf-optimized-N-([0-9]+)$/.exec(tier.literal)?.[1] ?? NaN);
  if (!Number.isNaN(ofPlus)) {
    const near = CPUS_OF_PLUS.find((each) => each >= ofPlus) ?? CPUS_OF_PLUS.at(-1) ?? 0;
    return `have ${PLUS_RULE}; use db-perf-optimized-N-${near}`;
  }
  if (tier.literal === "db-f1-micro")
    return `be larger, because its 25 connections are too few for one instance; use ${SHARED_CORE.tier}`;
  const [, ofMysql] = /^db-n1-[a-z]+-([0-9]+)$/.exec(tier.literal) ?? [];
  if (ofMysql === undefined) return undefined;
  const near = nearTier(Number(ofMysql), Number(ofMysql) * MIN_MEMORY_MB);
  return `be a tier of PostgreSQL, which has no db-n1; use ${near}`;
}

/** The smallest tier with as many CPUs and as much memory, or the largest. */
function nearTier(cpus: number, memoryMb: number): string {
  const even = Math.min(cpus <= 1 ? 1 : 2 * Math.ceil(cpus / 2), MAX_CPUS);
  const inSteps = (megabytes: number, round: (steps: number) => number) =>
    round(megabytes / MEMORY_STEP_MB) * MEMORY_STEP_MB;
  const least = Math.max(MIN_MEMORY_MB, inSteps(even * MEMORY_MB_OF_CPU.least, Math.ceil));
  const most = inSteps(even * MEMORY_MB_OF_CPU.most, Math.floor);
  return `db-custom-${even}-${Math.min(Math.max(inSteps(memoryMb, Math.ceil), least), most)}`;
}

/** Value of the flag `max_connections` for a tier. */
export function maxConnections(tier: Expr<string>): Expr<number> {
  const ofSharedCore = tier.eq(SHARED_CORE.tier).choose<number>(SHARED_CORE.memoryMb, 0);
  const ofPlus = toNumber(captured(tier, OF_ENTERPRISE_PLUS, 0)).times(ENTERPRISE_PLUS_MEMORY_MB_PER_CPU);
  const memoryMb = toNumber(captured(tier, CUSTOM, 1)).tryOr(ofPlus.tryOr(ofSharedCore));
  const ofMemory = memoryMb.dividedBy(MEMORY_MB_PER_CONNECTION).floor();
  return namedStep("database_max_connections", min(ofMemory, MAX_CONNECTIONS));
}

/**
 * Tiers that messages suggest, by size within each edition; others are accepted too. This is also the order of their
 * names, because Terraform iterates over a map in the order of its names. The last tier of each edition accepts the
 * most connections.
 */
const TIERS = [
  "db-custom-1-3840",
  "db-custom-1-5120",
  "db-custom-1-6656",
  "db-custom-2-7680",
  "db-custom-2-9984",
  "db-custom-4-15360",
  "db-custom-4-20480",
  "db-custom-4-26624",
  "db-custom-6-33280",
  "db-custom-6-39936",
  "db-custom-8-53248",
];
const TIERS_OF_PLUS = ["db-perf-optimized-N-2", "db-perf-optimized-N-4", "db-perf-optimized-N-8"];

/** The result of a function for the smallest tier of the edition with enough connections; null if none has enough. */
export function smallestSufficientTier(
  connections: Expr<number>,
  tier: Expr<string>,
  make: (tier: Expr<string>) => Expr<string>,
): Expr<string | null> {
  const made = (tiers: readonly string[]) => {
    const accepted = Object.fromEntries(tiers.map((each) => [each, maxConnections(literal(each)).literal]));
    return eachEntry<Readonly<Record<string, number>>, string>(accepted, make, (_, most) => most.ge(connections));
  };
  const isPlus = startsWith(tier, "db-perf-optimized-");
  const all = isPlus.choose<readonly string[]>(made(TIERS_OF_PLUS), made(TIERS));
  return element<string | null>(all, 0).tryOr(null);
}

/** Inputs for the size of the database. */
export const DATABASE_SIZE = {
  /**
   * Size, `db-custom-<CPUs>-<memory in MB>`, or of Enterprise Plus, `db-perf-optimized-N-<CPUs>`; it limits the
   * connections. Changing it later restarts the database.
   */
  databaseTier: text({
    default: DEFAULT_DATABASE_TIER,
    description: prose`
      Size of the database, db-custom-<CPUs>-<memory in MB>, or of the edition Enterprise Plus,
      db-perf-optimized-N-<CPUs>. It limits the connections, and so the instances.
      Changing it later restarts the database.
    `,
    must: {
      condition: isTier,
      must: prose`
        be ${SHARED_CORE.tier} or db-custom-<CPUs>-<memory in MB> with ${CPU_RULE} and ${MEMORY_RULE},
        or db-perf-optimized-N- with ${PLUS_RULE}, because no edition offers another tier with enough connections;
        use for example ${DEFAULT_DATABASE_TIER}
      `,
      mustForLiteral: tierRule,
      schema: { pattern: `^(${SHARED_CORE.tier}|${CUSTOM.slice(1, -1)}|${OF_ENTERPRISE_PLUS.slice(1, -1)})$` },
    },
  }),
  /**
   * `ZONAL`, the default, or `REGIONAL` with a standby in another zone at about twice the price. Changing it later
   * restarts the database.
   */
  databaseAvailability: choice(["ZONAL", "REGIONAL"], {
    default: "ZONAL",
    description: prose`
      ZONAL, or REGIONAL with a standby in another zone at about twice the price.
      Changing it later restarts the database.
    `,
    because: "Cloud SQL offers no other availability",
    fix: "use REGIONAL for a standby in another zone",
  }),
  /**
   * Size up to which the disk grows by itself, in GB; by default without a limit. Changing it later is safe; the disk
   * never shrinks.
   */
  databaseDiskLimitGb: number({
    default: null,
    description: prose`
      Size up to which the disk of the database grows by itself, in GB[[; null for no limit]]. At a limit,
      the database ends in an outage once the disk is full. Changing it later is safe,
      but not below the present size, because a disk never shrinks.
    `,
    must: wholeNumber(
      10,
      65_536,
      ", because a disk starts with 10 GB and none is larger; use 100, or null for no limit",
    ),
  }),
};

export type DatabaseInputs = typeof DATABASE_SIZE;
