import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { packageFile } from "../../../lib/core/package-file";
import { POOL_PROGRAMS, startPooledInstance } from "../../image/pooled-instance";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { SUPERUSER } from "./cluster";
import { clientFolder, type RunOptions, runScript, succeeds } from "./script-run";
import { applicationLogin, describeOnServers, type Tenant, type TestServer } from "./tenants";

/** What clients of the application do: rows, a row that all change, a table of the session, a table of all. */
const VISIT = `SET client_min_messages = warning;
INSERT INTO visits (login) VALUES (session_user);
UPDATE counters SET count = count + 1;
CREATE TEMP TABLE IF NOT EXISTS visit (id int);
SELECT pg_advisory_lock(1000);
DROP TABLE IF EXISTS migrated;
CREATE TABLE migrated (id serial PRIMARY KEY);
SELECT pg_advisory_unlock(1000);
`;

/** Requests of each generation a second, half of them with a connection of their own. */
const RATE = 50;

/** The deployment after so many rotations; the first login is the owner itself. */
function deployment(tenant: Tenant, version: number): Tenant {
  const logins = [tenant.DB_USER, `${tenant.DB_USER}_b`];
  const [current = "", other = ""] = version % 2 === 1 ? logins : logins.reverse();
  return {
    ...tenant,
    DB_USER: current,
    DB_OTHER_USER: other,
    DB_OWNER: tenant.DB_USER,
    DB_PASSWORD: `password-of-${version}-Xy7`,
    DB_PASSWORD_VERSION: String(version),
  };
}

const prepare = (settings: Tenant, options?: RunOptions) => runScript(settings, options);

/** The job, whose text is two files. */
function retire(settings: Tenant) {
  const file = join(temporaryFolder(), "retire-login.sh");
  const text = ["database-client", "retire-login"].map((name) =>
    readFileSync(packageFile(`lib/idp/scripts/${name}.sh`), "utf8"),
  );
  writeFileSync(file, text.join("\n"));
  return runScript(settings, { file });
}

/**
 * Instances with this login, from their first work until they are gone; fails at the first error that one of them has
 * seen.
 */
