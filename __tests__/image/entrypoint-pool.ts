import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout } from "node:timers/promises";

import { STOP_SECONDS } from "../../lib/idp/contract";
import { ENTRYPOINT_COMMANDS } from "../../lib/idp/worker";
import { DATABASE, type EntrypointScene, EXIT_CODE_REFUSED } from "./entrypoint-scene";
import { commandLine, eventually, groupOf, killAll } from "./processes";

/** Stands for PgBouncer: leaves what it was given in a file, opens the socket, and runs until a TERM. */
const STUB = `
import json, os, signal, socket, sys, time
records, settings = sys.argv[1:]
text = open(settings).read()
folder = os.path.dirname(settings)
modes = [oct(os.stat(path).st_mode & 0o777) for path in (folder, settings)]
print("process up", file=sys.stderr)
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
server = socket.socket(socket.AF_UNIX)
server.bind(folder + "/.s.PGSQL.6432")
with open(f"{records}/part", "w") as record:
    json.dump({"text": text, "modes": modes, "environment": dict(os.environ)}, record)
os.rename(f"{records}/part", f"{records}/{os.getpid()}")
time.sleep(600)
`;

interface PoolStart {
  readonly text: string;
  readonly modes: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const POOL = { CONNECTION_POOL_SIZE: "62", CONNECTION_POOL_WAIT_SECONDS: "25" };

/** The pool of connections beside the application. */
export function describePool(scene: EntrypointScene, { thorough }: { thorough: boolean }): void {
  describe("the connection pool", () => {
    const records = () => join(scene.folder, "pools");

    beforeEach(() => {
      mkdirSync(records());
      scene.replaceProgram("pgbouncer", [`exec python3 -c '${STUB}' '${records()}' "$1"`]);
    });

    /** Started one after the other. */
    const pools = () =>
      readdirSync(records())
        .filter((name) => name !== "part")
        .map(Number)
        .sort((one, other) => one - other)
        .map((pid) => ({ pid, ...(JSON.parse(readFileSync(join(records(), String(pid)), "utf8")) as PoolStart) }));
    afterEach(() => killAll(pools().map(({ pid }) => pid)));

    const isRunning = ({ pid }: { readonly pid: number }) => groupOf(pid) === pid;

    const { allInOne, serverAlone, worker } = ENTRYPOINT_COMMANDS;

    it.each([
      ["server", "server"],
      [serverAlone, "server"],
      [worker, "worker"],
      [allInOne, "server"],
    ])(
      "is open before the application starts as %s, which finds it in the place of the database",
      async (argument, first) => {
        const password = 'it\'s = 100% \\ "right" ';
        const variables = { ...POOL, DB_HOST: "10.0.0.3", DB_PASSWORD: password };
        const container = await scene.startContainer(variables, { argument, first });
        const [pool] = pools();
        expect(container.server.environment).toMatchObject({
          AUTHENTIK_POSTGRESQL__HOST: expect.stringMatching(
            `^${scene.environment.TMPDIR ?? ""}/connection-pool\\.[0-9]+$`,
          ) as string,
          AUTHENTIK_POSTGRESQL__PORT: "6432",
          AUTHENTIK_POSTGRESQL__SSLMODE: "disable",
          AUTHENTIK_POSTGRESQL__NAME: "the-name",
          AUTHENTIK_POSTGRESQL__PASSWORD: password,
        });
        const doubled = password.replace("'", "''");
        expect(pool?.text).toContain(`* = host='10.0.0.3' port=5432 user='the-user' password='${doubled}'\n`);
        for (const line of ["default_pool_size = 62", "query_wait_timeout = 25", "server_tls_sslmode = require"]) {
          expect(pool?.text).toContain(`\n${line}\n`);
        }
        expect(pool?.modes).toEqual(["0o700", "0o600"]);
        // What a user of the machine could see of it.
        const seen = [JSON.stringify(pool?.environment), commandLine(pool?.pid ?? 0).join(" "), container.output()];
        expect(seen.join("\n")).not.toContain("right");
        expect(Object.keys(pool?.environment ?? {})).not.toContain("IDP_SECRET_KEY");
        expect(await container.stop()).toBe(0);
        expect(container.output()).toContain("\ncloud-entrypoint: connection pool: process up\n");
      },
    );

    it.each([
      ["IDP_POSTGRESQL__HOST", "elsewhere"],
      ["AUTHENTIK_POSTGRESQL__PASSWORD", ""],
      ["IDP_POSTGRESQL__SSLROOTCERT", "/ca.pem"],
      ["IDP_POSTGRESQL__DEFAULT_SCHEMA", "tenant"],
    ])("is not in the way of a target that is set explicitly by %s=%j", async (name, value) => {
      const container = await scene.startContainer({ ...POOL, [name]: value });
      expect(container.server.environment).toMatchObject({
        AUTHENTIK_POSTGRESQL__HOST: DATABASE.DB_HOST,
        [name.replace("IDP_", "AUTHENTIK_")]: value,
      });
      const told = `no connection pool: POSTGRESQL__${name.split("__")[1]} is set explicitly`;
      await eventually("what it says of the pool", () => container.output().includes(told));
      await container.stop();
      expect(pools()).toEqual([]);
    });

    it("is open before the application starts, also where a killed container has left its socket", async () => {
      scene.copyScript();
      const script = join(scene.folder, "again.sh");
      const socket = '"$TMPDIR/connection-pool.$$/.s.PGSQL.6432"';
      const bind = `python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' ${socket}`;
      writeFileSync(script, `mkdir "$TMPDIR/connection-pool.$$"\n${bind}\n. "\${0%/*}/cloud-entrypoint.sh"\n`);
      const container = await scene.startContainer(POOL, { script });
      expect(pools()).toHaveLength(1);
      await container.stop();
    });

    it("has a socket that the application finds also with a relative TMPDIR", async () => {
      const TMPDIR = relative(process.cwd(), scene.environment.TMPDIR ?? "");
      const container = await scene.startContainer({ ...POOL, TMPDIR });
      const { AUTHENTIK_POSTGRESQL__HOST: host = "" } = container.server.environment;
      expect(host).toMatch(/^\/.+\/connection-pool\.[0-9]+$/);
      expect(pools()).toHaveLength(1);
      await container.stop();
    });

    it("leaves a replica its own port and encryption", async () => {
      const container = await scene.startContainer({ ...POOL, IDP_POSTGRESQL__READ_REPLICAS__0__HOST: "10.0.0.4" });
      expect(container.server.environment).toMatchObject({
        AUTHENTIK_POSTGRESQL__PORT: "6432",
        AUTHENTIK_POSTGRESQL__SSLMODE: "disable",
        AUTHENTIK_POSTGRESQL__READ_REPLICAS__0__HOST: "10.0.0.4",
        AUTHENTIK_POSTGRESQL__READ_REPLICAS__0__PORT: "5432",
        AUTHENTIK_POSTGRESQL__READ_REPLICAS__0__SSLMODE: "require",
      });
      await container.stop();
    });

    it("is not in the way of a port that is set explicitly, also where a replica gets one", async () => {
      const replica = { IDP_POSTGRESQL__READ_REPLICAS__0__HOST: "10.0.0.4", AUTHENTIK_POSTGRESQL__PORT: "5433" };
      const container = await scene.startContainer({ ...POOL, ...replica });
      expect(container.output()).toContain("no connection pool: POSTGRESQL__PORT is set explicitly");
      await container.stop();
    });

    it("leaves a direct endpoint its own port and encryption", async () => {
      const container = await scene.startContainer({ ...POOL, IDP_POSTGRESQL__DIRECT__HOST: "10.0.0.3" });
      expect(container.server.environment).toMatchObject({
        AUTHENTIK_POSTGRESQL__PORT: "6432",
        AUTHENTIK_POSTGRESQL__DIRECT__HOST: "10.0.0.3",
        AUTHENTIK_POSTGRESQL__DIRECT__PORT: "5432",
        AUTHENTIK_POSTGRESQL__DIRECT__SSLMODE: "require",
      });
      await container.stop();
    });

    it("leaves a direct endpoint without a host that of the database, not its own", async () => {
      const container = await scene.startContainer({ ...POOL, IDP_POSTGRESQL__DIRECT__USER: "migrations" });
      const { environment } = container.server;
      expect(environment.AUTHENTIK_POSTGRESQL__PORT).toBe("6432");
      expect(environment.AUTHENTIK_POSTGRESQL__DIRECT__HOST).not.toBe(environment.AUTHENTIK_POSTGRESQL__HOST);
      expect(environment.AUTHENTIK_POSTGRESQL__DIRECT__PORT).toBe("5432");
      await container.stop();
    });

    it("passes on the options of a replica, which say nothing of the database", async () => {
      const name = "POSTGRESQL__READ_REPLICAS__0__CONN_OPTIONS";
      const value = Buffer.from(JSON.stringify({ application_name: "idp" })).toString("base64");
      const replica = { IDP_POSTGRESQL__READ_REPLICAS__0__HOST: "10.0.0.4", [`IDP_${name}`]: value };
      const container = await scene.startContainer({ ...POOL, ...replica });
      expect(pools()).toHaveLength(1);
      expect(container.server.environment).toMatchObject({
        AUTHENTIK_POSTGRESQL__PORT: "6432",
        AUTHENTIK_POSTGRESQL__READ_REPLICAS__0__PORT: "5432",
        [`AUTHENTIK_${name}`]: value,
      });
      await container.stop();
    });

    it("goes on after a USR1 from elsewhere, as the server and the worker do", async () => {
      const container = await scene.startContainer(POOL);
      await scene.firstWorker(container);
      process.kill(container.pid, "SIGUSR1");
      await setTimeout(1500);
      expect(await container.stop()).toBe(0);
      expect(pools()).toHaveLength(1);
      expect(container.output()).not.toMatch(/starts again|container ends/);
    });

    it("ends within the limit of a stop, whenever the signal comes in its start", async () => {
      const moments = thorough ? Array.from({ length: 40 }, (_, index) => 3 * index) : [0, 10, 20, 30, 60, 120];
      for (const milliseconds of moments) {
        const begun = Date.now();
        await scene.stoppedAfter(milliseconds, { ...POOL, K_SERVICE: "idp" });
        expect([milliseconds, Date.now() - begun < STOP_SECONDS.serverless * 1000]).toEqual([milliseconds, true]);
        expect(readdirSync(scene.environment.TMPDIR ?? "")).toEqual([]);
      }
    });

    it("is not started for other commands, which sign in to the database itself", async () => {
      const environment = await scene.applicationEnvironment({ ...DATABASE, ...POOL });
      expect(environment.AUTHENTIK_POSTGRESQL__HOST).toBe(DATABASE.DB_HOST);
      expect(pools()).toEqual([]);
    });

    it.each([
      ["a password with a line break", { DB_PASSWORD: "two\n" }, /DB_PASSWORD has a line break/],
      ["a longer password than it takes", { DB_PASSWORD: "x".repeat(1001) }, /DB_PASSWORD has 1001 characters/],
      ["a password like an old hash", { DB_PASSWORD: `md5${"0f".repeat(16)}` }, /DB_PASSWORD looks like the hash/],
      ["a password like a hash", { DB_PASSWORD: "SCRAM-SHA-256$4096:a$b:c" }, /DB_PASSWORD looks like the hash/],
      [
        "a longer TMPDIR than a socket may have",
        { TMPDIR: `/tmp/${"long/".repeat(20)}` },
        /the path of a socket may have 107 characters/,
      ],
      ["an image without pgbouncer", { PATH: "/bin" }, /no program pgbouncer is on the PATH of this image/],
    ])("refuses to start with %s", async (_, variables, reason) => {
      const given = { ...DATABASE, ...POOL, IDP_SECRET_KEY: "the-key", ...variables };
      const { exitCode, output, starts } = await scene.run(["server"], given);
      expect(exitCode).toBe(EXIT_CODE_REFUSED);
      expect(output).toMatch(reason);
      expect([...starts("server"), ...pools()]).toEqual([]);
    });

    it("lets server and worker finish their work before it ends, on a signal to all of them", async () => {
      const container = await scene.startContainer({
        ...POOL,
        STUB_SERVER_STOP_CODE: "3",
        STUB_WORKER_STOP_SECONDS: "1",
      });
      const first = await scene.firstWorker(container);
      expect(first.environment.AUTHENTIK_POSTGRESQL__HOST).toBe(
        container.server.environment.AUTHENTIK_POSTGRESQL__HOST,
      );
      const stopped = container.stop();
      await eventually("the end of the server", () => container.starts("server")[0]?.ended);
      expect(pools().map(isRunning)).toEqual([true]);
      expect(await stopped).toBe(3);
      expect(container.starts("worker")).toMatchObject([{ ended: true, signals: ["TERM"] }]);
      expect(pools()).toHaveLength(1);
      expect(readdirSync(scene.environment.TMPDIR ?? "")).toEqual([]);
    });

    if (thorough) {
      it.each(["SIGKILL", "SIGTERM"])(
        "starts again after a %s of its own, and the application goes on",
        async (signal) => {
          scene.replaceProgram("sleep", ["exec /bin/sleep 0.05"]);
          const container = await scene.startContainer(POOL);
          await scene.firstWorker(container);
          process.kill(pools()[0]?.pid ?? 0, signal);
          await eventually("another pool", () => pools().length === 2);
          expect(container.output()).toMatch(
            /^cloud-entrypoint: connection pool ended with exit code \d+ after \d+ s, starts again in 1 s$/m,
          );
          expect(container.output().match(/connection pool: process up/g)).toHaveLength(2);
          await container.stop();
          expect(container.starts("server")).toMatchObject([{ ended: true, signals: ["TERM"] }]);
          expect(container.starts("worker")).toHaveLength(1);
        },
      );

      it.each(["server", serverAlone])("ends with the application, started as %s", async (argument) => {
        const container = await scene.startContainer(POOL, { argument });
        process.kill(container.server.pid, "SIGKILL");
        expect(await container.ended).toBe(137);
        await eventually("the end of every process", () => scene.running().length === 0 && !pools().some(isRunning));
      });
    }
  });
}
