import { addStackFile } from "../../lib/core/stack-file";
import { packageFile } from "../../lib/core/package-file";
import { type InitializationJobSpec } from "../../lib/idp/initialization-job";
import { ServerlessJobs, type ServerlessJobsProps } from "../../lib/platform/serverless/serverless-jobs";
import { ServiceIdentity } from "../../lib/platform/service-identity";
import { valueAt } from "../stacks/configuration-graph";
import { bareStack, resourceOf, terraformOf, type Block } from "../support/synthesis";
import { addressOf, databaseIn, DEPLOYMENT, PLACE } from "./serverless-parts";

const jobIn = (job: Partial<InitializationJobSpec> = {}, props: Partial<ServerlessJobsProps> = {}) => {
  const stack = bareStack();
  const identity = new ServiceIdentity(stack, "Initializer", { ...PLACE, purpose: "init", description: "Prepares." });
  const jobs = new ServerlessJobs({ ...PLACE, database: databaseIn(stack), identity, ...props });
  const created = jobs.runJob(stack, "Prepare", {
    name: "prepare",
    image: "registry/client:15",
    script: addStackFile(stack, packageFile("lib/idp/scripts/db-init.sh"), "scripts/prepare.sh"),
    scriptName: "prepare.sh",
    environment: { PLAIN: "value" },
    secretEnvironment: { SECRET: { secretId: "secret", version: "5" } },
    timeoutSeconds: 120,
    maxRetries: 1,
    rerunWhenChanged: { script: "hash", names: "a b" },
    ...job,
  });
  const terraform = terraformOf(stack);
  const resource = resourceOf(terraform, "google_cloud_run_v2_job", "prepare");
  const task = valueAt(resource, "template.template") as Block;
  return { stack, created, terraform, resource, task, container: valueAt(task, "containers.0") as Block };
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
      service_account: "${google_service_account.initializer.email}",
      execution_environment: "EXECUTION_ENVIRONMENT_GEN2",
      timeout: "120s",
      max_retries: 1,
    });
  });

  it("keeps name and execution token together below 63 characters for the longest names there are", () => {
    const deployment = { tenantPrefix: `${"t".repeat(20)}-abc123`, applicationName: "a".repeat(18) };
    const { resource } = jobIn({ name: "db-init" }, { deployment });
    const [, tokenLength] = /, 0, (\d+)\)\}$/.exec(String(resource.run_execution_token)) ?? [];
    expect(String(resource.name).length + Number(tokenLength)).toBeLessThan(63);
  });

  it("runs the script from a secret volume that everybody may read and execute, at the stored version", () => {
    const { container, task, terraform } = jobIn();
    expect(container).toMatchObject({
      image: "registry/client:15",
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
          secret: "${google_secret_manager_secret.script.secret_id}",
          items: [
            {
              path: "prepare.sh",
              version: "${google_secret_manager_secret_version.script_version.version}",
              mode: 0o555,
            },
          ],
        },
      },
      {
        name: "cloudsql",
        cloud_sql_instance: { instances: ["${google_sql_database_instance.database.connection_name}"] },
      },
    ]);
    expect(resourceOf(terraform, "google_secret_manager_secret_version", "script_version")).toEqual({
      secret: "${google_secret_manager_secret.script.id}",
      secret_data: '${filebase64("${path.module}/scripts/prepare.sh")}',
      is_secret_data_base64: true,
      lifecycle: { create_before_destroy: true },
    });
    expect(resourceOf(terraform, "google_secret_manager_secret", "script").secret_id).toBe(
      "secret-demo-abc123-idp-prepare",
    );
  });

  it("lets its account read the script before it runs", () => {
    const { resource, terraform } = jobIn();
    expect(resourceOf(terraform, "google_secret_manager_secret_iam_member", "script_reader")).toMatchObject({
      secret_id: "${google_secret_manager_secret.script.id}",
      role: "roles/secretmanager.secretAccessor",
      member: "serviceAccount:${google_service_account.initializer.email}",
    });
    expect(resource.depends_on).toEqual(["google_secret_manager_secret_iam_member.script_reader"]);
  });

  it("gives plain variables as they are and secret ones by reference", () => {
    const { container } = jobIn();
    expect(valueAt(container, "dynamic.env")).toEqual({
      for_each: { PLAIN: "value" },
      content: { name: "${env.key}", value: "${env.value}" },
    });
    expect(container.env).toEqual([
      { name: "SECRET", value_source: { secret_key_ref: { secret: "secret", version: "5" } } },
    ]);
  });

  it("is executed when it is made, made again when its trigger changes, and left alone otherwise", () => {
    const { resource, terraform } = jobIn();
    expect(resourceOf(terraform, "terraform_data", "trigger")).toEqual({ input: { script: "hash", names: "a b" } });
    expect(resource.lifecycle).toEqual({
      ignore_changes: ["run_execution_token", "client", "client_version"],
      replace_triggered_by: ["terraform_data.trigger"],
    });
    expect(resource.run_execution_token).toBe("${substr(sha256(jsonencode(terraform_data.trigger.input)), 0, 8)}");
  });

  it("says on what to wait for its success, and its name", () => {
    const { stack, created } = jobIn();
    stack.expose({ name: { value: created.jobName, description: "Name." } });
    expect(terraformOf(stack).output?.name?.value).toBe("${google_cloud_run_v2_job.prepare.name}");
    expect(addressOf(created.completed)).toBe("google_cloud_run_v2_job.prepare");
  });

  it("reaches a network that is given, for private addresses alone", () => {
    const network = { network: "projects/p/global/networks/n", subnetwork: "projects/p/regions/r/subnetworks/s" };
    expect(jobIn().task.vpc_access).toBeUndefined();
    expect(jobIn({}, { network }).task.vpc_access).toEqual({
      egress: "PRIVATE_RANGES_ONLY",
      network_interfaces: [network],
    });
  });

  it("labels itself and its script, under the deployment's names", () => {
    const { resource, terraform } = jobIn({}, { labels: { team: "identity" }, deployment: DEPLOYMENT });
    expect(resource.labels).toEqual({ team: "identity" });
    expect(resourceOf(terraform, "google_secret_manager_secret", "script").labels).toEqual({ team: "identity" });
  });

  it("refuses names that leave no room for the token, and a socket path that no address holds", () => {
    const deployment = { tenantPrefix: "demo-abc123", applicationName: "a".repeat(36) };
    const job = () => jobIn({ name: "prepare" }, { deployment, projectId: "p".repeat(30) });
    expect(job).toThrow(
      new Error(
        [
          "test: 2 problems",
          `  - job name ${"a".repeat(36)}-demo-abc123-prepare is 56 characters, the limit is 54, because the name of an execution ends in a token; shorten the application name or the tenant id by 2`,
          "  - project, region and database instance have 93 characters together, the path of the database socket has room for 81, because a socket address holds 108 bytes; shorten the application name or the tenant id by 12",
        ].join("\n"),
      ),
    );
  });
});
