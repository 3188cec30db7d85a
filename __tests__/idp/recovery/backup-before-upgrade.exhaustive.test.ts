import { type Fault } from "../../support/google-stand-in";
import { ApiError } from "../../support/google-stand-in-services";
import { programFolder } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { inSqlScene, INSTANCE, PROJECT } from "./sql-scene";

const RELEASE = { RELEASE: "2026.5.8" };
const CREATE = "sqladmin.backups.createBackup";
const CALLS = ["sqladmin.databases.get", "sqladmin.backups.listBackups", CREATE] as const;

const PASSING: readonly Fault[] = [
  { kind: "service-disabled" },
  { kind: "status", error: new ApiError(503, "UNAVAILABLE", "Injected.") },
  { kind: "html", status: 502, page: "<p>Bad gateway</p>" },
  { kind: "reset" },
  { kind: "reset", carriedOut: true },
];

describeWith(["bash", "busybox", "curl", "dash", "jq"], "backup-before-upgrade.sh", () => {
  it.concurrent.each(CALLS)("%s: makes one backup in spite of faults that pass", (call) =>
    inSqlScene(async ({ run, standIn }) => {
      for (const fault of PASSING) standIn.inject(call, fault);

      const { exitCode, stderr } = await run("backup-before-upgrade", {
        environment: { ...RELEASE, REST_TRIES: "8", REST_RETRY_BASE_SECONDS: "0" },
      });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(standIn.sql.backups.size).toBe(1);
    }),
  );

  it.concurrent.each(CALLS)("%s: says why it was refused, and what to do", (call) =>
    inSqlScene(async ({ run, standIn }) => {
      standIn.inject(call, { kind: "status", error: new ApiError(403, "PERMISSION_DENIED", "Injected.") }, Infinity);

      const { exitCode, stderr } = await run("backup-before-upgrade", { environment: RELEASE });

      expect(exitCode).toBe(1);
      expect(stderr).toContain("answered HTTP 403 PERMISSION_DENIED: Injected.");
      if (call === CREATE) expect(stderr).toContain("backup_before_upgrade = false");
    }),
  );

  it.concurrent.each(["bash", "busybox"] as const)("behaves the same in %s", (shell) =>
    inSqlScene(async ({ run, standIn }) => {
      expect(await run("backup-before-upgrade", { environment: RELEASE, shell })).toMatchObject({ exitCode: 0 });
      expect(standIn.sql.backups.size).toBe(1);
    }),
  );

  it.concurrent.each(["SIGKILL", "SIGTERM"] as const)(
    "killed by %s while it waits, a second run waits for the same backup",
    (signal) =>
      inSqlScene(async ({ changes, run, standIn }) => {
        standIn.sql.callsUntilDone = 6;

        const killed = await run("backup-before-upgrade", {
          environment: RELEASE,
          onOutput: (output, kill) => {
            if (output.includes("under way") && !output.includes("Interrupted")) kill(signal);
          },
        });
        const repeated = await run("backup-before-upgrade", { environment: RELEASE });

        expect(killed.exitCode).toBe(signal === "SIGKILL" ? null : 143);
        if (signal === "SIGTERM")
          expect(killed.stderr).toContain("The backup goes on by itself: gcloud sql backups list");
        expect(repeated).toMatchObject({ exitCode: 0, stderr: "" });
        expect(repeated.stdout).toMatch(/^Backup \S+, before 2026\.5\.8, is taken instead of another one\.\n/);
        expect(changes()).toEqual([CREATE]);
        expect(standIn.sql.backups.size).toBe(1);
      }),
  );

  it.concurrent("does not take an older backup for the same release", () =>
    inSqlScene(async ({ changes, run, standIn }) => {
      const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
      standIn.sql.addBackup("demo-project", "idp-demo-abc123", {
        description: "before 2026.5.8",
        backupInterval: { startTime: anHourAgo, endTime: anHourAgo },
      });

      expect((await run("backup-before-upgrade", { environment: RELEASE })).exitCode).toBe(0);
      expect(changes()).toEqual([CREATE]);
    }),
  );

  it.concurrent.each([-36_000, 36_000])("works where this machine's clock is %i s off", (offset) =>
    inSqlScene(async ({ changes, run, standIn }) => {
      const date = `if [ "$1" = +%s ]; then echo $(($(/bin/date +%s) + ${offset})); else exec /bin/date "$@"; fi`;
      const options = { environment: RELEASE, programs: programFolder({ scripts: { date } }) };
      const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
      standIn.sql.addBackup(PROJECT, INSTANCE, {
        description: "before 2026.5.8",
        backupInterval: { startTime: anHourAgo, endTime: anHourAgo },
      });

      expect(await run("backup-before-upgrade", options)).toMatchObject({ exitCode: 0, stderr: "" });
      expect(await run("backup-before-upgrade", options)).toMatchObject({ exitCode: 0, stderr: "" });
      // The old one does not count, and the new one does.
      expect(changes()).toEqual([CREATE]);
    }),
  );

  it.concurrent("believes the operation where the list does not have the backup yet", () =>
    inSqlScene(async ({ changes, run, standIn }) => {
      for (let time = 0; time < 2; time += 1)
        standIn.inject("sqladmin.backups.listBackups", { kind: "html", status: 200, page: "{}" });

      expect(await run("backup-before-upgrade", { environment: RELEASE })).toMatchObject({ exitCode: 0, stderr: "" });
      expect(changes()).toEqual([CREATE]);
    }),
  );

  it.concurrent("reports a failed backup, and a second run makes another", () =>
    inSqlScene(async ({ changes, run, standIn }) => {
      standIn.sql.failures.set("backups.createBackup", { code: "INTERNAL_ERROR", message: "No room." });

      const failed = await run("backup-before-upgrade", { environment: RELEASE });
      standIn.sql.settle();
      const repeated = await run("backup-before-upgrade", { environment: RELEASE });

      expect(failed.exitCode).toBe(1);
      expect(failed.stderr).toMatch(
        /^The backup of idp-demo-abc123 is not made, so 2026\.5\.8 is not rolled out\. Operation \S+ of Cloud SQL failed: INTERNAL_ERROR: No room\.\n {2}To fix: apply again/,
      );
      expect(repeated.exitCode).toBe(0);
      expect(changes()).toEqual([CREATE, CREATE]);
    }),
  );

  it.concurrent("waits while the instance does something else", () =>
    inSqlScene(async ({ run, standIn }) => {
      standIn.sql.callsUntilDone = 6;
      standIn.sql.service.handlers?.["backups.createBackup"]?.({
        method: { id: CREATE, httpMethod: "POST", path: "" },
        parameters: { parent: `projects/${PROJECT}` },
        query: new URLSearchParams(),
        body: { instance: INSTANCE, description: "by somebody else", ttlDays: "1" },
      });

      const { exitCode, stdout } = await run("backup-before-upgrade", { environment: RELEASE });

      expect(exitCode).toBe(0);
      expect(stdout).toContain("Backup before 2026.5.8: waiting for another operation of the instance");
    }),
  );
});
