import { readFileSync } from "node:fs";
import { join } from "node:path";

import { ADMIN_PASSWORD, SUPERUSER } from "./cluster";
import { type Environment, runScript } from "./script-run";
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

/** A state of the server that the script finds, and what becomes of it; :db and :role stand for the tenant's names. */
interface Found {
  readonly what: string;
  readonly settings?: Environment;
  /** Statements of the superuser. */
  readonly before?: readonly string[];
  /** The same, in the tenant's database. */
  readonly inside?: readonly string[];
  readonly exitCode: number;
  readonly says: readonly string[];
  /** Whether all is as after a run that found nothing. @default false */
  readonly isComplete?: boolean;
}

const CREATED = "CREATE DATABASE :db OWNER postgres";
const MAY_NOT =
  "postgres may not grant it; let the owner grant it, make postgres the owner or choose another database name\n";

/** Settings that others have made, which stop the application. */
const inTheWay = (statements: readonly string[], reason: string, inForce: string): Found => ({
  what: `reports at the end what would stop the application: ${inForce}`,
  before: [CREATED, "CREATE ROLE :role", ...statements],
  exitCode: 1,
  says: [
    "last check: sign in as :role and create a table in :db\n" +
      `settings in force for :role in :db: ${inForce}\n` +
      `failed in the last check: :role cannot use :db: ERROR:  ${reason}; settings of the database or of a superuser ` +
      "are left alone, whoever made them can take them back\n" +
      "before leaving with exit code 1: tell the database proxy to quit\n",
  ],
});

const FOUND: readonly Found[] = [
  {
    what: "fails at once and says so when the administrator's password is wrong",
    settings: { DB_ADMIN_PASSWORD: "wrong", DB_WAIT_SECONDS: "300" },
    exitCode: 4,
    says: [
      "failed in step 1 of 5: PostgreSQL refuses the password of postgres; DB_ADMIN_PASSWORD must be its current password\n",
    ],
  },
  {
    what: "continues where no managed-superuser role exists",
    settings: { DB_MANAGED_SUPERUSER_ROLE: "absent" },
    exitCode: 0,
    says: ["the role absent does not exist on this server, nothing granted\n"],
  },
  {
    what: "skips, with a message, the step without a named role",
    settings: { DB_MANAGED_SUPERUSER_ROLE: "" },
    exitCode: 0,
    says: ["step 4 of 5: no managed-superuser role to grant (DB_MANAGED_SUPERUSER_ROLE is empty), skipped\n"],
  },
  {
    what: "fails when the managed-superuser role may not be granted",
    settings: { DB_MANAGED_SUPERUSER_ROLE: SUPERUSER },
    exitCode: 1,
    says: [
      "must be superuser to alter superusers",
      `failed in step 4 of 5: ${SUPERUSER} could not be granted to :role; the reason is above\n`,
    ],
  },
  {
    what: "refuses an existing database of another encoding",
    before: [`${CREATED} TEMPLATE template0 ENCODING 'LATIN1'`],
    exitCode: 1,
    says: [
      "failed in step 3 of 5: the database :db exists with the encoding LATIN1, the application needs UTF8; move its " +
        "content to a new UTF8 database or choose another name\n",
    ],
  },
  {
    what: "refuses an existing database whose privileges it may not grant",
    before: ["CREATE DATABASE :db"],
    exitCode: 1,
    says: [
      `failed in step 3 of 5: the role :role still lacks CREATE on the database :db of ${SUPERUSER}, CREATE on the ` +
        `schema public of ${SUPERUSER}: ${MAY_NOT}`,
    ],
  },
  {
    what: "reports the owner of what it may not grant",
    before: [CREATED],
    inside: [`ALTER SCHEMA public OWNER TO ${SUPERUSER}`],
    exitCode: 1,
    says: [`failed in step 3 of 5: the role :role still lacks CREATE on the schema public of ${SUPERUSER}: ${MAY_NOT}`],
  },
  inTheWay(
    ["ALTER DATABASE :db SET default_transaction_read_only = on"],
    "cannot execute CREATE TABLE in a read-only transaction",
    "default_transaction_read_only=on (database)",
  ),
  inTheWay(
    ["ALTER ROLE :role SET session_replication_role = replica", "ALTER DATABASE :db SET search_path = elsewhere"],
    "no schema has been selected to create in",
    "search_path=elsewhere (database), session_replication_role=replica (user)",
  ),
  {
    what: "reports at the end what is unusual but does not stop the application",
    before: [CREATED, "ALTER DATABASE :db SET statement_timeout = '5s'"],
    inside: [
      "CREATE ROLE :role",
      "CREATE SCHEMA :role AUTHORIZATION :role",
      "CREATE TABLE public.theirs (id bigserial PRIMARY KEY)",
      "CREATE EXTENSION pg_stat_statements SCHEMA public",
    ],
    exitCode: 0,
    says: [
      "settings in force for :role in :db: statement_timeout=5s (database)\n" +
        "new tables of :role go to the schema :role, not to public\n" +
        "tables in public that :role cannot change, because others own them: theirs, theirs_id_seq\n" +
        "step 5 of 5",
    ],
  },
  {
    what: "reports who can still connect to a database that it may not close",
    before: ["CREATE DATABASE :db", "CREATE ROLE :role", "GRANT ALL ON DATABASE :db TO :role"],
    inside: ["GRANT ALL ON SCHEMA public TO :role"],
    exitCode: 0,
    says: [
      "every login of this server can connect to :db, because the administrator may not change that; its owner " +
        `${SUPERUSER} can: REVOKE ALL ON DATABASE :db FROM PUBLIC\n`,
    ],
  },
  {
    what: "adopts a database that the managed service created for its own role",
    before: ["CREATE DATABASE :db OWNER cloudsqlsuperuser"],
    exitCode: 0,
    says: ["done: :role can use the database :db\n"],
  },
  {
    what: "revokes role creation and database creation from a role that had them",
    before: ["CREATE ROLE :role NOLOGIN NOINHERIT CREATEROLE CREATEDB"],
    exitCode: 0,
    says: [],
    isComplete: true,
  },
  {
    what: "revokes CONNECT from PUBLIC on a database that others could enter",
    before: [CREATED, "GRANT ALL ON DATABASE :db TO PUBLIC"],
    exitCode: 0,
    says: [],
    isComplete: true,
  },
  {
    what: "repairs a role that could not sign in or write",
    before: [
      CREATED,
      "CREATE ROLE :role VALID UNTIL '2000-01-01' CONNECTION LIMIT 0",
      "ALTER ROLE :role SET default_transaction_read_only = on",
      "ALTER ROLE :role SET search_path = elsewhere",
      "ALTER ROLE :role IN DATABASE :db SET statement_timeout = 1",
    ],
    exitCode: 0,
    says: [
      "settings of the role :role are taken back: default_transaction_read_only, search_path, statement_timeout\n",
    ],
    isComplete: true,
  },
];

