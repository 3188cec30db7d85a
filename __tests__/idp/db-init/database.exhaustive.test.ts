import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ADMIN_PASSWORD, SUPERUSER } from "./cluster";
import { type Outcome, runScript } from "./script-run";
import { applicationLogin, COMPLETE, describeOnServer } from "./tenants";

/** Records the command lines of the script, of psql and of everything between them. */
const PSQL_THAT_LOOKS_AROUND = `
process=$$
until [ "$process" -le 1 ]; do
  line=$(tr '\\0' ' ' <"/proc/$process/cmdline")
  printf '%s\\n' "$line" >>"$COMMAND_LINES"
  case $line in *db-init.sh*) break ;; esac
  process=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$process/status")
done
exec "$REAL_PSQL" "$@"`;

describeOnServer("db-init.sh on PostgreSQL 15, whatever the state of the server", (test) => {
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

  test("revokes role creation and database creation from a role that had them", async ({
    cluster,
    tenant,
    endState,
  }) => {
    const settings = tenant();
    await cluster.query({ user: SUPERUSER }, `CREATE ROLE ${settings.DB_USER} NOLOGIN NOINHERIT CREATEROLE CREATEDB`);
    await runScript(settings);

    expect(await endState(settings.DB_NAME)).toEqual(COMPLETE);
  });

  test("keeps a role that the administrator has given itself, for example for a restore", async ({
    cluster,
    tenant,
    endState,
  }) => {
    const settings = tenant();
    await runScript(settings);
    await cluster.query({ user: "postgres", password: ADMIN_PASSWORD }, `GRANT ${settings.DB_USER} TO postgres`);
    const { exitCode } = await runScript(settings);

    expect(exitCode).toBe(0);
    expect(await endState(settings.DB_NAME)).toEqual(COMPLETE);
  });

  test("continues where no managed-superuser role exists", async ({ tenant, endState }) => {
    const settings = tenant({ DB_MANAGED_SUPERUSER_ROLE: "absent" });
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain("the role absent does not exist on this server, nothing granted\n");
    expect(exitCode).toBe(0);
    expect(await endState(settings.DB_NAME)).toEqual({ ...COMPLETE, memberOf: [] });
  });

  test("skips, with a message, steps without a named role or proxy", async ({ tenant, endState }) => {
    const settings = tenant({ DB_MANAGED_SUPERUSER_ROLE: "", DB_PROXY_QUIT_URL: "" });
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain(
      "step 4 of 5: no managed-superuser role to grant (DB_MANAGED_SUPERUSER_ROLE is empty), skipped\n" +
        `last check: sign in as ${settings.DB_USER} and create a table in ${settings.DB_NAME}\n` +
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
      `failed in step 3 of 5: the role ${settings.DB_USER} still lacks CREATE on the database ${settings.DB_NAME} of ` +
        `${SUPERUSER}, CREATE on the schema public of ${SUPERUSER}: postgres may not grant it; let the owner grant it, ` +
        "make postgres the owner or choose another database name\n",
    );
    expect(exitCode).toBe(1);
  });

  test("reports the owner of what it may not grant", async ({ cluster, tenant }) => {
    const settings = tenant();
    await cluster.query({ user: SUPERUSER }, `CREATE DATABASE ${settings.DB_NAME} OWNER postgres`);
    await cluster.query({ user: SUPERUSER, database: settings.DB_NAME }, `ALTER SCHEMA public OWNER TO ${SUPERUSER}`);
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain(
      `failed in step 3 of 5: the role ${settings.DB_USER} still lacks CREATE on the schema public of ${SUPERUSER}: ` +
        "postgres may not grant it; let the owner grant it, make postgres the owner or choose another database name\n",
    );
    expect(exitCode).toBe(1);
  });

  test("reports at the end what would stop the application", async ({ cluster, tenant }) => {
    const faults: [string, string, string][] = [
      [
        "ALTER DATABASE :db SET default_transaction_read_only = on",
        "ERROR:  cannot execute CREATE TABLE in a read-only transaction",
        "default_transaction_read_only=on (database)",
      ],
      [
        "ALTER DATABASE :db SET search_path = elsewhere",
        "ERROR:  no schema has been selected to create in",
        "search_path=elsewhere (database)",
      ],
      [
        "ALTER ROLE :role SET session_replication_role = replica; ALTER DATABASE :db SET search_path = elsewhere",
        "ERROR:  no schema has been selected to create in",
        "search_path=elsewhere (database), session_replication_role=replica (user)",
      ],
    ];
    const results = await Promise.all(
      faults.map(async ([fault]) => {
        const settings = tenant();
        const named = fault.replaceAll(":db", settings.DB_NAME).replaceAll(":role", settings.DB_USER);
        await cluster.query(
          { user: SUPERUSER },
          `CREATE DATABASE ${settings.DB_NAME} OWNER postgres`,
          `CREATE ROLE ${settings.DB_USER}`,
          ...named.split("; "),
        );
        const { exitCode, output } = await runScript(settings);
        const names = new RegExp(`${settings.DB_USER}(_db)?`, "g");
        const lines = output.replace(names, (_, database: string | undefined) => (database ? "DATABASE" : "ROLE"));
        return [fault, exitCode, lines.slice(lines.indexOf("last check"))];
      }),
    );

    expect(results).toEqual(
      faults.map(([fault, reason, inForce]) => [
        fault,
        1,
        "last check: sign in as ROLE and create a table in DATABASE\n" +
          `settings in force for ROLE in DATABASE: ${inForce}\n` +
          `failed in the last check: ROLE cannot use DATABASE: ${reason}; settings of the database or of a superuser ` +
          "are left alone, whoever made them can take them back\n" +
          "before leaving with exit code 1: tell the database proxy to quit\n",
      ]),
    );
  });

  test("reports at the end what is unusual but does not stop the application", async ({ cluster, tenant }) => {
    const settings = tenant();
    const { DB_NAME: database, DB_USER: role } = settings;
    await cluster.query(
      { user: SUPERUSER },
      `CREATE DATABASE ${database} OWNER postgres`,
      `ALTER DATABASE ${database} SET statement_timeout = '5s'`,
    );
    await cluster.query(
      { user: SUPERUSER, database },
      `CREATE ROLE ${role}`,
      `CREATE SCHEMA ${role} AUTHORIZATION ${role}`,
      "CREATE TABLE public.theirs (id bigserial PRIMARY KEY)",
      "CREATE EXTENSION pg_stat_statements SCHEMA public",
    );
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain(
      `settings in force for ${role} in ${database}: statement_timeout=5s (database)\n` +
        `new tables of ${role} go to the schema ${role}, not to public\n` +
        `tables in public that ${role} cannot change, because others own them: theirs, theirs_id_seq\n` +
        "step 5 of 5",
    );
    expect(exitCode).toBe(0);
  });

  test("works for an administrator with unusual settings", async ({ cluster, tenant, endState }) => {
    const settings = tenant({ DB_MANAGED_SUPERUSER_ROLE: "" });
    const administrator = `${settings.DB_USER}_boss`;
    await cluster.query(
      { user: SUPERUSER },
      `CREATE ROLE ${administrator} LOGIN CREATEDB CREATEROLE PASSWORD '${ADMIN_PASSWORD}'`,
      `ALTER ROLE ${administrator} SET statement_timeout = '20ms'`,
      `ALTER ROLE ${administrator} SET default_transaction_read_only = on`,
    );
    const { exitCode } = await runScript({ ...settings, DB_ADMIN_USER: administrator });

    expect(exitCode).toBe(0);
    expect((await endState(settings.DB_NAME)).database.owner).toBe("ROLE_boss");
  });

  test("revokes CONNECT from PUBLIC on a database that others could enter", async ({ cluster, tenant, endState }) => {
    const settings = tenant();
    await cluster.query(
      { user: SUPERUSER },
      `CREATE DATABASE ${settings.DB_NAME} OWNER postgres`,
      `GRANT ALL ON DATABASE ${settings.DB_NAME} TO PUBLIC`,
    );
    await runScript(settings);

    expect(await endState(settings.DB_NAME)).toEqual(COMPLETE);
  });

  test("reports who can still connect to a database that it may not close", async ({ cluster, tenant }) => {
    const settings = tenant();
    const { DB_NAME: database, DB_USER: role } = settings;
    await cluster.query(
      { user: SUPERUSER },
      `CREATE DATABASE ${database}`,
      `CREATE ROLE ${role}`,
      `GRANT ALL ON DATABASE ${database} TO ${role}`,
    );
    await cluster.query({ user: SUPERUSER, database }, `GRANT ALL ON SCHEMA public TO ${role}`);
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain(
      `every login of this server can connect to ${database}, because the administrator may not change that; its owner ` +
        `${SUPERUSER} can: REVOKE ALL ON DATABASE ${database} FROM PUBLIC\n`,
    );
    expect(exitCode).toBe(0);
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
      // A closer match for the script's call than the server's own function.
      `CREATE FUNCTION public.hashtextextended(text, integer) RETURNS bigint LANGUAGE plpgsql
       AS $$BEGIN RAISE EXCEPTION 'called with the rights of %', current_user; END$$`,
    );
    const { exitCode, output } = await runScript(settings);

    expect(output).not.toContain("called with the rights of");
    expect(exitCode).toBe(0);
  });

  test("repairs a role that could not sign in or write", async ({ cluster, tenant, endState }) => {
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
    // The server may greet each session with a warning.
    const psql = `echo 'WARNING:  database "postgres" has a collation version mismatch' >&2; exec "$REAL_PSQL" "$@"`;
    for (const programs of [{}, { psql }] as Record<string, string>[]) {
      const { exitCode, output } = await runScript(settings, { programs });

      expect(output).toContain(
        `failed in step 2 of 5: DB_USER is ${group}, a group with the members: postgres, ${group}_member, who would share ` +
          "the application's rights; choose another name, or take the members out with REVOKE\n",
      );
      expect(exitCode).toBe(2);
      expect(await state()).toBe(before);
    }
  });
});

describeOnServer("db-init.sh on PostgreSQL 15", (test) => {
  test("fails at once and says so when the administrator's password is wrong", async ({ tenant, quitRequests }) => {
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

  test("repeats the server's message, but not psql's prompt, when the role is refused", async ({
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
