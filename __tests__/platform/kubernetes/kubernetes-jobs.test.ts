import { type ContainerSpec } from "../../../lib/idp/container-spec";
import { KubernetesJobs } from "../../../lib/platform/kubernetes/kubernetes-jobs";
import { valueAt } from "../../stacks/configuration-graph";
import {
  namespaceIn,
  PLACE,
  STAND_IN_MEDIA,
  standInContainer,
  standInIdentity,
  standInJob,
} from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf, type Block } from "../../support/synthesis";

const podOf = (container: Partial<ContainerSpec> = {}) => {
  const stack = bareStack();
  const jobs = new KubernetesJobs({ place: PLACE, identity: standInIdentity(), namespace: namespaceIn(stack) });
  jobs.runOnce(stack, "Prepare", standInJob(stack, { container: standInContainer(container) }));
  const pod = valueAt(resourceOf(terraformOf(stack), "kubernetes_job_v1", "prepare"), "spec.template") as Block;
  return { pod, container: valueAt(pod, "spec.container.0") as Block };
};

describe("KubernetesJobs", () => {
  it("mounts buckets before the script, with the annotation of the bucket driver", () => {
    const { container, pod } = podOf({ mounts: [STAND_IN_MEDIA] });
    expect(valueAt(container, "volume_mount")).toMatchObject([{ mount_path: "/media" }, { mount_path: "/scripts" }]);
    expect(valueAt(pod, "spec.volume.0.csi.volume_attributes")).toEqual({
      bucketName: "bucket",
      mountOptions: "uid=1000",
    });
    expect(valueAt(pod, "metadata.annotations")).toEqual({ "gke-gcsfuse/volumes": "true" });
  });

  it("gives the script the container's arguments and size, without port and probes", () => {
    const resources = { cpu: "1", memory: "1Gi" };
    const { container } = podOf({ args: ["--all"], command: ["/bin/other"], port: 80, resources });
    expect(container).toMatchObject({
      command: ["/bin/sh", "/scripts/prepare.sh"],
      args: ["--all"],
      resources: { requests: resources, limits: resources },
    });
    expect(container).not.toHaveProperty("port");
  });
});
