import { readFileSync } from "node:fs";
import { join } from "node:path";

import { DATABASE_MAJOR_VERSION, DATABASE_MAJOR_VERSIONS } from "../../../lib/idp/contract";
import { ProgramStandIn } from "../../support/program-stand-in";
import { ADMIN_PASSWORD, SUPERUSER } from "./cluster";
import { lifeOfADatabase } from "./life-of-a-database";
import { type Environment, runScript, succeeds } from "./script-run";
import { applicationLogin, COMPLETE, describeOnServers } from "./tenants";

/** Records the command lines of the script, of psql and of everything between them. */
const PSQL_THAT_LOOKS_AROUND = `
process=$$
until [ "$process" -le 1 ]; do
  line=$(tr '\\0' ' ' <"/proc/$process/cmdline")
  printf '%s\\n' "$line" >>"$COMMAND_LINES"
  case $line in *db-init.sh*) break ;; esac
  process=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$process/status")
done
exec psql "$@"`;

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

/** From 16 on, an administrator may change only the roles that it has made. */
const byAdministrator = (statement: string) => ["SET ROLE postgres", statement, "RESET ROLE"];

const CREATED = "CREATE DATABASE :db OWNER postgres";
const MAY_NOT =
  "postgres may not grant it; let the owner grant it, make postgres the owner or choose another database name\n";

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
    what: "refuses an existing database of another encoding",
    before: [`${CREATED} TEMPLATE template0 ENCODING 'LATIN1'`],
    exitCode: 1,
    says: [
      "failed in step 3 of 5: the database :db exists with the encoding LATIN1, the application needs UTF8; move its " +
        "content to a new UTF8 database or choose another name\n",
    ],
  },
  {
    what: "leaves a database closed that its owner has closed to connections",
    before: [CREATED, "ALTER DATABASE :db WITH ALLOW_CONNECTIONS false"],
    exitCode: 1,
    says: [
      "failed in step 3 of 5: the database :db is closed to connections, and no restore has closed it, so it stays closed; " +
        "its owner opens it: ALTER DATABASE :db WITH ALLOW_CONNECTIONS true\n",
    ],
  },
  {
    what: "refuses the name by which the connection pool calls itself",
    settings: { DB_NAME: "pgbouncer" },
    exitCode: 2,
    says: [
      "cannot start: DB_NAME is pgbouncer, which is the connection pool's name for itself, so nothing could reach",
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
    what: "reports at the end which settings of others would stop the application",
    before: [
      CREATED,
      ...byAdministrator("CREATE ROLE :role"),
      "ALTER DATABASE :db SET default_transaction_read_only = on",
    ],
    exitCode: 1,
    says: [
      "settings in force for :role in :db: default_transaction_read_only=on (database)\n" +
        "failed in the last check: :role cannot use :db: ERROR:  cannot execute CREATE TABLE in a read-only transaction; ",
    ],
  },
  {
    what: "reports at the end what is unusual but does not stop the application",
    before: [CREATED, "ALTER DATABASE :db SET statement_timeout = '5s'"],
    inside: ["CREATE TABLE public.theirs (id bigint)"],
    exitCode: 0,
    says: [
      "settings in force for :role in :db: statement_timeout=5s (database)\n",
      "tables in public that :role cannot change, because others own them: theirs\n",
    ],
  },
  {
    what: "takes from a role and from everybody what they shall not have, and repairs what stops the role",
    before: [
      CREATED,
      "GRANT ALL ON DATABASE :db TO PUBLIC",
      ...byAdministrator(
        "CREATE ROLE :role NOLOGIN NOINHERIT CREATEROLE CREATEDB VALID UNTIL '2000-01-01' CONNECTION LIMIT 0",
      ),
      "ALTER ROLE :role SET default_transaction_read_only = on",
      "ALTER ROLE :role SET search_path = elsewhere",
      "ALTER ROLE :role IN DATABASE :db SET statement_timeout = 1",
    ],
    exitCode: 0,
    says: [],
    isComplete: true,
  },
];

