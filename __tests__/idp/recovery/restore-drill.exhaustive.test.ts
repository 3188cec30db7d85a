import { CONNECTION_NAME_MAX_LENGTH } from "../../../lib/core/names";
import { type GoogleStandIn } from "../../support/google-stand-in";
import { programFolder } from "../../support/google-stand-in-scripts";
import { type JsonObject } from "../../support/google-stand-in-schema";
import { ApiError } from "../../support/google-stand-in-services";
import { describeWith } from "../../support/programs";
import { expectNothingLeft, numbersTo, runUntil } from "./interruptions";
import { inSqlScene, INSTANCE, PROJECT, DATABASE, DUMP_JOB, INIT_JOB, JOBS, type SqlScene } from "./sql-scene";

/** Requests of a drill that nothing interrupts. */
const REQUESTS = 17;

const ENDS = numbersTo(REQUESTS).flatMap((request) => [[request, "SIGTERM"] as const, [request, "SIGKILL"] as const]);

/** As long as project ids and regions are at most. */
const LONGEST_PLACE = `${"p".repeat(30)}:northamerica-northeast1:`;

/** Adds a clone as a killed drill leaves it. */
function leave({ sql }: GoogleStandIn, clone: string, secondsAgo: number): void {
  const made = sql.make(PROJECT, clone);
  made.createTime = new Date(Date.now() - secondsAgo * 1000).toISOString();
  const userLabels = { "copy-for": clone.replace(/-[0-9a-f]+$/, "") };
  made.settings = { ...made.settings, deletionProtectionEnabled: false, userLabels };
}

/** Makes a clone as a drill of the instance that was killed some seconds ago; returns its name. */
async function leftClone({ run, standIn }: Pick<SqlScene, "run" | "standIn">, secondsAgo: number): Promise<string> {
  await run("restore-drill");
  const { cloneContext } = standIn.requestsTo("sqladmin.instances.clone")[0]?.body ?? {};
  const { destinationInstanceName: own } = cloneContext as { destinationInstanceName: string };
  const clone = own.replace(/[0-9a-f]+$/, "1a2b3c4d");
  leave(standIn, clone, secondsAgo);
  return clone;
}

