import { runScript } from "./script-run";
import { applicationLogin, describeOnServer } from "./tenants";

describeOnServer("db-init.sh on PostgreSQL 15", (test) => {
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

  test("waits for a server that is not there at first, and only as long as it may", async ({ tenant }) => {
    const psql = `
[ "$PGUSER" != postgres ] || [ -e "$PROGRAM_FOLDER/refused" ] || {
  : >"$PROGRAM_FOLDER/refused"
  echo "psql: error: connection to server failed: Connection refused" >&2
  exit 2
}
exec "$REAL_PSQL" "$@"`;
    const programs = { psql, sleep: "exit 0" };

    const patient = await runScript(tenant({ DB_WAIT_SECONDS: "300" }), { programs });
    const impatient = await runScript(tenant({ DB_WAIT_SECONDS: "0" }), { programs });

    expect(patient.output).toMatch(/^waiting for PostgreSQL, \d+ of 300 s are over: connection to server failed/m);
    expect([patient.exitCode, impatient.exitCode]).toEqual([0, 3]);
  });
});