describeOnServers(
  "db-init.sh",
  lifeOfADatabase,
  DATABASE_MAJOR_VERSIONS.filter((release) => release !== DATABASE_MAJOR_VERSION),
);

describeOnServers("db-init.sh, whatever the state of the server,", (test) => {
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

  test("keeps what others have set for a login on their instance, but for its password", async ({
    cluster,
    tenant,
  }) => {
    const settings = tenant({ DB_INSTANCE_OWNER: "others", DB_GRANT_MANAGED_SUPERUSER: "false" });
    const { DB_NAME: database, DB_USER: role } = settings;
    const state = `SELECT rolcanlogin, rolconnlimit, rolvaliduntil, rolcreatedb, setconfig, setdatabase = 0
      FROM pg_authid LEFT JOIN pg_db_role_setting ON setrole = pg_authid.oid WHERE rolname = '${role}' ORDER BY setdatabase`;
    const read = () => cluster.query({ user: SUPERUSER }, state);
    await cluster.query(
      { user: SUPERUSER },
      ...byAdministrator(`CREATE ROLE ${role} LOGIN CREATEDB CONNECTION LIMIT 7 VALID UNTIL '2099-01-01 00:00:00+00'`),
      CREATED.replace(":db", database),
      `ALTER ROLE ${role} SET work_mem = '8MB'`,
      `ALTER ROLE ${role} IN DATABASE ${database} SET statement_timeout = '50s'`,
    );
    const before = await read();

    await succeeds(runScript(settings));
    expect(await read()).toBe(before);
    expect(await cluster.query(applicationLogin(settings), "SELECT 1")).toBe("1");

    await cluster.query({ user: SUPERUSER }, `ALTER ROLE ${role} NOLOGIN`);
    const closed = await runScript(settings);
    expect([closed.exitCode, closed.output]).toEqual([
      1,
      expect.stringContaining(`role "${role}" is not permitted to log in; its owner can mend that`),
    ]);
    // One that it makes itself is as anywhere else.
    const fresh = tenant({ DB_INSTANCE_OWNER: "others" });
    await succeeds(runScript(fresh));
  });

  test("reaches the complete end state through socket and TCP, and the same when run again", async (server) => {
    const settings = server.tenant();
    for (const DB_HOST of [server.cluster.socketFolder, "127.0.0.1"]) {
      await succeeds(runScript({ ...settings, DB_HOST }));
      expect(await server.endState(settings.DB_NAME)).toEqual(COMPLETE);
    }
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

  test("shows no password in its output, on a command line or in the log of the server", async ({
    cluster,
    folder,
    tenant,
  }) => {
    const commandLines = join(folder, "command-lines");
    const settings = tenant({ COMMAND_LINES: commandLines, DB_PASSWORD: "secret-application-71" });
    const looking = { programs: new ProgramStandIn({ psql: PSQL_THAT_LOOKS_AROUND }) };
    const outcomes = [
      await runScript(settings, looking),
      // Refusals, because the server logs the statement that failed.
      await runScript({ ...settings, DB_USER: "public" }, looking),
      await runScript({ ...settings, DB_ADMIN_PASSWORD: "secret-wrong-72" }, looking),
    ];

    expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([0, 1, 4]);
    const output = outcomes.map((outcome) => outcome.output).join("");
    const lines = readFileSync(commandLines, "utf8");
    const seen = output + lines + cluster.log();
    expect(seen).toContain("db-init.sh");
    expect(seen.replaceAll('"', "")).toContain(`ALTER USER ${settings.DB_USER} PASSWORD 'SCRAM-SHA-256$`);
    for (const password of ["secret-application-71", "secret-wrong-72"]) expect(seen).not.toContain(password);
    expect(output + lines).not.toContain(ADMIN_PASSWORD);
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
      `failed in step 2 of 5: the application's role ${group} is a group with the members: postgres, ${group}_member, who would share `,
    );
    expect(exitCode).toBe(2);
    expect(await state()).toBe(before);
  });
});
