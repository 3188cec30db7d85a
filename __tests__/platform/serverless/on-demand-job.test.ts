import { type ContainerSpec } from "../../../lib/idp/container-spec";
import { OnDemandJob, type OnDemandJobProps } from "../../../lib/platform/serverless/on-demand-job";
import { valueAt } from "../../stacks/configuration-graph";
import {
  PLACE,
  placeOf,
  standInContainer,
  standInDatabase,
  standInIdentity,
  standInSecret,
} from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf, type Block } from "../../support/synthesis";

const RUNNER = standInIdentity();

const CONTAINER: Partial<ContainerSpec> = {
  args: ["test_email", "--help"],
  database: { instance: standInDatabase(), hostVariable: "HOST" },
  environment: { baseline: { PLAIN: "value" }, overrides: {}, required: {} },
  secretEnvironment: { SECRET: standInSecret("secret", "5") },
  resources: { cpu: "2", memory: "4Gi" },
};

const jobIn = (props: Partial<OnDemandJobProps> = {}) => {
  const stack = bareStack();
  const created = new OnDemandJob(stack, "TestMail", {
    container: standInContainer(CONTAINER),
    identity: RUNNER,
    name: "test-mail",
    place: PLACE,
    timeoutSeconds: 600,
    ...props,
  });
  const resource = resourceOf(terraformOf(stack), "google_cloud_run_v2_job", "test_mail");
  return { created, resource, task: valueAt(resource, "template.template") as Block };
};

describe("OnDemandJob", () => {
  it("is a job that no apply executes and nothing retries", () => {
    const { resource, task } = jobIn();
    expect(resource).toMatchObject({ name: "idp-demo-abc123-test-mail", deletion_protection: false });
    expect(resource).not.toHaveProperty("run_execution_token");
    expect(resource).not.toHaveProperty("start_execution_token");
    expect(task).toMatchObject({ service_account: RUNNER.email, max_retries: 0, timeout: "600s" });
  });

  it("runs the image's own entrypoint with what the container has", () => {
    const { task } = jobIn();
    const container = valueAt(task, "containers.0") as Block;
    expect(container).toMatchObject({
      args: ["test_email", "--help"],
      env: [{ name: "SECRET", value_source: { secret_key_ref: { secret: "secret", version: "5" } } }],
      resources: { limits: { cpu: "2", memory: "4Gi" } },
      volume_mounts: [{ name: "cloudsql", mount_path: "/cloudsql" }],
    });
    expect(container).not.toHaveProperty("command");
    expect(container).not.toHaveProperty("ports");
    expect(valueAt(container, "dynamic.env.for_each")).toMatchObject({ PLAIN: "value" });
  });

  it("names the command that executes it and fails with it", () => {
    expect(jobIn().created.executeCommand).toContain("gcloud run jobs execute ");
    expect(jobIn().created.executeCommand).toMatch(/ --region=us-central1 --project=demo-project --wait$/);
  });

  it("exists only where its condition holds", () => {
    expect(jobIn({ condition: "var.smtp != null" }).resource.count).toBe("${(var.smtp != null) ? 1 : 0}");
    expect(jobIn().resource).not.toHaveProperty("count");
  });

  it("has a name that Cloud Run accepts, even for the longest possible names", () => {
    const place = placeOf({ tenantPrefix: `${"t".repeat(20)}-abc123`, applicationName: "a".repeat(18) });
    expect(String(jobIn({ place }).resource.name).length).toBeLessThan(63);
  });
});
