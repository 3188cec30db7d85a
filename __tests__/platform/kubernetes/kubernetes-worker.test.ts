import { workerContainer } from "../../../lib/idp/worker-container";
import { KubernetesWorker } from "../../../lib/platform/kubernetes/kubernetes-worker";
import { KubernetesWorkload } from "../../../lib/platform/kubernetes/kubernetes-workload";
import { valueAt } from "../../stacks/configuration-graph";
import { namespaceIn, PLACE, standInIdentity, standInIdentityProvider } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../../support/synthesis";

it("KubernetesWorker has no probes without a command for them", () => {
  const stack = bareStack();
  const container = standInIdentityProvider(stack, { workerMode: "separate" });
  const common = { identity: standInIdentity(), namespace: namespaceIn(stack), place: PLACE };
  const server = new KubernetesWorkload(stack, "Workload", { ...common, container });
  const worker = { ...workerContainer(container, {}, { cpu: "1", memory: "2Gi" }), healthCommand: undefined };
  new KubernetesWorker(stack, "Worker", { ...common, container: worker, server });
  const deployment = resourceOf(terraformOf(stack), "kubernetes_deployment_v1", "worker");
  const made = valueAt(deployment, "spec.template.spec.container.0");
  expect(made).toMatchObject({ name: "worker" });
  for (const probe of ["startup_probe", "liveness_probe", "readiness_probe"]) expect(made).not.toHaveProperty(probe);
});
