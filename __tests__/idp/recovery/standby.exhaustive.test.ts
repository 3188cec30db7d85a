import { setTimeout as delay } from "node:timers/promises";

import { Client } from "pg";

import { POOL_PROGRAMS, type PooledInstance, startPooledInstance } from "../../image/pooled-instance";
import { describeWith } from "../../support/programs";
import { ADMIN_PASSWORD, type Cluster, REPLICATING, startCluster, SUPERUSER } from "../db-init/cluster";
import { type Environment } from "../db-init/script-run";
import { runJob } from "./job-run";

const PASSWORD = "not-a-secret";
const LOGIN = { user: "idp", password: PASSWORD, database: "idp" } as const;
const OWN = { user: SUPERUSER, database: "idp" } as const;
const ROWS = "SELECT count(*) || ' to ' || max(id) FROM written";

/** A primary with a replica that streams from it, and what ends all of it. */
class Pair {
  readonly instances: PooledInstance[] = [];
  readonly servers: Cluster[] = [];

  private constructor(
    readonly primary: Cluster,
    readonly replica: Cluster,
  ) {
    this.servers.push(primary, replica);
  }

  static async start(): Promise<Pair> {
    const primary = await startCluster({ ...REPLICATING, log_statement: "none" });
    const administrator = { user: "postgres", password: ADMIN_PASSWORD };
    await primary.query(administrator, `CREATE ROLE idp LOGIN PASSWORD '${PASSWORD}'`, "GRANT idp TO postgres");
    await primary.query(administrator, "CREATE DATABASE idp OWNER idp");
    await primary.query(LOGIN, "CREATE TABLE written (id integer PRIMARY KEY)");
    return new Pair(primary, await primary.replica());
  }

  /** An instance of the application, whose pool leads to one of the servers. */
  async instance({ port }: Cluster): Promise<PooledInstance> {
    const instance = await startPooledInstance({
      CONNECTION_POOL_SIZE: "5",
      CONNECTION_POOL_WAIT_SECONDS: "10",
      DB_HOST: "127.0.0.1",
      DB_PORT: String(port),
      DB_NAME: LOGIN.database,
      DB_USER: LOGIN.user,
      DB_PASSWORD: PASSWORD,
    });
    this.instances.push(instance);
    return instance;
  }

  /** Settings of the job that compares the two. */
  get job(): Environment {
    return {
      DB_HOST: this.primary.socketFolder,
      DB_PORT: String(this.primary.port),
      DB_NAME: LOGIN.database,
      DB_USER: LOGIN.user,
      DB_PASSWORD: PASSWORD,
      SOURCE_HOST: this.replica.socketFolder,
      SOURCE_PORT: String(this.replica.port),
      REPLICA_SECONDS: "2",
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.instances.map((instance) => instance.stop()));
    await Promise.all(this.servers.map((server) => server.stop()));
  }
}

/** A connection as the application opens one for a request. */
async function write({ host, port }: PooledInstance, id: number): Promise<void> {
  const client = new Client({ ...LOGIN, host, port });
  // A database that goes away is noticed by the statements.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("INSERT INTO written VALUES ($1)", [id]);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function writeAll(instance: PooledInstance, from: number, to: number): Promise<void> {
  for (let id = from; id <= to; id += 1) await write(instance, id);
}

/** Waits until a query answers as it shall. */
async function until(server: Cluster, query: string, wanted = "t"): Promise<void> {
  for (let tries = 0; (await server.query(OWN, query)) !== wanted; tries += 1) {
    if (tries > 400) throw new Error(`it is never ${wanted}: ${query}`);
    await delay(25);
  }
}

const positionOf = (server: Cluster) => server.query(OWN, "SELECT pg_current_wal_flush_lsn()");

/** Promotes as Cloud SQL does, and returns how many seconds it takes. */
async function promote(replica: Cluster): Promise<number> {
  const begun = performance.now();
  await replica.query(OWN, "SELECT pg_promote()");
  return (performance.now() - begun) / 1000;
}

/** Figures for the guide, which depend on the machine: they are told, and never asserted. */
const tell = (what: string, figures: Readonly<Record<string, number>>): void => {
  process.stdout.write(`standby: ${what}: ${JSON.stringify(figures)}\n`);
};

const inPair = (what: string, test: (pair: Pair) => Promise<void>): void => {
  it(what, async () => {
    const pair = await Pair.start();
    try {
      await test(pair);
    } finally {
      await pair.stop();
    }
  });
};

