import { join } from "node:path";

import { contentOf, runScript, startScript } from "./script-run";
import { applicationLogin, COMPLETE, describeOnServer, type Tenant } from "./tenants";

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
    const interruptions: [string, number, string][] = [
      ["while the role gets its password", 3, "/^.password/,$d"],
      ["right after the creation of the database", 4, "/^CREATE DATABASE/q"],
      ["between the two grants", 5, "/^GRANT ALL ON SCHEMA/,$d"],
      ["before everybody else loses access", 5, "/^REVOKE/,$d"],
      ["while the last check has a table", 7, "/^DROP TABLE/,$d"],
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

  test("keeps tenants apart, with several runs at the same time, for new names and for existing ones", async (server) => {
    const { cluster, endState, tenant } = server;
    const [one, other] = [tenant(), tenant()];
    for (const round of ["new", "existing", "existing again"]) {
      const outcomes = await Promise.all([one, other, one].map((settings) => runScript(settings)));
      expect([round, ...outcomes.map(({ exitCode }) => exitCode)]).toEqual([round, 0, 0, 0]);
      expect(await endState(one.DB_NAME)).toEqual(COMPLETE);
      expect(await endState(other.DB_NAME)).toEqual(COMPLETE);
    }
    const intruder = { ...applicationLogin(other), database: one.DB_NAME };
    await expect(cluster.query(intruder, "SELECT 1")).rejects.toThrow("permission denied for database");
  });

  test("takes names literally, whatever they contain", async ({ cluster, tenant }) => {
    const names = ["aZ '\"\\=:/?&@%-_.,;$()[]{}<>|*~`^!#+éß漢🔑", "dbname=postgres user=postgres", '";--'];
    const tries = names.map((name, index): Tenant => {
      const settings = tenant();
      const other = names[(index + 1) % names.length] ?? "";
      return { ...settings, DB_USER: `${name} ${settings.DB_USER}`, DB_NAME: `${other} ${settings.DB_NAME}` };
    });
    for (const settings of tries) {
      expect(await runScript(settings)).toMatchObject({ exitCode: 0 });
      const names = "SELECT current_user || '|' || current_database()";
      expect(await cluster.query(applicationLogin(settings), names)).toBe(`${settings.DB_USER}|${settings.DB_NAME}`);
    }
  });
});
