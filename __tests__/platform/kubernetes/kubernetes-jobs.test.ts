import { type ContainerSpec } from "../../../lib/idp/container-spec";
import { type OneTimeJobSpec } from "../../../lib/idp/job-runner";
import { KubernetesJobs } from "../../../lib/platform/kubernetes/kubernetes-jobs";
import { valueAt } from "../../stacks/configuration-graph";
import {
  namespaceIn,
  PLACE,
  STAND_IN_MEDIA,
  standInContainer,
  standInDatabase,
  standInIdentity,
  standInJob,
  standInSecret,
} from "../../support/stand-in-parts";
import { addressesOf, bareStack, resourceOf, terraformOf, type Block } from "../../support/synthesis";

const CONTAINER: Partial<ContainerSpec> = {
  database: { instance: standInDatabase(), hostVariable: "HOST", proxyQuitVariable: "QUIT" },
  environment: { baseline: { PLAIN: "value" }, overrides: {}, required: {} },
  secretEnvironment: { SECRET: standInSecret("secret", "5") },
};

interface Given {
  readonly job?: Partial<OneTimeJobSpec>;
  readonly container?: Partial<ContainerSpec>;
}

const jobIn = ({ job: overrides, container = CONTAINER }: Given = {}) => {
  const stack = bareStack();
  const jobs = new KubernetesJobs({ place: PLACE, identity: standInIdentity(), namespace: namespaceIn(stack) });
  const spec = standInJob(stack, { container: standInContainer(container), ...overrides });
  const created = jobs.runOnce(stack, "Prepare", spec);
  const terraform = terraformOf(stack);
  const job = resourceOf(terraform, "kubernetes_job_v1", "prepare");
  const pod = valueAt(job, "spec.template.spec") as Block;
  return { stack, jobs, spec, created, terraform, job, pod, container: valueAt(pod, "container.0") as Block };
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
    const { job } = jobIn({ job: { timeoutSeconds: 600, maxRetries: 2 } });
    expect(Number(valueAt(job, "spec.active_deadline_seconds"))).toBeLessThan(45 * 60);
  });

  it("runs again exactly when its trigger changes, because its name depends on it", () => {
    const { job, terraform } = jobIn();
    expect(valueAt(job, "metadata.name")).toBe("idp-prepare-${local.prepare_run}");
    expect(terraform.locals?.prepare_run).toBe(
      '${substr(sha256(jsonencode({"script" = "hash", "names" = "a b"})), 0, 10)}',
    );
    expect(valueAt(job, "metadata.labels")).toBeUndefined();
    expect(valueAt(job, "spec.template.metadata.annotations")).toBeUndefined();
    expect(job).not.toHaveProperty("lifecycle");
  });

  it("keeps the finished job, because the next apply would run a missing one again", () => {
    expect(valueAt(jobIn().job, "spec.ttl_seconds_after_finished")).toBeUndefined();
  });

  it("mounts the script from a config map that never changes: another script is another one", () => {
    const { container, pod, terraform } = jobIn();
    expect(resourceOf(terraform, "kubernetes_config_map_v1", "prepare_script")).toEqual({
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
        config_map: { name: "${kubernetes_config_map_v1.prepare_script.metadata[0].name}", default_mode: "0555" },
      },
    ]);
    expect(container).toMatchObject({
      image: "registry/idp:1",
      command: ["/bin/sh", "/scripts/prepare.sh"],
      volume_mount: [{ name: "script", mount_path: "/scripts", read_only: true }],
    });
  });

  it("gives plain variables as they are and secret ones from a copy", () => {
    const { container, terraform } = jobIn();
    expect(valueAt(container, "dynamic.env.for_each")).toEqual({
      PLAIN: "value",
      HOST: "127.0.0.1",
      QUIT: "http://127.0.0.1:9091/quitquitquit",
    });
    expect(container.env).toEqual([
      {
        name: "SECRET",
        value_from: {
          secret_key_ref: { name: "${kubernetes_secret_v1.prepare_secrets.metadata[0].name}", key: "SECRET" },
        },
      },
    ]);
    expect(resourceOf(terraform, "kubernetes_secret_v1", "prepare_secrets")).toMatchObject({
      metadata: { name: "idp-prepare-${substr(sha256(local.prepare_secrets_versions), 0, 10)}" },
      data_wo: { SECRET: "${ephemeral.stored.secret}" },
    });
  });

  it("has the proxy beside it, which can be told to quit, and none without a database", () => {
    const proxy = valueAt(jobIn().pod, "init_container.0") as Block;
    expect(proxy.restart_policy).toBe("Always");
    expect(proxy.args).toEqual(
      expect.arrayContaining(["--quitquitquit", "--admin-port=9091", "--max-sigterm-delay=0s"]),
    );
    expect(jobIn({ container: {} }).pod).not.toHaveProperty("init_container");
  });

  it("exposes what to wait for, and its name", () => {
    const { created, stack } = jobIn();
    stack.addOutputs({ name: { value: created.jobName, description: "Name." } });
    expect(terraformOf(stack).output?.name?.value).toBe("${kubernetes_job_v1.prepare.metadata[0].name}");
    expect(addressesOf(created.ready)).toEqual(["kubernetes_job_v1.prepare"]);
  });

  it("mounts buckets before the script, with the annotation of the bucket driver", () => {
    const { container, job, pod } = jobIn({ container: { mounts: [STAND_IN_MEDIA] } });
    expect(valueAt(container, "volume_mount")).toMatchObject([{ mount_path: "/media" }, { mount_path: "/scripts" }]);
    expect(valueAt(pod, "volume.0.csi.volume_attributes")).toEqual({ bucketName: "bucket", mountOptions: "uid=1000" });
    expect(valueAt(job, "spec.template.metadata.annotations")).toEqual({ "gke-gcsfuse/volumes": "true" });
  });

  it("gives the script the container's arguments and size, without port and probes", () => {
    const resources = { cpu: "1", memory: "1Gi" };
    const { container } = jobIn({ container: { args: ["--all"], command: ["/bin/other"], port: 80, resources } });
    expect(container).toMatchObject({
      command: ["/bin/sh", "/scripts/prepare.sh"],
      args: ["--all"],
      resources: { requests: resources, limits: resources },
    });
    expect(container).not.toHaveProperty("port");
    expect(valueAt(jobIn().container, "resources.limits")).toMatchObject({ cpu: "250m", memory: "512Mi" });
  });
});

