import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

import { packageFile } from "../../../lib/core/package-file";
import { EMPTY_PAGE, FaultMatrix, fullFrom, LOST_ANSWER, OWN_ANSWER, page } from "../../support/fault-matrix";
import { type ScriptRun } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import {
  ADMINISTRATOR,
  DATABASE,
  expectNothingLeft,
  filesIn,
  inSqlScene,
  INSTANCE,
  JOBS,
  leftClone,
  PROJECT,
  RESTORED_ID,
  runsOf,
  scenario,
  type SqlScene,
} from "./sql-scene";

const TIME = "2026-11-22T11:00:00Z";
const POINT_IN_TIME = ["point-in-time", TIME, "--yes"];
const RESTORE_FILE = "storage.objects.restore";
const RESTORE_BACKUP = "sqladmin.instances.restoreBackup";
const LIST_BACKUPS = "sqladmin.backups.listBackups";
const LIST_EXECUTIONS = "run.projects.locations.jobs.executions.list";
const ACCESS = "secretmanager.projects.secrets.versions.access";

/** With what JSON, a configuration of curl and a shell would take for their own. */
const PASSWORD = String.raw`ge"heim\n'$HOME\\ ü`;

/** Requests that change something, in a restore to a point in time that nothing interrupts. */
const CHANGES = 21;

/** The clone, and the start of the job that exchanges. */
const KILLED_AT = [9, 18];

const says = (text: string) => expect.stringContaining(text) as string;

/** Instance and words with which the page calls the script. */
const COMMANDS = [
  ...readFileSync(packageFile("stacks/guides/backup-and-restore.md"), "utf8").matchAll(
    /^ *(?:FROM_INSTANCE=(\S+) .*)?sh scripts\/restore\.sh (.*)$/gm,
  ),
].map(([, instance = INSTANCE, words = ""]) => {
  return [instance, (words.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ""))] as const;
});

/** A matrix of one command, in a project with deleted files. */
const matrixOf = (
  words: readonly string[],
  settled: (scene: SqlScene, run: ScriptRun) => void,
  before: (scene: SqlScene) => void = () => undefined,
): FaultMatrix<SqlScene> =>
  new FaultMatrix<SqlScene>({
    inScene: inSqlScene,
    prepare: (scene) => {
      const { standIn } = scene;
      before(scene);
      standIn.storage.objects = ["media/a.png", "reports/b.csv"].map((name) => ({
        bucket: "media",
        name,
        generation: "1",
        softDeleteTime: TIME,
      }));
    },
    run: ({ run }, options) => run("restore", { arguments: words, ...options }),
    settled: (scene, run) => {
      settled(scene, run);
      // A second run of the same copy would exchange the databases twice.
      const names = scene.standIn.jobs.runs.map(({ command, environment }) => JSON.stringify([command, environment]));
      expect(new Set(names).size).toBe(names.length);
    },
    secrets: ["ya29.", "geheim", "Z2VoZW"],
  });

