import { describeWith } from "../../support/programs";
import { INSTANCE, scenario } from "./sql-scene";

const RELEASE = { RELEASE: "2026.5.8" };
const CREATE = "sqladmin.backups.createBackup";

describeWith(["curl", "dash", "jq"], "backup-before-upgrade.sh", () => {
  scenario("makes a backup that expires, waits for it and names it", async ({ changes, run, standIn }) => {
    const { exitCode, stderr, stdout } = await run("backup-before-upgrade", { environment: RELEASE });

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(changes()).toEqual([CREATE]);
    expect(standIn.requestsTo(CREATE)[0]?.body).toEqual({
      instance: INSTANCE,
      description: "before 2026.5.8",
      ttlDays: "30",
    });
    expect([...standIn.sql.backups.values()]).toMatchObject([{ description: "before 2026.5.8", state: "SUCCESSFUL" }]);
    expect(stdout).toMatch(/The backup before 2026\.5\.8 is there after \d+ s and is kept for 30 days\.\n$/);
  });

  scenario("makes none of a database that does not exist yet", async ({ changes, run }) => {
    const { exitCode, stdout } = await run("backup-before-upgrade", {
      environment: { ...RELEASE, DATABASE: "idp_new" },
    });

    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: "There is no database idp_new yet: nothing to back up before 2026.5.8.\n",
    });
    expect(changes()).toEqual([]);
  });

  scenario("refuses invalid settings, all at once", async ({ run, standIn }) => {
    const environment = { INSTANCE: "", DATABASE: "a-b", RELEASE: "$x", BACKUP_DAYS: "0" };

    const { exitCode, stderr } = await run("backup-before-upgrade", { environment });

    expect(exitCode).toBe(2);
    expect([...stderr.matchAll(/^ {2}- (\w+) is /gm)].map(([, name]) => name)).toEqual([
      "INSTANCE",
      "DATABASE",
      "RELEASE",
      "BACKUP_DAYS",
    ]);
    expect(standIn.requests).toEqual([]);
  });
});
