import { join } from "node:path";

import { fc } from "../../support/seeded-cases";
import { contentOf, runScript, startScript } from "./script-run";
import { applicationLogin, COMPLETE, describeOnServer } from "./tenants";

/** Runs the real psql and hangs after the call STOP_AT, whose SQL the sed command CUT may truncate. */
const PSQL_THAT_STOPS = `
calls=$(($(cat "$PROGRAM_FOLDER/calls" 2>/dev/null || echo 0) + 1))
echo "$calls" >"$PROGRAM_FOLDER/calls"
[ "$calls" -eq "$STOP_AT" ] || exec "$REAL_PSQL" "$@"
sed -e "$CUT" | "$REAL_PSQL" "$@" >/dev/null 2>&1
echo "$$" >"$STOPPED_FILE"
exec sleep 60 >/dev/null 2>&1`;

describeOnServer("db-init.sh on PostgreSQL 15, again and again", (test) => {
  test("reaches the same end state when killed at any point and run again", async ({ folder, tenant, endState }) => {
    const whole = "";
    const interruptions: [string, number, string][] = [
      ["after the wait", 1, whole],
      ["while the role gets its password", 2, "/^.password/,$d"],
      ["after the role", 2, whole],
      ["after the settings of the role", 3, whole],
      ["right after the creation of the database", 4, "/^CREATE DATABASE/q"],
      ["after the database", 4, whole],
      ["between the two grants", 5, "/^GRANT ALL ON SCHEMA/,$d"],
      ["before everybody else loses access", 5, "/^REVOKE/,$d"],
      ["after the grants", 5, whole],
      ["after the managed-superuser role", 6, whole],
      ["while the last check has a table", 7, "/^DROP TABLE/,$d"],
      ["after the last check", 7, whole],
    ];
    const results = await Promise.all(
      interruptions.map(async ([moment, call, cut], index) => {
        const settings = tenant();
        const stoppedFile = join(folder, `stopped-${index}`);
        const run = startScript(
          { ...settings, STOP_AT: String(call), CUT: cut, STOPPED_FILE: stoppedFile },
          { programs: { psql: PSQL_THAT_STOPS } },
        );
        const stoppedProcessId = await contentOf(stoppedFile);
        run.kill();
        process.kill(Number(stoppedProcessId), "SIGKILL");
        await run.outcome;
        const { exitCode } = await runScript(settings);
        return [moment, exitCode, await endState(settings.DB_NAME)];
      }),
    );

    expect(results).toEqual(interruptions.map(([moment]) => [moment, 0, COMPLETE]));
  });

  test("survives several runs at the same time, for new names and for existing ones", async ({ tenant, endState }) => {
    const [one, other] = [tenant(), tenant()];
    for (const round of ["new", "existing", "existing again"]) {
      const outcomes = await Promise.all([one, other, one].map((settings) => runScript(settings)));
      expect([round, ...outcomes.map(({ exitCode }) => exitCode)]).toEqual([round, 0, 0, 0]);
      expect(await endState(one.DB_NAME)).toEqual(COMPLETE);
      expect(await endState(other.DB_NAME)).toEqual(COMPLETE);
    }
  });

  test("takes names literally, whatever they contain", async ({ cluster, tenant }) => {
    const characters = fc.constantFrom(...Array.from("aZ09 '\"\\=:/?&@%-_.,;$()[]{}<>|*~`^!#+éß漢🔑"));
    const name = fc.string({ unit: characters, minLength: 1, maxLength: 15 });
    const conninfo = fc.constantFrom(
      "postgresql://postgres@127.0.0.1/postgres",
      "dbname=postgres user=postgres",
      '";--',
    );
    const names = fc.tuple(fc.oneof(name, conninfo), fc.oneof(conninfo, name));
    await fc.assert(
      // Three at a time, because they are independent.
      fc.asyncProperty(fc.tuple(names, names, names), async (batch) => {
        const tries = batch.map(([role, database]) => {
          const settings = tenant();
          return { ...settings, DB_USER: `${role} ${settings.DB_USER}`, DB_NAME: `${database} ${settings.DB_NAME}` };
        });
        const results = await Promise.all(
          tries.map(async (settings) => {
            const { exitCode, output } = await runScript(settings);
            expect([exitCode, output]).toEqual([0, expect.stringContaining("done: ")]);
            return cluster.query(applicationLogin(settings), "SELECT current_user || '|' || current_database()");
          }),
        );
        expect(results).toEqual(tries.map((settings) => `${settings.DB_USER}|${settings.DB_NAME}`));
      }),
      { numRuns: 2 },
    );
  });
});
