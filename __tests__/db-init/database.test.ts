import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ADMIN_PASSWORD, SUPERUSER } from "./cluster";
import { type Outcome, runScript } from "./script-run";
import { applicationLogin, COMPLETE, describeOnServer } from "./tenants";

/** Notes every command line on the machine while psql is at work. */
const PSQL_THAT_LOOKS_AROUND = `
cat /proc/[0-9]*/cmdline >>"$COMMAND_LINES" 2>/dev/null
printf '%s\\n' "$@" >>"$COMMAND_LINES"
exec "$REAL_PSQL" "$@"`;

describeOnServer("db-init.sh on PostgreSQL 15", (test) => {
  test("announces the five steps in order", async ({ cluster, tenant, quitRequests }) => {
    const settings = tenant();
    const { exitCode, output } = await runScript(settings);

    expect(output.split("\n")).toEqual([
      `step 1 of 5: wait until PostgreSQL answers at ${cluster.socketFolder} port ${cluster.port} (at most 5 s)`,
      `step 2 of 5: create or update the role ${settings.DB_USER}`,
      `step 3 of 5: create the database ${settings.DB_NAME} if it is missing and grant its privileges to ${settings.DB_USER}`,
      `step 4 of 5: grant cloudsqlsuperuser to ${settings.DB_USER}`,
      "step 5 of 5: tell the database proxy to quit",
      `done: ${settings.DB_USER} can use the database ${settings.DB_NAME}`,
      "",
    ]);
    expect(exitCode).toBe(0);
    expect(quitRequests(settings)).toEqual(["POST"]);
  });

  test("reaches the complete end state through socket and TCP, and the same when run again, in every shell", async ({
    cluster,
    tenant,
    endState,
  }) => {
    const shells = ["dash", "busybox sh", "bash"] as const;
    const hosts = [cluster.socketFolder, "127.0.0.1"];
    const results = await Promise.all(
      shells.map(async (shell, index) => {
        const settings = tenant();
        const states = [];
        for (const host of index === 1 ? [...hosts].reverse() : hosts) {
          const { exitCode } = await runScript({ ...settings, DB_HOST: host }, { shell });
          states.push(exitCode, await endState(settings.DB_NAME));
        }
        return [shell, ...states];
      }),
    );

    expect(results).toEqual(shells.map((shell) => [shell, 0, COMPLETE, 0, COMPLETE]));
  });

  test("lets the application create tables, a schema and extensions", async ({ cluster, tenant }) => {
    const settings = tenant();
    await runScript(settings);

    await cluster.query(
      applicationLogin(settings),
      "CREATE TABLE visits (id bigint PRIMARY KEY)",
      "CREATE SCHEMA template",
      ...["pgcrypto", "uuid-ossp", "hstore", "pg_trgm", "citext"].map((name) => `CREATE EXTENSION "${name}"`),
      "INSERT INTO visits VALUES (1)",
    );

    expect(await cluster.query(applicationLogin(settings), "SELECT count(*) FROM visits")).toBe("1");
  });

  test("sets a changed password, after which the old one is refused", async ({ cluster, tenant }) => {
    const settings = tenant();
    await runScript(settings);
    const changed = { ...settings, DB_PASSWORD: "\\password ' \" $$ é %s :role" };
    await runScript(changed);

    expect(await cluster.query(applicationLogin(changed), "SELECT 1")).toBe("1");
    await expect(cluster.query(applicationLogin(settings), "SELECT 1")).rejects.toThrow(
      "password authentication failed",
    );
  });

  test("takes role creation and database creation away from a role that had them", async ({
    cluster,
    tenant,
    endState,
  }) => {
    const settings = tenant();
    await cluster.query({ user: SUPERUSER }, `CREATE ROLE ${settings.DB_USER} NOLOGIN NOINHERIT CREATEROLE CREATEDB`);
    await runScript(settings);

    expect(await endState(settings.DB_NAME)).toEqual(COMPLETE);
  });

  test("shows no password in its output, on a command line or in the log of the server", async ({
    cluster,
    folder,
    tenant,
  }) => {
    const commandLines = join(folder, "command-lines");
    const settings = tenant({ COMMAND_LINES: commandLines, DB_PASSWORD: "secret-application-71" });
    const looking = { programs: { psql: PSQL_THAT_LOOKS_AROUND } };
    const outcomes: Outcome[] = [
      await runScript(settings, looking),
      // Refusals, because the server logs the statement that failed.
      await runScript({ ...settings, DB_USER: "pg_reserved" }, looking),
      await runScript({ ...settings, DB_USER: SUPERUSER }, looking),
      await runScript({ ...settings, DB_ADMIN_PASSWORD: "secret-wrong-72" }, looking),
    ];

    expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([0, 1, 1, 4]);
    const seen = outcomes.map(({ output }) => output).join("") + readFileSync(commandLines, "utf8") + cluster.log();
    expect(seen).toContain("db-init.sh");
    expect(seen).toContain(`ALTER USER ${settings.DB_USER} PASSWORD 'SCRAM-SHA-256$`);
    for (const password of ["secret-application-71", "secret-wrong-72"]) expect(seen).not.toContain(password);
    expect(outcomes.map(({ output }) => output).join("") + readFileSync(commandLines, "utf8")).not.toContain(
      ADMIN_PASSWORD,
    );
  });

  test("fails at once with a sentence when the administrator's password is wrong", async ({ tenant, quitRequests }) => {
    const settings = tenant({ DB_ADMIN_PASSWORD: "wrong", DB_WAIT_SECONDS: "300" });
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain(
      "failed in step 1 of 5: PostgreSQL refuses the password of postgres; " +
        "DB_ADMIN_PASSWORD must be its current password\n" +
        "before leaving with exit code 4: tell the database proxy to quit\n",
    );
    expect(exitCode).toBe(4);
    expect(quitRequests(settings)).toEqual(["POST"]);
  });

  test("goes on where no managed-superuser role exists", async ({ tenant, endState }) => {
    const settings = tenant({ DB_MANAGED_SUPERUSER_ROLE: "absent" });
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain("the role absent does not exist on this server, nothing granted\n");
    expect(exitCode).toBe(0);
    expect(await endState(settings.DB_NAME)).toEqual({ ...COMPLETE, memberOf: [] });
  });

  test("skips with a line what has no role or no proxy named", async ({ tenant, endState }) => {
    const settings = tenant({ DB_MANAGED_SUPERUSER_ROLE: "", DB_PROXY_QUIT_URL: "" });
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain(
      "step 4 of 5: no managed-superuser role to grant (DB_MANAGED_SUPERUSER_ROLE is empty), skipped\n" +
        "step 5 of 5: no database proxy to stop (DB_PROXY_QUIT_URL is empty), skipped\n",
    );
    expect(exitCode).toBe(0);
    expect(await endState(settings.DB_NAME)).toEqual({ ...COMPLETE, memberOf: [] });
  });

  test("fails when the managed-superuser role may not be granted", async ({ tenant, quitRequests }) => {
    const settings = tenant({ DB_MANAGED_SUPERUSER_ROLE: SUPERUSER });
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain("must be superuser to alter superusers");
    expect(output).toContain(
      `failed in step 4 of 5: ${SUPERUSER} could not be granted to ${settings.DB_USER}; the reason is above\n`,
    );
    expect(exitCode).toBe(1);
    expect(quitRequests(settings)).toEqual(["POST"]);
  });

  test("repeats the server's words, and psql's questions not, when the role is refused", async ({
    tenant,
    quitRequests,
  }) => {
    const settings = tenant({ DB_USER: "pg_reserved" });
    const { exitCode, output } = await runScript(settings);

    expect(output).toMatch(
      /failed in step 2 of 5: the role pg_reserved could not be created or updated: ERROR: {2}role name "pg_reserved" is reserved/,
    );
    expect(output).not.toContain("Enter");
    expect(exitCode).toBe(1);
    expect(quitRequests(settings)).toEqual(["POST"]);
  });

  test("refuses an existing database of another encoding", async ({ cluster, tenant }) => {
    const settings = tenant();
    await cluster.query(
      { user: SUPERUSER },
      `CREATE DATABASE ${settings.DB_NAME} OWNER postgres TEMPLATE template0 ENCODING 'LATIN1'`,
    );
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain(
      `failed in step 3 of 5: the database ${settings.DB_NAME} exists with the encoding LATIN1, the application ` +
        "needs UTF8; move its content to a new UTF8 database or choose another name\n",
    );
    expect(exitCode).toBe(1);
  });

  test("refuses an existing database whose privileges it may not grant", async ({ cluster, tenant }) => {
    const settings = tenant();
    await cluster.query({ user: SUPERUSER }, `CREATE DATABASE ${settings.DB_NAME}`);
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain(
      `failed in step 3 of 5: the role ${settings.DB_USER} still lacks CREATE on the database, CREATE on the schema ` +
        `public: postgres may not grant it because ${settings.DB_NAME} belongs to another role; change its owner to ` +
        "postgres or choose another name\n",
    );
    expect(exitCode).toBe(1);
  });

  test("adopts a database that the managed service created for its own role", async ({ cluster, tenant }) => {
    const settings = tenant();
    await cluster.query({ user: SUPERUSER }, `CREATE DATABASE ${settings.DB_NAME} OWNER cloudsqlsuperuser`);
    const { exitCode } = await runScript(settings);

    expect(exitCode).toBe(0);
    await cluster.query(applicationLogin(settings), "CREATE TABLE visits ()", "CREATE SCHEMA template");
  });

  test("never calls what the application put into its database", async ({ cluster, tenant }) => {
    const settings = tenant();
    await runScript(settings);
    await cluster.query(
      applicationLogin(settings),
      // A closer match for the call in the script than the function that the server brings.
      `CREATE FUNCTION public.hashtextextended(text, integer) RETURNS bigint LANGUAGE plpgsql
       AS $$BEGIN RAISE EXCEPTION 'called with the rights of %', current_user; END$$`,
    );
    const { exitCode, output } = await runScript(settings);

    expect(output).not.toContain("called with the rights of");
    expect(exitCode).toBe(0);
  });
});
