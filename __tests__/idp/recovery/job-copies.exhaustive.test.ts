import { describeWith } from "../../support/programs";
import { expectNothingLeft, inSqlScene, JOBS, type SqlScene, scenario } from "./sql-scene";

const DROP = { arguments: ["drop-former", "--yes"], environment: { JOB_SECONDS: "20" } };
const CREATE = "run.projects.locations.jobs.create";

/** Names of the copies that the stand-in has. */
const copiesIn = ({ standIn }: SqlScene): string[] =>
  [...standIn.jobs.jobs.keys()].filter((name) => name.endsWith("-restore"));

interface Failure {
  readonly what: string;
  /** What another person or a job does while the former data is removed. */
  readonly arrange: (scene: SqlScene) => void;
  readonly says: RegExp;
}

const FAILURES: readonly Failure[] = [
  {
    what: "are believed only when their log says what they have done",
    arrange: ({ standIn }) => (standIn.jobs.outcomeOf = () => ({ isSuccess: true, lines: ["users: 7"] })),
    says: /The job \S+-restore ended without an error, but its log has no line that begins with "dropped: " after 0 s/,
  },
  {
    what: "say at once that somebody has removed one",
    arrange: (scene) => {
      scene.standIn.onRequest = ({ method }) => {
        if (method !== "run.projects.locations.jobs.run") return;
        for (const name of copiesIn(scene)) scene.standIn.jobs.jobs.delete(name);
      };
    },
    says: /The job \S+-restore was removed by somebody else\.\n/,
  },
];

describeWith(["curl", "dash", "jq"], "Copies of jobs", () => {
  it.concurrent.each(FAILURES)("$what", ({ arrange, says }) =>
    inSqlScene(async (scene) => {
      arrange(scene);

      const { exitCode, stderr } = await scene.run("restore", DROP);

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(says);
      expectNothingLeft(scene);
    }),
  );

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
