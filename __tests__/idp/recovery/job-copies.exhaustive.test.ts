import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";

import { runFile } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import {
  ENVIRONMENT,
  expectNothingLeft,
  INIT_JOB,
  inSqlScene,
  JOBS,
  runsOf,
  type SqlScene,
  scenario,
} from "./sql-scene";

const DROP = { arguments: ["drop-former", "--yes"], environment: { JOB_SECONDS: "20" } };
const CREATE = "run.projects.locations.jobs.create";
const ORIGINAL = `${JOBS}/${INIT_JOB}`;

/** Names of the copies that the stand-in has. */
const copiesIn = ({ standIn }: SqlScene): string[] =>
  [...standIn.jobs.jobs.keys()].filter((name) => name.endsWith("-restore"));

interface Failure {
  readonly what: string;
  /** What another person or a job does while the former data is removed. */
  readonly arrange: (scene: SqlScene) => void;
  readonly says: RegExp;
  /** @default nothing */
  readonly left?: (scene: SqlScene) => void;
}

const FAILURES: readonly Failure[] = [
  {
    what: "are believed only when their log says what they have done",
    arrange: ({ standIn }) => (standIn.jobs.outcomeOf = () => ({ isSuccess: true, lines: ["users: 7"] })),
    says: /The job \S+-restore ended without an error, but its log has no line that begins with "dropped: " after 0 s/,
  },
  {
    what: "that fail are reported with the last lines of their log",
    arrange: ({ standIn: { jobs } }) =>
      (jobs.outcomeOf = () => ({ isSuccess: false, lines: ["ERROR: in use", "failed: nothing is changed"] })),
    says: /The job \S+ failed; its last lines: ERROR: in use failed: nothing is changed; its log: https:\/\/\S+\n/,
  },
  {
    what: "are not made of a job without a database",
    arrange: ({ standIn }) =>
      standIn.jobs.jobs.set(ORIGINAL, { template: { template: { containers: [{ image: "a" }] } } }),
    says: /The job \S+ cannot be copied: .*it has 0 volumes of Cloud SQL/,
    left: ({ changes }) => expect(changes()).toEqual([]),
  },
  {
    what: "do not run a job of somebody else that has the name",
    arrange: ({ standIn }) => {
      const { jobs } = standIn.jobs;
      standIn.onRequest = ({ method, path }) => {
        if (method !== CREATE) return;
        const name = `${JOBS}/${new URL(path, "http://a").searchParams.get("jobId") ?? ""}`;
        jobs.set(name, { ...jobs.get(ORIGINAL), name });
      };
    },
    says: /There is a job \S+-restore already, which is not of this run\./,
    left: (scene) => {
      expect(scene.standIn.jobs.runs).toEqual([]);
      expect(copiesIn(scene)).toHaveLength(1);
    },
  },
  ...["get", "run", "executions.list"].map((method) => ({
    what: `say at once that somebody has removed one: ${method}`,
    arrange: (scene: SqlScene) => {
      scene.standIn.onRequest = (request) => {
        if (request.method !== `run.projects.locations.jobs.${method}`) return;
        for (const name of copiesIn(scene)) scene.standIn.jobs.jobs.delete(name);
      };
    },
    says: /The job \S+-restore was removed by somebody else\.\n/,
  })),
];

describeWith(["curl", "dash", "jq"], "Copies of jobs", () => {
  it.concurrent.each(FAILURES)("$what", ({ arrange, says, left = expectNothingLeft }) =>
    inSqlScene(async (scene) => {
      arrange(scene);

      const { exitCode, stderr } = await scene.run("restore", DROP);

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(says);
      left(scene);
    }),
  );

  scenario("stop a restore before the exchange when one does not say what it has done", async (scene) => {
    scene.standIn.jobs.outcomeOf = ({ environment: { ACTION } }) => ({
      isSuccess: true,
      lines: ACTION === "clear" ? ["cleared: it is empty"] : ["done: it can be used"],
    });

    const { exitCode, stderr } = await scene.run("restore", { arguments: ["dump", "latest", "--yes"] });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('no line that begins with "users: "');
    expect(runsOf(scene).filter((run) => run.includes("swap"))).toEqual([]);
  });

  scenario("are not made without their script", async ({ changes, standIn }) => {
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
  });

  scenario("have a name of at most 48 characters for each run, and the mark of the run", async ({ run, standIn }) => {
    const long = `${"a-long-application-".repeat(2)}db-init`;
    standIn.jobs.jobs.set(`${JOBS}/${long}`, { ...standIn.jobs.jobs.get(ORIGINAL), name: `${JOBS}/${long}` });
    for (const job of [INIT_JOB, INIT_JOB, long]) await run("restore", { ...DROP, environment: { INIT_JOB: job } });

    const copies = standIn.jobs.runs.map(({ job }) => job.slice(JOBS.length + 1));
    expect(copies.map((copy) => copy.replace(/-[0-9a-f]{8}-restore$/, "-…"))).toEqual([
      ...[`${INIT_JOB}-…`, `${INIT_JOB}-…`, "a-long-application-a-long-appli-…"],
    ]);
    expect(new Set(copies).size).toBe(3);
    for (const copy of copies) expect(copy.length).toBeLessThanOrEqual(48);
    const marks = standIn.requestsTo(CREATE).map(({ body }) => body.labels);
    expect(new Set(marks.map((labels) => JSON.stringify(labels))).size).toBe(3);
  });

  scenario(
    "of a killed run are removed once nobody can use them, and those of other deployments stay",
    async (scene) => {
      const { jobs } = scene.standIn.jobs;
      await scene.run("restore", DROP);
      const [made] = scene.standIn.requestsTo(CREATE);
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
    },
  );
});
