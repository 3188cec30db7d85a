import { databaseJobContainer } from "../../lib/idp/database-job";
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

it("The clients of a job are of the server's version, which is 15 where it is not known", () => {
  const imageFor = (majorVersion?: string) =>
    databaseJobContainer(standInDatabase({ majorVersion }), {}).image.containerImage;
  expect(imageFor("17")).toBe("docker.io/library/postgres:17-alpine");
  expect(imageFor()).toBe("docker.io/library/postgres:15-alpine");
});