describe("A scheduled job of KubernetesJobs", () => {
  const scheduledIn = (condition?: string) => {
    const stack = bareStack();
    const spec = standInJob(stack, { container: standInContainer(CONTAINER), name: "clean" });
    const jobs = new KubernetesJobs({ place: PLACE, identity: standInIdentity(), namespace: namespaceIn(stack) });
    const created = jobs.schedule(stack, "Clean", {
      ...spec,
      schedule: "30 4 * * *",
      timeZone: "Etc/UTC",
      condition,
    });
    const terraform = terraformOf(stack);
    return { created, terraform, job: resourceOf(terraform, "kubernetes_cron_job_v1", "clean") };
  };

  it("runs one at a time in its time zone, and keeps the last runs", () => {
    const { created, job } = scheduledIn();
    expect(job).toMatchObject({
      metadata: { name: "idp-clean" },
      spec: {
        schedule: "30 4 * * *",
        timezone: "Etc/UTC",
        concurrency_policy: "Forbid",
        successful_jobs_history_limit: 3,
        failed_jobs_history_limit: 3,
        job_template: { spec: { backoff_limit: 1, template: { spec: { restart_policy: "Never" } } } },
      },
    });
    expect(created.runCommand).toContain("create job idp-clean-$(date +%s) --from=cronjob/idp-clean");
  });

  it("has the proxy as a sidecar, and its variables, as any job", () => {
    const { job } = scheduledIn();
    const pod = valueAt(job, "spec.job_template.spec.template.spec") as Block;
    expect(valueAt(pod, "init_container.0.restart_policy")).toBe("Always");
    expect(valueAt(pod, "container.0.dynamic.env.for_each")).toMatchObject({ HOST: "127.0.0.1", PLAIN: "value" });
  });

  it("exists with all its parts, or not at all", () => {
    const { terraform } = scheduledIn("${var.wanted}");
    for (const type of ["cron_job", "config_map", "secret", "service_account"])
      expect(resourcesOfClean(terraform.resource?.[`kubernetes_${type}_v1`])).toEqual(["${(${var.wanted}) ? 1 : 0}"]);
  });
});

/** Counts of the elements of one type. */
function resourcesOfClean(elements: Readonly<Record<string, Block>> = {}): unknown[] {
  return Object.values(elements).map(({ count }) => count);
}
