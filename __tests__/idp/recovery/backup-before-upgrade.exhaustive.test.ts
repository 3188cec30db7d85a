import { EMPTY_PAGE, FaultMatrix, status } from "../../support/fault-matrix";
import { describeWith } from "../../support/programs";
import { inSqlScene, INSTANCE, PROJECT, scenario, type SqlScene } from "./sql-scene";

const RELEASE = { RELEASE: "2026.5.8" };
const CREATE = "sqladmin.backups.createBackup";

const matrix = new FaultMatrix<SqlScene>({
  inScene: inSqlScene,
  run: ({ run }, options) =>
    run("backup-before-upgrade", { ...options, environment: { ...RELEASE, ...options.environment } }),
  settled: ({ standIn }) => expect(standIn.sql.backups.size).toBe(1),
});

describeWith(["busybox", "curl", "dash", "jq"], "backup-before-upgrade.sh", () => {
  matrix.passing([["sqladmin.databases.get", "sqladmin.backups.listBackups", CREATE]]);

  matrix.rows([
    {
      what: "a refused backup ends it",
      at: CREATE,
      answers: [status(403, "PERMISSION_DENIED")],
      lasts: true,
      exitCode: 1,
      says: ["answered HTTP 403 PERMISSION_DENIED: Injected.", "backup_before_upgrade = false"],
      left: ({ standIn }) => expect(standIn.sql.backups.size).toBe(0),
    },
    {
      what: "a backup on a later page is taken instead of another one",
      at: "sqladmin.backups.listBackups",
      answers: [EMPTY_PAGE],
      exitCode: 0,
      before: ({ standIn }) => void standIn.sql.addBackup(PROJECT, INSTANCE, { description: "before 2026.5.8" }),
    },
  ]);

  matrix.kills(1, [1], "SIGKILL", async ({ changes }, _, again) => {
    expect(await again()).toMatchObject({ exitCode: 0, stderr: "" });
    expect(changes()).toEqual([CREATE]);
  });

  scenario("takes no older backup for the release", async (scene) => {
    const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
    const backupInterval = { startTime: anHourAgo, endTime: anHourAgo };
    scene.standIn.sql.addBackup(PROJECT, INSTANCE, { description: "before 2026.5.8", backupInterval });

    for (let time = 0; time < 2; time += 1)
      expect(await scene.run("backup-before-upgrade", { environment: RELEASE })).toMatchObject({
        exitCode: 0,
        stderr: "",
      });
    expect(scene.changes()).toEqual([CREATE]);
  });

  scenario("reports a failed backup, and a second run makes another", async ({ changes, run, standIn }) => {
    standIn.sql.operations.failures.set("backups.createBackup", { code: "INTERNAL_ERROR", message: "No room." });

    const failed = await run("backup-before-upgrade", { environment: RELEASE });
    standIn.sql.operations.settle();
    const repeated = await run("backup-before-upgrade", { environment: RELEASE });

    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toMatch(
      /^The backup of idp-demo-abc123 is not made, so 2026\.5\.8 is not rolled out\. Operation \S+ failed: INTERNAL_ERROR: No room\.\n {2}To fix: apply again/,
    );
    expect(repeated.exitCode).toBe(0);
    expect(changes()).toEqual([CREATE, CREATE]);
  });
});