describeWith(["busybox", "curl", "dash", "jq"], "restore.sh point-in-time", () => {
  const matrix = matrixOf(POINT_IN_TIME, (scene, { output }) => {
    expect(runsOf(scene)).toEqual([
      `puts clear ${DATABASE}`,
      `db-init ${DATABASE}_restored`,
      `db-init ${DATABASE} restore-…`,
      `restores ${DATABASE}_restored +restore-…`,
      `puts swap ${DATABASE}`,
    ]);
    expect(scene.standIn.jobs.runs.at(-1)?.environment.RESTORED_ID).toBe(RESTORED_ID);
    expect(output).toContain(
      `${DATABASE}_former, with the grants to other roles and the settings that the database had`,
    );
    expectNothingLeft(scene);
  });

  matrix.passing([
    [
      "logging.entries.list",
      ACCESS,
      "sqladmin.operations.get",
      "sqladmin.users.update",
      ...["create", "delete", "list", "executions.list", "run"].map((id) => `run.projects.locations.jobs.${id}`),
      ...["clone", "delete", "get", "list", "patch"].map((id) => `sqladmin.instances.${id}`),
    ],
  ]);

  matrix.kills(CHANGES, KILLED_AT, "SIGKILL", async (scene, _, again) => {
    const restored = await again({ arguments: [...POINT_IN_TIME, "--take-over"] });
    expect(restored).toMatchObject({ exitCode: 0 });
    expectNothingLeft(scene, restored);
  });

  matrix.rows([
    {
      // The second look at its executions, after the answer to its start was lost.
      what: "starts no job twice whose execution is on a later page",
      at: "run.projects.locations.jobs.run",
      answers: [LOST_ANSWER],
      exitCode: 0,
      before: ({ standIn }) => {
        for (const answer of [OWN_ANSWER, EMPTY_PAGE]) standIn.inject(LIST_EXECUTIONS, answer);
      },
    },
    {
      what: "names what a lost sign-in leaves",
      at: ACCESS,
      answers: [{ kind: "expired-token" }],
      exitCode: 1,
      says: [/--no-final-backup --no-retain-backups-on-delete --project=\S+ && gcloud sql instances delete restore-/],
    },
    {
      what: "reads no secret from more than a pipe holds",
      at: ACCESS,
      answers: [page(200, "x".repeat(100_000))],
      options: { environment: { REST_CALL_SECONDS: "1" } },
      exitCode: 0,
    },
    {
      what: "never shows what Secret Manager answers",
      at: ACCESS,
      answers: [page(200, '{"name": "a", "payload": {"data": "Z2VoZW')],
      lasts: true,
      exitCode: 1,
      says: ["HTTP 200, with a body that is not shown"],
      left: expectNothingLeft,
    },
  ]);

  scenario(
    "final-backup: takes that of this instance, and keeps password and token out of files",
    async ({ run, standIn }) => {
      standIn.secrets.payloads.set(ADMINISTRATOR, PASSWORD);
      const TMPDIR = temporaryFolder();
      let looks = 0;
      const found: string[] = [];
      standIn.onRequest = () => {
        looks += 1;
        for (const file of readdirSync(TMPDIR, { recursive: true, encoding: "utf8", withFileTypes: true })) {
          if (!file.isFile()) continue;
          const text = readFileSync(join(file.parentPath, file.name), "utf8");
          const secrets = [PASSWORD, Buffer.from(PASSWORD).toString("base64"), "ya29.first"];
          if (secrets.some((word) => text.includes(word))) found.push(file.name);
        }
      };

      const own = standIn.sql.addBackup(PROJECT, INSTANCE, { type: "FINAL", instanceDeletionTime: TIME });
      standIn.sql.addBackup(PROJECT, "idp-other", { type: "FINAL", instanceDeletionTime: "2026-11-22T11:30:00Z" });
      const words = ["final-backup", "--yes"];
      const { exitCode, output } = await run("restore", { arguments: words, environment: { TMPDIR } });

      expect(exitCode).toBe(0);
      expect(looks).toBeGreaterThan(10);
      expect(found).toEqual([]);
      expect(output).not.toContain(PASSWORD);
      expect(standIn.requestsTo(RESTORE_BACKUP)[0]?.body).toEqual({ backup: own });
      expect(standIn.requestsTo("sqladmin.users.update")[0]?.body).toEqual({ password: PASSWORD });
    },
  );

  scenario("says what to do when it is stopped in the exchange", async (scene) => {
    let stop: ((signal: NodeJS.Signals) => void) | undefined;
    scene.standIn.onRequest = ({ body, method }) => {
      if (method.endsWith("jobs.create") && JSON.stringify(body).includes(RESTORED_ID)) stop?.("SIGTERM");
    };

    const { exitCode, stderr } = await scene.run("restore", {
      arguments: ["dump", "latest", "--yes"],
      onStart: (kill) => (stop = kill),
    });

    expect(exitCode).toBe(143);
    expect(stderr).toContain(
      `If the exchange was killed, it may have left ${DATABASE} closed to connections. To fix: run the same command again`,
    );
    scene.standIn.sql.operations.settle();
    expectNothingLeft(scene);
  });

  it.concurrent.each([
    ["backup latest", RESTORE_BACKUP],
    ["final-backup", RESTORE_BACKUP],
    ["dump latest", "run.projects.locations.jobs.delete"],
    ["drop-former", "run.projects.locations.jobs.list"],
  ])("%s refuses a second one from its first step to its last: %s", (words, moment) =>
    inSqlScene(async (scene) => {
      scene.standIn.sql.addBackup(PROJECT, INSTANCE, { type: words === "final-backup" ? "FINAL" : "ON_DEMAND" });
      scene.standIn.jobs.callsUntilDone = 8;
      const run = () => scene.run("restore", { arguments: [...words.split(" "), "--yes"] });
      let second: Promise<ScriptRun> | undefined;
      scene.standIn.onRequest = ({ method }) => {
        if (method === moment) second ??= run();
      };

      expect(await run()).toMatchObject({ exitCode: 0, stderr: "" });
      expect(await second).toMatchObject({
        exitCode: 1,
        stderr: expect.stringMatching(/^Another run has made the job \S+ \d+ s ago, and may still be/) as string,
      });
      expect(scene.standIn.jobs.jobs.size).toBe(2);
    }),
  );

  scenario("sees on any page of a list what others have left, and removes it after its time", async (scene) => {
    const { changes, run, standIn } = scene;
    const clone = leftClone(scene, "restore", 60);
    const dropWithPagesOf = (...lists: readonly string[]) => {
      for (const list of lists) standIn.inject(list, page(200, '{"nextPageToken":"a"}'));
      return run("restore", { arguments: ["drop-former", "--yes"] });
    };

    const refused = { exitCode: 1, stderr: says(`Another run has made the clone ${clone} `) };
    expect(await dropWithPagesOf("sqladmin.instances.list")).toMatchObject(refused);
    expect(changes()).toEqual([]);

    const createTime = new Date(Date.now() - 30_000_000).toISOString();
    Object.assign(standIn.sql.instances.get(`${PROJECT}/${clone}`) ?? {}, { createTime });
    const others = `${JOBS}/others-restore`;
    for (const [name, group] of [
      [`${JOBS}/own-restore`, clone.slice(0, -9)],
      [others, "restore-00000000"],
    ] as const)
      standIn.jobs.jobs.set(name, { name, createTime, labels: { "copy-for": group } });
    const done = await dropWithPagesOf("sqladmin.instances.list", "run.projects.locations.jobs.list");
    expect(done).toMatchObject({ exitCode: 0, stderr: "" });
    expect(standIn.jobs.jobs.delete(others)).toBe(true);
    expectNothingLeft(scene);
  });
});

