import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

import pLimit from "p-limit";
import { Client, type ClientConfig } from "pg";

import { RESERVED_CONNECTIONS } from "../../lib/platform/sql/database-size";
import { ADMIN_PASSWORD, type Cluster, startCluster } from "../idp/db-init/cluster";
import { POOL_PROGRAMS, type PooledInstance, processesOfPool, startPooledInstance } from "../image/pooled-instance";
import { findProgram } from "../support/programs";

/** Connections of one instance of the default size: its share of the 384 of the default database in a rollout. */
const SHARE = 62;

/** LISTEN connections that the processes of a server keep. */
const LISTENERS = 2;
const STATEMENTS = 3;
const SECONDS = 5;
const BURST = 400;
/** Requests that are never fewer in flight, until so many have been answered. */
const CROWD = { inFlight: 200, requests: 1000 } as const;
/** Seconds between two statements of a prober, and until it gives up, as in the probes of a pod. */
const PROBE = { period: 0.5, limit: 15 } as const;
const PASSWORD = "not-a-secret";

interface Result {
  readonly load: string;
  readonly variant: "direct" | "pooled";
  readonly seconds: number;
  readonly latencies: readonly number[];
  readonly errors: readonly string[];
  readonly mostConnections: number;
  /** The longest answer to a prober, which runs one statement on a connection of its own, as readiness does. */
  readonly longestProbe: number;
}

