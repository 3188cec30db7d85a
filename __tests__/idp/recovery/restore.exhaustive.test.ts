import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { type Fault } from "../../support/google-stand-in";
import { ApiError } from "../../support/google-stand-in-services";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { expectNothingLeft, numbersTo, runUntil } from "./interruptions";
import {
  inSqlScene,
  INSTANCE,
  PROJECT,
  type SqlScene,
  DATABASE,
  DUMP_JOB,
  JOBS,
  RESTORED_ID,
  runsOf,
} from "./sql-scene";

const TIME = "2026-11-22T11:00:00Z";
const POINT_IN_TIME = ["point-in-time", TIME, "--yes"];

/** With what JSON, a configuration of curl and a shell would take for their own. */
const PASSWORD = String.raw`ge"heim\n'$HOME\\ ü`;
const ENCODED = Buffer.from(PASSWORD).toString("base64");

/** Requests that change something, in a restore to a point in time that nothing interrupts. */
const CHANGES = 24;

/** Commands whose calls are disturbed, each with the calls that it makes. */
const CALLS: readonly (readonly [words: readonly string[], calls: readonly string[]])[] = [
  [
    POINT_IN_TIME,
    [
      "logging.entries.list",
      "run.projects.locations.jobs.create",
      "run.projects.locations.jobs.delete",
      "run.projects.locations.jobs.executions.list",
      "run.projects.locations.jobs.get",
      "run.projects.locations.jobs.list",
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

        const again = await scene.run("restore", { arguments: [...POINT_IN_TIME, "--take-over"] });
        expect(again).toMatchObject({ exitCode: 0 });
        expectNothingLeft(scene, again.stderr);
      }),
  );

  it.concurrent.each(CALLS)("%j: restores once although every call meets faults that pass", (words, calls) =>
    inSqlScene(async (scene) => {
      prepare(scene);
      const { run, standIn } = scene;
      const isFinal = words[0] === "final-backup";
      if (isFinal) standIn.sql.addBackup(PROJECT, INSTANCE, { type: "FINAL", instanceDeletionTime: TIME });
      for (const call of calls) for (const fault of PASSING) standIn.inject(call, fault);

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
      expect(standIn.jobs.runs.at(-1)?.environment.RESTORED_ID).toBe(RESTORED_ID);
      expect(standIn.requestsTo("sqladmin.users.update")[0]?.body).toEqual({ password: "geheim" });
      expect(output).not.toContain("geheim");
      expect(output).toContain(
        `${DATABASE}_former, with the grants to other roles and the settings that the database had`,
      );
      expect(standIn.sql.billed).toEqual([`${PROJECT}/${INSTANCE}`]);
    }),
  );

  it.concurrent("refuses every restore while a clone of another may be in use, unless it takes over", () =>
    inSqlScene(async (scene) => {
      prepare(scene);
      const { changes, run, standIn } = scene;
      await run("restore", { arguments: POINT_IN_TIME });
      const { cloneContext } = standIn.requestsTo("sqladmin.instances.clone")[0]?.body ?? {};
      const clone = (cloneContext as { destinationInstanceName: string }).destinationInstanceName;
      const group = clone.replace(/-[0-9a-f]+$/, "");
      standIn.sql.make(PROJECT, clone).settings = { userLabels: { "copy-for": group } };
      const before = changes().length;

      const commands = [POINT_IN_TIME, ["dump", "latest", "--yes"], ["backup", "latest", "--yes"]];
      for (const words of commands) {
        const refused = await run("restore", { arguments: words });
        expect([words, refused.exitCode]).toEqual([words, 1]);
        expect(refused.stderr).toContain(`Another run has made the clone ${clone} `);
      }
      expect(changes()).toHaveLength(before);
      const dump = ["dump", "latest", "--yes", "--take-over"];
      expect(await run("restore", { arguments: dump })).toMatchObject({ exitCode: 0 });
      expectNothingLeft(scene);
    }),
  );

  it.concurrent("point-in-time: says what to do when it is stopped in the exchange", () =>
    inSqlScene(async (scene) => {
      prepare(scene);
      let stop: ((signal: NodeJS.Signals) => void) | undefined;
      scene.standIn.onRequest = ({ body, method }) => {
        if (method.endsWith("jobs.create") && JSON.stringify(body).includes(RESTORED_ID)) stop?.("SIGTERM");
      };

      const { exitCode, stderr } = await scene.run("restore", {
        arguments: POINT_IN_TIME,
        onStart: (kill) => {
          stop = kill;
        },
      });

      expect(exitCode).toBe(143);
      expect(stderr).toContain(
        `If the exchange was killed, it may have left ${DATABASE} closed to connections. To fix: run the same command again`,
      );
      scene.standIn.sql.settle();
      expectNothingLeft(scene);
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

  it.concurrent(
    "media: restores names of every kind and files deleted in the very second, and goes on after a bad one",
    () =>
      inSqlScene(async ({ run, standIn }) => {
        const names = ["a (1).png", "a!.png", "it's.png", "a*.png", "a..b~.png", "in the second.png", "last.png"];
        standIn.storage.objects = names.map((name, index) => ({
          ...{ bucket: "media", name, generation: String(index + 1) },
          softDeleteTime: name === "in the second.png" ? "2026-11-22T11:00:00.250Z" : "2026-11-22T11:00:01.500Z",
        }));
        standIn.inject("storage.objects.restore", {
          kind: "status",
          error: new ApiError(400, "INVALID_ARGUMENT", "No such version."),
        });
        const arguments_ = ["media", TIME, "--yes"];

        const first = await run("restore", { arguments: arguments_ });

        expect(first.exitCode).toBe(1);
        expect(first.stdout).toContain("Restored 6 file(s) of media; 0 exist again and stayed as they are.");
        expect(first.stderr).toMatch(
          /^a \(1\)\.png cannot be restored\. POST \S+ answered HTTP 400 INVALID_ARGUMENT: No such version\.\n1 of 7 file/,
        );
        expect(await run("restore", { arguments: arguments_ })).toMatchObject({ exitCode: 0 });
        const there = standIn.storage.objects.filter(({ softDeleteTime }) => softDeleteTime === undefined);
        expect(there.map(({ name }) => name).sort()).toEqual([...names].sort());
      }),
  );

  it.concurrent("media: stops at the first file when no file can be restored", () =>
    inSqlScene(async ({ run, standIn }) => {
      standIn.storage.objects = ["a", "b"].map((name) => ({
        ...{ bucket: "media", name, generation: "1", softDeleteTime: TIME },
      }));
      standIn.inject("storage.objects.restore", {
        kind: "status",
        error: new ApiError(403, "PERMISSION_DENIED", "No right."),
      });

      const { exitCode, stderr } = await run("restore", { arguments: ["media", "--yes"] });

      expect(exitCode).toBe(1);
      expect(stderr).toContain("2 of 2 file(s) cannot be restored");
      expect(standIn.requests.filter(({ method }) => method === "storage.objects.restore")).toHaveLength(1);
    }),
  );

  it.concurrent.each(["bash", "busybox", "dash"] as const)("keeps password and token out of files, in %s", (shell) =>
    inSqlScene(async (scene) => {
      prepare(scene);
      const { run, standIn } = scene;
      standIn.secrets.payloads.set(`projects/${PROJECT}/secrets/administrator`, PASSWORD);
      const TMPDIR = temporaryFolder();
      let looks = 0;
      const found: string[] = [];
      standIn.onRequest = () => {
        looks += 1;
        for (const file of readdirSync(TMPDIR, { recursive: true, encoding: "utf8", withFileTypes: true })) {
          if (!file.isFile()) continue;
          const text = readFileSync(join(file.parentPath, file.name), "utf8");
          if ([PASSWORD, ENCODED, "ya29.first"].some((word) => text.includes(word))) found.push(file.name);
        }
      };

      const { exitCode, output } = await run("restore", { arguments: POINT_IN_TIME, environment: { TMPDIR }, shell });

      expect(exitCode).toBe(0);
      expect(looks).toBeGreaterThan(CHANGES);
      expect(found).toEqual([]);
      expect(output).not.toContain(PASSWORD);
      expect(standIn.requests.find(({ method }) => method === "sqladmin.users.update")?.body).toEqual({
        password: PASSWORD,
      });
    }),
  );

  it.concurrent.each([
    ["is cut", `{"name": "a", "payload": {"data": "${Buffer.from("geheim").toString("base64").slice(0, 6)}`],
    ["has text behind it", `{"payload": {"data": "Z2VoZWltZ2VoZWlt"}} <html>Z2VoZWlt</html>`],
    ["has no password", '{"name": "Z2VoZWlt"}'],
  ])("never shows what Secret Manager answers, when it %s", (_, page) =>
    inSqlScene(async (scene) => {
      prepare(scene);
      for (let time = 0; time < 5; time += 1)
        scene.standIn.inject("secretmanager.projects.secrets.versions.access", { kind: "html", status: 200, page });

      const { exitCode, output, stderr } = await scene.run("restore", { arguments: POINT_IN_TIME });

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/HTTP 200, with a body that is not shown|answered without a password/);
      expect(output).not.toContain("Z2VoZW");
    }),
  );

  it.concurrent("dump: says what to do first where no job reads dumps, before it changes anything", () =>
    inSqlScene(async ({ changes, run, standIn }) => {
      standIn.jobs.jobs.delete(`${JOBS}/${DUMP_JOB}`);

      const { exitCode, stderr, stdout } = await run("restore", { arguments: ["dump", "latest", "--yes"] });

      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
      expect(stderr).toBe(
        `There is no job ${DUMP_JOB}, a copy of which reads dumps: without dump_schedule, only the bucket is there.\n` +
          "  To fix: set dump_schedule and apply first.\n",
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