describeWith([...POOL_PROGRAMS, "busybox", "initdb"], "A standby's database", () => {
  inPair("has in a drill what was written, once the job has seen that nobody writes any more", async (pair) => {
    const { job, primary, replica } = pair;
    const home = await pair.instance(primary);
    await writeAll(home, 1, 50);
    const compare = (further: Environment = {}) => runJob("replica-position.sh", { ...job, ...further });

    expect(await compare()).toMatchObject({ exitCode: 1, output: expect.stringContaining("still use idp") as string });
    await home.stop();
    pair.instances.length = 0;
    await replica.query(OWN, "SELECT pg_wal_replay_pause()");
    await primary.query(LOGIN, "INSERT INTO written VALUES (51)");
    expect(await compare({ SHELL: "busybox" })).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining("the replica does not have") as string,
    });
    await replica.query(OWN, "SELECT pg_wal_replay_resume()");
    const begun = performance.now();
    expect(await compare()).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(
        /^caught up: the replica has everything up to [0-9A-F/]+ after \d+ s\n$/m,
      ) as string,
    });
    const comparison = (performance.now() - begun) / 1000;
    expect(await replica.query(OWN, ROWS)).toBe("51 to 51");
    const { DB_HOST: SOURCE_HOST = "", DB_PORT: SOURCE_PORT = "" } = job;
    expect(await compare({ SOURCE_HOST, SOURCE_PORT })).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining("is no replica") as string,
    });

    await primary.crash();
    pair.servers.shift();
    const promotion = await promote(replica);
    await replica.query(LOGIN, "INSERT INTO written VALUES (52)");
    expect(await replica.query(OWN, ROWS)).toBe("52 to 52");
    tell("drill", { comparisonSeconds: comparison, promotionSeconds: promotion, lostRows: 0 });
  });

  inPair(
    "keeps what it had received when its primary was lost, and lacks only what was still on its way",
    async (pair) => {
      const { primary, replica } = pair;
      const home = await pair.instance(primary);
      const away = await pair.instance(replica);
      await writeAll(home, 1, 100);
      // Behind: what arrives is not replayed.
      await until(replica, `SELECT pg_last_wal_replay_lsn() >= '${await positionOf(primary)}'`);
      await replica.query(OWN, "SELECT pg_wal_replay_pause()");
      await writeAll(home, 101, 200);
      await until(replica, `SELECT pg_last_wal_receive_lsn() >= '${await positionOf(primary)}'`);
      expect(await replica.query(OWN, ROWS)).toBe("100 to 100");
      // Cut off: what is written from now on is not sent.
      process.kill(Number(await primary.query(OWN, "SELECT pid FROM pg_stat_replication")), "SIGSTOP");
      await writeAll(home, 201, 210);
      await expect(write(away, 300)).rejects.toThrow("read-only transaction");

      const comeBack = await primary.crash();
      const lostAt = performance.now();
      pair.servers.shift();
      const promotion = await promote(replica);
      // The same pool and its connections: no instance is started anew.
      await write(away, 301);
      const firstWrite = (performance.now() - lostAt) / 1000;

      expect(await replica.query(OWN, "SELECT count(*) || ' to ' || max(id) FROM written WHERE id < 300")).toBe(
        "200 to 200",
      );
      expect(await replica.query(OWN, "SELECT count(*) FROM written WHERE id > 300")).toBe("1");
      tell("region lost", { promotionSeconds: promotion, secondsToFirstWrite: firstWrite, lostRows: 10 });

      // The servers of the region are stopped; its database returns with what never arrived.
      await home.stop();
      pair.instances.shift();
      const former = await comeBack();
      pair.servers.push(former);
      const before = await former.query(OWN, ROWS);
      await writeAll(away, 302, 330);
      expect(before).toBe("210 to 210");
      expect(await former.query(OWN, ROWS)).toBe(before);
      expect(await former.query(OWN, "SELECT count(*) FROM pg_stat_activity WHERE usename = 'idp'")).toBe("0");
      expect(await former.query(OWN, "SELECT count(*) FROM pg_stat_replication")).toBe("0");
      expect(await replica.query(OWN, "SELECT count(*) FROM written WHERE id > 300")).toBe("30");
    },
  );

  inPair(
    "loses no more than the last writes of a primary that ends in the midst of them, and none in between",
    async (pair) => {
      const { primary, replica } = pair;
      const home = await pair.instance(primary);
      const away = await pair.instance(replica);
      let told = 0;
      const writing = (async () => {
        for (;;) {
          const next = told + 1;
          const isWritten = await write(home, next).then(
            () => true,
            () => false,
          );
          if (!isWritten) return;
          told = next;
        }
      })();
      await until(replica, "SELECT count(*) >= 100 FROM written");
      while (told < 200) await delay(10);

      const begun = performance.now();
      await primary.crash();
      pair.servers.shift();
      const promotion = await promote(replica);
      let refused = 0;
      for (;;) {
        const isWritten = await write(away, 100_000).then(
          () => true,
          () => false,
        );
        if (isWritten) break;
        refused += 1;
      }
      const firstWrite = (performance.now() - begun) / 1000;
      await writing;

      const [count, last] = (await replica.query(OWN, `${ROWS} WHERE id < 100000`)).split(" to ").map(Number);
      expect(count).toBe(last);
      expect(count).toBeGreaterThanOrEqual(100);
      tell("in the midst of writes", {
        promotionSeconds: promotion,
        secondsToFirstWrite: firstWrite,
        refusedWrites: refused,
        toldRows: told,
        lostRows: Math.max(0, told - (count ?? 0)),
      });
    },
  );
});
