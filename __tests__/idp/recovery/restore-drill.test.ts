import { describeWith } from "../../support/programs";
import { DATABASE, inSqlScene, PROJECT } from "./sql-scene";

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
      expect(job?.databases).toEqual([
        expect.stringMatching(new RegExp(`^${PROJECT}:us-central1:drill-[0-9a-f]{8}-\\d{10}$`)),
      ]);
      expect(job?.environment).toEqual({ DB_HOST: `/cloudsql/${job?.databases[0] ?? ""}`, DB_NAME: DATABASE });
      expect(job?.command.slice(0, 2)).toEqual(["/bin/sh", "-c"]);
      // The original's ten minutes are too few for a restore.
      expect(job?.limits).toEqual({ timeout: "3600s", maxRetries: 0 });
      expect([standIn.sql.billed, [...standIn.jobs.jobs.keys()]]).toEqual(before);
    }),
  );
});
