import { execFileSync } from "node:child_process";

import { exits, LOST, type ProgramFault, STOPS } from "../../support/program-stand-in";
import { temporaryFolder } from "../../support/temporary-folder";
import { type Cluster, type Login, SUPERUSER } from "../db-init/cluster";
import { type Environment, runScript } from "../db-init/script-run";
import { applicationLogin, describeOnServers, type TenantScene } from "../db-init/tenants";
import { copyOf, exchange, filledTenant, NAMES, restored, runJob, swap, tenantWithRestored } from "./job-run";

const FIRST_USER = "SELECT name FROM authentik_core_user WHERE id = 1";
const LATER = "application-password-of-later-Xk37";
const DONE = { exitCode: 0 };

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

describeOnServers("The jobs of a restore", (test, matrix) => {
  test("copy a database into an empty one and exchange the two, as often as it is repeated", async (server) => {
    const { cluster } = server;
    const settings = await filledTenant(server);

    expect(await swap(settings, "clear")).toMatchObject(DONE);
    await runScript(restored(settings));
    const filled = await runJob("fill-database.sh", restored(settings), copyOf(settings));
    const again = await runJob("fill-database.sh", restored(settings), copyOf(settings));
    expect(await runJob("count-users.sh", settings)).toMatchObject({ exitCode: 0, output: "users: 2 user(s)\n" });
    // Written after the copy: it goes aside with the old data.
    await cluster.query(applicationLogin(settings), "INSERT INTO authentik_core_user (name) VALUES ('late')");
    expect(await exchange(cluster, settings)).toMatchObject(DONE);

    expect(filled).toMatchObject({
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
    const left = `SELECT count(*) FROM pg_database WHERE datname LIKE '${settings.DB_NAME}_%'`;
    // The second one removes what a restore leaves that fails before it exchanges anything.
    for (const databases of ["1", "1"]) {
      expect(await cluster.query({ user: SUPERUSER }, left)).toBe(databases);
      expect(await swap(settings, "drop-former")).toMatchObject(DONE);
      expect(await cluster.query({ user: SUPERUSER }, left)).toBe("0");
      if (databases === "1") expect(await swap(settings, "clear")).toMatchObject(DONE);
    }
    await cluster.query(applicationLogin(settings), "DELETE FROM authentik_core_user");
    expect(await runJob("count-users.sh", settings)).toMatchObject({ exitCode: 1, output: says("has no user") });
    expect(await swap(settings, "clear")).toMatchObject(DONE);
  });

  test("remove no database that no restore has made, and open none, whatever its name", async (server) => {
    const { cluster } = server;
    const settings = await filledTenant(server);
    const { DB_NAME: name } = settings;
    const theirs = [`${name}_former`, `${name}_restored`];
    for (const database of theirs) {
      await cluster.query({ user: SUPERUSER }, `CREATE DATABASE ${database} OWNER postgres`);
      await cluster.query({ user: SUPERUSER, database }, "CREATE TABLE theirs AS SELECT 7 AS data");
    }
    const marked = (database: string, mark: string) =>
      cluster.query({ user: SUPERUSER }, `COMMENT ON DATABASE ${database} IS '${mark}'`);
    // Words of its owner, and the mark of another deployment.
    for (const mark of ["kept since June", `restore.sh: made for ${name}_2`]) {
      for (const database of theirs) await marked(database, mark);
      for (const action of ["clear", "drop-former"])
        expect(await swap(settings, action)).toMatchObject({
          exitCode: 1,
          output: says(
            `failed: ${theirs.join(" and ")} may be somebody's: it has no mark of a restore of ${name}, so `,
          ),
        });
    }
    for (const database of theirs)
      expect(await cluster.query({ user: SUPERUSER, database }, "SELECT data FROM theirs")).toBe("7");

    for (const database of theirs) await cluster.query({ user: SUPERUSER }, `DROP DATABASE ${database}`);
    await cluster.query({ user: SUPERUSER }, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
    expect(await swap(settings, "clear")).toMatchObject({
      exitCode: 1,
      output: says(`its owner opens it: ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`),
    });
    await expect(cluster.query(applicationLogin(settings), "SELECT 1")).rejects.toThrow("not currently accepting");
  });

  test("keep what the owner says of the database, and start over with what a kill leaves", async (server) => {
    const { cluster } = server;
    const settings = await filledTenant(server);
    const { DB_NAME: name } = settings;
    const commentOf = (database: string) =>
      cluster.query(
        { user: SUPERUSER },
        `SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = '${database}'`,
      );
    await cluster.query({ user: SUPERUSER }, `COMMENT ON DATABASE ${name} IS E'Sign-in,\nof the team'`);
    // Killed before it had its mark.
    await cluster.query(
      { user: SUPERUSER },
      `CREATE DATABASE "${name}#restore" OWNER postgres ALLOW_CONNECTIONS false`,
    );
    expect(await swap(settings, "clear")).toMatchObject(DONE);
    expect(await commentOf(`${name}_restored`)).toBe(`restore.sh: made for ${name}`);
    await runScript(restored(settings));
    expect(await exchange(cluster, settings)).toMatchObject(DONE);
    expect(await commentOf(name)).toBe("Sign-in,\nof the team");
    expect(await commentOf(`${name}_former`)).toBe(`restore.sh: former ${name}\nSign-in,\nof the team`);
    expect(await swap(settings, "drop-former")).toMatchObject(DONE);
    const left = `SELECT string_agg(datname, ',') FROM pg_database WHERE datname LIKE '${name}%'`;
    expect(await cluster.query({ user: SUPERUSER }, left)).toBe(name);
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
    // From 16 on, it is a member of each role that it has made, without being able to act as that.
    const members = `SELECT count(*) FROM pg_auth_members AS membership WHERE member = 'postgres'::regrole
      AND (to_jsonb(membership) ->> 'set_option' = 'true') IS NOT FALSE`;
    const held: Promise<unknown>[] = [];
    const holdIn = async (login: Environment): Promise<void> => {
      const seen = sessionsIn(login.DB_NAME ?? "");
      held.push((await hold(cluster, applicationLogin(login), "LISTEN x; SELECT pg_sleep(60)", seen)).end);
    };
    const settings = await tenantWithRestored(server, []);
    const before = await cluster.query({ user: SUPERUSER }, members);

    await holdIn(settings);
    expect(await exchange(cluster, settings)).toMatchObject(DONE);
    await holdIn({ ...settings, DB_NAME: `${settings.DB_NAME}_former` });
    expect(await swap(settings, "drop-former")).toMatchObject(DONE);
    await Promise.all(held);
    expect(await cluster.query({ user: SUPERUSER }, members)).toBe(before);
  });

  test("put a restored database in the place of one that somebody has dropped, and say so", async (server) => {
    const settings = await tenantWithRestored(server);
    await server.cluster.query({ user: SUPERUSER }, `DROP DATABASE ${settings.DB_NAME}`);

    expect(await exchange(server.cluster, settings)).toMatchObject({
      exitCode: 0,
      output: says(`is the restored one; there was no ${settings.DB_NAME} before\n`),
    });
  });

  test("open a database that a killed exchange has left closed, and say so", async (server) => {
    const settings = await filledTenant(server, []);
    for (const run of [() => swap(settings, "clear"), () => runScript(settings)]) {
      await server.cluster.query(
        { user: SUPERUSER },
        `ALTER DATABASE ${settings.DB_NAME} WITH ALLOW_CONNECTIONS false`,
        `COMMENT ON DATABASE ${settings.DB_NAME} IS E'restore.sh: closed ${settings.DB_NAME}\ntheirs'`,
      );
      expect(await run()).toMatchObject({
        exitCode: 0,
        output: says(`${settings.DB_NAME} is open to connections again; an exchange that was stopped had closed it\n`),
      });
    }
    const comment = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = current_database()";
    expect(await server.cluster.query(applicationLogin(settings), comment)).toBe("theirs");
  });

  const RECORD = {
    DRILL_INSTANCE: "sql-demo-1a2b3c-idp",
    DRILL_AS_OF: "2026-11-22T11:00:00Z",
    DRILL_USERS: "7",
    DRILL_CLONE_SECONDS: "420",
    DRILL_SECONDS: "700",
  };
  const PASSED = "restore-drill: passed \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ";
  const commentedOn = (cluster: Cluster, database: string, text: string) =>
    cluster.query({ user: SUPERUSER }, `COMMENT ON DATABASE ${database} IS ${text}`);
  const commentOn = (cluster: Cluster, database: string) =>
    cluster.query(
      { user: SUPERUSER },
      `SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = '${database}'`,
    );

  test("record a drill as an administrator that is no superuser, and keep what the owner says", async ({
    cluster,
    tenant,
  }) => {
    const settings = await filledTenant({ cluster, tenant });
    const { DB_NAME: name } = settings;
    const lines = new RegExp(
      `^{"message":"restore-drill: passed","instance":"sql-demo-1a2b3c-idp","users":7,"as_of":"2026-11-22T11:00:00Z",` +
        `"clone_seconds":420,"seconds":700}\nrecorded: \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ\n$`,
    );
    const roles = () =>
      cluster.query(
        { user: SUPERUSER },
        `SELECT shobj_description(oid, 'pg_authid') FROM pg_roles WHERE rolname = '${settings.DB_USER}'`,
      );
    const ofRole = await roles();
    for (const [before, kept] of [
      ["NULL", ""],
      ["E'Sign-in,\\nof the team'", "Sign-in,\nof the team\n"],
      ["E'Sign-in\\nrestore-drill: passed 2026-01-01T00:00:00Z'", "Sign-in\n"],
      ["E'restore-drill: passed 2026-01-01T00:00:00Z\\nit''s ours'", "it's ours\n"],
    ] as const) {
      await commentedOn(cluster, name, before);
      const run = await runJob("record-drill.sh", settings, RECORD);
      expect(run).toMatchObject({ exitCode: 0, output: expect.stringMatching(lines) as string });
      const now = await commentOn(cluster, name);
      expect(now).toMatch(new RegExp(`^${kept}${PASSED}$`));
      const seconds = (Date.now() - Date.parse(now.slice(-20))) / 1000;
      expect(Math.abs(seconds)).toBeLessThan(60);
    }
    expect(await roles()).toBe(ofRole);
  });

  test("keep the record of a drill when they exchange databases", async ({ cluster, tenant }) => {
    const settings = await tenantWithRestored({ cluster, tenant });
    expect(await runJob("record-drill.sh", settings, RECORD)).toMatchObject(DONE);
    expect(await exchange(cluster, settings)).toMatchObject(DONE);
    expect(await commentOn(cluster, settings.DB_NAME)).toMatch(new RegExp(`^${PASSED}$`));
  });

  test("record a drill once an exchange is over, and never take its mark away", async ({ cluster, tenant }) => {
    const settings = await filledTenant({ cluster, tenant });
    const { DB_NAME: name } = settings;
    const mark = `restore.sh: closed ${name}`;
    await commentedOn(cluster, name, `'${mark}'`);
    await cluster.query({ user: SUPERUSER }, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
    const recorded = runJob("record-drill.sh", settings, RECORD);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await commentOn(cluster, name)).toBe(mark);
    await cluster.query({ user: SUPERUSER }, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
    expect(await recorded).toMatchObject(DONE);
  });

  test("notice an exchange that closes the database while a drill is recorded", async ({ cluster, tenant }) => {
    const settings = await filledTenant({ cluster, tenant });
    const { DB_NAME: name } = settings;
    const mark = `restore.sh: closed ${name}`;
    // As the exchange does it, but slowly: it holds the comment while the other has read it.
    const { end } = await hold(
      cluster,
      { user: SUPERUSER },
      `BEGIN; COMMENT ON DATABASE ${name} IS '${mark}'; ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false; SELECT pg_sleep(2); COMMIT`,
      `FROM pg_locks WHERE granted AND mode = 'ShareUpdateExclusiveLock' AND objid =
        (SELECT oid FROM pg_database WHERE datname = '${name}')`,
    );
    const recorded = runJob("record-drill.sh", settings, RECORD);
    await end;
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await commentOn(cluster, name)).toBe(mark);
    await cluster.query({ user: SUPERUSER }, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
    expect(await recorded).toMatchObject(DONE);
  });

  test("record no drill with settings that are none", async ({ cluster, tenant }) => {
    const settings = await filledTenant({ cluster, tenant });
    for (const wrong of [{ DRILL_USERS: "many" }, { DRILL_SECONDS: "" }, { DRILL_AS_OF: 'now","users":9,"a":"' }])
      expect(await runJob("record-drill.sh", settings, { ...RECORD, ...wrong })).toMatchObject({ exitCode: 2 });
    expect(await commentOn(cluster, settings.DB_NAME)).toBe("");
  });

  const tenant = tenantWithRestored;
  const isUnchanged = async ({ server, settings }: TenantScene) =>
    expect(await server.cluster.query(applicationLogin(settings), NAMES)).toBe("Zoë 🙂,akadmin");
  const isExchanged = async ({ settings }: TenantScene) => {
    const again = await swap(settings, "clear");
    expect(again).toMatchObject({ exitCode: 1, output: says("the only copy of the data before the last exchange") });
  };
  /** A second restore makes a new database in the place of the one that is filled. */
  const REPLACED: ProgramFault = {
    shell: `name=\${DB_NAME%_restored}_restored
      export PGDATABASE=postgres PGUSER=${SUPERUSER} PGPASSWORD=
      psql -qc "DROP DATABASE $name WITH (FORCE)" -c "CREATE DATABASE $name OWNER postgres" >&2`,
  };

  matrix({
    tenant,
    programs: { sleep: "exit" },
    run: (settings, options, { cluster }) => exchange(cluster, settings, options),
    settled: isExchanged,
  }).rows([
    {
      what: "do not say that nothing is changed when that cannot be found out",
      at: "psql",
      call: 2,
      lasts: true,
      answers: [exits(2)],
      exitCode: 1,
      says: [/^(?![^]*nothing is changed)[^]*cannot be found out/],
    },
    {
      what: "look whether an exchange whose answer was lost has taken place",
      at: "psql",
      call: 3,
      answers: [LOST],
      exitCode: 0,
      says: ["exchanged: "],
    },
    {
      // After the first look at the identity, before the exchange itself.
      what: "notice a second restore that comes while they exchange",
      at: "psql",
      call: 3,
      answers: [REPLACED],
      exitCode: 1,
      says: ["is gone, another restore"],
      left: isUnchanged,
    },
    {
      what: "admit the application again when they are stopped before the exchange",
      at: "sleep",
      // A session of the server itself, which nobody else may end, and a stop while they wait for its end.
      before: async ({ server: { cluster }, settings }) => {
        const { DB_NAME: database } = settings;
        await hold(cluster, { user: SUPERUSER, database }, "SELECT pg_sleep(60)", sessionsIn(database));
      },
      answers: [STOPS],
      exitCode: 143,
      left: async (scene) => {
        const { server, settings } = scene;
        await isUnchanged(scene);
        await server.cluster.query(
          { user: SUPERUSER },
          `SELECT pg_terminate_backend(pid) ${sessionsIn(settings.DB_NAME)}`,
        );
        expect(await exchange(server.cluster, settings)).toMatchObject(DONE);
      },
    },
  ]);

  matrix({
    tenant,
    run: (settings, options) => runJob("fill-database.sh", restored(settings), copyOf(settings), options),
  }).rows([
    {
      what: "notice a second restore that comes while they fill",
      at: "psql",
      call: 3,
      answers: [REPLACED],
      exitCode: 1,
      says: ["another restore has made a new"],
      left: isUnchanged,
    },
    {
      what: "take no half of a copy for the whole",
      at: "pg_dump",
      answers: [exits(1, "pg_dump: error: gone")],
      exitCode: 1,
      says: ["could not be copied; the application's database is as it was"],
      left: isUnchanged,
    },
  ]);

  matrix({
    tenant,
    programs: { sleep: "exit" },
    run: (settings, options) => runJob("record-drill.sh", settings, RECORD, options),
  }).rows([
    {
      what: "say that a drill is not recorded when the database refuses it",
      at: "psql",
      lasts: true,
      answers: [exits(3, "ERROR:  must be owner of database")],
      exitCode: 1,
      says: ["must be owner", /^(?![^]*"message")[^]*failed: the comment of the database \S+ cannot be written/],
    },
    {
      what: "try again to record a drill",
      at: "psql",
      answers: [exits(2, "gone"), LOST],
      exitCode: 0,
      says: ["recorded: "],
    },
  ]);

  matrix({ tenant, run: (settings, options) => runJob("count-users.sh", settings, {}, options) }).rows([
    { what: "fail with a count that fails", at: "psql", answers: [exits(2, "gone")], exitCode: 2, says: ["gone"] },
  ]);
});

describeOnServers("The job db-init on a restored instance", (test) => {
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

  test("closes the login whose leaked password a backup from before a rotation opens again", async (server) => {
    const { cluster, tenant } = server;
    const leaked = tenant();
    const other = { DB_OWNER: leaked.DB_USER, DB_OTHER_USER: leaked.DB_USER, DB_PASSWORD_VERSION: "2" };
    const rotated = { ...leaked, ...other, DB_USER: `${leaked.DB_USER}_b`, DB_PASSWORD: LATER };
    await runScript(leaked);

    const settings = { ...rotated, DB_CLOSE_OTHER: "true" };
    expect(await runScript(settings)).toMatchObject({
      exitCode: 0,
      output: says(`done: of its logins, only ${rotated.DB_USER} can use the database ${rotated.DB_NAME}\n`),
    });

    await expect(cluster.query(applicationLogin(leaked), "SELECT 1")).rejects.toThrow("password authentication failed");
    expect(await cluster.query(applicationLogin(rotated), "SELECT current_user")).toBe(leaked.DB_USER);
    // The same for a backup with both logins, of which the other one is open with a password of before.
    const next = {
      ...leaked,
      ...other,
      DB_OTHER_USER: rotated.DB_USER,
      DB_PASSWORD_VERSION: "3",
      DB_CLOSE_OTHER: "true",
    };
    expect(await runScript({ ...next, DB_PASSWORD: `${LATER}-3` })).toMatchObject({ exitCode: 0 });
    await expect(cluster.query(applicationLogin(rotated), "SELECT 1")).rejects.toThrow(
      "password authentication failed",
    );
    expect(await runScript({ ...next, DB_PASSWORD: `${LATER}-3` })).toMatchObject({ exitCode: 0 });
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

    // After a rotation, it had another login.
    const second = { ...before, DB_OWNER: before.DB_USER, DB_OTHER_USER: before.DB_USER, DB_PASSWORD_VERSION: "2" };
    await runScript({ ...second, DB_USER: `${before.DB_USER}_b` });
    for (let time = 0; time < 2; time += 1)
      expect(await swap(names, "rename", { FROM_NAME: lost.DB_NAME })).toMatchObject(DONE);
    expect(await runScript(names)).toMatchObject(DONE);

    await expect(cluster.query(applicationLogin(names), FIRST_USER)).resolves.toBe("akadmin");
    await cluster.query(applicationLogin(names), "ALTER TABLE authentik_core_user ADD COLUMN mail text");
    const left = "SELECT rolname, rolcanlogin FROM pg_roles WHERE rolname LIKE '%\\_b'";
    expect(await cluster.query({ user: SUPERUSER }, left)).toContain(`${names.DB_USER}_b|f`);
  });

  test("lets nobody in with the password of the deployment that it came from", async (server) => {
    const { cluster, tenant } = server;
    const lost = tenant();
    const before = { ...lost, DB_USER: lost.DB_NAME };
    await runScript(before);
    const here = tenant();
    const rotated = { DB_OWNER: here.DB_NAME, DB_OTHER_USER: here.DB_NAME, DB_PASSWORD_VERSION: "2" };
    const names = { ...here, ...rotated, DB_USER: `${here.DB_NAME}_b`, DB_PASSWORD: LATER };

    expect(await swap(names, "rename", { FROM_NAME: lost.DB_NAME })).toMatchObject(DONE);
    const former = applicationLogin({ ...before, DB_USER: here.DB_NAME, DB_NAME: here.DB_NAME });
    await expect(cluster.query(former, "SELECT 1")).rejects.toThrow("password authentication failed");
    expect(await runScript(names)).toMatchObject(DONE);

    await expect(cluster.query(former, "SELECT 1")).rejects.toThrow("password authentication failed");
    expect(await cluster.query(applicationLogin(names), "SELECT current_user")).toBe(here.DB_NAME);
  });
});