describeOnServer("db-init.sh on PostgreSQL 15, whatever the state of the server", (test) => {
  for (const { before = [], exitCode, inside = [], isComplete = false, says, settings, what } of FOUND)
    test(what, async ({ cluster, endState, quitRequests, tenant }) => {
      const given = tenant(settings);
      const { DB_NAME: database, DB_USER: role } = given;
      const named = (text: string) => text.replaceAll(":db", database).replaceAll(":role", role);
      if (before.length > 0) await cluster.query({ user: SUPERUSER }, ...before.map(named));
      if (inside.length > 0) await cluster.query({ user: SUPERUSER, database }, ...inside.map(named));

      const run = await runScript(given);

      for (const text of says) expect(run.output).toContain(named(text));
      expect(run.exitCode).toBe(exitCode);
      expect(quitRequests(given)).toEqual(["POST"]);
      if (isComplete) expect(await endState(database)).toEqual(COMPLETE);
    });

  test("repeats the server's message, but not psql's prompt, when the role is refused", async ({ tenant }) => {
    const { exitCode, output } = await runScript(tenant({ DB_USER: "public" }));

    expect(output).toMatch(
      /failed in step 2 of 5: the role public could not be created or updated: ERROR: {2}role name "public" is reserved/,
    );
    expect(output).not.toContain("Enter");
    expect(exitCode).toBe(1);
  });

  test("reaches the complete end state through socket and TCP, and the same when run again, in every shell", async ({
    cluster,
    tenant,
    endState,
  }) => {
    const shells = ["dash", "busybox sh"] as const;
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
    const outcomes = [
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