describeWith(["busybox", "curl", "dash", "jq"], "restore.sh with a backup", () => {
  const restoredOnce = ({ standIn }: SqlScene) => expect(standIn.requestsTo(RESTORE_BACKUP)).toHaveLength(1);
  const LATEST = ["backup", "latest", "--yes"];
  const withBackup = ({ standIn }: SqlScene) => void standIn.sql.addBackup(PROJECT, INSTANCE);
  const matrix = matrixOf(LATEST, restoredOnce, withBackup);

  // The answer to the restoration comes too late: the next run finds it.
  matrix.kills(7, [2], "SIGKILL", async (scene, _, again) => {
    expect(await again()).toMatchObject({ exitCode: 1, stderr: says("Another run has made the job ") });
    expect(await again({ arguments: [...LATEST, "--take-over"] })).toMatchObject({ exitCode: 0, stderr: "" });
    restoredOnce(scene);
    expect(scene.standIn.jobs.jobs.size).toBe(2);
  });

  scenario("waits on for a restoration that takes longer than its limit, and lets nothing else in", async (scene) => {
    const { operations } = scene.standIn.sql;
    withBackup(scene);
    const run = (words: string, end = false) =>
      scene.run("restore", {
        arguments: `${words} --yes`.split(" "),
        environment: { SQL_SECONDS: end ? "60" : "1" },
        onOutput: (output) => {
          if (end && output.includes("under way")) operations.settle();
        },
      });
    operations.callsUntilDone = 1e6;

    expect(await run("backup latest")).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /is not done after 1 s; it goes on by itself\. To wait longer, raise SQL_SECONDS\.\n[^]*run the same command again with --take-over, which waits/,
      ) as string,
    });
    expect(await run("dump latest")).toMatchObject({ exitCode: 1 });
    const other = await run("dump latest --take-over");
    expect(other).toMatchObject({ exitCode: 1, stderr: says("Cloud SQL is restoring a backup into ") });
    operations.callsUntilDone = 1;
    expect(await run("backup latest --take-over", true)).toMatchObject({ exitCode: 0, stderr: "" });
    restoredOnce(scene);
    expect(scene.standIn.jobs.jobs.size).toBe(2);
  });

  matrix.rows([
    { what: "restores once, though the answer is lost", at: RESTORE_BACKUP, answers: [LOST_ANSWER], exitCode: 0 },
    {
      what: "takes no newest backup from a list that lacks a region",
      at: LIST_BACKUPS,
      exitCode: 1,
      answers: [page(200, '{ "warnings": [{ "code": "REGION_UNREACHABLE", "region": "us-central1" }] }')],
      says: ["/backups is incomplete: REGION_UNREACHABLE us-central1."],
      left: ({ changes }) => expect(changes()).toEqual([]),
    },
  ]);

  scenario("backup: takes the newest one of another deployment, and renames database and login", async (scene) => {
    const { standIn } = scene;
    // Of an instance that is deleted, all have the time of that.
    const at = (endTime: string) => ({
      type: "AUTOMATED",
      backupInterval: { startTime: endTime, endTime },
      instanceDeletionTime: "2026-11-22T10:00:00Z",
    });
    const newest = standIn.sql.addBackup(PROJECT, "sql-lost", at("2026-11-22T02:00:00Z"));
    standIn.sql.addBackup(PROJECT, "sql-lost", at("2026-11-21T02:00:00Z"));
    standIn.sql.addBackup(PROJECT, INSTANCE, at("2026-11-23T02:00:00Z"));
    const backups = [...standIn.sql.backups.values()].filter(({ name }) => name !== newest);
    standIn.inject(LIST_BACKUPS, page(200, JSON.stringify({ backups, nextPageToken: "a" })));

    const { exitCode, stderr, stdout } = await scene.run("restore", {
      arguments: ["backup", "latest", "--yes"],
      environment: { FROM_INSTANCE: "sql-lost", FROM_DATABASE: "db_lost" },
    });

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain(`3. rename the database and the login db_lost to ${DATABASE}`);
    expect(standIn.requestsTo(RESTORE_BACKUP)[0]?.body).toEqual({ backup: newest });
    expect(runsOf(scene)).toEqual([`puts rename ${DATABASE}`, `db-init ${DATABASE}`]);
    expect(standIn.jobs.runs[0]?.environment.FROM_NAME).toBe("db_lost");
    // The backup has logins with the passwords of its time.
    expect(standIn.jobs.runs[1]?.environment.DB_CLOSE_OTHER).toBe("true");
  });
});

