import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

import { describeWith, programPath } from "../../support/programs";
import { ADMIN_PASSWORD, type Cluster, startCluster } from "../db-init/cluster";

const execute = promisify(execFile);
const PAGES = 20;

/** Far longer than 20 pages of 50 ms take, and than a worker needs to begin. */
const SECONDS = 20;

describeWith(
  ["dramatiq", "postgres", "psql"],
  "Synchronizations, with the task library of the application and a queue in PostgreSQL",
  () => {
    let cluster: Cluster;
    let databases = 0;

    beforeAll(async () => {
      cluster = await startCluster();
    });

    afterAll(() => cluster.stop());

    /**
     * How many of so many synchronizations at once end.
     *
     * @param prefetch messages of a process; 0 for the library's own
     */
    const endedOf = async (processes: number, threads: number, prefetch: number, count: number): Promise<number> => {
      databases += 1;
      const database = `queue_${databases}`;
      const administrator = { user: "postgres", password: ADMIN_PASSWORD };
      await cluster.query(administrator, `CREATE DATABASE ${database}`);
      const python = join(dirname(programPath("dramatiq")), "python");
      const environment = {
        PATH: process.env.PATH ?? "",
        PGDATABASE: database,
        PGHOST: "127.0.0.1",
        PGPASSWORD: ADMIN_PASSWORD,
        PGPORT: String(cluster.port),
        PGUSER: "postgres",
        PYTHONDONTWRITEBYTECODE: "1",
        dramatiq_queue_prefetch: String(prefetch),
      };
      const options = { cwd: __dirname, env: environment };
      const schema = "import dramatiq_postgres, os; print(os.path.dirname(dramatiq_postgres.__file__))";
      const { stdout } = await execute(python, ["-c", schema], options);
      await execute(programPath("psql"), ["--quiet", "--file", join(stdout.trim(), "schema.sql")], options);
      await execute(python, ["synchronization.py", String(count), String(PAGES)], options);

      const form = ["--processes", String(processes), "--threads", String(threads)];
      const worker = spawn(programPath("dramatiq"), ["synchronization", ...form], {
        ...options,
        detached: true,
        stdio: "ignore",
      });
      const gone = once(worker, "exit");
      const ended = async () => {
        const login = { ...administrator, database };
        return Number(await cluster.query(login, "SELECT count(*) FROM ended WHERE what = 'whole'"));
      };
      try {
        const limit = Date.now() + SECONDS * 1000;
        while ((await ended()) < count && Date.now() < limit) await setTimeout(200);
        return await ended();
      } finally {
        process.kill(-(worker.pid ?? 0), "SIGKILL");
        await gone;
      }
    };

    it.each([
      ["the default", 2, 2, 2, 3],
      ["little memory", 1, 2, 2, 1],
      ["one thread for each of two processes", 2, 1, 1, 1],
    ])("fewer than there are threads end: %s", async (_, processes, threads, prefetch, count) => {
      expect(await endedOf(processes, threads, prefetch, count)).toBe(count);
    });

    it.each([
      ["one thread for each process, which takes two messages", 2, 1, 0, 1],
      ["a single thread", 1, 1, 1, 1],
      ["as many as there are threads", 2, 1, 1, 2],
    ])("others wait for each other: %s", async (_, processes, threads, prefetch, count) => {
      expect(await endedOf(processes, threads, prefetch, count)).toBe(0);
    });
  },
);
