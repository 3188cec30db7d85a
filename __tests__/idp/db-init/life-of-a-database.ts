import { exits } from "../../support/program-stand-in";
import { temporaryFolder } from "../../support/temporary-folder";
import { copyOf, exchange, filledTenant, NAMES, restored, runJob, swap } from "../recovery/job-run";
import { type Environment, runScript } from "./script-run";
import { applicationLogin, type ServerTests } from "./tenants";

const DONE = { exitCode: 0 };
const says = (text: string) => expect.stringContaining(text) as string;
const dump = (login: Environment) => runJob("dump-database.sh", login, { DUMP_FOLDER: temporaryFolder() });

/** What the jobs of a database do, from its creation to its restore. */
export const lifeOfADatabase: ServerTests = (test, matrix) => {
  test("does the five steps in order, after which the application has its database", async ({
    cluster,
    tenant,
    quitRequests,
  }) => {
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
    // Not every installation has all.
    const extensions = await cluster.query(
      applicationLogin(settings),
      "SELECT name FROM pg_available_extensions WHERE name IN ('pgcrypto', 'uuid-ossp', 'hstore', 'pg_trgm', 'citext', 'plpgsql')",
    );
    await cluster.query(
      applicationLogin(settings),
      "CREATE TABLE visits (id bigint PRIMARY KEY)",
      "CREATE SCHEMA template",
      "INSERT INTO visits VALUES (1)",
      ...extensions.split("\n").map((name) => `CREATE EXTENSION IF NOT EXISTS "${name}"`),
    );
    expect(await cluster.query(applicationLogin(settings), "SELECT count(*) FROM visits")).toBe("1");
  });

  test("is followed by jobs that dump the database, copy it into an empty one and exchange the two", async (server) => {
    const { cluster } = server;
    const settings = await filledTenant(server);
    const checkUp = await runJob("check-up.sh", settings, { CHECK_UP_LIMITS: "", CHECK_UP_SQL: "" });
    expect(checkUp).toMatchObject({ output: says("no tables yet") });
    expect(await dump(settings)).toMatchObject(DONE);
    expect(await swap(settings, "clear")).toMatchObject(DONE);
    await runScript(restored(settings));
    expect(await dump(restored(settings))).toMatchObject({ output: says("has no tables, so latest/") });
    expect(await runJob("fill-database.sh", restored(settings), copyOf(settings))).toMatchObject(DONE);
    expect(await runJob("count-users.sh", settings)).toMatchObject({ exitCode: 0, output: says("users: 2 user(s)") });
    expect(await exchange(cluster, settings)).toMatchObject(DONE);
    expect(await cluster.query(applicationLogin(settings), NAMES)).toBe("Zoë 🙂,akadmin");
    expect(await swap(settings, "clear")).toMatchObject({ exitCode: 1 });
  });

  const row = { at: "psql", answers: [exits(2, "psql: error: connection to server failed: Connection refused")] };
  matrix({ run: runScript, programs: { sleep: "exit" } }).rows([
    {
      ...row,
      what: "waits for a server that is not there at first",
      exitCode: 0,
      options: { environment: { DB_WAIT_SECONDS: "300" } },
      says: [/^waiting for PostgreSQL, \d+ of 300 s are over: connection to server failed/m],
    },
    { ...row, what: "waits as long as it may", exitCode: 3, options: { environment: { DB_WAIT_SECONDS: "0" } } },
  ]);
};
