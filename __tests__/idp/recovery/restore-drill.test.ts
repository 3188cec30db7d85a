import { describeWith } from "../../support/programs";
import { CONNECTION, DATABASE, DUMP_JOB, INIT_JOB, inSqlScene, INSTANCE, JOBS, PROJECT } from "./sql-scene";

describeWith(["curl", "dash", "jq"], "restore-drill.sh", () => {
  it.concurrent("counts the users of a clone by a job, and leaves nothing", () =>
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
      expect(job?.databases).toEqual([expect.stringMatching(new RegExp(`^${CONNECTION}-drill-\\d{10}$`))]);
      expect(job?.environment).toEqual({ DB_HOST: `/cloudsql/${job?.databases[0] ?? ""}`, DB_NAME: DATABASE });
      expect(job?.command.slice(0, 2)).toEqual(["/bin/sh", "-c"]);
      // The original's ten minutes are too few for a restore.
      expect(job?.limits).toEqual({ timeout: "3600s", maxRetries: 0 });
      expect([standIn.sql.billed, [...standIn.jobs.jobs.keys()]]).toEqual(before);
    }),
  );

  it.concurrent("deletes the clone when the job fails, and says where its log is", () =>
    inSqlScene(async ({ run, standIn }) => {
      standIn.jobs.outcomeOf = () => ({ isSuccess: false });

      const { exitCode, stderr } = await run("restore-drill");

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(
        /^The users of the clone cannot be counted\.\n {2}The job \S+ failed; its log: https:\/\/\S+\n {2}Way out: .*\nDeleting the clone/,
      );
      expect(standIn.sql.billed).toEqual([`${PROJECT}/${INSTANCE}`]);
      expect([...standIn.jobs.jobs.keys()]).toEqual([`${JOBS}/${INIT_JOB}`, `${JOBS}/${DUMP_JOB}`]);
    }),
  );
});
