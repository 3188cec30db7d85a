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
import { addressesOf, bareStack, resourceOf, terraformOf, type Block } from "../../support/synthesis";
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
  it("declares a job of the second generation that runs as its own account, once, within its limits", () => {
    const { resource, task } = jobIn();
    expect(resource).toMatchObject({
      project: "demo-project",
      location: "us-central1",
      name: "idp-demo-abc123-prepare",
      deletion_protection: false,
      template: { task_count: 1 },
      timeouts: { create: "40m", update: "40m" },
    });
    expect(task).toMatchObject({
      service_account: RUNNER.email,
      execution_environment: "EXECUTION_ENVIRONMENT_GEN2",
      timeout: "120s",
      max_retries: 1,
    });
  });

  it("keeps name and execution token together below 63 characters for the longest possible names", () => {
    const place = placeOf({ tenantPrefix: `${"t".repeat(20)}-abc123`, applicationName: "a".repeat(18) });
    const { resource } = jobIn({ job: { name: "db-init" }, props: { place } });
    const [, tokenLength] = /, 0, (\d+)\)\}$/.exec(String(resource.run_execution_token)) ?? [];
    expect(String(resource.name).length + Number(tokenLength)).toBeLessThan(63);
  });

  it("runs the script from a secret volume that everybody may read and execute, at the stored version", () => {
    const { container, task, terraform } = jobIn();
    expect(container).toMatchObject({
      image: "registry/idp:1",
      command: ["/bin/sh", "/scripts/prepare.sh"],
      volume_mounts: [
        { name: "script", mount_path: "/scripts" },
        { name: "cloudsql", mount_path: "/cloudsql" },
      ],
    });
    expect(task.volumes).toEqual([
      {
        name: "script",
        secret: {
          secret: "${google_secret_manager_secret.prepare_script.secret_id}",
          items: [
            {
              path: "prepare.sh",
              version: "${google_secret_manager_secret_version.prepare_script_version.version}",
              mode: 0o555,
            },
          ],
        },
      },
      {
        name: "cloudsql",
        cloud_sql_instance: { instances: ["demo-project:us-central1:sql-demo"] },
      },
    ]);
    expect(resourceOf(terraform, "google_secret_manager_secret_version", "prepare_script_version")).toEqual({
      secret: "${google_secret_manager_secret.prepare_script.id}",
      secret_data: '${filebase64("${path.module}/scripts/prepare.sh")}',
      is_secret_data_base64: true,
      lifecycle: { create_before_destroy: true },
    });
    expect(resourceOf(terraform, "google_secret_manager_secret", "prepare_script").secret_id).toBe(
      "secret-demo-abc123-idp-prepare",
    );
  });

  it("lets its account read the script before it runs", () => {
    const { resource, terraform } = jobIn();
    expect(resourceOf(terraform, "google_secret_manager_secret_iam_member", "prepare_script_reader")).toMatchObject({
      secret_id: "${google_secret_manager_secret.prepare_script.id}",
      role: "roles/secretmanager.secretAccessor",
      member: RUNNER.member,
    });
    expect(resource.depends_on).toEqual(["google_secret_manager_secret_iam_member.prepare_script_reader"]);
  });

  it("gives plain variables as they are and secret ones by reference", () => {
    const { container } = jobIn();
    expect(valueAt(container, "dynamic.env")).toEqual({
      for_each: { PLAIN: "value", HOST: "/cloudsql/demo-project:us-central1:sql-demo" },
      content: { name: "${env.key}", value: "${env.value}" },
    });
    expect(container.env).toEqual([
      { name: "SECRET", value_source: { secret_key_ref: { secret: "secret", version: "5" } } },
    ]);
  });

  it("is executed when it is created, recreated when its trigger changes, and not touched otherwise", () => {
    const { resource, terraform } = jobIn();
    expect(resourceOf(terraform, "terraform_data", "prepare_trigger")).toEqual({
      triggers_replace: { script: "hash", names: "a b" },
    });
    expect(resource.lifecycle).toEqual({
      ignore_changes: ["run_execution_token", "client", "client_version"],
      replace_triggered_by: ["terraform_data.prepare_trigger"],
    });
    expect(resource.run_execution_token).toBe(
      "${substr(sha256(jsonencode(terraform_data.prepare_trigger.triggers_replace)), 0, 8)}",
    );
  });

  it("exposes what to wait for, and its name", () => {
    const { stack, created } = jobIn();
    stack.addOutputs({ name: { value: created.jobName, description: "Name." } });
    expect(terraformOf(stack).output?.name?.value).toBe("${google_cloud_run_v2_job.prepare.name}");
    expect(addressesOf(created.ready)).toEqual(["google_cloud_run_v2_job.prepare"]);
  });

  it("uses a given network, only for private addresses", () => {
    const network = {
      network: "projects/p/global/networks/n",
      subnetwork: "projects/p/regions/us-central1/subnetworks/s",
    };
    expect(jobIn().task.vpc_access).toBeUndefined();
    expect(jobIn({ props: { network } }).task.vpc_access).toEqual({
      egress: "PRIVATE_RANGES_ONLY",
      network_interfaces: [network],
    });
  });

  it("labels itself and its script, under the deployment's names", () => {
    const { resource, terraform } = jobIn({ props: { place: { ...PLACE, labels: { team: "identity" } } } });
    expect(resource.labels).toEqual({ team: "identity" });
    expect(resourceOf(terraform, "google_secret_manager_secret", "prepare_script").labels).toEqual({
      team: "identity",
    });
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

  it("is started by an account that may start this job and nothing else", () => {
    const { of } = scheduledIn();
    expect(of("google_cloud_scheduler_job", "clean_schedule")).toMatchObject({
      schedule: "30 4 * * *",
      time_zone: "Etc/UTC",
      http_target: {
        http_method: "POST",
        uri: "https://run.googleapis.com/v2/projects/demo-project/locations/us-central1/jobs/idp-demo-abc123-clean:run",
        oauth_token: { service_account_email: "${google_service_account.clean_starter.email}" },
      },
      depends_on: ["google_cloud_run_v2_job_iam_member.clean_may_start"],
    });
    expect(of("google_cloud_run_v2_job_iam_member", "clean_may_start")).toMatchObject({
      name: "idp-demo-abc123-clean",
      role: "roles/run.invoker",
      member: "serviceAccount:${google_service_account.clean_starter.email}",
    });
  });

  it("is not executed by an apply", () => {
    expect(scheduledIn().of("google_cloud_run_v2_job")).not.toHaveProperty("run_execution_token");
  });

  it("exists with all its parts, or not at all", () => {
    const { created, terraform } = scheduledIn("${var.wanted}");
    for (const elements of Object.values(terraform.resource ?? {}))
      for (const element of Object.values(elements)) expect(element.count).toBe("${(${var.wanted}) ? 1 : 0}");
    expect(created.runCommand).toBe(
      "gcloud run jobs execute idp-demo-abc123-clean --wait --region=us-central1 --project=demo-project",
    );
  });
});
