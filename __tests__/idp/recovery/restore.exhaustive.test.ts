import { type Fault } from "../../support/google-stand-in";
import { ApiError } from "../../support/google-stand-in-services";
import { describeWith } from "../../support/programs";
import { expectNothingLeft, numbersTo, runUntil } from "./interruptions";
import { inSqlScene, INSTANCE, PROJECT, type SqlScene, DATABASE, DUMP_JOB, INIT_JOB, JOBS, runsOf } from "./sql-scene";

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

  it.concurrent.each(["bash", "busybox"] as const)("behaves the same in %s", (shell) =>
    inSqlScene(async (scene) => {
      prepare(scene);
      expect(await scene.run("restore", { arguments: POINT_IN_TIME, shell })).toMatchObject({
        exitCode: 0,
        stderr: "",
      });
      expectNothingLeft(scene);
    }),
  );

  it.concurrent.each([
    ["point-in-time", TIME],
    ["dump", "latest"],
    ["backup", "before 2026.5.8"],
    ["final-backup"],
    ["media"],
    ["drop-former"],
  ])("%s: a dry run prints the steps and changes nothing", (...words) =>
    inSqlScene(async ({ changes, run, standIn }) => {
      standIn.sql.addBackup(PROJECT, INSTANCE, { type: "FINAL", instanceDeletionTime: TIME });
      standIn.sql.addBackup(PROJECT, INSTANCE, { description: "before 2026.5.8" });
      standIn.storage.objects = [{ bucket: "media", name: "a.png", generation: "1", softDeleteTime: TIME }];

      const { exitCode, stderr, stdout } = await run("restore", { arguments: [...words, "--dry-run"] });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(stdout).toMatch(/^Dry run: nothing is changed\. Steps:\n {2}1\. /);
      expect(changes()).toEqual([]);
    }),
  );

  it.concurrent("says what to stop, asks before it overwrites anything, and takes only yes", () =>
    inSqlScene(async ({ changes, run }) => {
      const { exitCode, stdout } = await run("restore", { arguments: ["dump", "latest"], input: "y\n" });

      expect(exitCode).toBe(1);
      expect(stdout).toContain(
        "If it is restored to before an upgrade, stop them first, and start them after an apply with the earlier release.\n" +
          `Replace the data of ${DATABASE} with that of latest/${DATABASE}.dump? Type "yes" to continue: Nothing was changed.`,
      );
      expect(changes()).toEqual([]);
    }),
  );

  it.concurrent("point-in-time: copies from a clone that has the current passwords, and drops the clone", () =>
    inSqlScene(async (scene) => {
      const { standIn } = scene;
      standIn.secrets.payloads.set(`projects/${PROJECT}/secrets/administrator`, "geheim");

      const { exitCode, output, stderr } = await scene.run("restore", { arguments: ["point-in-time", TIME, "--yes"] });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(runsOf(scene)).toEqual([
        `puts clear ${DATABASE}`,
        `db-init ${DATABASE}_restored`,
        `db-init ${DATABASE} restore-…`,
        `restores ${DATABASE}_restored +restore-…`,
        `puts swap ${DATABASE}`,
      ]);
      expect(standIn.requestsTo("sqladmin.users.update")[0]?.body).toEqual({ password: "geheim" });
      expect(output).not.toContain("geheim");
      expect(standIn.sql.billed).toEqual([`${PROJECT}/${INSTANCE}`]);
    }),
  );

  it.concurrent("final-backup: takes the newest one of this instance, then stores the current passwords", () =>
    inSqlScene(async (scene) => {
      const { standIn } = scene;
      standIn.secrets.payloads.set(`projects/${PROJECT}/secrets/administrator`, "geheim");
      const final = { type: "FINAL", instanceDeletionTime: "2026-11-20T00:00:00Z" };
      standIn.sql.addBackup(PROJECT, INSTANCE, final);
      const newest = standIn.sql.addBackup(PROJECT, INSTANCE, { ...final, instanceDeletionTime: TIME });
      standIn.sql.addBackup(PROJECT, "idp-other", { ...final, instanceDeletionTime: "2026-11-22T11:30:00Z" });

      const { exitCode, stderr } = await scene.run("restore", { arguments: ["final-backup", "--yes"] });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(standIn.requestsTo("sqladmin.instances.restoreBackup")[0]?.body).toEqual({ backup: newest });
      expect(standIn.sql.instances.get(`${PROJECT}/${INSTANCE}`)?.passwords.get("postgres")).toBe("geheim");
      expect(runsOf(scene)).toEqual([`db-init ${DATABASE}`]);
    }),
  );

  it.concurrent("backup: takes the newest one of another deployment, and renames database and login", () =>
    inSqlScene(async (scene) => {
      const { standIn } = scene;
      standIn.secrets.payloads.set(`projects/${PROJECT}/secrets/administrator`, "geheim");
      // Of an instance that is deleted, all have the time of that.
      const at = (endTime: string) => ({
        type: "AUTOMATED",
        backupInterval: { startTime: endTime, endTime },
        instanceDeletionTime: "2026-11-22T10:00:00Z",
      });
      const newest = standIn.sql.addBackup(PROJECT, "sql-lost", at("2026-11-22T02:00:00Z"));
      standIn.sql.addBackup(PROJECT, "sql-lost", at("2026-11-21T02:00:00Z"));
      standIn.sql.addBackup(PROJECT, INSTANCE, at("2026-11-23T02:00:00Z"));

      const { exitCode, stderr, stdout } = await scene.run("restore", {
        arguments: ["backup", "latest", "--yes"],
        environment: { FROM_INSTANCE: "sql-lost", FROM_DATABASE: "db_lost" },
      });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(stdout).toContain(`3. rename the database and the login db_lost to ${DATABASE}`);
      expect(standIn.requestsTo("sqladmin.instances.restoreBackup")[0]?.body).toEqual({ backup: newest });
      expect(runsOf(scene)).toEqual([`puts rename ${DATABASE}`, `db-init ${DATABASE}`]);
      expect(standIn.jobs.runs[0]?.environment.FROM_NAME).toBe("db_lost");
    }),
  );

  it.concurrent("media: restores the newest deleted version of each file, and no file that exists again", () =>
    inSqlScene(async ({ run, standIn }) => {
      const deleted = { bucket: "media", softDeleteTime: TIME };
      standIn.storage.objects = [
        { ...deleted, name: "media/public/Zoë ~ a+b..png", generation: "1" },
        { ...deleted, name: "media/public/Zoë ~ a+b..png", generation: "2" },
        { ...deleted, name: "media/again.png", generation: "3" },
        { bucket: "media", name: "media/again.png", generation: "4" },
        { ...deleted, name: "media/old.png", generation: "5", softDeleteTime: "2026-11-01T00:00:00Z" },
      ];

      const { exitCode, stderr, stdout } = await run("restore", {
        arguments: ["media", "2026-11-22T00:00:00Z", "--yes"],
      });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(stdout).toContain("Restored 1 file(s) of media; 1 exist again and stayed as they are.");
      const there = standIn.storage.objects.filter(({ softDeleteTime }) => softDeleteTime === undefined);
      expect(there.map(({ generation, name }) => `${name} ${generation}`)).toEqual([
        "media/again.png 4",
        "media/public/Zoë ~ a+b..png 1002",
      ]);
    }),
  );

  it.concurrent("does not wait without end for a job that is not deleted", () =>
    inSqlScene(async (scene) => {
      const name = `${JOBS}/${INIT_JOB}-restore`;
      scene.standIn.onRequest = () => scene.standIn.jobs.jobs.set(name, { name });

      const { exitCode, stderr } = await scene.run("restore", {
        arguments: ["drop-former", "--yes"],
        environment: { JOB_SECONDS: "1" },
      });

      expect(exitCode).toBe(1);
      expect(stderr).toContain(`The job ${INIT_JOB}-restore is not gone after 1 s.`);
      expect(runsOf(scene)).toEqual([]);
    }),
  );

  it.concurrent("gives copies of jobs with long names other names, which Cloud Run accepts", () =>
    inSqlScene(async ({ run, standIn }) => {
      const copyOf = async (job: string) => {
        standIn.jobs.jobs.set(`${JOBS}/${job}`, { ...standIn.jobs.jobs.get(`${JOBS}/${INIT_JOB}`), name: job });
        await run("restore", { arguments: ["drop-former", "--yes"], environment: { INIT_JOB: job } });
        return standIn.jobs.runs.at(-1)?.job.split("/").at(-1) ?? "";
      };
      const long = "a-long-application-a-long-tenant-id-";

      const copies = [await copyOf(`${long}0a1b2c-db-init`), await copyOf(`${long}0a1b2d-db-init`)];

      expect(copies).toEqual([
        expect.stringMatching(/^a-long-application-.*-[0-9a-f]{8}-restore$/),
        expect.stringMatching(/^a-long-application-.*-[0-9a-f]{8}-restore$/),
      ]);
      expect(copies[0]).not.toBe(copies[1]);
      for (const copy of copies) expect(copy.length).toBeLessThanOrEqual(48);
    }),
  );

  it.concurrent("dump: says what to do first where no job reads dumps, before it changes anything", () =>
    inSqlScene(async ({ changes, run, standIn }) => {
      standIn.jobs.jobs.delete(`${JOBS}/${DUMP_JOB}`);

      const { exitCode, stderr, stdout } = await run("restore", { arguments: ["dump", "latest", "--yes"] });

      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
      expect(stderr).toBe(
        `There is no job ${DUMP_JOB}, a copy of which reads dumps: without dump_schedule, only the bucket is there.\n` +
          "  Way out: set dump_schedule and apply first.\n",
      );
      expect(changes()).toEqual([]);
    }),
  );

  it.concurrent("names all settings that are not exported", () =>
    inSqlScene(async ({ run }) => {
      const environment = { INSTANCE: undefined, DATABASE: undefined, INIT_JOB: undefined };
      const { exitCode, stderr } = await run("restore", { arguments: ["dump", "latest"], environment });

      expect(exitCode).toBe(2);
      expect([...stderr.matchAll(/^ {2}- (\w+) is not set;/gm)].map(([, name]) => name)).toEqual(
        Object.keys(environment),
      );
    }),
  );
});
