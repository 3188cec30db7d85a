import { EMPTY_PAGE, FaultMatrix, fullFrom, page } from "../../support/fault-matrix";
import { describeWith } from "../../support/programs";
import {
  DATABASE,
  expectNothingLeft,
  inSqlScene,
  INSTANCE,
  leftClone,
  PROJECT,
  scenario,
  type SqlScene,
} from "./sql-scene";

/** Requests that change something, in a drill that nothing interrupts. */
const CHANGES = 9;

const CREATE_JOB = "run.projects.locations.jobs.create";
const LIST_JOBS = "run.projects.locations.jobs.list";

const ITSELF = `${PROJECT}/${INSTANCE}`;

const matrix = new FaultMatrix<SqlScene>({
  inScene: inSqlScene,
  run: ({ run }, options) => run("restore-drill", options),
  settled: expectNothingLeft,
  secrets: ["ya29.", "geheim"],
});

describeWith(["busybox", "curl", "dash", "jq"], "restore-drill.sh", () => {
  matrix.rows([
    {
      what: "names the clone when no further call can be made",
      at: CREATE_JOB,
      answers: [],
      exitCode: 1,
      options: fullFrom(CREATE_JOB),
      says: [/^ {2}To fix: .*gcloud sql instances delete drill-\S+ --project=/m],
    },
    {
      what: "takes no list for whole that could not reach something",
      at: LIST_JOBS,
      exitCode: 1,
      answers: [page(200, '{ "jobs": [], "unreachable": ["us-central1"] }')],
      says: ["/jobs is incomplete: us-central1."],
      left: ({ standIn }) => expect(standIn.sql.billed).toEqual([ITSELF]),
    },
    {
      what: "stops reading a list that has no end",
      at: LIST_JOBS,
      options: { environment: { REST_PAGES: "2" } },
      exitCode: 1,
      answers: ["a", "b"].map((token) => page(200, JSON.stringify({ nextPageToken: token }))),
      says: ["/jobs has more than 2 pages; to read more, raise REST_PAGES."],
    },
    {
      what: "finds the line of a job on any page of its log",
      at: "logging.entries.list",
      answers: [EMPTY_PAGE],
      options: { environment: { LOG_SECONDS: "9" } },
      exitCode: 0,
    },
  ]);

  // Before the clone has its label.
  matrix.kills(CHANGES, [2], "SIGTERM", expectNothingLeft);
  matrix.kills(CHANGES, [1, 4, 8], "SIGKILL", async (scene, _, again) => {
    const repeated = await again({ arguments: ["--take-over"] });
    expect(repeated).toMatchObject({ exitCode: 0 });
    expectNothingLeft(scene, repeated);
  });

  scenario("deletes the clone when the job fails, and says where its log is", async (scene) => {
    scene.standIn.jobs.outcomeOf = () => ({ isSuccess: false });

    const { exitCode, stderr } = await scene.run("restore-drill");

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^The users of the clone cannot be counted\.\n {2}The job \S+ failed; its log: https:\/\/\S+\n {2}To fix: .*\nDeleting the clone/,
    );
    expectNothingLeft(scene);
    // A drill that has not passed is not recorded.
    expect(scene.standIn.jobs.runs).toHaveLength(1);
  });

  scenario("fails visibly when it has passed and that cannot be recorded, and leaves nothing", async (scene) => {
    const { outcomeOf } = scene.standIn.jobs;
    scene.standIn.jobs.outcomeOf = (run) =>
      "DRILL_USERS" in run.environment ? { isSuccess: false, lines: ["failed: no comment"] } : outcomeOf(run);

    const { exitCode, stderr, stdout } = await scene.run("restore-drill", { shell: "busybox" });

    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^Restored 7 user\(s\) as of /m);
    expect(stdout).not.toContain("Recorded");
    expect(stderr).toMatch(
      /^The restore has succeeded, but it is not recorded: .*\n {2}The job \S+ failed; its last lines: failed: no comment; /,
    );
    expectNothingLeft(scene);
  });

  scenario("never deletes a clone that somebody has protected", async (scene) => {
    const { run, standIn } = scene;
    const clone = leftClone(scene, "drill", 30_000);
    const promoted = standIn.sql.instances.get(`${PROJECT}/${clone}`);
    if (promoted !== undefined) promoted.settings = { ...promoted.settings, deletionProtectionEnabled: true };

    const { exitCode, stderr } = await run("restore-drill", { arguments: ["--take-over"] });

    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      `The clone ${clone} is protected or has no label copy-for, so somebody may use it: it is left`,
    );
    expect(standIn.sql.billed).toEqual([ITSELF, `${PROJECT}/${clone}`]);
  });

  scenario("deletes what a killed drill of this instance has left, and no clone of another one", async (scene) => {
    const { run, standIn } = scene;
    const instances = [INSTANCE, `sql-${"t".repeat(50)}-acme`, `sql-${"t".repeat(50)}-demo`];
    for (const name of instances.slice(1)) standIn.sql.make(PROJECT, name, { [DATABASE]: 7 });
    const clones = instances.map((name) => leftClone(scene, "drill", 30_000, name));

    expect((await run("restore-drill", { environment: { INSTANCE: instances[2] ?? "" } })).exitCode).toBe(0);

    expect(standIn.sql.billed.map((name) => name.split("/")[1])).toEqual([...instances, ...clones.slice(0, 2)]);
  });
});
