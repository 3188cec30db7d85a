import { DbInit, type DbInitProps } from "../../lib/idp/db-init";
import { type OneTimeJobSpec } from "../../lib/idp/job-runner";
import { standInDatabase } from "../support/stand-in-parts";
import { bareStack } from "../support/synthesis";

/** The job that is handed to the platform. */
function jobOf(props: Partial<DbInitProps> = {}): OneTimeJobSpec {
  const jobs: OneTimeJobSpec[] = [];
  new DbInit(bareStack(), "DbInit", {
    database: standInDatabase(),
    runner: {
      runOnce: (_scope, _id, job) => {
        jobs.push(job);
        return { jobName: job.name, ready: [] };
      },
    },
    ...props,
  });
  const [job] = jobs;
  if (job === undefined || jobs.length > 1) throw new Error(`${jobs.length} jobs were run`);
  return job;
}

describe("DbInit", () => {
  it("uses the given client, by default one of the server's release", () => {
    expect(jobOf().container.image.containerImage).toBe("docker.io/library/postgres:15-alpine");
    expect(jobOf({ image: "mirror/postgres:15" }).container.image.containerImage).toBe("mirror/postgres:15");
  });

  it("gives an attempt longer than the wait for the database", () => {
    const { container, timeoutSeconds } = jobOf();
    expect(timeoutSeconds).toBeGreaterThan(Number(container.environment.required.DB_WAIT_SECONDS));
  });
});
