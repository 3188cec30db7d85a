import { InputVariable } from "../../../lib/core/input-variable";
import { type ContainerSpec } from "../../../lib/idp/container-spec";
import { KubernetesWorkload, type KubernetesWorkloadProps } from "../../../lib/platform/kubernetes/kubernetes-workload";
import { type WorkloadAddress } from "../../../lib/platform/parts";
import { valueAt } from "../../stacks/configuration-graph";
import { asConstant, evaluated } from "../../stacks/terraform-run";
import { describeWith } from "../../support/programs";
import { fc } from "../../support/seeded-cases";
import {
  namespaceIn,
  PLACE,
  standInContainer,
  standInDatabase,
  standInIdentity,
  standInIdentityProvider,
  standInSettings,
} from "../../support/stand-in-parts";
import { addressesOf, bareStack, resourceOf, terraformOf, type BareStack, type Block } from "../../support/synthesis";

const workloadOf = (
  container: (stack: BareStack) => ContainerSpec,
  props: Partial<KubernetesWorkloadProps> = {},
  stack = bareStack(),
) => {
  const workload = new KubernetesWorkload(stack, "Workload", {
    place: PLACE,
    identity: standInIdentity(),
    container: container(stack),
    ...props,
    namespace: props.namespace ?? namespaceIn(stack),
  });
  const of = (type: string, name: string) => resourceOf(terraformOf(stack), type, name);
  const deployment = of("kubernetes_deployment_v1", "workload");
  const pod = valueAt(deployment, "spec.template.spec") as Block;
  return { workload, stack, of, deployment, pod, server: valueAt(pod, "container.0") as Block };
};

/** A container with a database that accepts this many connections. */
const databaseWith = (maxConnections: number | undefined): Partial<ContainerSpec> => ({
  database: { instance: standInDatabase({ maxConnections }), hostVariable: "DB_HOST" },
});

const workloadIn = (
  props: Partial<KubernetesWorkloadProps> = {},
  container: Partial<ContainerSpec> = {},
  stack?: BareStack,
) => workloadOf((scope) => ({ ...standInIdentityProvider(scope), ...container }), props, stack);

