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
      `last check: sign in as ${settings.DB_USER} and create a table in ${settings.DB_NAME}`,
      "step 5 of 5: tell the database proxy to quit",
      `done: ${settings.DB_USER} can use the database ${settings.DB_NAME}`,
      "",
    ]);
    expect(exitCode).toBe(0);
    expect(quitRequests(settings)).toEqual(["POST"]);
  });

  test("puts a role in order that could not sign in or write", async ({ cluster, tenant, endState }) => {
    const settings = tenant();
    const { DB_NAME: database, DB_USER: role } = settings;
    await cluster.query(
      { user: SUPERUSER },
      `CREATE DATABASE ${database} OWNER postgres`,
      `CREATE ROLE ${role} VALID UNTIL '2000-01-01' CONNECTION LIMIT 0`,
      `ALTER ROLE ${role} SET default_transaction_read_only = on`,
      `ALTER ROLE ${role} SET search_path = elsewhere`,
      `ALTER ROLE ${role} IN DATABASE ${database} SET statement_timeout = 1`,
    );
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain(
      `settings of the role ${role} are taken back: default_transaction_read_only, search_path, statement_timeout\n`,
    );
    expect(exitCode).toBe(0);
    expect(await endState(database)).toEqual(COMPLETE);
    expect(await cluster.query(applicationLogin(settings), "CREATE TABLE visits ()", "SHOW search_path")).toBe(
      '"$user", public',
    );
  });

  test("lets no other login of the server into the database", async ({ cluster, tenant }) => {
    const [one, other] = [tenant({ DB_MANAGED_SUPERUSER_ROLE: "" }), tenant({ DB_MANAGED_SUPERUSER_ROLE: "" })];
    await Promise.all([runScript(one), runScript(other)]);

    await expect(cluster.query({ ...applicationLogin(one), database: other.DB_NAME }, "SELECT 1")).rejects.toThrow(
      `permission denied for database "${other.DB_NAME}"`,
    );
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

  test("shows no password in its output, on a command line or in the log of the server", async ({
    cluster,
    folder,
    tenant,
  }) => {
    const commandLines = join(folder, "command-lines");
    const settings = tenant({ COMMAND_LINES: commandLines, DB_PASSWORD: "secret-application-71" });
    const looking = { programs: { psql: PSQL_THAT_LOOKS_AROUND } };
    const superuser = tenant();
    await cluster.query({ user: SUPERUSER }, `CREATE ROLE ${superuser.DB_USER} SUPERUSER`);
    const outcomes: Outcome[] = [
      await runScript(settings, looking),
      // Refusals, because the server logs the statement that failed.
      await runScript({ ...settings, DB_USER: "public" }, looking),
      await runScript({ ...settings, DB_USER: superuser.DB_USER }, looking),
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

  test("refuses a group as the application role before it changes anything", async ({ cluster, tenant }) => {
    const settings = tenant();
    const { DB_NAME: database, DB_USER: group } = settings;
    await cluster.query(
      { user: SUPERUSER },
      `CREATE ROLE ${group}`,
      `CREATE ROLE ${group}_member LOGIN IN ROLE ${group}`,
      `GRANT ${group} TO postgres`,
    );
    const state = () =>
      cluster.query(
        { user: SUPERUSER },
        `SELECT * FROM pg_authid WHERE rolname = '${group}'`,
        `SELECT count(*) FROM pg_database WHERE datname = '${database}'`,
      );
    const before = await state();
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain(
      `failed in step 2 of 5: DB_USER is ${group}, a group with the members: postgres, ${group}_member, who would share ` +
        "the application's rights; choose another name, or take the members out with REVOKE\n",
    );
    expect(exitCode).toBe(2);
    expect(await state()).toBe(before);
  });

  test("repeats the server's words, and psql's questions not, when the role is refused", async ({
    tenant,
    quitRequests,
  }) => {
    const settings = tenant({ DB_USER: "public" });
    const { exitCode, output } = await runScript(settings);

    expect(output).toMatch(
      /failed in step 2 of 5: the role public could not be created or updated: ERROR: {2}role name "public" is reserved/,
    );
    expect(output).not.toContain("Enter");
    expect(exitCode).toBe(1);
    expect(quitRequests(settings)).toEqual(["POST"]);
  });
});
