import { execFileSync } from "node:child_process";

import { temporaryFolder } from "../../support/temporary-folder";
import { type Cluster, type Login, SUPERUSER } from "../db-init/cluster";
import { type Environment, runScript } from "../db-init/script-run";
import { applicationLogin, describeOnServer } from "../db-init/tenants";
import { exchange, filledTenant, restored, runJob, swap, tenantWithRestored } from "./job-run";

const NAMES = "SELECT string_agg(name, ',' ORDER BY name COLLATE \"C\") FROM template.names";
const FIRST_USER = "SELECT name FROM authentik_core_user WHERE id = 1";
const LATER = "application-password-of-later-Xk37";
const DONE = { exitCode: 0 };

/** What makes a job copy the database of a tenant. */
function copyOf({ DB_HOST = "", DB_NAME = "", DB_PORT = "" }: Environment): Environment {
  return { SOURCE_HOST: DB_HOST, SOURCE_PORT: DB_PORT, SOURCE_NAME: DB_NAME };
}

const says = (text: string) => expect.stringContaining(text) as string;

/** Starts a session that stays until it is ended, and waits until the superuser sees it. */
async function hold(
  cluster: Cluster,
  login: Login,
  statements: string,
  seen: string,
): Promise<{ end: Promise<unknown> }> {
  const end = cluster.query(login, statements).catch(() => undefined);
  while ((await cluster.query({ user: SUPERUSER }, `SELECT count(*) ${seen}`)) === "0");
  return { end };
}

const sessionsIn = (database: string) => `FROM pg_stat_activity WHERE datname = '${database}'`;

