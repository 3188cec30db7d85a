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
import { bareStack, resourceOf, terraformOf, type Block } from "../../support/synthesis";

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
  it("gives the apply more time than the longest job of the product has", () => {
    const { job } = jobIn({ job: { timeoutSeconds: 600, maxRetries: 2 } });
    expect(Number(valueAt(job, "spec.active_deadline_seconds"))).toBeLessThan(45 * 60);
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
