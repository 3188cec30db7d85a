import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";

import { type RecordedRequest } from "../../support/google-stand-in";
import { runFile } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { ENVIRONMENT, expectNothingLeft, INIT_JOB, inSqlScene, JOBS, runsOf, type SqlScene } from "./sql-scene";

const DROP = { arguments: ["drop-former", "--yes"], environment: { JOB_SECONDS: "20" } };
const ORIGINAL = `${JOBS}/${INIT_JOB}`;

/** Names of the copies that the stand-in has. */
const copiesIn = ({ standIn }: SqlScene): string[] =>
  [...standIn.jobs.jobs.keys()].filter((name) => name.endsWith("-restore"));

/** Does something at the first request for the method. */
function at(scene: SqlScene, method: string, action: (request: RecordedRequest) => void): void {
  let isDone = false;
  scene.standIn.onRequest = (request) => {
    if (isDone || request.method !== `run.projects.locations.jobs.${method}`) return;
    isDone = true;
    action(request);
  };
}

describeWith(["curl", "dash", "jq"], "Copies of jobs", () => {
  it.concurrent("are believed only when their log says what they have done", () =>
    inSqlScene(async (scene) => {
      scene.standIn.jobs.outcomeOf = () => ({ isSuccess: true, lines: ["users: 7"] });

      const { exitCode, stderr } = await scene.run("restore", DROP);

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(
        /The job \S+-restore ended without an error, but its log has no line that begins with "dropped: " after 0 s/,
      );
      expectNothingLeft(scene);
    }),
  );

  it.concurrent("stop a restore before the exchange when one does not say what it has done", () =>
    inSqlScene(async (scene) => {
      scene.standIn.jobs.outcomeOf = ({ environment: { ACTION } }) => ({
        isSuccess: true,
        lines: ACTION === "clear" ? ["cleared: it is empty"] : ["done: it can be used"],
      });

      const { exitCode, stderr } = await scene.run("restore", { arguments: ["dump", "latest", "--yes"] });

      expect(exitCode).toBe(1);
      expect(stderr).toContain('no line that begins with "users: "');
      expect(runsOf(scene).filter((run) => run.includes("swap"))).toEqual([]);
    }),
  );

  it.concurrent("are not made without their script", () =>
    inSqlScene(async ({ changes, standIn }) => {
      const folder = temporaryFolder();
      cpSync(join(__dirname, "../../../lib/idp/scripts"), folder, { recursive: true });
      rmSync(join(folder, "swap-database.sh"));

      const { exitCode, stderr } = await runFile(join(folder, "restore.sh"), {
        ...DROP,
        environment: { ...standIn.environment, ...ENVIRONMENT, ...DROP.environment },
      });

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/The job \S+ cannot be copied: .*swap-database\.sh.*No such file/);
      expect(changes()).toEqual([]);
    }),
  );

  it.concurrent.each([
    ["nothing", {}],
    ["no database", { template: { template: { containers: [{ image: "a" }] } } }],
  ])("are not made of a job with %s", (_, job) =>
    inSqlScene(async ({ changes, run, standIn }) => {
      standIn.jobs.jobs.set(ORIGINAL, job);

      const { exitCode, stderr } = await run("restore", DROP);

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/The job \S+ cannot be copied: .*it has 0 volumes of Cloud SQL/);
      expect(changes()).toEqual([]);
    }),
  );

  it.concurrent("that fail are reported with the last lines of their log", () =>
    inSqlScene(async ({ run, standIn }) => {
      standIn.jobs.outcomeOf = () => ({ isSuccess: false, lines: ["ERROR: in use", "failed: nothing is changed"] });

      const { exitCode, stderr } = await run("restore", DROP);

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(
        /The job \S+ failed; its last lines: ERROR: in use failed: nothing is changed; its log: https:\/\/\S+\n/,
      );
    }),
  );

  it.concurrent("have a name of at most 48 characters for each run, and the mark of the run", () =>
    inSqlScene(async ({ run, standIn }) => {
      const long = `${"a-long-application-".repeat(2)}db-init`;
      standIn.jobs.jobs.set(`${JOBS}/${long}`, { ...standIn.jobs.jobs.get(ORIGINAL), name: `${JOBS}/${long}` });
      for (const job of [INIT_JOB, INIT_JOB, long]) await run("restore", { ...DROP, environment: { INIT_JOB: job } });

      const copies = standIn.jobs.runs.map(({ job }) => job.slice(JOBS.length + 1));
      expect(copies).toEqual([
        expect.stringMatching(new RegExp(`^${INIT_JOB}-[0-9a-f]{8}-restore$`)),
        expect.stringMatching(new RegExp(`^${INIT_JOB}-[0-9a-f]{8}-restore$`)),
        expect.stringMatching(/^a-long-application-a-long-appli-[0-9a-f]{8}-restore$/),
      ]);
      expect(new Set(copies).size).toBe(3);
      for (const copy of copies) expect(copy.length).toBeLessThanOrEqual(48);
      const marks = standIn.requestsTo("run.projects.locations.jobs.create").map(({ body }) => body.labels);
      expect(new Set(marks.map((labels) => JSON.stringify(labels))).size).toBe(3);
    }),
  );

  it.concurrent("do not run a job of somebody else that has the name", () =>
    inSqlScene(async (scene) => {
      const { jobs } = scene.standIn;
      at(scene, "create", ({ path }) => {
        const name = `${JOBS}/${new URL(path, "http://a").searchParams.get("jobId") ?? ""}`;
        jobs.jobs.set(name, { ...jobs.jobs.get(ORIGINAL), name });
      });

      const { exitCode, stderr } = await scene.run("restore", DROP);

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/There is a job \S+-restore already, which is not of this run\./);
      expect(jobs.runs).toEqual([]);
      expect(copiesIn(scene)).toHaveLength(1);
    }),
  );

  it.concurrent.each(["get", "run", "executions.list"])("say at once that somebody has removed one: %s", (method) =>
    inSqlScene(async (scene) => {
      const { jobs } = scene.standIn;
      scene.standIn.onRequest = (request) => {
        if (request.method !== `run.projects.locations.jobs.${method}`) return;
        for (const name of copiesIn(scene)) jobs.jobs.delete(name);
      };

      const { exitCode, stderr } = await scene.run("restore", DROP);

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/The job \S+-restore was removed by somebody else\.\n/);
      expectNothingLeft(scene);
    }),
  );

  it.concurrent("of a killed run are removed once nobody can use them, and those of other deployments stay", () =>
    inSqlScene(async (scene) => {
      const { jobs } = scene.standIn.jobs;
      await scene.run("restore", DROP);
      const [made] = scene.standIn.requestsTo("run.projects.locations.jobs.create");
      const own = made?.body.labels as object;
      const add = (id: string, hoursAgo: number, labels: object): void => {
        const createTime = new Date(Date.now() - hoursAgo * 3_600_000).toISOString();
        jobs.set(`${JOBS}/${id}-restore`, { name: `${JOBS}/${id}-restore`, createTime, labels: { ...labels } });
      };
      add("old", 4, own);
      add("other", 1, { ...own, "copy-for": "restore-00000000" });

      expect((await scene.run("restore", { arguments: DROP.arguments })).exitCode).toBe(0);
      expect(copiesIn(scene)).toEqual([`${JOBS}/other-restore`]);

      add("new", 1, own);
      const runs = scene.standIn.jobs.runs.length;
      const { exitCode, stderr } = await scene.run("restore", { arguments: DROP.arguments });

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(
        /^Another run has made the job new-restore 360\d s ago, and may still be at work: one at a time\.\n {2}To fix: .* --take-over/,
      );
      expect(scene.standIn.jobs.runs).toHaveLength(runs);
      expect((await scene.run("restore", { arguments: [...DROP.arguments, "--take-over"] })).exitCode).toBe(0);
      expect(copiesIn(scene)).toEqual([`${JOBS}/other-restore`]);
    }),
  );
});
