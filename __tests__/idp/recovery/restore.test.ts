import { status } from "../../support/fault-matrix";
import { type Fault } from "../../support/google-stand-in";
import { describeWith } from "../../support/programs";
import { CONNECTION, DATABASE, DUMP_JOB, expectNothingLeft, filesIn, INIT_JOB, INSTANCE } from "./sql-scene";
import { inSqlScene, JOBS, PROJECT, runsOf, scenario } from "./sql-scene";

const TIME = "2026-11-22T11:00:00Z";

describeWith(["curl", "dash", "jq"], "restore.sh and restore-drill.sh", () => {
  scenario("dump: fills an empty database from the dump and exchanges the two", async (scene) => {
    const { exitCode, stderr, stdout } = await scene.run("restore", {
      arguments: ["dump", "latest"],
      input: "yes\n",
    });

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(runsOf(scene)).toEqual([
      `puts clear ${DATABASE}`,
      `db-init ${DATABASE}_restored`,
      `dump: restores ${DATABASE}_restored`,
      `puts swap ${DATABASE}`,
    ]);
    expect(scene.standIn.jobs.runs[2]?.command[2]).toMatch(
      /^# shellcheck shell=sh\n[^]*\nDUMP_FILE=\$DUMP_FOLDER\/latest\/idp_demo\.dump\n#!\/bin\/sh\n/,
    );
    expect(stdout).toContain(`The previous data is in the database ${DATABASE}_former`);
    expect([...scene.standIn.jobs.jobs.keys()]).toEqual([`${JOBS}/${INIT_JOB}`, `${JOBS}/${DUMP_JOB}`]);
  });

  scenario("refuses invalid arguments, all at once", async ({ run, standIn }) => {
    const { exitCode, stderr } = await run("restore", {
      arguments: ["point-in-time", "yesterday", "--force"],
      environment: { INSTANCE: "", ADMINISTRATOR_SECRET: "a b" },
    });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('"--force" is not an option');
    expect([...stderr.matchAll(/^ {2}- (\w+) is /gm)].map(([, name]) => name)).toEqual([
      "TIME",
      "INSTANCE",
      "ADMINISTRATOR_SECRET",
    ]);
    expect(standIn.requests).toEqual([]);
  });

  scenario("refuse what needs backups of Cloud SQL where a plan makes them, and restore a dump", async (scene) => {
    const environment = { BACKUP_PLAN: "projects/acme-backups/locations/us-central1/backupPlans/daily" };
    for (const words of [["point-in-time", TIME], ["backup", "latest"], ["final-backup"]])
      expect(await scene.run("restore", { arguments: words, environment })).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining(`while the plan ${environment.BACKUP_PLAN} backs it up`) as string,
      });
    expect(await scene.run("restore-drill", { environment })).toMatchObject({ exitCode: 2 });
    expect(scene.standIn.requests).toEqual([]);
    expect(await scene.run("restore", { arguments: ["dump", "latest", "--yes"], environment })).toMatchObject({
      exitCode: 0,
    });
  });

  scenario("refuse to clone or restore an instance that others manage, and restore a dump into it", async (scene) => {
    const environment = { INSTANCE_OWNER: "others" };
    for (const words of [["point-in-time", TIME], ["backup", "latest"], ["final-backup"]])
      expect(await scene.run("restore", { arguments: words, environment })).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining("which others manage; ask its owner, or restore a dump") as string,
      });
    expect(await scene.run("restore-drill", { environment })).toMatchObject({ exitCode: 2 });
    expect(scene.standIn.requests).toEqual([]);
    const { exitCode } = await scene.run("restore", {
      arguments: ["dump", "latest", "--yes"],
      environment: { ...environment, INSTANCE: "elsewhere", CONNECTION_NAME: "shared-data:us-central1:elsewhere" },
    });
    expect(exitCode).toBe(0);
    expect(scene.standIn.requests.filter(({ path }) => path.includes("/instances/elsewhere"))).toEqual([]);
  });

  scenario("media: restores the newest deleted version of each file, and no file that exists again", async (scene) => {
    const deleted = { bucket: "media", softDeleteTime: TIME };
    scene.standIn.storage.objects = [
      { ...deleted, name: "media/a.png", generation: "1" },
      { ...deleted, name: "media/a.png", generation: "2" },
      { ...deleted, name: "media/again.png", generation: "3" },
      { bucket: "media", name: "media/again.png", generation: "4" },
      { ...deleted, name: "media/old.png", generation: "5", softDeleteTime: "2026-11-01T00:00:00Z" },
    ];

    const run = await scene.run("restore", { arguments: ["media", "2026-11-22T00:00:00Z", "--yes"] });

    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(run.stdout).toContain("Restored 1 file(s) of media; 1 exist again and stayed as they are.");
    expect(filesIn(scene)).toEqual(["media/again.png 4", "media/a.png 1002"]);
  });

  scenario(
    "media: lists all files of the application, and leaves deleted what others had in the bucket",
    async (scene) => {
      const own = [...Array(12).keys()].map((index) => `media/public/${index}.png`).concat("reports/users.csv");
      const others = ["backups/ledger.sql", "media.png", "mediaothers/a.png", "of-others/media/a.png"];
      scene.standIn.storage.objects = [...own, ...others].map((name) => ({
        bucket: "media",
        name,
        generation: "1",
        softDeleteTime: TIME,
      }));

      const run = await scene.run("restore", { arguments: ["media", "--yes"] });

      expect(run).toMatchObject({ exitCode: 0, stderr: "" });
      for (const name of own) expect(run.stdout).toContain(`\n     ${name}\n`);
      for (const name of others) expect(run.stdout).not.toContain(name);
      expect(filesIn(scene).sort()).toEqual(own.map((name) => `${name} 1001`).sort());
    },
  );

  it.concurrent.each<[string, readonly Fault[], string, readonly string[]]>([
    ["tries no other when nothing answers", Array<Fault>(4).fill({ kind: "reset" }), "2 of 2 file(s)", []],
    ["restores the others of a refused one", [status(400, "INVALID")], "1 of 2 file(s)", ["media/b.png 1001"]],
    ["restores the others of a gone one", [status(404, "NOT_FOUND")], "1 of 2 file(s)", ["media/b.png 1001"]],
  ])("media: of two files, %s", (_, faults, failed, restored) =>
    inSqlScene(async (scene) => {
      const deleted = { bucket: "media", generation: "1", softDeleteTime: TIME };
      scene.standIn.storage.objects = ["a.png", "b.png"].map((name) => ({ ...deleted, name: `media/${name}` }));
      for (const fault of faults) scene.standIn.inject("storage.objects.restore", fault);

      const { exitCode, stderr } = await scene.run("restore", { arguments: ["media", "--yes"] });

      expect(exitCode).toBe(1);
      expect(stderr).toContain(`${failed} cannot be restored`);
      expect(filesIn(scene)).toEqual(restored);
    }),
  );

  scenario("restore-drill: counts the users of a clone in a job, and leaves nothing behind", async (scene) => {
    const { run, standIn } = scene;
    const { exitCode, stderr, stdout } = await run("restore-drill", { arguments: ["2026-11-22T11:00:00Z"] });

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(
      /Restored 7 user\(s\) as of 2026-11-22T11:00:00Z: clone ready after \d+ s, users counted after \d+ s, clone deleted after \d+ s\.\n(Job .*\n)*Recorded as passed at 2026-11-22T12:00:00Z\.\n$/,
    );
    expect(standIn.requestsTo("sqladmin.instances.clone")[0]?.body).toMatchObject({
      cloneContext: { pointInTime: "2026-11-22T11:00:00Z" },
    });
    const [job] = standIn.jobs.runs;
    expect(job?.databases).toEqual([
      expect.stringMatching(new RegExp(`^${PROJECT}:us-central1:drill-[0-9a-f]{8}-[0-9a-f]{8}$`)),
    ]);
    expect(job?.environment).toEqual({ DB_HOST: `/cloudsql/${job?.databases[0] ?? ""}`, DB_NAME: DATABASE });
    // The original's ten minutes are too few for a restore.
    expect(job?.limits).toEqual({ timeout: "3600s", maxRetries: 0 });
    expectNothingLeft(scene);
  });

  scenario(
    "restore-drill: records beside the original that it has passed, once the clone is deleted",
    async (scene) => {
      const { run, standIn } = scene;
      const billed: string[][] = [];
      const { outcomeOf } = standIn.jobs;
      standIn.jobs.outcomeOf = (job) => {
        billed.push([...standIn.sql.billed]);
        return outcomeOf(job);
      };

      expect((await run("restore-drill", { arguments: [TIME] })).exitCode).toBe(0);

      expect(billed.map((names) => names.length)).toEqual([2, 1]);
      const job = standIn.jobs.runs[1];
      expect(job?.databases).toEqual([CONNECTION]);
      expect(job?.command[2]).toContain("recorded: $passed_at");
      expect(job?.environment).toEqual({
        DB_HOST: `/cloudsql/${CONNECTION}`,
        DB_NAME: DATABASE,
        DRILL_AS_OF: TIME,
        DRILL_CLONE_SECONDS: expect.stringMatching(/^\d+$/) as string,
        DRILL_INSTANCE: INSTANCE,
        DRILL_SECONDS: expect.stringMatching(/^\d+$/) as string,
        DRILL_USERS: "7",
      });
    },
  );
});
