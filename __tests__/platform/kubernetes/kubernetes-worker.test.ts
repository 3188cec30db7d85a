import { type ContainerSpec } from "../../../lib/idp/container-spec";
import { workerContainer } from "../../../lib/idp/worker-container";
import { KubernetesWorker, type KubernetesWorkerProps } from "../../../lib/platform/kubernetes/kubernetes-worker";
import { KubernetesWorkload } from "../../../lib/platform/kubernetes/kubernetes-workload";
import { valueAt } from "../../stacks/configuration-graph";
import { namespaceIn, PLACE, standInIdentity, standInIdentityProvider } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf, type BareStack, type Block } from "../../support/synthesis";

const identity = standInIdentity();

const ADDRESS = { address: "203.0.113.7", url: "https://login.example.com" };

const workerIn = (
  props: Partial<KubernetesWorkerProps> = {},
  changes: Partial<ContainerSpec> = {},
  stack: BareStack = bareStack(),
) => {
  const namespace = namespaceIn(stack);
  const container = standInIdentityProvider(stack, { workerMode: "separate" });
  const server = new KubernetesWorkload(stack, "Workload", {
    address: ADDRESS,
    container,
    identity,
    namespace,
    place: PLACE,
  });
  const made = new KubernetesWorker(stack, "Worker", {
    container: { ...workerContainer(container, {}, { cpu: "1", memory: "2Gi" }), ...changes },
    identity,
    namespace,
    place: PLACE,
    server,
    ...props,
  });
  const of = (type: string, name: string) => resourceOf(terraformOf(stack), type, name);
  const podOf = (name: string) => valueAt(of("kubernetes_deployment_v1", name), "spec.template.spec") as Block;
  return { made, of, podOf, server, stack };
};

describe("KubernetesWorker", () => {
  it("has no probes without a command for them", () => {
    const { podOf } = workerIn({}, { healthCommand: undefined });
    const [worker = {}] = podOf("worker").container as Block[];
    for (const part of ["startup_probe", "liveness_probe", "readiness_probe"])
      expect([part, worker[part]]).toEqual([part, undefined]);
  });

  it("runs before a server without a worker is rolled out", () => {
    const { of } = workerIn();
    expect(of("kubernetes_deployment_v1", "workload").depends_on).toContain("kubernetes_deployment_v1.worker");
    expect(of("kubernetes_deployment_v1", "worker").depends_on).not.toContain("kubernetes_deployment_v1.workload");
  });
});
