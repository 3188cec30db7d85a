import { type FaultRow } from "../../support/fault-matrix";
import { hangs } from "../../support/program-stand-in";
import { runScript, succeeds } from "./script-run";
import { applicationLogin, COMPLETE, describeOnServers, type Tenant, type TenantScene } from "./tenants";

/** Killed when a call of psql has done what the sed command leaves of its SQL. */
const killed = (moment: string, call: number, cut: string): FaultRow<TenantScene> => ({
  what: `reaches the same end state when killed ${moment} and run again`,
  at: "psql",
  call,
  answers: [hangs(`sed -e '${cut}' | psql "$@"`)],
  signal: "SIGKILL",
  exitCode: null,
  left: async ({ server, settings }) => {
    await succeeds(runScript(settings));
    expect(await server.endState(settings.DB_NAME)).toEqual(COMPLETE);
  },
});

describeOnServers("db-init.sh, again and again,", (test, matrix) => {
  matrix({ run: runScript }).rows([
    killed("right after the creation of the role", 3, "/^ALTER ROLE/,$d"),
    killed("while the role gets its password", 3, "/^.password/,$d"),
    killed("right after the creation of the database", 4, "/^CREATE DATABASE/q"),
    killed("between the two grants", 5, "/^GRANT ALL ON SCHEMA/,$d"),
    killed("before everybody else loses access", 5, "/^REVOKE/,$d"),
    killed("while the last check has a table", 7, "/^DROP TABLE/,$d"),
  ]);

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
      await succeeds(runScript(settings));
      const names = "SELECT current_user || '|' || current_database()";
      expect(await cluster.query(applicationLogin(settings), names)).toBe(`${settings.DB_USER}|${settings.DB_NAME}`);
    }
  });
});