describeOnServer("The jobs of a restore on PostgreSQL 15", (test) => {
  test("copy a database into an empty one and exchange the two, as often as it is repeated", async (server) => {
    const { cluster } = server;
    const settings = await filledTenant(server);

    expect(await swap(settings, "clear")).toMatchObject(DONE);
    await runScript(restored(settings));
    const filled = await runJob("fill-database.sh", restored(settings), copyOf(settings));
    const again = await runJob("fill-database.sh", restored(settings), copyOf(settings));
    expect(await runJob("count-users.sh", settings)).toEqual({ exitCode: 0, output: "users: 2\n" });
    // Written after the copy: it goes aside with the old data.
    await cluster.query(applicationLogin(settings), "INSERT INTO authentik_core_user (name) VALUES ('late')");
    expect(await exchange(cluster, settings)).toMatchObject(DONE);

    expect(filled).toEqual({
      exitCode: 0,
      output: expect.stringMatching(/^copying .*\nusers: 2 in database \d+\n$/s) as string,
    });
    expect(again).toMatchObject({ exitCode: 2, output: says("is not empty") });
    expect(await cluster.query(applicationLogin(settings), NAMES)).toBe("Zoë 🙂,akadmin");
    await cluster.query(applicationLogin(settings), "INSERT INTO authentik_core_user (name) VALUES ('x')");
    // What is put aside can be compared.
    const former = { ...settings, DB_NAME: `${settings.DB_NAME}_former` };
    expect(await cluster.query(applicationLogin(former), NAMES)).toBe("Zoë 🙂,akadmin,late");
    expect(await swap(settings, "clear")).toMatchObject({ exitCode: 1 });
    expect(await swap(settings, "drop-former")).toMatchObject(DONE);
    await cluster.query(applicationLogin(settings), "DELETE FROM authentik_core_user");
    expect(await runJob("count-users.sh", settings)).toMatchObject({ exitCode: 1, output: says("has no user") });
    expect(await swap(settings, "clear")).toMatchObject(DONE);
  });

  test("restore a dump whose checksum is right, and refuse all others before they change anything", async (server) => {
    const settings = await tenantWithRestored(server);
    const folder = temporaryFolder();
    await runJob("dump-database.sh", settings, { DUMP_FOLDER: folder });
    const latest = `latest/${settings.DB_NAME}.dump`;
    const others = `cp ${latest} a.dump && head -c 2000 a.dump >cut.dump && sha256sum cut.dump >cut.dump.sha256
      cp a.dump wrong.dump && sha256sum cut.dump >wrong.dump.sha256 && cp a.dump bare.dump`;
    execFileSync("sh", ["-c", others], { cwd: folder });
    const fill = (file: string) => runJob("fill-database.sh", restored(settings), { DUMP_FILE: `${folder}/${file}` });

    for (const file of ["cut.dump", "wrong.dump", "bare.dump", "none.dump"])
      expect([file, (await fill(file)).exitCode]).toEqual([file, 3]);
    expect(await fill(latest)).toMatchObject({ exitCode: 0, output: says("users: 2") });
    expect(await server.cluster.query(applicationLogin(restored(settings)), NAMES)).toBe("Zoë 🙂,akadmin");
  });

  test("end sessions of the application that stay, as an administrator that is no superuser", async (server) => {
    const { cluster } = server;
    const members = "SELECT count(*) FROM pg_auth_members WHERE member = 'postgres'::regrole";
    const held: Promise<unknown>[] = [];
    const holdIn = async (login: Environment): Promise<void> => {
      const seen = sessionsIn(login.DB_NAME ?? "");
      held.push((await hold(cluster, applicationLogin(login), "LISTEN x; SELECT pg_sleep(60)", seen)).end);
    };
    const before = await cluster.query({ user: SUPERUSER }, members);
    const settings = await tenantWithRestored(server, []);

    await holdIn(settings);
    expect(await exchange(cluster, settings)).toMatchObject(DONE);
    await holdIn({ ...settings, DB_NAME: `${settings.DB_NAME}_former` });
    expect(await swap(settings, "drop-former")).toMatchObject(DONE);
    await Promise.all(held);
    expect(await cluster.query({ user: SUPERUSER }, members)).toBe(before);
  });

  test("open a database that a killed exchange has left closed, and say so", async (server) => {
    const settings = await filledTenant(server, []);
    for (const run of [() => swap(settings, "clear"), () => runScript(settings)]) {
      await server.cluster.query(
        { user: SUPERUSER },
        `ALTER DATABASE ${settings.DB_NAME} WITH ALLOW_CONNECTIONS false`,
      );
      expect(await run()).toEqual({
        exitCode: 0,
        output: says(`${settings.DB_NAME} is open to connections again; an exchange that was stopped had closed it\n`),
      });
    }
    expect(await server.cluster.query(applicationLogin(settings), "SELECT 1")).toBe("1");
  });

  test("admit the application again when they are stopped before the exchange", async (server) => {
    const { cluster } = server;
    const settings = await tenantWithRestored(server, []);
    const sessions = sessionsIn(settings.DB_NAME);
    // A session of the server itself, which nobody else may end.
    const superuser = { user: SUPERUSER, database: settings.DB_NAME };
    const held = await hold(cluster, superuser, "SELECT pg_sleep(60)", sessions);

    const stopped = await exchange(cluster, settings, { programs: { sleep: "kill -TERM $PPID" } });
    await cluster.query({ user: SUPERUSER }, `SELECT pg_terminate_backend(pid) ${sessions}`);
    await held.end;

    expect(stopped.exitCode).toBe(143);
    expect(await cluster.query(applicationLogin(settings), "SELECT 1")).toBe("1");
    expect(await exchange(cluster, settings)).toMatchObject(DONE);
  });

  test("look whether an exchange whose answer was lost has taken place", async (server) => {
    const { cluster } = server;
    const settings = await tenantWithRestored(server);
    const atCall = (number: number, text: string) => ({
      programs: {
        sleep: "exit 0",
        psql: `echo >>"$0.calls"; calls=$(wc -l <"$0.calls"); if [ "$calls" -ge ${number} ]; then ${text}; fi; exec "$REAL_PSQL" "$@"`,
      },
    });

    const unknown = await exchange(cluster, settings, atCall(2, "exit 2"));
    const lost = await exchange(cluster, settings, atCall(3, '"$REAL_PSQL" "$@"; [ "$calls" -gt 3 ]; exit'));

    expect(unknown).toMatchObject({ exitCode: 1, output: says("cannot be found out") });
    expect(unknown.output).not.toContain("nothing is changed");
    expect(lost).toMatchObject({ exitCode: 0, output: says("exchanged: ") });
    const again = await swap(settings, "clear");
    expect(again).toMatchObject({ exitCode: 1, output: says("the only copy of the data before the last exchange") });
  });

  test("notice a second restore that comes while they exchange, and while they fill", async (server) => {
    const { cluster } = server;
    const settings = await tenantWithRestored(server);
    const name = restored(settings).DB_NAME ?? "";
    const replace = `PGDATABASE=postgres PGUSER=${SUPERUSER} PGPASSWORD= "$REAL_PSQL" -qc 'DROP DATABASE ${name} WITH (FORCE)' -c 'CREATE DATABASE ${name} OWNER postgres' >&2`;
    const replacedWhen = (isMoment: string) => ({
      programs: { psql: `echo >>"$0.calls"; if ${isMoment}; then ${replace}; fi; exec "$REAL_PSQL" "$@"` },
    });

    const whileFilled = replacedWhen('[ "$*" != "${*#*ANALYZE}" ]');
    const filled = await runJob("fill-database.sh", restored(settings), copyOf(settings), whileFilled);
    // After the first look at the identity, before the exchange itself.
    const swapped = await exchange(cluster, settings, replacedWhen('[ "$(wc -l <"$0.calls")" -eq 3 ]'));

    expect(filled).toMatchObject({ exitCode: 1, output: says("another restore has made a new") });
    expect(swapped).toMatchObject({ exitCode: 1, output: says("is gone, another restore") });
    expect(await cluster.query(applicationLogin(settings), NAMES)).toBe("Zoë 🙂,akadmin");
  });
});