describeWith(["busybox", "curl", "dash", "jq"], "restore.sh media", () => {
  const matrix = matrixOf(["media", "--yes"], (scene) =>
    expect(filesIn(scene)).toEqual(["media/a.png 1001", "reports/b.csv 1001"]),
  );
  matrix.passing([["storage.objects.list", RESTORE_FILE]]);
  matrix.rows([
    {
      what: "says that there is no room for the list of files",
      at: "storage.objects.list",
      answers: [],
      options: fullFrom("storage.objects.list", "newest"),
      exitCode: 1,
      says: [/\nThe temporary folder \S+ is full or cannot be written\.\n {2}To fix: make room there, .*\n$/],
    },
    {
      what: "finds on any page the file that a lost answer had restored",
      at: RESTORE_FILE,
      exitCode: 0,
      answers: [LOST_ANSWER],
      before: ({ standIn }) => {
        for (const answer of [OWN_ANSWER, EMPTY_PAGE]) standIn.inject("storage.objects.list", answer);
      },
    },
  ]);
});

describeWith(["curl", "dash", "jq"], "restore.sh", () => {
  it.concurrent.each(COMMANDS)("finds what it needs, as the page calls it from %s: %j", (FROM_INSTANCE, words) =>
    inSqlScene(async (scene) => {
      scene.standIn.storage.objects = [{ bucket: "media", name: "media/a.png", generation: "1", softDeleteTime: TIME }];
      scene.standIn.sql.addBackup(PROJECT, INSTANCE, { type: "FINAL", instanceDeletionTime: TIME });
      const backup = scene.standIn.sql.addBackup(PROJECT, FROM_INSTANCE, { description: "before 2026.5.8" });
      // The page has this word in the place of what the list before it shows.
      const given = words.map((word) => (word === "NAME" ? basename(backup) : word));
      const environment = FROM_INSTANCE === INSTANCE ? {} : { FROM_INSTANCE, FROM_DATABASE: "db_lost" };

      const { stderr, stdout } = await scene.run("restore", { arguments: [...given, "--dry-run"], environment });

      expect(stderr).toBe("");
      expect(stdout).toMatch(/^Dry run: nothing is changed\. Steps:\n {2}1\. /);
      expect(scene.changes()).toEqual([]);
    }),
  );

  scenario("says what to stop, asks before it overwrites anything, and takes only yes", async ({ changes, run }) => {
    const { exitCode, stdout } = await run("restore", { arguments: ["dump", "latest"], input: "y\n" });

    expect(exitCode).toBe(1);
    expect(stdout).toContain(
      "If it is restored to before an upgrade, stop them first, and start them after an apply with the earlier release.\n" +
        `Replace the data of ${DATABASE} with that of latest/${DATABASE}.dump? Type "yes" to continue: Nothing was changed.`,
    );
    expect(changes()).toEqual([]);
  });

  scenario("names no former database where there was none", async ({ run, standIn }) => {
    const usual = standIn.jobs.outcomeOf;
    standIn.jobs.outcomeOf = (job) =>
      job.environment.ACTION === "swap"
        ? { isSuccess: true, lines: ["exchanged: a is the restored one; there was no a before"] }
        : usual(job);

    const { stdout } = await run("restore", { arguments: ["dump", "latest", "--yes"] });

    expect(stdout).toMatch(/Restored after \d+ s\. There was no idp_demo before, so nothing is put aside\.\n$/);
  });

  scenario("exchanges nothing before the job that fills a database says that it has users", async (scene) => {
    scene.standIn.jobs.outcomeOf = ({ environment: { ACTION } }) => ({
      isSuccess: true,
      lines: [ACTION === "clear" ? "cleared: it is empty" : "done: it can be used"],
    });

    const { exitCode, stderr } = await scene.run("restore", { arguments: ["dump", "latest", "--yes"] });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('ended without an error, but its log has no line that begins with "users: " after 0 s');
    expect(stderr).toContain(`The database ${DATABASE}_restored may hold a copy of all users`);
    expect(runsOf(scene).filter((run) => run.includes("swap"))).toEqual([]);
    expectNothingLeft(scene);
  });
});