async function instances(server: TestServer, settings: Tenant, isPooled = false) {
  const { cluster, folder } = server;
  const database = { host: cluster.socketFolder, port: cluster.port };
  const { host, instance, port } = isPooled ? await pooled(server, settings) : { ...database, instance: undefined };
  const before = await visitsBy(server, settings);
  const file = join(folder, "visit.sql");
  writeFileSync(file, VISIT);
  const options = ["--no-vacuum", "--client=2", `--rate=${RATE / 2}`, "--time=300", `--file=${file}`];
  const { DB_NAME, DB_PASSWORD, DB_USER } = settings;
  const login = { PGUSER: DB_USER, PGPASSWORD: DB_PASSWORD, PGDATABASE: DB_NAME };
  const env = { ...login, PGHOST: host, PGPORT: String(port) };
  const clients = [[], ["--connect"]].map((more) => {
    const client = spawn(join(clientFolder(), "pgbench"), [...options, ...more], {
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    client.stderr.on("data", (text: Buffer) => (said += text.toString()));
    return { client, problems: () => said.replaceAll(/^pgbench \(.*\n/gm, "") };
  });
  const seen = before + 10;
  while ((await visitsBy(server, settings)) < seen && clients.every(({ client }) => client.exitCode === null))
    await setTimeout(100);
  return async () => {
    for (const { client, problems } of clients) {
      expect([client.exitCode, problems()]).toEqual([null, ""]);
      client.kill();
      await once(client, "exit");
    }
    await instance?.stop();
  };
}

/** The connection pool of an instance, as its container runs it. */
async function pooled({ cluster }: TestServer, { DB_NAME, DB_PASSWORD = "", DB_USER }: Tenant) {
  const size = { CONNECTION_POOL_SIZE: "3", CONNECTION_POOL_WAIT_SECONDS: "25" };
  const database = { DB_HOST: "127.0.0.1", DB_PORT: String(cluster.port), DB_NAME, DB_PASSWORD, DB_USER };
  const instance = await startPooledInstance({ ...size, ...database });
  return { host: instance.host, instance, port: instance.port };
}

async function visitsBy(server: TestServer, { DB_NAME, DB_USER }: Tenant): Promise<number> {
  const query = `SELECT count(*) FROM visits WHERE login = '${DB_USER}'`;
  return Number(await server.cluster.query({ user: SUPERUSER, database: DB_NAME }, query));
}

/** A deployment with one login and one password, as before there were numbers. */
async function beforeNumbers(server: TestServer): Promise<Tenant> {
  const tenant = server.tenant({ DB_PASSWORD: "password-of-1-Xy7", DB_GRANT_MANAGED_SUPERUSER: "false" });
  await succeeds(runScript(tenant));
  await server.cluster.query(
    applicationLogin(tenant),
    "CREATE TABLE visits (id bigserial PRIMARY KEY, login text)",
    "CREATE TABLE counters AS SELECT 0::bigint AS count",
  );
  return tenant;
}

const OWNERS = "SELECT DISTINCT relowner::regrole FROM pg_class WHERE relnamespace = 'public'::regnamespace";

describeOnServers("db-init.sh, for two logins that act as one role,", (test) => {
  test("replaces the password three times while instances of both generations run", async (server) => {
    const tenant = await beforeNumbers(server);
    let end = await instances(server, tenant);
    for (const version of [1, 2, 3, 4]) {
      const [former, next] = [deployment(tenant, version - 1), deployment(tenant, version)];
      await succeeds(prepare(next));
      await succeeds(prepare(next));
      const endNext = await instances(server, next);
      await setTimeout(1500);
      await end();
      end = endNext;
      const { exitCode, output } = await retire(next);
      expect([exitCode, output]).toEqual([0, expect.not.stringContaining("are left")]);
      if (version > 1)
        await expect(server.cluster.query(applicationLogin(former), "SELECT 1")).rejects.toThrow(
          /authentication failed/,
        );
    }
    await end();
    const login = { user: SUPERUSER, database: tenant.DB_NAME };
    expect(await server.cluster.query(login, OWNERS)).toBe(tenant.DB_USER);
    const [sum, count] = await Promise.all([
      server.cluster.query(login, "SELECT count(*) FROM visits"),
      server.cluster.query(login, "SELECT count FROM counters"),
    ]);
    // A client that is ended between its two statements has counted one less.
    expect(Number(sum) - Number(count)).toBeLessThanOrEqual(16);
  });

  test("refuses a skipped version while its login is in use, and goes back by one", async (server) => {
    const tenant = await beforeNumbers(server);
    const [second, third, fourth] = [2, 3, 4].map((version) => deployment(tenant, version)) as [Tenant, Tenant, Tenant];
    await succeeds(prepare(second));
    const end = await instances(server, second);
    await succeeds(retire(second));
    const skipped = await prepare(fourth);
    expect(skipped.exitCode).toBe(2);
    expect(skipped.output).toContain("set database_passwords.version one higher or lower than 2, and go on from there");
    // Set back, the number has another value, because the skipped one was stored.
    expect((await prepare({ ...second, DB_PASSWORD: "of-the-same-number-Cd5" })).exitCode).toBe(2);
    // A rollout of the third that never becomes ready.
    await succeeds(prepare(third));
    expect((await prepare(fourth)).exitCode).toBe(2);
    await succeeds(prepare(second));
    await succeeds(retire(second));
    await succeeds(prepare({ ...third, DB_PASSWORD: "another-password-Ab9" }));
    await end();
  });

  test("works with an older package again, which knows one login, after an odd version", async (server) => {
    const tenant = await beforeNumbers(server);
    const [second, third] = [2, 3].map((version) => deployment(tenant, version)) as [Tenant, Tenant];
    for (const step of [prepare, retire]) await succeeds(step(second));
    const older = await runScript(tenant);
    expect([older.exitCode, older.output]).toEqual([2, expect.stringContaining("a group with the members")]);
    for (const step of [prepare, retire]) await succeeds(step(third));
    await succeeds(runScript(tenant));
    expect(await server.cluster.query(applicationLogin(tenant), "SELECT current_user")).toBe(tenant.DB_USER);
  });

  test("closes the former login also while it has a session, which goes on", async (server) => {
    const tenant = await beforeNumbers(server);
    const second = { ...deployment(tenant, 2), DB_WAIT_SECONDS: "2" };
    await succeeds(prepare(second));
    const session = server.cluster.query(
      applicationLogin(tenant),
      "SELECT pg_sleep(6)",
      "INSERT INTO visits DEFAULT VALUES",
    );
    await setTimeout(500);
    const { exitCode, output } = await retire(second);
    expect([exitCode, output]).toEqual([0, expect.stringContaining(`1 sessions of ${tenant.DB_USER} are left`)]);
    await session;
    await expect(server.cluster.query(applicationLogin(tenant), "SELECT 1")).rejects.toThrow(/authentication failed/);
  });

  for (const [what, ...numbers] of [
    ["been lowered", 2],
    ["been lowered and raised again", 2, 3],
  ] as const)
    test(`leaves a login open that becomes current while a late run waits, as the number has ${what}`, async (server) => {
      const tenant = await beforeNumbers(server);
      const [second, third] = [2, 3].map((version) => deployment(tenant, version)) as [Tenant, Tenant];
      for (const each of [second, third]) await succeeds(prepare(each));
      const session = server.cluster.query(applicationLogin(second), "SELECT pg_sleep(100)").catch(() => "ended");
      const sleeping = `usename = '${second.DB_USER}' AND query LIKE 'SELECT pg_sleep%'`;
      const count = `SELECT count(*) FROM pg_stat_activity WHERE ${sleeping}`;
      while ((await server.cluster.query({ user: SUPERUSER }, count)) !== "1") await setTimeout(100);
      const late = retire({ ...third, DB_WAIT_SECONDS: "100" });
      await setTimeout(1500);
      for (const number of numbers) await succeeds(prepare(deployment(tenant, number)));
      const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${sleeping}`;
      await server.cluster.query({ user: SUPERUSER }, end);
      expect(await session).toBe("ended");
      const { exitCode, output } = await late;
      expect([exitCode, output]).toEqual([
        1,
        expect.stringContaining(`failed: ${second.DB_USER} stays open: the comments`),
      ]);
      expect(await server.cluster.query(applicationLogin(second), "SELECT current_user")).toBe(tenant.DB_USER);
      // One that begins too late does not wait.
      if (numbers.length === 1) expect(await retire(third)).toMatchObject({ exitCode: 1 });
    });

  test("says so when a login does not act as the role", async (server) => {
    const tenant = await beforeNumbers(server);
    const second = deployment(tenant, 2);
    const create = `CREATE ROLE ${second.DB_USER} LOGIN PASSWORD '${second.DB_PASSWORD ?? ""}'`;
    await server.cluster.query({ user: SUPERUSER }, create);
    const { exitCode, output } = await prepare(second);
    // From 16 on, the administrator may not change a login that others have made.
    const isRepaired = second.POSTGRESQL_RELEASE === "15";
    const complaint = `${second.DB_USER} acts as ${second.DB_USER}, and not as ${tenant.DB_USER}`;
    expect([exitCode, output.includes(complaint)]).toEqual(isRepaired ? [0, false] : [1, true]);
  });

  test("finishes whatever a kill has left", async (server) => {
    const tenant = await beforeNumbers(server);
    const end = await instances(server, tenant);
    const second = deployment(tenant, 2);
    for (const milliseconds of [60, 120, 180, 240])
      await prepare(second, {
        onStart: (kill) =>
          setTimeout(milliseconds).then(() => {
            kill("SIGKILL");
          }),
      });
    await succeeds(prepare(second));
    await end();
    await succeeds(retire(second));
  });
});

describeWith(POOL_PROGRAMS, "With a connection pool in each instance,", () => {
  describeOnServers("db-init.sh", (test) => {
    test("replaces the password twice while instances of both generations run", async (server) => {
      const tenant = await beforeNumbers(server);
      let end = await instances(server, tenant, true);
      for (const version of [2, 3]) {
        const next = deployment(tenant, version);
        await succeeds(prepare(next));
        const endNext = await instances(server, next, true);
        await setTimeout(1500);
        await end();
        end = endNext;
        await succeeds(retire(next));
      }
      await end();
      const login = { user: SUPERUSER, database: tenant.DB_NAME };
      expect(await server.cluster.query(login, OWNERS)).toBe(tenant.DB_USER);
    });
  });
});