describe("KubernetesWorkload", () => {
  it("starts a new pod before an old one stops, and allows time for the migrations of a first start", () => {
    const { deployment } = workloadIn();
    expect(deployment).toMatchObject({
      spec: {
        strategy: { type: "RollingUpdate", rolling_update: { max_surge: "1", max_unavailable: "0" } },
        progress_deadline_seconds: 1500,
      },
      timeouts: { create: "30m", update: "38m" },
    });
  });

  it("allows four more minutes for every further pod, because pods are replaced one after another", () => {
    const timeouts = (maxInstanceCount: number) =>
      workloadIn({ maxInstanceCount }, databaseWith(400)).deployment.timeouts;
    expect(timeouts(1)).toEqual({ create: "30m", update: "30m" });
    expect(timeouts(4)).toEqual({ create: "30m", update: "42m" });
    const stack = bareStack();
    const most = new InputVariable(stack, "most", { type: "number", default: 3, description: "An input." });
    expect(workloadIn({ maxInstanceCount: most.numberValue }, {}, stack).deployment.timeouts).toEqual({
      create: "30m",
      update: "${30 + 4 * (var.most - 1)}m",
    });
  });

  it("tells the application which proxies to trust, and where its own TLS listens, unless the container overrides it", () => {
    const told = (overrides: ContainerSpec["environment"]["overrides"], address?: WorkloadAddress) => {
      const environment = { baseline: { IDP_LOG_LEVEL: "info" }, overrides, required: {} };
      return valueAt(workloadIn({ address }, { environment }).server, "dynamic.env.for_each");
    };
    const loadBalancers =
      "127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fe80::/10,::1/128,35.191.0.0/16,130.211.0.0/22";
    expect(told({})).toEqual({
      IDP_LISTEN__TRUSTED_PROXY_CIDRS: loadBalancers,
      IDP_LISTEN__HTTPS: "0.0.0.0:9443",
      IDP_LOG_LEVEL: "info",
      DB_HOST: "127.0.0.1",
    });
    const address = { address: "192.0.2.7", url: "https://login.example.com" };
    expect(told({}, address)).toMatchObject({
      IDP_LISTEN__TRUSTED_PROXY_CIDRS: `${loadBalancers},192.0.2.7/32`,
      IDP_WEB__BASE_URL: "https://login.example.com",
    });
    expect(told({ IDP_WEB__BASE_URL: "https://other.example.com" }, address)).toMatchObject({
      IDP_WEB__BASE_URL: "https://other.example.com",
    });
    expect(told({ IDP_LISTEN__TRUSTED_PROXY_CIDRS: "10.0.0.0/8" })).toMatchObject({
      IDP_LISTEN__TRUSTED_PROXY_CIDRS: "10.0.0.0/8",
    });
  });

  it("takes settings with secret values from the copies, and grants the pods nothing for them", () => {
    const settings = {
      ...standInSettings("var.settings"),
      grantAccess: () => {
        throw new Error("the pods read no secret");
      },
    };
    const { server } = workloadIn({}, { secretSettings: [settings] });
    expect(valueAt(server, "dynamic.env.1")).toMatchObject({
      for_each: "${local.workload_secrets_references}",
      content: { name: "${env.key}", value_from: [{ secret_key_ref: [{}] }] },
    });
  });

  it("leaves the number of pods to the autoscaler, which only measures the server", () => {
    const { deployment, of } = workloadIn({ minInstanceCount: 2, maxInstanceCount: 3 });
    expect(valueAt(deployment, "spec.replicas")).toBeUndefined();
    expect(of("kubernetes_horizontal_pod_autoscaler_v2", "workload_autoscaler").spec).toEqual({
      min_replicas: 2,
      max_replicas: 3,
      scale_target_ref: {
        api_version: "apps/v1",
        kind: "Deployment",
        name: "${kubernetes_deployment_v1.workload.metadata[0].name}",
      },
      metric: [
        {
          type: "ContainerResource",
          container_resource: {
            container: "server",
            name: "cpu",
            target: { type: "Utilization", average_utilization: 70 },
          },
        },
      ],
    });
  });

  it("lets a node be drained even with a single pod", () => {
    expect(workloadIn().of("kubernetes_pod_disruption_budget_v1", "workload_disruption_budget").spec).toMatchObject({
      max_unavailable: "1",
    });
  });

  it("probes the server's own port without credentials, with the ready path before it gets requests", () => {
    const { server } = workloadIn();
    const get = (path: string) => ({ path, port: "9000", scheme: "HTTP" });
    expect(server.startup_probe).toEqual({
      http_get: get("/-/health/ready/"),
      initial_delay_seconds: 60,
      period_seconds: 15,
      failure_threshold: 40,
      timeout_seconds: 10,
    });
    expect(server.liveness_probe).toEqual({
      http_get: get("/-/health/live/"),
      initial_delay_seconds: 60,
      period_seconds: 30,
      failure_threshold: 3,
      timeout_seconds: 10,
    });
    expect(server.readiness_probe).toEqual({
      http_get: get("/-/health/ready/"),
      initial_delay_seconds: 0,
      period_seconds: 10,
      failure_threshold: 3,
      timeout_seconds: 10,
    });
  });

  it("gives every kind of probe time to answer before the next one", () => {
    const { pod } = workloadIn();
    const containers = [...(pod.container as Block[]), ...(pod.init_container as Block[])];
    const readiness = valueAt(containers[0], "readiness_probe") as Record<string, number>;
    expect(readiness.timeout_seconds).toBeLessThanOrEqual(readiness.period_seconds ?? 0);
  });

  it("mounts the bucket with its owner, and a folder in memory for sockets and metrics", () => {
    const { deployment, pod, server } = workloadIn();
    expect(server.volume_mount).toEqual([
      { name: "storage", mount_path: "/media" },
      { name: "shared-memory", mount_path: "/dev/shm" },
    ]);
    expect(pod.volume).toEqual([
      {
        name: "storage",
        csi: {
          driver: "gcsfuse.csi.storage.gke.io",
          read_only: false,
          volume_attributes: { bucketName: "bucket", mountOptions: "uid=1000" },
        },
      },
      { name: "shared-memory", empty_dir: { medium: "Memory", size_limit: "256Mi" } },
    ]);
    expect(valueAt(deployment, "spec.template.metadata.annotations")).toHaveProperty(["gke-gcsfuse/volumes"], "true");
  });

  it("reads secrets from its copy, whose name changes with each stored version and so starts new pods", () => {
    const { server } = workloadIn();
    expect(server.env).toEqual(
      ["IDP_SECRET_KEY", "IDP_BOOTSTRAP_PASSWORD", "DB_PASSWORD"].map((name) => ({
        name,
        value_from: {
          secret_key_ref: { name: "${kubernetes_secret_v1.workload_secrets.metadata[0].name}", key: name },
        },
      })),
    );
  });

  it("starts the proxy before the server and stops it after, and keeps answering until requests go elsewhere", () => {
    const { pod, server } = workloadIn();
    const proxy = valueAt(pod, "init_container.0") as Block;
    expect(proxy).toMatchObject({ name: "database-proxy", restart_policy: "Always" });
    expect(proxy.args).toEqual([
      "--address=127.0.0.1",
      "--port=5432",
      "--private-ip=false",
      "--structured-logs",
      "--health-check",
      "--http-address=0.0.0.0",
      "--http-port=9090",
      "--exit-zero-on-sigterm",
      "--max-sigterm-delay=10s",
      "demo-project:us-central1:sql-demo",
    ]);
    expect(valueAt(server, "lifecycle.pre_stop.0.exec.command")).toEqual(["sleep", "20"]);
    // Draining, the server's own end, the proxy's.
    expect(pod.termination_grace_period_seconds).toBeGreaterThanOrEqual(20 + 35 + 10);
  });

  it("spreads its own pods over zones, as far as there is room", () => {
    const { deployment, pod } = workloadIn();
    expect(pod.topology_spread_constraint).toEqual([
      {
        topology_key: "topology.kubernetes.io/zone",
        max_skew: 1,
        when_unsatisfiable: "ScheduleAnyway",
        label_selector: [{ match_labels: valueAt(deployment, "spec.template.metadata.labels") }],
      },
    ]);
    expect(valueAt(deployment, "spec.selector.match_labels")).toEqual(
      valueAt(deployment, "spec.template.metadata.labels"),
    );
  });

  it("tells the proxy whether the database has a private address", () => {
    const instance = standInDatabase({ hasPrivateAddress: "true" });
    const { pod } = workloadIn({}, { database: { instance, hostVariable: "DB_HOST" } });
    expect(valueAt(pod, "init_container.0.args")).toContain("--private-ip=true");
  });

  it("runs a worker with its own command, without port, probes, database, bucket or secret", () => {
    const { deployment, pod, server } = workloadOf(() => standInContainer({ command: ["/bin/work"], args: ["--all"] }));
    expect(server).toMatchObject({
      image: "registry/idp:1",
      command: ["/bin/work"],
      args: ["--all"],
      env: [],
      port: [],
    });
    for (const probe of ["startup_probe", "liveness_probe", "readiness_probe"])
      expect(server).not.toHaveProperty(probe);
    expect(valueAt(server, "dynamic.env.for_each")).toEqual({});
    expect(pod).not.toHaveProperty("init_container");
    expect(valueAt(pod, "volume")).toMatchObject([{ name: "shared-memory" }]);
    expect(valueAt(deployment, "spec.template.metadata.annotations")).toBeUndefined();
  });

  it("is ready when it runs, scales and may be drained", () => {
    const { workload } = workloadIn();
    expect(workload.podLabels).toEqual({ "app.kubernetes.io/name": "idp", "app.kubernetes.io/component": "server" });
    expect(addressesOf(workload.ready)).toEqual([
      "kubernetes_deployment_v1.workload",
      "kubernetes_horizontal_pod_autoscaler_v2.workload_autoscaler",
      "kubernetes_pod_disruption_budget_v1.workload_disruption_budget",
    ]);
  });
});

