import { type ContainerSpec } from "../../../lib/idp/container-spec";
import { type OneTimeJobSpec } from "../../../lib/idp/job-runner";
import { ServerlessJobs, type ServerlessJobsProps } from "../../../lib/platform/serverless/serverless-jobs";
import { valueAt } from "../../stacks/configuration-graph";
import {
  PLACE,
  placeOf,
  STAND_IN_MEDIA,
  standInContainer,
  standInDatabase,
  standInIdentity,
  standInJob,
  standInSecret,
} from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf, type Block } from "../../support/synthesis";
import { brokenRules } from "../../support/broken-rules";

const RUNNER = standInIdentity();

const CONTAINER: Partial<ContainerSpec> = {
  database: { instance: standInDatabase(), hostVariable: "HOST" },
  environment: { baseline: { PLAIN: "value" }, overrides: {}, required: {} },
  secretEnvironment: { SECRET: standInSecret("secret", "5") },
};

interface Given {
  readonly job?: Partial<OneTimeJobSpec>;
  readonly container?: Partial<ContainerSpec>;
  readonly props?: Partial<ServerlessJobsProps>;
}

const jobIn = ({ job, container = CONTAINER, props }: Given = {}) => {
  const stack = bareStack();
  const jobs = new ServerlessJobs({ place: PLACE, identity: RUNNER, ...props });
  const spec = standInJob(stack, { container: standInContainer(container), ...job });
  const created = jobs.runOnce(stack, "Prepare", spec);
  const terraform = terraformOf(stack);
  const resource = resourceOf(terraform, "google_cloud_run_v2_job", "prepare");
  const task = valueAt(resource, "template.template") as Block;
  return { stack, jobs, spec, created, terraform, resource, task, container: valueAt(task, "containers.0") as Block };
};

describe("ServerlessJobs", () => {
  it("keeps name and execution token together below 63 characters for the longest possible names", () => {
    const place = placeOf({ tenantPrefix: `${"t".repeat(20)}-abc123`, applicationName: "a".repeat(18) });
    const { resource } = jobIn({ job: { name: "db-init" }, props: { place } });
    const [, tokenLength] = /, 0, (\d+)\)\}$/.exec(String(resource.run_execution_token)) ?? [];
    expect(String(resource.name).length + Number(tokenLength)).toBeLessThan(63);
  });

  it("mounts no socket without a database, and buckets before the script", () => {
    const { container, task } = jobIn({ container: { mounts: [STAND_IN_MEDIA] } });
    expect(container.volume_mounts).toEqual([
      { name: "storage", mount_path: "/media" },
      { name: "script", mount_path: "/scripts" },
    ]);
    expect(valueAt(task, "volumes.0")).toEqual({
      name: "storage",
      gcs: { bucket: "bucket", read_only: false, mount_options: ["uid=1000"] },
    });
  });

  it("gives the script the container's arguments and size, without port and probes", () => {
    const size = { cpu: "1", memory: "512Mi" };
    const { container } = jobIn({ container: { args: ["--all"], command: ["/bin/other"], port: 80, resources: size } });
    expect(container).toMatchObject({
      command: ["/bin/sh", "/scripts/prepare.sh"],
      args: ["--all"],
      resources: { limits: size },
    });
    expect(container).not.toHaveProperty("ports");
    expect(jobIn().container).not.toHaveProperty("resources");
  });

  it("refuses names that leave no room for the token, and a socket path that no address holds", () => {
    const place = placeOf({ applicationName: "a".repeat(18) });
    const database = { instance: standInDatabase({ connectionNameLength: 102 }), hostVariable: "HOST" };
    const name = `idp-${"p".repeat(40)}`.slice(0, 26);
    expect(() => jobIn({ job: { name }, container: { database }, props: { place } })).toThrow(
      brokenRules("test/Prepare", [
        `job name ${"a".repeat(18)}-demo-abc123-${name} is 57 characters, the limit is 54, because the name of an execution ends in a token; shorten the application name or the tenant id by 3`,
        "the connection name of the database, from job.container.database.instance, has 102 characters; it must have at most 83, because the path of its socket has at most 107; shorten the application name or the tenant id by 19",
      ]),
    );
  });

  it("needs no room for a socket without a database", () => {
    const place = { ...PLACE, projectId: "p".repeat(30), region: `${"r".repeat(40)}-west1` };
    expect(() => jobIn({ container: {}, props: { place } })).not.toThrow();
  });
});

describe("A scheduled job of ServerlessJobs", () => {
  const scheduledIn = (condition?: string) => {
    const stack = bareStack();
    const spec = standInJob(stack, { container: standInContainer(CONTAINER), name: "clean" });
    const schedule = { schedule: "30 4 * * *", timeZone: "Etc/UTC", condition };
    const created = new ServerlessJobs({ place: PLACE, identity: RUNNER }).schedule(stack, "Clean", {
      ...spec,
      ...schedule,
    });
    const terraform = terraformOf(stack);
    return { created, terraform, of: (type: string, name = "clean") => resourceOf(terraform, type, name) };
  };

  it("exists with all its parts, or not at all", () => {
    const { created, terraform } = scheduledIn("${var.wanted}");
    for (const elements of Object.values(terraform.resource ?? {}))
      for (const element of Object.values(elements)) expect(element.count).toBe("${(${var.wanted}) ? 1 : 0}");
    expect(created.runCommand).toBe(
      "gcloud run jobs execute idp-demo-abc123-clean --wait --region=us-central1 --project=demo-project",
    );
  });
});
