import { DbInit } from "../../lib/idp/db-init";
import { type OneTimeJobSpec } from "../../lib/idp/job-runner";
import { standInDatabase } from "../support/stand-in-parts";
import { bareStack } from "../support/synthesis";

it("DbInit uses the given client, and gives an attempt longer than the wait for the database", () => {
  const jobs: OneTimeJobSpec[] = [];
  new DbInit(bareStack(), "DbInit", {
    database: standInDatabase(),
    image: "mirror/postgres:15",
    runner: {
      runOnce: (_scope, _id, job) => {
        jobs.push(job);
        return { jobName: job.name, ready: [] };
      },
    },
  });

  const [job] = jobs;
  expect(job?.container.image.containerImage).toBe("mirror/postgres:15");
  expect(job?.timeoutSeconds).toBeGreaterThan(Number(job?.container.environment.required.DB_WAIT_SECONDS));
});
