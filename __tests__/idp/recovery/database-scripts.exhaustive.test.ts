import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { type Environment, psqlPath, runScript } from "../db-init/script-run";
import { type Cluster, SUPERUSER } from "../db-init/cluster";
import { applicationLogin, describeOnServer } from "../db-init/tenants";
import { exchange, filledTenant, restored, runJob } from "./job-run";
import { temporaryFolder } from "../../support/temporary-folder";

const execute = promisify(execFile);

const NAMES = "SELECT string_agg(name, ',' ORDER BY name COLLATE \"C\") FROM template.names";

/** What makes a job copy the database of a tenant. */
function copyOf({ DB_HOST = "", DB_NAME = "", DB_PORT = "" }: Environment): Environment {
  return { SOURCE_HOST: DB_HOST, SOURCE_PORT: DB_PORT, SOURCE_NAME: DB_NAME };
}

/** Waits until the superuser sees a session. */
async function sessionOf(cluster: Cluster, session: string): Promise<void> {
  while ((await cluster.query({ user: SUPERUSER }, `SELECT count(*) ${session}`)) === "0");
}

describeOnServer("The jobs of a restore on PostgreSQL 15", (test) => {
  test("copy a database into an empty one and exchange the two, as often as it is repeated", async ({
    cluster,
    tenant,
  }) => {
    const settings = await filledTenant({ cluster, tenant });
    const source = copyOf(settings);

    expect(await runJob("swap-database.sh", settings, { ACTION: "clear" })).toMatchObject({ exitCode: 0 });
    await runScript(restored(settings));
    const filled = await runJob("fill-database.sh", restored(settings), source);
    const again = await runJob("fill-database.sh", restored(settings), source);
    // Written after the copy: it goes aside with the old data.
    await cluster.query(applicationLogin(settings), "INSERT INTO authentik_core_user (name) VALUES ('late')");
    const swapped = await exchange(cluster, settings);

    expect(filled).toEqual({
      exitCode: 0,
      output: expect.stringMatching(/^copying .*\nusers: 2 in database \d+\n$/s) as string,
    });
    expect(again).toMatchObject({ exitCode: 2, output: expect.stringContaining("is not empty") as string });
    expect(swapped).toMatchObject({ exitCode: 0 });
    expect(await cluster.query(applicationLogin(settings), NAMES)).toBe("Zoë 🙂,akadmin");
    expect(await cluster.query(applicationLogin(settings), "INSERT INTO authentik_core_user (name) VALUES ('x')")).toBe(
      "",
    );
    // What is put aside can be compared.
    const former = { ...settings, DB_NAME: `${settings.DB_NAME}_former` };
    expect(await cluster.query(applicationLogin(former), NAMES)).toBe("Zoë 🙂,akadmin,late");
    expect(await runJob("swap-database.sh", settings, { ACTION: "clear" })).toMatchObject({ exitCode: 1 });
    expect(await runJob("swap-database.sh", settings, { ACTION: "drop-former" })).toMatchObject({ exitCode: 0 });
    expect(await runJob("swap-database.sh", settings, { ACTION: "clear" })).toMatchObject({ exitCode: 0 });
  });

  test("restore a dump whose checksum is right, and refuse all others before they change anything", async ({
    cluster,
    tenant,
  }) => {
    const settings = await filledTenant({ cluster, tenant });
    const folder = temporaryFolder();
    await runJob("dump-database.sh", settings, { DUMP_FOLDER: folder });
    const latest = `latest/${settings.DB_NAME}.dump`;
    await execute("sh", [
      "-c",
      `cd '${folder}' && cp ${latest} a.dump && head -c 2000 a.dump >cut.dump && sha256sum cut.dump >cut.dump.sha256
        cp a.dump wrong.dump && sha256sum cut.dump >wrong.dump.sha256 && cp a.dump bare.dump`,
    ]);
    await runScript(restored(settings));

    for (const file of ["cut", "wrong", "bare", "none"]) {
      const refused = await runJob("fill-database.sh", restored(settings), { DUMP_FILE: `${folder}/${file}.dump` });
      expect([file, refused.exitCode]).toEqual([file, 3]);
    }
    const filled = await runJob("fill-database.sh", restored(settings), { DUMP_FILE: `${folder}/${latest}` });

    expect(filled).toMatchObject({ exitCode: 0, output: expect.stringContaining("users: 2") as string });
    expect(await cluster.query(applicationLogin(restored(settings)), NAMES)).toBe("Zoë 🙂,akadmin");
  });

  test("exchange the databases although the application keeps connecting", async ({ cluster, tenant }) => {
    const settings = await filledTenant({ cluster, tenant });
    await runScript(restored(settings));
    const over = new AbortController();
    const application = (async () => {
      while (!over.signal.aborted)
        await cluster.query(applicationLogin(settings), "SELECT pg_sleep(0.2)").catch(() => undefined);
    })();

    const swapped = await exchange(cluster, settings);
    over.abort();
    await application;

    expect(swapped).toMatchObject({ exitCode: 0 });
    expect(await cluster.query(applicationLogin(settings), "SELECT to_regclass('authentik_core_user') IS NULL")).toBe(
      "t",
    );
  });

  test("end sessions of the application that stay, as an administrator that is no superuser", async ({
    cluster,
    tenant,
  }) => {
    const settings = tenant();
    const members = "SELECT count(*) FROM pg_auth_members WHERE member = 'postgres'::regrole";
    const held: Promise<unknown>[] = [];
    const hold = async (login: Environment): Promise<void> => {
      held.push(cluster.query(applicationLogin(login), "LISTEN x", "SELECT pg_sleep(60)").catch(() => undefined));
      await sessionOf(cluster, `FROM pg_stat_activity WHERE datname = '${login.DB_NAME ?? ""}'`);
    };
    const before = await cluster.query({ user: SUPERUSER }, members);
    await runScript(settings);
    await runScript(restored(settings));

    await hold(settings);
    expect(await exchange(cluster, settings)).toMatchObject({ exitCode: 0 });
    await hold({ ...settings, DB_NAME: `${settings.DB_NAME}_former` });
    expect(await runJob("swap-database.sh", settings, { ACTION: "drop-former" })).toMatchObject({ exitCode: 0 });
    await runScript(restored(settings));
    await hold(restored(settings));
    expect(await runJob("swap-database.sh", settings, { ACTION: "clear" })).toMatchObject({ exitCode: 0 });
    await hold(settings);
    const renamed = { ...settings, DB_NAME: `${settings.DB_NAME}_2` };
    const further = { ACTION: "rename", FROM_NAME: settings.DB_NAME };
    expect(await runJob("swap-database.sh", renamed, further)).toMatchObject({ exitCode: 0 });

    await Promise.all(held);
    expect(await cluster.query({ user: SUPERUSER }, members)).toBe(before);
  });

  test("open a database that a killed exchange has left closed, and say so", async ({ cluster, tenant }) => {
    const settings = tenant();
    await runScript(settings);
    const close = () =>
      cluster.query({ user: SUPERUSER }, `ALTER DATABASE ${settings.DB_NAME} WITH ALLOW_CONNECTIONS false`);

    await close();
    const cleared = await runJob("swap-database.sh", settings, { ACTION: "clear" });
    await close();
    const prepared = await runScript(settings);

    for (const { exitCode, output } of [cleared, prepared]) {
      expect({ exitCode, output }).toEqual({
        exitCode: 0,
        output: expect.stringContaining(
          `${settings.DB_NAME} is open to connections again; an exchange that was stopped had closed it\n`,
        ) as string,
      });
    }
    expect(await cluster.query(applicationLogin(settings), "SELECT 1")).toBe("1");
  });

  test("wait for a lock for a short time and try again", async ({ cluster, tenant }) => {
    const settings = tenant();
    await runScript(settings);
    await runScript(restored(settings));
    const statements = `ALTER DATABASE ${settings.DB_NAME} CONNECTION LIMIT 9; SELECT pg_sleep(60)`;
    const held = cluster.query({ user: SUPERUSER }, statements).catch(() => undefined);
    const session = "FROM pg_stat_activity WHERE query LIKE 'ALTER%LIMIT 9%' AND wait_event = 'PgSleep'";
    await sessionOf(cluster, session);

    // The lock is free when the script pauses before its next try.
    const release = `PGUSER=${SUPERUSER} psql -qAtc "SELECT pg_terminate_backend(pid) ${session}" >/dev/null`;
    const swapped = await exchange(cluster, settings, { programs: { sleep: release } });
    await held;

    expect(swapped).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining("canceling statement due to lock timeout") as string,
    });
  });

  test("admit the application again when they are stopped before the exchange", async ({ cluster, tenant }) => {
    const settings = tenant();
    await runScript(settings);
    await runScript(restored(settings));
    // A session of the server itself, which nobody else may end.
    const held = cluster
      .query({ user: SUPERUSER, database: settings.DB_NAME }, "SELECT pg_sleep(60)")
      .catch(() => undefined);
    const sessions = `FROM pg_stat_activity WHERE datname = '${settings.DB_NAME}'`;
    await sessionOf(cluster, sessions);

    const programs = { sleep: "kill -TERM $PPID" };
    const stopped = await exchange(cluster, settings, { programs });
    await cluster.query({ user: SUPERUSER }, `SELECT pg_terminate_backend(pid) ${sessions}`);
    await held;

    expect(stopped.exitCode).toBe(143);
    expect(await cluster.query(applicationLogin(settings), "SELECT 1")).toBe("1");
    expect(await exchange(cluster, settings)).toMatchObject({ exitCode: 0 });
  });

  test("exchange only the database that the same restore has filled", async ({ cluster, tenant }) => {
    const settings = await filledTenant({ cluster, tenant });
    const source = copyOf(settings);
    await runScript(restored(settings));
    const { output } = await runJob("fill-database.sh", restored(settings), source);
    const RESTORED_ID = /^users: 2 in database (\d+)$/m.exec(output)?.[1] ?? "";

    // The first steps of another restore.
    await runJob("swap-database.sh", settings, { ACTION: "clear" });
    await runScript(restored(settings));
    const swapped = await runJob("swap-database.sh", settings, { ACTION: "swap", RESTORED_ID });

    expect(swapped).toEqual({
      exitCode: 1,
      output: expect.stringContaining("that this restore has filled is gone, another restore") as string,
    });
    expect(await cluster.query(applicationLogin(settings), NAMES)).toBe("Zoë 🙂,akadmin");
  });

  test("notice a second restore that comes while they exchange, and while they fill", async ({ cluster, tenant }) => {
    const settings = await filledTenant({ cluster, tenant });
    const source = copyOf(settings);
    await runScript(restored(settings));
    const name = restored(settings).DB_NAME ?? "";
    const replace = `PGDATABASE=postgres PGUSER=${SUPERUSER} PGPASSWORD= "$real" -qc 'DROP DATABASE ${name} WITH (FORCE)' -c 'CREATE DATABASE ${name} OWNER postgres' >&2`;
    const psql = (isMoment: string) => ({
      psql: `real='${psqlPath()}'; echo >>"$0.calls"; if ${isMoment}; then ${replace}; fi; exec "$real" "$@"`,
    });

    const filled = await runJob("fill-database.sh", restored(settings), source, {
      programs: psql('[ "$*" != "${*#*ANALYZE}" ]'),
    });
    // After the first look at the identity, before the exchange itself.
    const swapped = await exchange(cluster, settings, { programs: psql('[ "$(wc -l <"$0.calls")" -eq 3 ]') });

    expect(filled).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining("another restore has made a new") as string,
    });
    expect(swapped).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining("is gone, another restore") as string,
    });
    expect(await cluster.query(applicationLogin(settings), NAMES)).toBe("Zoë 🙂,akadmin");
  });

  test("count the users, and fail where there are none", async ({ cluster, tenant }) => {
    const settings = await filledTenant({ cluster, tenant });

    expect(await runJob("count-users.sh", settings)).toEqual({ exitCode: 0, output: "users: 2\n" });
    await cluster.query(applicationLogin(settings), "DELETE FROM authentik_core_user");
    expect((await runJob("count-users.sh", settings)).exitCode).toBe(1);
  });
});