/** One request as the application answers it: a connection of its own, and 20 to 40 ms of prepared statements. */
async function request(config: ClientConfig, statements = STATEMENTS): Promise<void> {
  const client = new Client(config);
  client.on("error", () => undefined);
  try {
    await client.connect();
    for (let index = 0; index < statements; index += 1) {
      const seconds = (20 + 20 * Math.random()) / 1000 / STATEMENTS;
      await client.query({ name: `statement-${index}`, text: "SELECT pg_sleep($1)", values: [seconds] });
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Requests in flight, so many at a time: how many the direct variant answers in a second. */
async function capacityOf(config: ClientConfig): Promise<number> {
  const end = performance.now() + SECONDS * 1000;
  let answered = 0;
  // Below the share, because a connection that has ended still counts for a moment.
  const lanes = Array.from({ length: SHARE / 2 }, async () => {
    while (performance.now() < end) {
      await request(config);
      answered += 1;
    }
  });
  await Promise.all(lanes);
  return answered / SECONDS;
}

/** Sends requests at given times whatever becomes of the others, and takes the time of each from when it was due. */
async function measured(
  what: Pick<Result, "load" | "variant">,
  config: ClientConfig,
  timesMilliseconds: readonly number[],
  connections: () => Promise<number>,
  mostInFlight = Infinity,
): Promise<Result> {
  const latencies: number[] = [];
  const errors: string[] = [];
  let mostConnections = 0;
  const end = new AbortController();
  const watching = (async () => {
    while (!end.signal.aborted) {
      mostConnections = Math.max(mostConnections, await connections());
      await delay(10);
    }
  })();
  let longestProbe = 0;
  const probing = (async () => {
    while (!end.signal.aborted) {
      const asked = performance.now();
      await request(config, 1).catch(() => undefined);
      longestProbe = Math.max(longestProbe, performance.now() - asked);
      await delay(PROBE.period * 1000);
    }
  })();
  const start = performance.now();
  const inTurn = pLimit(mostInFlight);
  const sent = timesMilliseconds.map(async (time) => {
    await delay(time - (performance.now() - start));
    try {
      await inTurn(() => request(config));
      latencies.push(performance.now() - start - time);
    } catch (error) {
      errors.push(error instanceof Error ? error.message : String(error));
    }
  });
  await Promise.all(sent);
  const seconds = (performance.now() - start) / 1000;
  end.abort();
  await Promise.all([watching, probing]);
  latencies.sort((one, other) => one - other);
  return { ...what, errors, latencies, longestProbe, mostConnections, seconds };
}

/** Times of random arrivals at a rate. */
function arrivals(perSecond: number): readonly number[] {
  const times: number[] = [];
  for (let time = 0; time < SECONDS * 1000; time += (-Math.log(1 - Math.random()) / perSecond) * 1000) times.push(time);
  return times;
}

const percentile = ({ latencies }: Pick<Result, "latencies">, share: number) =>
  latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? NaN;

function mostCommon(errors: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const error of errors) counts.set(error, (counts.get(error) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? "";
}

function rowOf(result: Result): string {
  const { errors, latencies, load, longestProbe, mostConnections, seconds, variant } = result;
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(result, share).toFixed(0));
  const rate = (latencies.length / seconds).toFixed(0);
  return `| ${load} | ${variant} | ${rate} | ${errors.length} | ${p50} | ${p99} | ${mostConnections} | ${(longestProbe / 1000).toFixed(1)} | ${mostCommon(errors)} |\n`;
}

/** What the pool is for, and whether it was met. */
function goalsOf(results: readonly Result[]): readonly (readonly [goal: string, isMet: boolean])[] {
  const of = (load: string, variant: Result["variant"]) =>
    results.find((result) => result.load === load && result.variant === variant);
  const p99 = (load: string, variant: Result["variant"]) => percentile(of(load, variant) ?? { latencies: [] }, 0.99);
  const pooled = results.filter(({ variant }) => variant === "pooled");
  return [
    ["no request of the burst fails with the pool", of("burst", "pooled")?.errors.length === 0],
    ...["0.5 x", "1 x"].map(
      (load) =>
        [
          `p99 with the pool at ${load} is at most 110 % of direct`,
          p99(load, "pooled") <= 1.1 * p99(load, "direct"),
        ] as const,
    ),
    [
      `the statement of a readiness probe is answered within ${PROBE.limit} s at every load with the pool`,
      pooled.every(({ longestProbe }) => longestProbe < PROBE.limit * 1000),
    ],
    [`the pool has at most ${SHARE} connections`, pooled.every(({ mostConnections }) => mostConnections <= SHARE)],
  ];
}

/**
 * Measures what the connection pool of an instance does for an application that opens a connection for each request in
 * flight: a server of PostgreSQL with room for the share of one instance, directly and through the pool of the image's
 * entrypoint, at three rates and in a burst.
 *
 * @returns whether every goal was met
 * @throws Error if a program is missing
 */
export async function measureConnections(print: (text: string) => void): Promise<boolean> {
  const missing = POOL_PROGRAMS.filter((program) => findProgram(program) === undefined);
  if (missing.length > 0) {
    throw new Error(`connections needs ${missing.join(", ")}; apt-get install dash dumb-init pgbouncer postgresql-15`);
  }
  const cluster = await startCluster({
    log_connections: "off",
    log_disconnections: "off",
    log_statement: "none",
    // Three are for superusers alone.
    max_connections: String(SHARE + RESERVED_CONNECTIONS),
  });
  const clients: Client[] = [];
  const instances: PooledInstance[] = [];
  try {
    const results = await resultsOf(cluster, clients, instances, print);
    const goals = goalsOf(results);
    for (const [goal, isMet] of goals) print(`${isMet ? "met" : "missed"}: ${goal}\n`);
    return goals.every(([, isMet]) => isMet);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
    await Promise.all(instances.map((instance) => instance.stop()));
    await cluster.stop();
  }
}

async function resultsOf(
  cluster: Cluster,
  clients: Client[],
  instances: PooledInstance[],
  print: (text: string) => void,
) {
  const administrator = { user: "postgres", password: ADMIN_PASSWORD };
  await cluster.query(administrator, `CREATE ROLE idp LOGIN PASSWORD '${PASSWORD}'`, "GRANT idp TO postgres");
  await cluster.query(administrator, "CREATE DATABASE idp OWNER idp");
  const opened = async (config: ClientConfig) => {
    const client = new Client(config);
    clients.push(client);
    await client.connect();
    return client;
  };
  const login = { user: "idp", password: PASSWORD, database: "idp" };
  const direct = { ...login, host: "127.0.0.1", port: cluster.port };
  const instance = await startPooledInstance({
    CONNECTION_POOL_SIZE: String(SHARE),
    DB_HOST: "127.0.0.1",
    DB_PORT: String(cluster.port),
    DB_NAME: login.database,
    DB_USER: login.user,
    DB_PASSWORD: PASSWORD,
  });
  instances.push(instance);
  const { host, port } = instance;
  const variants = { direct, pooled: { ...login, host, port } } as const;

  const watcher = await opened({ ...direct, user: "postgres", password: ADMIN_PASSWORD, database: "postgres" });
  const count = "SELECT count(*)::int AS all FROM pg_stat_activity WHERE usename = 'idp'";
  const connections = async () => (await watcher.query<{ all: number }>(count)).rows[0]?.all ?? 0;

  const capacity = await capacityOf(direct);
  print(
    `${capacity.toFixed(0)} requests a second is what this machine answers directly, with ${SHARE / 2} in flight.\n\n`,
  );
  print(
    `A prober asks as readiness does, every ${PROBE.period} s: one statement on a connection of its own, through the ` +
      "pool where there is one.\n\n",
  );
  print("| Load | Variant | Requests a second | Errors | p50 ms | p99 ms | Most connections ");
  print("| Longest statement of a prober s | Most common error |\n");
  print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  // The same arrivals for both variants, because p99 depends on how they happen to cluster.
  const loads = [0.5, 1, 2].map((factor) => [`${factor} x`, arrivals(factor * capacity)] as const);
  const results: Result[] = [];
  for (const variant of ["direct", "pooled"] as const) {
    const config = variants[variant];
    const listeners = await Promise.all(Array.from({ length: LISTENERS }, () => opened(config)));
    for (const listener of listeners) await listener.query("LISTEN tasks");
    const atOnce = (requests: number) => Array.from({ length: requests }, () => 0);
    const all = [
      ...loads,
      ["burst", atOnce(BURST)] as const,
      [`${CROWD.inFlight} in flight`, atOnce(CROWD.requests), CROWD.inFlight] as const,
    ];
    for (const [load, times, mostInFlight] of all) {
      const result = await measured({ load, variant }, config, times, connections, mostInFlight);
      results.push(result);
      print(rowOf(result));
      // So that what is left of one load does not count for the next.
      await delay(1000);
    }
    await Promise.all(listeners.map((listener) => listener.end()));
  }
  const [pool = 0] = processesOfPool(host);
  const [, memory] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pool}/status`, "utf8")) ?? [];
  print(`\nThe pool took ${(Number(memory) / 1024).toFixed(1)} MB of memory at most.\n`);
  return results;
}
