import { ADMIN_PASSWORD, type Cluster, SUPERUSER } from "./cluster";
import { runScript, succeeds } from "./script-run";
import { applicationLogin, describeOnServers, type Tenant, type TestServer } from "./tenants";

const WITHOUT_GRANT = { DB_GRANT_MANAGED_SUPERUSER: "false" };
const APART = { ...WITHOUT_GRANT, DB_REVOKE_PUBLIC_CONNECT: "true" };
const OPEN = { ...WITHOUT_GRANT, DB_REVOKE_PUBLIC_CONNECT: "false" };
/** Extensions that take no more than CREATE on the database. */
const TRUSTED = ["citext", "pg_trgm", "pgcrypto", "uuid-ossp", "hstore", "btree_gin", "unaccent"];
const says = (text: string) => expect.stringContaining(text) as string;

/** A tenant with data of its own. */
async function prepared({ cluster, tenant }: TestServer, changes: Readonly<Record<string, string>>): Promise<Tenant> {
  const settings = tenant(changes);
  await succeeds(runScript(settings));
  await cluster.query(applicationLogin(settings), "CREATE TABLE users (name text)", "INSERT INTO users VALUES ('Zoë')");
  return settings;
}

/** Answer of a session of a tenant to its last statement, which follows when the work is done. */
async function withSession(
  cluster: Cluster,
  settings: Tenant,
  work: (processId: string) => Promise<void>,
  last = "SELECT 1",
): Promise<string> {
  const login = applicationLogin(settings);
  await cluster.query(login, "CREATE TABLE IF NOT EXISTS signals ()", "TRUNCATE signals");
  const session = cluster.query(
    login,
    "SET application_name = 'open'",
    "DO 'BEGIN WHILE NOT EXISTS (SELECT FROM signals) LOOP PERFORM pg_sleep(0.02); END LOOP; END'",
    last,
  );
  // It may fail before it is awaited.
  session.catch(() => undefined);
  const open = `datname = '${settings.DB_NAME}' AND application_name = 'open' AND query LIKE 'DO %'`;
  let processId = "";
  while (processId === "")
    processId = await cluster.query({ user: SUPERUSER }, `SELECT pid FROM pg_stat_activity WHERE ${open}`);
  await work(processId);
  await cluster.query(login, "INSERT INTO signals DEFAULT VALUES");
  return session;
}

/** What a tenant can do to another one, each as the name of what has succeeded. */
async function intrusions(cluster: Cluster, intruder: Tenant, victim: Tenant): Promise<readonly string[]> {
  const inside = { ...applicationLogin(intruder), database: victim.DB_NAME };
  const outside = applicationLogin(intruder);
  const tries: Readonly<Record<string, () => Promise<unknown>>> = {
    connect: () => cluster.query(inside, "SELECT 1"),
    read: () => cluster.query(inside, "SELECT * FROM users"),
    change: () => cluster.query(inside, "UPDATE users SET name = 'Eve'"),
    "change the schema": () => cluster.query(inside, "CREATE TABLE evil (id int)"),
    "hold the lock of migrations": () => cluster.query(inside, "SELECT pg_advisory_lock(1000)"),
    "take the role": () => cluster.query(outside, `SET ROLE ${victim.DB_USER}`),
    "grant itself the role": () =>
      cluster.query(outside, "SET ROLE cloudsqlsuperuser", `GRANT ${victim.DB_USER} TO ${intruder.DB_USER}`),
    "change the administrator": () =>
      cluster.query(outside, "SET ROLE cloudsqlsuperuser", `ALTER ROLE postgres PASSWORD '${ADMIN_PASSWORD}'`),
  };
  const done: string[] = [];
  const attempt = async (what: string, run: () => Promise<unknown>) => {
    await run().then(
      () => done.push(what),
      (error: unknown) => expect(String(error)).toMatch(/permission denied|must be |must have /),
    );
  };
  for (const [what, run] of Object.entries(tries)) await attempt(what, run);
  for (const end of ["pg_cancel_backend", "pg_terminate_backend"])
    await withSession(cluster, victim, (processId) =>
      attempt(end, () => cluster.query(outside, `SELECT ${end}(${processId})`)),
    ).catch((error: unknown) => expect(String(error)).toMatch(/canceling statement|terminating connection/));
  return done;
}

