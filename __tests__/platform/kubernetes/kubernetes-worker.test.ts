import { InputVariable } from "../../../lib/core/input-variable";
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
  it("is a deployment beside that of the server, which no service selects", () => {
    const { made, of, server } = workerIn();
    expect(made.workerName).toBe("idp-worker");
    expect(made.node.defaultChild).toBe(made.workload);
    expect(of("kubernetes_deployment_v1", "worker")).toMatchObject({
      metadata: { name: "idp-worker" },
      spec: {
        selector: { match_labels: { "app.kubernetes.io/name": "idp", "app.kubernetes.io/component": "worker" } },
        strategy: { type: "RollingUpdate", rolling_update: { max_surge: "1", max_unavailable: "0" } },
      },
      timeouts: { create: "30m", update: "34m" },
    });
    expect(made.podLabels).not.toEqual(server.podLabels);
  });

  it("runs the worker of the server's image, with its variables, secrets, account, proxy and mounts, and no port", () => {
    const { podOf } = workerIn();
    const { container: workers, ...pod } = podOf("worker");
    const { container: servers, ...ofServer } = podOf("workload");
    const [worker = {}, ...others] = workers as Block[];
    const [server = {}] = servers as Block[];
    expect(others).toEqual([]);
    expect([worker.name, worker.args, server.args]).toEqual(["worker", ["worker"], ["server-alone"]]);
    expect(worker.resources).toMatchObject({ limits: { cpu: "1", memory: "2Gi" } });
    for (const part of ["image", "env", "security_context", "volume_mount"]) expect(worker[part]).toEqual(server[part]);
    for (const part of ["port", "lifecycle"]) expect([part, worker[part]]).toEqual([part, undefined]);
    const spread = "topology_spread_constraint";
    expect({ ...pod, [spread]: undefined }).toEqual({ ...ofServer, [spread]: undefined });
    // The server's own TLS has no port here.
    const { IDP_LISTEN__HTTPS: tls, ...variables } = valueAt(server, "dynamic.env.for_each") as Record<string, string>;
    expect(tls).toBe("0.0.0.0:9443");
    expect(valueAt(worker, "dynamic.env.for_each")).toEqual(variables);
    expect(variables.IDP_WEB__BASE_URL).toBe(ADDRESS.url);
  });

  it("is ready when the application says so, restarted after 90 s without that, and watched after a rollout", () => {
    const { of, podOf } = workerIn();
    const [worker = {}] = podOf("worker").container as Block[];
    const exec = { command: ["/cloud-entrypoint.sh", "healthcheck"] };
    expect(worker.startup_probe).toEqual({ exec, period_seconds: 10, failure_threshold: 65, timeout_seconds: 10 });
    expect(worker.liveness_probe).toEqual({ exec, period_seconds: 30, failure_threshold: 3, timeout_seconds: 20 });
    expect(worker.readiness_probe).toEqual(worker.liveness_probe);
    expect(valueAt(of("kubernetes_deployment_v1", "worker"), "spec.min_ready_seconds")).toBe(15);
  });

  it("has no probes without a command for them", () => {
    const { podOf } = workerIn({}, { healthCommand: undefined });
    const [worker = {}] = podOf("worker").container as Block[];
    for (const part of ["startup_probe", "liveness_probe", "readiness_probe"])
      expect([part, worker[part]]).toEqual([part, undefined]);
  });

  it("is scaled by its own CPU, and drained one pod at a time", () => {
    const { of } = workerIn({ minInstanceCount: 2 });
    const autoscaler = of("kubernetes_horizontal_pod_autoscaler_v2", "worker_autoscaler");
    expect(autoscaler).toMatchObject({
      metadata: { name: "idp-worker" },
      spec: {
        min_replicas: 2,
        max_replicas: 3,
        scale_target_ref: { kind: "Deployment", name: "idp-worker" },
      },
      depends_on: ["kubernetes_deployment_v1.worker"],
    });
    expect(valueAt(autoscaler, "spec.metric.0.container_resource.container")).toBe("worker");
    expect(of("kubernetes_pod_disruption_budget_v1", "worker_disruption_budget")).toMatchObject({
      spec: { max_unavailable: "1", selector: { match_labels: { "app.kubernetes.io/component": "worker" } } },
    });
  });

  it("runs before a server without a worker is rolled out", () => {
    const { of } = workerIn();
    expect(of("kubernetes_deployment_v1", "workload").depends_on).toContain("kubernetes_deployment_v1.worker");
    expect(of("kubernetes_deployment_v1", "worker").depends_on).not.toContain("kubernetes_deployment_v1.workload");
  });

  it("exists, with its autoscaler and budget, only if the condition holds", () => {
    const stack = bareStack();
    const mode = new InputVariable(stack, "mode", { type: "string", description: "Mode." }).stringValue;
    const { of } = workerIn({ condition: `\${${mode} == "separate"}` }, {}, stack);
    for (const [type, name] of [
      ["kubernetes_deployment_v1", "worker"],
      ["kubernetes_horizontal_pod_autoscaler_v2", "worker_autoscaler"],
      ["kubernetes_pod_disruption_budget_v1", "worker_disruption_budget"],
    ] as const)
      expect([name, of(type, name).count]).toEqual([name, expect.stringContaining('var.mode == "separate"')]);
    expect(workerIn().of("kubernetes_deployment_v1", "worker").count).toBeUndefined();
  });
});