describeWith(["bash", "busybox", "curl", "dash", "jq"], "restore-drill.sh", () => {
  it.concurrent("counts the users of a clone in a job, and leaves nothing behind", () =>
    inSqlScene(async ({ run, standIn }) => {
      const before = [standIn.sql.billed, [...standIn.jobs.jobs.keys()]];
      standIn.jobs.outcomeOf = () => ({ isSuccess: true, lines: ["users: 7"] });

      const { exitCode, stderr, stdout } = await run("restore-drill", { arguments: ["2026-11-22T11:00:00Z"] });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(stdout).toMatch(
        /Restored 7 user\(s\) as of 2026-11-22T11:00:00Z: clone ready after \d+ s, users counted after \d+ s, clone deleted after \d+ s\.\n$/,
      );
      expect(standIn.requestsTo("sqladmin.instances.clone")[0]?.body).toMatchObject({
        cloneContext: { pointInTime: "2026-11-22T11:00:00Z" },
      });
      const [job] = standIn.jobs.runs;
      expect(job?.databases).toEqual([
        expect.stringMatching(new RegExp(`^${PROJECT}:us-central1:drill-[0-9a-f]{8}-[0-9a-f]{8}$`)),
      ]);
      expect(job?.environment).toEqual({ DB_HOST: `/cloudsql/${job?.databases[0] ?? ""}`, DB_NAME: DATABASE });
      expect(job?.command.slice(0, 2)).toEqual(["/bin/sh", "-c"]);
      // The original's ten minutes are too few for a restore.
      expect(job?.limits).toEqual({ timeout: "3600s", maxRetries: 0 });
      expect([standIn.sql.billed, [...standIn.jobs.jobs.keys()]]).toEqual(before);
    }),
  );

  it("makes as many requests as there are cases below", () =>
    inSqlScene(async ({ run, standIn }) => {
      expect((await run("restore-drill")).exitCode).toBe(0);
      expect(standIn.requests).toHaveLength(REQUESTS);
    }));

  it.concurrent.each(ENDS)("ended at request %i by %s: nothing that is billed stays", (request, signal) =>
    inSqlScene(async (scene) => {
      const ended = await runUntil(scene, "restore-drill", { request, signal });
      if (signal === "SIGTERM") {
        expect(ended.exitCode).toBe(143);
        expectNothingLeft(scene);
        return;
      }
      expect(ended.exitCode).toBeNull();
      // What a killed one leaves, the next one deletes when it is told that nobody else uses it.
      const again = await scene.run("restore-drill", { arguments: ["--take-over"] });

      expect(again).toMatchObject({ exitCode: 0 });
      expectNothingLeft(scene, again.stderr);
    }),
  );

  it.concurrent("reports a failed clone, and leaves none behind", () =>
    inSqlScene(async ({ run, standIn }) => {
      standIn.sql.failures.set("instances.clone", { code: "PITR_FAILED", message: "No log of that time." });

      const { exitCode, stderr } = await run("restore-drill");

      expect(exitCode).toBe(1);
      expect(stderr).toContain("failed: PITR_FAILED: No log of that time.");
      expect(standIn.sql.billed).toEqual([`${PROJECT}/${INSTANCE}`]);
    }),
  );

  it.concurrent("makes one clone although the first answer is lost", () =>
    inSqlScene(async ({ run, standIn }) => {
      standIn.inject("sqladmin.instances.clone", { kind: "reset", carriedOut: true });

      expect(await run("restore-drill")).toMatchObject({ exitCode: 0, stderr: "" });
      expect(standIn.sql.billed).toEqual([`${PROJECT}/${INSTANCE}`]);
    }),
  );

  it.concurrent.each(["bash", "busybox"] as const)("behaves the same in %s", (shell) =>
    inSqlScene(async ({ run, standIn }) => {
      expect(await run("restore-drill", { shell })).toMatchObject({ exitCode: 0, stderr: "" });
      expect(standIn.sql.billed).toEqual([`${PROJECT}/${INSTANCE}`]);
    }),
  );

  it.concurrent("deletes the clone when the job fails, and says where its log is", () =>
    inSqlScene(async ({ run, standIn }) => {
      standIn.jobs.outcomeOf = () => ({ isSuccess: false });

      const { exitCode, stderr } = await run("restore-drill");

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(
        /^The users of the clone cannot be counted\.\n {2}The job \S+ failed; its log: https:\/\/\S+\n {2}To fix: .*\nDeleting the clone/,
      );
      expect(standIn.sql.billed).toEqual([`${PROJECT}/${INSTANCE}`]);
      expect([...standIn.jobs.jobs.keys()]).toEqual([`${JOBS}/${INIT_JOB}`, `${JOBS}/${DUMP_JOB}`]);
    }),
  );

  it.concurrent("leaves the clone of another drill that may still be running, unless it takes over", () =>
    inSqlScene(async ({ run, standIn }) => {
      const clone = await leftClone({ run, standIn }, 60);

      const { exitCode, stderr } = await run("restore-drill");

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(
        new RegExp(`^Another run has made the clone ${clone} 6\\d s ago, .*\\n  To fix: .* --take-over`),
      );
      expect(standIn.sql.billed).toEqual([`${PROJECT}/${INSTANCE}`, `${PROJECT}/${clone}`]);

      expect((await run("restore-drill", { arguments: ["--take-over"] })).exitCode).toBe(0);
      expect(standIn.sql.billed).toEqual([`${PROJECT}/${INSTANCE}`]);
    }),
  );

  it.concurrent.each([
    ["protected", (settings: JsonObject) => ({ ...settings, deletionProtectionEnabled: true })],
    ["relabelled", (settings: JsonObject) => ({ ...settings, userLabels: { environment: "production" } })],
  ])("never deletes a clone that somebody has %s", (_, change) =>
    inSqlScene(async ({ run, standIn }) => {
      const clone = await leftClone({ run, standIn }, 30_000);
      const promoted = standIn.sql.instances.get(`${PROJECT}/${clone}`);
      if (promoted !== undefined) promoted.settings = change(promoted.settings);

      for (const words of [[], ["--take-over"]]) {
        const { exitCode, stderr } = await run("restore-drill", { arguments: words });
        expect(exitCode).toBe(0);
        expect(stderr).toMatch(
          new RegExp(`^The clone ${clone} is protected or has no label copy-for, so somebody may use it: it is left`),
        );
        expect(stderr).toContain(`gcloud sql instances patch ${clone} --no-deletion-protection `);
      }
      expect(standIn.sql.billed).toEqual([`${PROJECT}/${INSTANCE}`, `${PROJECT}/${clone}`]);
    }),
  );

  it.concurrent("leaves its own clone once somebody has protected it", () =>
    inSqlScene(async ({ run, standIn }) => {
      standIn.jobs.outcomeOf = () => {
        for (const [name, instance] of standIn.sql.instances)
          if (name.includes("/drill-")) instance.settings = { ...instance.settings, deletionProtectionEnabled: true };
        return { isSuccess: true, lines: ["users: 7"] };
      };

      const { exitCode, stderr } = await run("restore-drill");

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/\nThe clone drill-\S+ cannot be deleted\. .*deletionProtectionEnabled.*\n {2}To fix: /);
      expect(standIn.sql.billed).toEqual([`${PROJECT}/${INSTANCE}`, expect.stringContaining("/drill-") as string]);
    }),
  );

  it.concurrent("names no clone like that of another drill that began in the same second", () =>
    inSqlScene(async ({ run, standIn }) => {
      const date = 'if [ "$1" = +%s ]; then echo 1700000000; else exec /bin/date "$@"; fi';
      for (let time = 0; time < 2; time += 1)
        expect(await run("restore-drill", { programs: programFolder({ scripts: { date } }) })).toMatchObject({
          exitCode: 0,
        });

      const clones = standIn.requestsTo("sqladmin.instances.clone").map(({ body }) => body.cloneContext as JsonObject);
      expect(new Set(clones.map(({ destinationInstanceName }) => destinationInstanceName)).size).toBe(2);
    }),
  );

  it.concurrent("does not take an answer about something else for the end of the clone", () =>
    inSqlScene(async ({ run, standIn }) => {
      standIn.inject("sqladmin.instances.delete", {
        kind: "status",
        error: new ApiError(404, "NOT_FOUND", "The project was not found."),
      });

      const { exitCode, stderr } = await run("restore-drill");

      expect(exitCode).toBe(1);
      expect(stderr).toContain("The clone cannot be deleted.");
      expect(stderr).toMatch(/Deleted drill-\S+\.\n$/);
      expect(standIn.sql.billed).toEqual([`${PROJECT}/${INSTANCE}`]);
    }),
  );

  it.concurrent("deletes what a killed drill of this instance has left, and no clone of another one", () =>
    inSqlScene(async ({ run, standIn }) => {
      const namesNow = () => standIn.sql.billed.map((name) => name.split("/")[1] ?? "");
      const instances = [INSTANCE, `sql-${"t".repeat(50)}-acme`, `sql-${"t".repeat(50)}-demo`];
      for (const name of instances.slice(1)) standIn.sql.make(PROJECT, name, { [DATABASE]: 7 });
      // A drill that is killed leaves a clone of this name.
      const clones = [];
      for (const name of instances) {
        await run("restore-drill", { environment: { INSTANCE: name } });
        const { cloneContext } = standIn.requestsTo("sqladmin.instances.clone").at(-1)?.body ?? {};
        const { destinationInstanceName: clone } = cloneContext as { destinationInstanceName: string };
        clones.push(clone.replace(/[0-9a-f]+$/, "1a2b3c4d"));
      }
      for (const clone of clones) leave(standIn, clone, 30_000);

      expect((await run("restore-drill", { environment: { INSTANCE: instances[2] ?? "" } })).exitCode).toBe(0);

      expect(namesNow()).toEqual([...instances, ...clones.slice(0, 2)]);
      expect(new Set(clones).size).toBe(3);
      for (const clone of clones)
        expect(`${LONGEST_PLACE}${clone}`.length).toBeLessThanOrEqual(CONNECTION_NAME_MAX_LENGTH);
    }),
  );
});