describeOnServers("db-init.sh, for tenants that share an instance,", (test) => {
  test("keeps either from doing anything to the other without the grant", async (server) => {
    const [one, other] = [await prepared(server, APART), await prepared(server, APART)];
    expect(await intrusions(server.cluster, one, other)).toEqual([]);
    expect(await intrusions(server.cluster, other, one)).toEqual([]);
    for (const settings of [one, other]) {
      expect((await server.endState(settings.DB_NAME)).memberOf).toEqual([]);
      expect(await server.cluster.query(applicationLogin(settings), "SELECT name FROM users")).toBe("Zoë");
    }
  });

  test("lets one with the grant end the sessions of the other", async (server) => {
    const [intruder, victim] = [await prepared(server, {}), await prepared(server, APART)];
    const done = await intrusions(server.cluster, intruder, victim);
    expect(done).toEqual(expect.arrayContaining(["pg_cancel_backend", "pg_terminate_backend"]));
  });

  test("leaves the rights of PUBLIC alone where it shall, which let others connect and hold the lock", async (server) => {
    const [intruder, victim] = [await prepared(server, APART), await prepared(server, OPEN)];
    expect(await intrusions(server.cluster, intruder, victim)).toEqual(["connect", "hold the lock of migrations"]);
    const { output } = await runScript(victim);
    expect(output).not.toContain("every login of this server");
    await succeeds(runScript({ ...victim, ...APART }));
    expect(await intrusions(server.cluster, intruder, victim)).toEqual([]);
  });

  test("ends the grant when it is switched off, while the open session of the application goes on", async (server) => {
    const { cluster, endState } = server;
    const [settings, victim] = [await prepared(server, {}), await prepared(server, APART)];
    expect((await endState(settings.DB_NAME)).memberOf).toEqual(["cloudsqlsuperuser"]);

    const last = "INSERT INTO users VALUES ('Ada'); SELECT count(*) FROM users";
    const off = async () => {
      const run = await runScript({ ...settings, ...WITHOUT_GRANT });
      expect(run).toMatchObject({
        exitCode: 0,
        output: says(`step 4 of 5: revoke cloudsqlsuperuser from ${settings.DB_USER}\nlast check: `),
      });
    };
    expect(await withSession(cluster, settings, off, last)).toBe("2");
    expect((await endState(settings.DB_NAME)).memberOf).toEqual([]);
    expect(await intrusions(cluster, settings, victim)).toEqual([]);

    await succeeds(runScript(settings));
    expect((await endState(settings.DB_NAME)).memberOf).toEqual(["cloudsqlsuperuser"]);
  });

  test("says who can end a membership that the administrator cannot", async ({ cluster, endState, tenant }) => {
    const settings = tenant({ ...APART, DB_MANAGED_SUPERUSER_ROLE: "pg_monitor" });
    const { DB_NAME, DB_USER } = settings;
    await succeeds(runScript(settings));
    await cluster.query({ user: SUPERUSER }, `GRANT pg_monitor TO ${DB_USER}`);
    const { exitCode, output } = await runScript(settings);
    expect(exitCode).toBe(0);
    const { memberOf } = await endState(DB_NAME);
    const line = `${DB_USER} is still a member of pg_monitor; ${SUPERUSER}, who granted it, can end that: REVOKE pg_monitor FROM ${DB_USER}\n`;
    // Before 16, whoever may create roles may end any grant but that of a superuser.
    expect(output.includes(line)).toBe(memberOf.length > 0);
    expect(memberOf).toEqual(Number(settings.POSTGRESQL_RELEASE) < 16 ? [] : ["pg_monitor"]);
  });

  test("needs no grant for the extensions that an application may create", async (server) => {
    const login = applicationLogin(await prepared(server, APART));
    const names = TRUSTED.map((name) => `'${name}'`).join(", ");
    const available = await server.cluster.query(
      login,
      `SELECT name FROM pg_available_extensions WHERE name IN (${names}) ORDER BY name`,
    );
    const extensions = available === "" ? [] : available.split("\n");
    await server.cluster.query(login, "SELECT 1", ...extensions.map((name) => `CREATE EXTENSION "${name}"`));
    const installed = "SELECT extname FROM pg_extension WHERE extname <> 'plpgsql' ORDER BY extname";
    expect(await server.cluster.query(login, installed)).toBe(available);
  });
});
