import { type Fault } from "../../support/google-stand-in";
import { ApiError } from "../../support/google-stand-in-services";
import { describeWith } from "../../support/programs";
import { expectNothingLeft, numbersTo, runUntil } from "./interruptions";
import { inSqlScene, INSTANCE, PROJECT, type SqlScene } from "./sql-scene";

const TIME = "2026-11-22T11:00:00Z";
const POINT_IN_TIME = ["point-in-time", TIME, "--yes"];

/** Requests that change something, in a restore to a point in time that nothing interrupts. */
const CHANGES = 24;

/** Commands whose calls are disturbed, each with the calls that it makes. */
const CALLS: readonly (readonly [words: readonly string[], calls: readonly string[]])[] = [
  [
    POINT_IN_TIME,
    [
      "run.projects.locations.jobs.create",
      "run.projects.locations.jobs.delete",
      "run.projects.locations.jobs.executions.list",
      "run.projects.locations.jobs.get",
      "run.projects.locations.jobs.run",
      "secretmanager.projects.secrets.versions.access",
      "sqladmin.instances.clone",
      "sqladmin.instances.delete",
      "sqladmin.instances.get",
      "sqladmin.instances.list",
      "sqladmin.instances.patch",
      "sqladmin.operations.get",
      "sqladmin.users.update",
    ],
  ],
  [
    ["final-backup", "--yes"],
    ["sqladmin.backups.listBackups", "sqladmin.instances.restoreBackup"],
  ],
  [
    ["media", "--yes"],
    ["storage.objects.list", "storage.objects.restore"],
  ],
];

const DISTURBED = CALLS.flatMap(([words, calls]) => calls.map((call) => [call, words] as const));

const PASSING: readonly Fault[] = [
  { kind: "service-disabled" },
  { kind: "status", error: new ApiError(503, "UNAVAILABLE", "Injected.") },
  { kind: "reset" },
  { kind: "reset", carriedOut: true },
];

function prepare({ standIn }: SqlScene): void {
  standIn.secrets.payloads.set(`projects/${PROJECT}/secrets/administrator`, "geheim");
  standIn.storage.objects = [{ bucket: "media", name: "a.png", generation: "1", softDeleteTime: TIME }];
}

jest.setTimeout(600_000);

describeWith(["bash", "busybox", "curl", "dash", "jq"], "restore.sh", () => {
  it("makes as many changes for a point in time as it is killed at below", () =>
    inSqlScene(async (scene) => {
      prepare(scene);
      expect((await scene.run("restore", { arguments: POINT_IN_TIME })).exitCode).toBe(0);
      expect(scene.changes()).toHaveLength(CHANGES);
    }));

  it.concurrent.each(numbersTo(CHANGES))(
    "point-in-time, killed at change %i: the next one restores, and nothing that is billed stays",
    (request) =>
      inSqlScene(async (scene) => {
        prepare(scene);
        const end = { request, signal: "SIGKILL", onlyChanges: true } as const;
        const killed = await runUntil(scene, "restore", end, { arguments: POINT_IN_TIME });
        expect(killed.exitCode).toBeNull();

        expect(await scene.run("restore", { arguments: POINT_IN_TIME })).toMatchObject({ exitCode: 0 });
        expectNothingLeft(scene);
      }),
  );

  it.concurrent.each(DISTURBED)("%s: restores once in spite of faults that pass (%j)", (call, words) =>
    inSqlScene(async (scene) => {
      prepare(scene);
      const { run, standIn } = scene;
      const isFinal = words[0] === "final-backup";
      if (isFinal) standIn.sql.addBackup(PROJECT, INSTANCE, { type: "FINAL", instanceDeletionTime: TIME });
      for (const fault of PASSING) standIn.inject(call, fault);

      const { exitCode, stderr } = await run("restore", {
        arguments: words,
        environment: { REST_TRIES: "8", REST_RETRY_BASE_SECONDS: "0" },
      });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      if (!isFinal) expectNothingLeft(scene);
      // A second run of the same copy would exchange the databases twice.
      const names = standIn.jobs.runs.map(({ command, environment }) => JSON.stringify([command, environment]));
      expect(new Set(names).size).toBe(names.length);
    }),
  );

  it.concurrent.each(["bash", "busybox"] as const)("does the same in %s", (shell) =>
    inSqlScene(async (scene) => {
      prepare(scene);
      expect(await scene.run("restore", { arguments: POINT_IN_TIME, shell })).toMatchObject({
        exitCode: 0,
        stderr: "",
      });
      expectNothingLeft(scene);
    }),
  );
});
