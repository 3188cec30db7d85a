import { databaseJobContainer } from "../../lib/idp/database-job";
import { DbInit } from "../../lib/idp/db-init";
import { type OneTimeJobSpec } from "../../lib/idp/job-runner";
import { type SqlInstance } from "../../lib/idp/parts";
import { PostgresqlDatabase } from "../../lib/platform/sql/postgresql-database";
import { CONTEXT, standInDatabase } from "../support/stand-in-parts";
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
  const imageOf = (database: SqlInstance) => databaseJobContainer(database, {}).image.containerImage;
  const database = new PostgresqlDatabase(bareStack(), "Database", { context: CONTEXT, version: 17 });
  expect(imageOf(database)).toMatch(/^docker\.io\/library\/postgres:17-alpine@sha256:[0-9a-f]{64}$/);
  expect(imageOf(standInDatabase())).toMatch(/^docker\.io\/library\/postgres:15-alpine@sha256:/);
});
