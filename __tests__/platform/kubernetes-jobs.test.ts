import { packageFile } from "../../lib/core/package-file";
import { addStackFile } from "../../lib/core/stack-file";
import { type InitializationJobSpec } from "../../lib/idp/initialization-job";
import { KubernetesJobs } from "../../lib/platform/kubernetes/kubernetes-jobs";
import { valueAt } from "../stacks/configuration-graph";
import { resourceOf, terraformOf, type Block } from "../support/synthesis";
import { clusterParts } from "./kubernetes-parts";
import { addressOf } from "./serverless-parts";

const jobIn = (overrides: Partial<InitializationJobSpec> = {}) => {
  const { stack, ...parts } = clusterParts();
  const created = new KubernetesJobs(parts).runJob(stack, "Prepare", {
    name: "prepare",
    image: "registry/client:15",
    script: addStackFile(stack, packageFile("lib/idp/scripts/db-init.sh"), "scripts/prepare.sh"),
    scriptName: "prepare.sh",
    environment: { PLAIN: "value" },
    secretEnvironment: { SECRET: { secretId: "secret", version: "5" } },
    timeoutSeconds: 120,
    maxRetries: 1,
    rerunWhenChanged: { script: "hash", names: "a b" },
    ...overrides,
  });
  const terraform = terraformOf(stack);
  const job = resourceOf(terraform, "kubernetes_job_v1", "prepare");
  const pod = valueAt(job, "spec.template.spec") as Block;
  return { stack, created, terraform, job, pod, container: valueAt(pod, "container.0") as Block };
};

describe("KubernetesJobs", () => {
  it("runs a job at apply and waits for it, for longer than all its attempts and the start of a node", () => {
    const { job, pod } = jobIn();
    expect(job).toMatchObject({
      wait_for_completion: true,
      spec: { backoff_limit: 1, active_deadline_seconds: 600 + 2 * 120 },
      timeouts: { create: "45m", update: "45m", delete: "5m" },
    });
    expect(pod).toMatchObject({ restart_policy: "Never", active_deadline_seconds: 120 });
  });

  it("gives the apply more time than the longest job of the product has", () => {
    const { job } = jobIn({ timeoutSeconds: 600, maxRetries: 2 });
    expect(Number(valueAt(job, "spec.active_deadline_seconds"))).toBeLessThan(45 * 60);
  });

  it("runs again exactly when its trigger changes, because its name does", () => {
    const { job, terraform } = jobIn();
    expect(valueAt(job, "metadata.name")).toBe("idp-prepare-${local.run}");
    expect(terraform.locals?.run).toBe('${substr(sha256(jsonencode({"script" = "hash", "names" = "a b"})), 0, 10)}');
    expect(valueAt(job, "metadata.labels")).toBeUndefined();
    expect(valueAt(job, "spec.template.metadata.annotations")).toBeUndefined();
    expect(job).not.toHaveProperty("lifecycle");
  });

  it("keeps the finished job, because the next apply would run a missing one again", () => {
    expect(valueAt(jobIn().job, "spec.ttl_seconds_after_finished")).toBeUndefined();
  });

  it("mounts the script from a config map that never changes: another script is another one", () => {
    const { container, pod, terraform } = jobIn();
    expect(resourceOf(terraform, "kubernetes_config_map_v1", "script")).toEqual({
      metadata: {
        name: 'idp-prepare-${substr(filesha256("${path.module}/scripts/prepare.sh"), 0, 10)}',
        namespace: "${kubernetes_namespace_v1.namespace.metadata[0].name}",
      },
      immutable: true,
      data: { "prepare.sh": '${file("${path.module}/scripts/prepare.sh")}' },
    });
    expect(pod.volume).toEqual([
      {
        name: "script",
        config_map: { name: "${kubernetes_config_map_v1.script.metadata[0].name}", default_mode: "0555" },
      },
    ]);
    expect(container).toMatchObject({
      image: "registry/client:15",
      command: ["/bin/sh", "/scripts/prepare.sh"],
      volume_mount: [{ name: "script", mount_path: "/scripts", read_only: true }],
    });
  });

  it("gives plain variables as they are and secret ones from a copy", () => {
    const { container, terraform } = jobIn();
    expect(valueAt(container, "dynamic.env.for_each")).toEqual({ PLAIN: "value" });
    expect(container.env).toEqual([
      {
        name: "SECRET",
        value_from: { secret_key_ref: { name: "${kubernetes_secret_v1.secrets.metadata[0].name}", key: "SECRET" } },
      },
    ]);
    expect(resourceOf(terraform, "kubernetes_secret_v1", "secrets")).toMatchObject({
      metadata: { name: "idp-prepare" },
      data_wo: { SECRET: "${ephemeral.google_secret_manager_secret_version.secrets_secret.secret_data}" },
    });
  });

  it("has the proxy beside it, which ends when it is told to", () => {
    const proxy = valueAt(jobIn().pod, "init_container.0") as Block;
    expect(proxy.restart_policy).toBe("Always");
    expect(proxy.args).toEqual(
      expect.arrayContaining(["--quitquitquit", "--admin-port=9091", "--max-sigterm-delay=0s"]),
    );
  });

  it("says on what to wait for its success, and its name", () => {
    const { created, stack } = jobIn();
    stack.expose({ name: { value: created.jobName, description: "Name." } });
    expect(terraformOf(stack).output?.name?.value).toBe("${kubernetes_job_v1.prepare.metadata[0].name}");
    expect(addressOf(created.completed)).toBe("kubernetes_job_v1.prepare");
  });

  it("refuses secret variables that the platform's own synchronization would refuse", () => {
    const reference = { secretId: "secret", version: "5" };
    expect(() =>
      jobIn({ secretEnvironment: { IDP_POSTGRESQL__PASSWORD: reference, FINE: reference, A__B: reference } }),
    ).toThrow(
      new Error(
        [
          "test/Secrets: 2 problems",
          ...["IDP_POSTGRESQL__PASSWORD", "A__B"].map(
            (name) =>
              `  - secret variable ${name} has a double underscore; a key of a synchronized secret must have none, because the platform's own synchronization refuses it and the copy must be able to move there; use a name without and let the entrypoint map it`,
          ),
        ].join("\n"),
      ),
    );
  });
});