describeWith(["terraform"], "A plain variable of the workload", () => {
  it("arrives as it was given, although Kubernetes replaces references in it", () => {
    const values = [
      "$(DB_NAME)",
      "$$(DB_NAME)",
      "a$b$$",
      "$",
      "",
      ...fc.sample(fc.string({ unit: fc.constantFrom("$", "(", ")", "A", " ", "{", '"', "\\") }), {
        numRuns: 40,
        seed: 3,
      }),
    ];
    const content = valueAt(workloadIn().server, "dynamic.env.content.value");
    const spelled = String(content)
      .replace("env.value", "value")
      .replace(/^\$\{|\}$/g, "");
    const { locals } = { locals: { written: `\${[for value in ${asConstant(values)} : ${spelled}]}` } };
    expect((evaluated({ locals }).written as string[]).map(expandedByKubernetes)).toEqual(values);
  });
});

/** Expands a value as Kubernetes does when no variable is defined. */
function expandedByKubernetes(value: string): string {
  let result = "";
  for (let at = 0; at < value.length; at++) {
    const [character, next] = [value[at], value[at + 1]];
    if (character !== "$" || next === undefined) result += character ?? "";
    else if (next === "$") {
      result += "$";
      at++;
    } else if (next === "(" && value.indexOf(")", at) > at) throw new Error(`a reference is left in ${value}`);
    else result += "$";
  }
  return result;
}