describeOnServer("The job db-init on a restored instance", (test) => {
  test("replaces the password in the backup with the current one, and keeps the data", async (server) => {
    const { cluster } = server;
    const settings = await filledTenant(server);
    const now = { ...settings, DB_PASSWORD: LATER };
    const role = settings.DB_USER;
    const canSignIn = (password?: string) => cluster.query(applicationLogin(settings, password), FIRST_USER);
    const hash = `SELECT rolpassword FROM pg_authid WHERE rolname = '${role}'`;
    const inBackup = await cluster.query({ user: SUPERUSER }, hash);
    await runScript(now);

    // A restore of the instance brings back the logins too.
    await cluster.query({ user: SUPERUSER }, `ALTER ROLE ${role} PASSWORD '${inBackup}'`);
    await expect(canSignIn(LATER)).rejects.toThrow("password authentication failed");
    const { exitCode, output } = await runScript(now);

    expect(exitCode).toBe(0);
    expect(output).not.toContain(LATER);
    await expect(canSignIn(LATER)).resolves.toBe("akadmin");
    await expect(canSignIn(settings.DB_PASSWORD)).rejects.toThrow("password authentication failed");
  });

  test("serves a deployment of another name after the restore has renamed database and login", async (server) => {
    const { cluster, tenant } = server;
    const here = { ...tenant(), DB_PASSWORD: LATER };
    // Both have one name in a deployment.
    const names = { ...here, DB_USER: here.DB_NAME };
    const lost = tenant();
    const before = { ...lost, DB_USER: lost.DB_NAME };
    await runScript(before);
    await cluster.query(
      applicationLogin(before),
      "CREATE TABLE authentik_core_user AS SELECT 1 AS id, 'akadmin' AS name",
    );

    for (let time = 0; time < 2; time += 1)
      expect(await swap(names, "rename", { FROM_NAME: lost.DB_NAME })).toMatchObject(DONE);
    expect(await runScript(names)).toMatchObject(DONE);

    await expect(cluster.query(applicationLogin(names), FIRST_USER)).resolves.toBe("akadmin");
    await cluster.query(applicationLogin(names), "ALTER TABLE authentik_core_user ADD COLUMN mail text");
  });
});
