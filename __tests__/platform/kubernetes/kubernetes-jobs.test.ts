import { type ContainerSpec } from "../../../lib/idp/container-spec";
import { KubernetesJobs } from "../../../lib/platform/kubernetes/kubernetes-jobs";
import { valueAt } from "../../stacks/configuration-graph";
import { namespaceIn, PLACE, standInContainer, standInIdentity, standInJob } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../../support/synthesis";

const containerOf = (container: Partial<ContainerSpec> = {}) => {
  const stack = bareStack();
  const jobs = new KubernetesJobs({ place: PLACE, identity: standInIdentity(), namespace: namespaceIn(stack) });
  jobs.runOnce(stack, "Prepare", standInJob(stack, { container: standInContainer(container) }));
  return valueAt(resourceOf(terraformOf(stack), "kubernetes_job_v1", "prepare"), "spec.template.spec.container.0");
};

describe("KubernetesJobs", () => {
  it("gives the script the container's arguments and size, without port and probes", () => {
    const resources = { cpu: "1", memory: "1Gi" };
    const container = containerOf({ args: ["--all"], command: ["/bin/other"], port: 80, resources });
    expect(container).toMatchObject({
      command: ["/bin/sh", "/scripts/prepare.sh"],
      args: ["--all"],
      resources: { requests: resources, limits: resources },
    });
    expect(container).not.toHaveProperty("port");
  });
});
