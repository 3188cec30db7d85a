import { CONNECTION_NAME_MAX_LENGTH } from "../../../lib/core/names";
import { FaultMatrix, status } from "../../support/fault-matrix";
import { programFolder } from "../../support/google-stand-in-scripts";
import { type JsonObject } from "../../support/google-stand-in-schema";
import { describeWith } from "../../support/programs";
import {
  DATABASE,
  expectNothingLeft,
  inSqlScene,
  INSTANCE,
  leftClone,
  PROJECT,
  type SqlScene,
  scenario,
} from "./sql-scene";

/** As long as project ids and regions are at most. */
const LONGEST_PLACE = `${"p".repeat(30)}:northamerica-northeast1:`;

/** Requests that change something, in a drill that nothing interrupts. */
const CHANGES = 6;

const ITSELF = `${PROJECT}/${INSTANCE}`;

const matrix = new FaultMatrix<SqlScene>({
  inScene: inSqlScene,
  run: ({ run }, options) => run("restore-drill", options),
  settled: expectNothingLeft,
  secrets: ["ya29.", "geheim"],
});

describeWith(["busybox", "curl", "dash", "jq"], "restore-drill.sh", () => {
  matrix.kills(CHANGES, [1, 2, 4, 6], "SIGTERM", expectNothingLeft);

  matrix.kills(CHANGES, [1, 2, 3, 4, 6], "SIGKILL", async (scene, _, again) => {
    const repeated = await again({ arguments: ["--take-over"] });
    expect(repeated).toMatchObject({ exitCode: 0 });
    expectNothingLeft(scene, repeated);
  });

  matrix.rows([
    {
      what: "does not take an answer about something else for the end of the clone",
      at: "sqladmin.instances.delete",
      answers: [status(404, "NOT_FOUND", "The project was not found.")],
      exitCode: 1,
      says: ["The clone cannot be deleted.", /Deleted drill-\S+\.\n$/],
      left: expectNothingLeft,
    },
  ]);

  scenario("counts the users of a clone in a job, and leaves nothing behind", async (scene) => {
    const { run, standIn } = scene;
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
    // The original's ten minutes are too few for a restore.
    expect(job?.limits).toEqual({ timeout: "3600s", maxRetries: 0 });
    expectNothingLeft(scene);
  });

  scenario("reports a failed clone, and leaves none behind", async (scene) => {
    scene.standIn.sql.operations.failures.set("instances.clone", { code: "PITR_FAILED", message: "No log of that time." });

    const { exitCode, stderr } = await scene.run("restore-drill");

    expect(exitCode).toBe(1);
    expect(stderr).toContain("failed: PITR_FAILED: No log of that time.");
    expectNothingLeft(scene);
  });

  scenario("deletes the clone when the job fails, and says where its log is", async (scene) => {
    scene.standIn.jobs.outcomeOf = () => ({ isSuccess: false });

    const { exitCode, stderr } = await scene.run("restore-drill");

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^The users of the clone cannot be counted\.\n {2}The job \S+ failed; its log: https:\/\/\S+\n {2}To fix: .*\nDeleting the clone/,
    );
    expectNothingLeft(scene);
  });

  scenario("leaves the clone of another drill that may still be running, unless it takes over", async (scene) => {
    const { run, standIn } = scene;
    const clone = leftClone(scene, "drill", 60);

    const { exitCode, stderr } = await run("restore-drill");

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`^Another run has made the clone ${clone} 6\\d s ago, .*\\n  To fix: .* --take-over`),
    );
    expect(standIn.sql.billed).toEqual([ITSELF, `${PROJECT}/${clone}`]);

    expect((await run("restore-drill", { arguments: ["--take-over"] })).exitCode).toBe(0);
    expectNothingLeft(scene);
  });

  it.concurrent.each([
    ["protected", (settings: JsonObject) => ({ ...settings, deletionProtectionEnabled: true })],
    ["relabelled", (settings: JsonObject) => ({ ...settings, userLabels: { environment: "production" } })],
  ])("never deletes a clone that somebody has %s", (_, change) =>
    inSqlScene(async (scene) => {
      const { run, standIn } = scene;
      const clone = leftClone(scene, "drill", 30_000);
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
      expect(standIn.sql.billed).toEqual([ITSELF, `${PROJECT}/${clone}`]);
    }),
  );

  scenario("leaves its own clone once somebody has protected it", async ({ run, standIn }) => {
    standIn.jobs.outcomeOf = () => {
      for (const [name, instance] of standIn.sql.instances)
        if (name.includes("/drill-")) instance.settings = { ...instance.settings, deletionProtectionEnabled: true };
      return { isSuccess: true, lines: ["users: 7"] };
    };

    const { exitCode, stderr } = await run("restore-drill");

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/\nThe clone drill-\S+ cannot be deleted\. .*deletionProtectionEnabled.*\n {2}To fix: /);
    expect(standIn.sql.billed).toEqual([ITSELF, expect.stringContaining("/drill-") as string]);
  });

  scenario("names no clone like that of another drill that began in the same second", async ({ run, standIn }) => {
    const date = 'if [ "$1" = +%s ]; then echo 1700000000; else exec /bin/date "$@"; fi';
    const programs = programFolder({ scripts: { date } });
    for (let time = 0; time < 2; time += 1) expect((await run("restore-drill", { programs })).exitCode).toBe(0);

    const clones = standIn.requestsTo("sqladmin.instances.clone").map(({ body }) => body.cloneContext as JsonObject);
    expect(new Set(clones.map(({ destinationInstanceName }) => destinationInstanceName)).size).toBe(2);
  });

  scenario("deletes what a killed drill of this instance has left, and no clone of another one", async (scene) => {
    const { run, standIn } = scene;
    const instances = [INSTANCE, `sql-${"t".repeat(50)}-acme`, `sql-${"t".repeat(50)}-demo`];
    for (const name of instances.slice(1)) standIn.sql.make(PROJECT, name, { [DATABASE]: 7 });
    const clones = instances.map((name) => leftClone(scene, "drill", 30_000, name));

    expect((await run("restore-drill", { environment: { INSTANCE: instances[2] ?? "" } })).exitCode).toBe(0);

    expect(standIn.sql.billed.map((name) => name.split("/")[1])).toEqual([...instances, ...clones.slice(0, 2)]);
    for (const clone of clones)
      expect(`${LONGEST_PLACE}${clone}`.length).toBeLessThanOrEqual(CONNECTION_NAME_MAX_LENGTH);
  });
});
