import { exits } from "../../support/program-stand-in";
import { runScript } from "./script-run";
import { applicationLogin, describeOnServer } from "./tenants";

describeOnServer("db-init.sh on PostgreSQL 15", (test, matrix) => {
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
    await cluster.query(
      applicationLogin(settings),
      "CREATE TABLE visits (id bigint PRIMARY KEY)",
      "CREATE SCHEMA template",
      ...["pgcrypto", "uuid-ossp", "hstore", "pg_trgm", "citext"].map((name) => `CREATE EXTENSION "${name}"`),
      "INSERT INTO visits VALUES (1)",
    );
    expect(await cluster.query(applicationLogin(settings), "SELECT count(*) FROM visits")).toBe("1");
  });

  const row = { at: "psql", answers: [exits(2, "psql: error: connection to server failed: Connection refused")] };
  matrix({ run: runScript, programs: { sleep: "exit" } }).rows([
    {
      ...{ ...row, what: "waits for a server that is not there at first", exitCode: 0 },
      options: { environment: { DB_WAIT_SECONDS: "300" } },
      says: [/^waiting for PostgreSQL, \d+ of 300 s are over: connection to server failed/m],
    },
    { ...row, what: "waits as long as it may", exitCode: 3, options: { environment: { DB_WAIT_SECONDS: "0" } } },
  ]);
});
