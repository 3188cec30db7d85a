import { isDeepStrictEqual } from "node:util";

import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { Service } from "kubernetes-models/v1/Service";

import { OUTPOSTS } from "../../../../lib/idp/contract";
import { valueAt } from "../../../stacks/configuration-graph";
import { kubernetesResource } from "../../../stacks/kubernetes-stack";
import { type Block } from "../../../support/synthesis";
import { ApiServer } from "./api-server";
import { OUTPOST_CONFIGS } from "./outpost-configs";

const NAMESPACE = "identity-provider-outposts";

/** A resource with the names that Terraform puts for references to the namespace and the role. */
const evaluated = (address: string) =>
  JSON.parse(
    JSON.stringify(kubernetesResource(address))
      .replaceAll("${one(kubernetes_namespace_v1.outposts[*].metadata[0].name)}", NAMESPACE)
      .replaceAll("${one(kubernetes_role_v1.outposts_role[*].metadata[0].name)}", "${var.application_name}-outposts"),
  ) as Block;

const role = evaluated("kubernetes_role_v1.outposts_role");
const { name, namespace } = kubernetesResource("kubernetes_service_account_v1.workload_account").metadata as Block;
const { labels } = kubernetesResource("kubernetes_namespace_v1.outposts").metadata as Block;

let server: ApiServer;

beforeEach(async () => {
  server = new ApiServer({
    role,
    binding: evaluated("kubernetes_role_binding_v1.outposts_role_binding"),
    quota: evaluated("kubernetes_resource_quota_v1.outposts_quota"),
    standard: /security.kubernetes.io\/enforce" = "(\w+)"/.exec(String(labels))?.[1],
    tokens: { worker: ["ServiceAccount", namespace, name].join(":"), outpost: `ServiceAccount:${NAMESPACE}:default` },
  });
  await server.start();
});

afterEach(() => server.stop());

async function call(method: string, path: string, content?: object, token = "worker") {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`http://${server.host}${path}`, { method, headers, body: JSON.stringify(content) });
  return JSON.parse(await response.text()) as Block;
}

const pathIn = (group: string, resource: string, namespace = NAMESPACE) =>
  `/${group === "" ? "api" : `apis/${group}`}/v1/namespaces/${namespace}/${resource}`;
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const REFUSED: readonly (readonly [what: string, method: string, path: string])[] = [
  ["read a secret of the application", "GET", pathIn("", "secrets/idp", "identity-provider")],
  ["change the application", "PATCH", pathIn("apps", "deployments/idp", "identity-provider")],
  ["list secrets", "GET", pathIn("", "secrets")],
  ["make an ingress", "POST", pathIn("networking.k8s.io", "ingresses")],
  ["look for definitions", "GET", DEFINITIONS],
  ["give itself rights", "POST", pathIn("rbac.authorization.k8s.io", "rolebindings")],
  ["make a pod by itself", "POST", pathIn("", "pods")],
  ["run a command in a pod", "POST", pathIn("", "pods/ak-outpost-ldap/exec")],
  ["get the token of another account", "POST", pathIn("", "serviceaccounts/default/token")],
  ["raise its limits", "PATCH", pathIn("", "resourcequotas/idp-outposts")],
  ["open the network", "DELETE", pathIn("networking.k8s.io", "networkpolicies/idp-outposts")],
];

it.each(REFUSED)("With its role for outposts, the application may not %s", async (_, method, path) => {
  expect(await call(method, path)).toMatchObject({ code: 403 });
});

it("The role is for the account of the worker's pods, of which only its container has a token", async () => {
  const path = pathIn("", "secrets/ak-outpost-ldap");
  const answers = await Promise.all(["worker", "outpost", ""].map((token) => call("GET", path, undefined, token)));
  expect(answers.map(({ code }) => code)).toEqual([404, 403, 401]);
  const mounts = ["workload", "worker"].map((name) => {
    const { spec } = valueAt(kubernetesResource(`kubernetes_deployment_v1.${name}`), "spec.template") as Block;
    expect(valueAt(spec, "service_account_name")).toContain("kubernetes_service_account_v1.workload_account.");
    const all = [valueAt(spec, "container.0.dynamic.volume_mount")].flat() as Block[];
    return all.find((mount) => valueAt(mount, "content.mount_path") === OUTPOSTS.tokenFolder)?.for_each;
  });
  const beside = '${var.outposts != null && var.worker_mode != "separate" ? [1] : []}';
  expect(mounts).toEqual([beside, "${var.outposts != null ? [1] : []}"]);
});

/**
 * What the application makes of an outpost before the patches (k8s/*.py), in its order, without what is of no account.
 */
function drafts(type: string, version: string) {
  const [name, matchLabels] = [`ak-outpost-${type}`, { ...OUTPOSTS.podLabels }];
  const labels = { ...matchLabels, version };
  const securityContext = { runAsNonRoot: true, allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
  const spec = {
    securityContext: { seccompProfile: { type: "RuntimeDefault" } },
    containers: [{ name: type, image: `ghcr.io/goauthentik/${type}:${version}`, securityContext }],
  };
  const workload = { replicas: 2, selector: { matchLabels }, template: { metadata: { labels: matchLabels }, spec } };
  const port = { type: "LoadBalancer", selector: matchLabels, ports: [{ name: "port", port: 1 }] };
  const service = { apiVersion: "v1", kind: "Service", metadata: { name, labels }, spec: port };
  const metrics = { ...service, metadata: { name: `${name}-metrics`, labels }, spec: { ...port, type: "ClusterIP" } };
  return {
    secret: { apiVersion: "v1", kind: "Secret", metadata: { name, labels }, data: { token: "a2V5" } },
    deployment: { apiVersion: "apps/v1", kind: "Deployment", metadata: { name, labels }, spec: workload },
    service,
    "service-metrics": metrics,
  };
}

/** Adds each value; throws where what it is added to is not there, as the application's library does. */
function patched<Whole extends object>(draft: Whole, patches: readonly Block[]): Whole {
  const whole = JSON.parse(JSON.stringify(draft)) as Whole;
  for (const { op, path, value } of patches) {
    expect(op).toBe("add");
    const [, parent = "", key = ""] = /^(.*)\/(.*)$/.exec(path as string) ?? [];
    (valueAt({ "": whole }, parent.replaceAll("/", ".")) as Record<string, unknown>)[key] = value;
  }
  return whole;
}

/** What the application calls for an outpost (controllers/kubernetes.py, k8s/base.py); any error but 404 ends it. */
async function reconcile(direction: "down" | "up", type: string, version: string, config: Block) {
  const callOrEnd = async (...[method, path, content]: Parameters<typeof call>) => {
    const answer = await call(method, path, content);
    if (Number(answer.code) >= 400 && answer.code !== 404) throw new Error(String(answer.message));
    return answer;
  };
  for (const [component, draft] of Object.entries(drafts(type, version))) {
    const patches = (valueAt(config, `kubernetes_json_patches.${component}`) ?? []) as readonly Block[];
    const folder = pathIn(component === "deployment" ? "apps" : "", `${draft.kind.toLowerCase()}s`);
    const path = `${folder}/${draft.metadata.name}`;
    const { code, ...found } = await callOrEnd("GET", path);
    const wanted = patched(draft, patches);
    const isSame = () =>
      isDeepStrictEqual([draft.metadata.labels, found], [valueAt(found, "metadata.labels"), patched(found, patches)]);
    if (code === 404) await (direction === "up" && callOrEnd("POST", folder, wanted));
    else if (direction === "down") await callOrEnd("DELETE", path);
    else if (!isSame()) await callOrEnd("PATCH", path, wanted);
  }
  if (!String(config.kubernetes_disabled_components).includes("prometheus servicemonitor"))
    await callOrEnd("GET", `${DEFINITIONS}?fieldSelector=metadata.name%3Dservicemonitors.monitoring.coreos.com`);
}

const RELEASE = "2026.5.9";
const ofEach = (type: string, ...calls: readonly string[]) =>
  ["secrets/#", "deployments/#", "services/#", "services/#-metrics"].flatMap((object) =>
    calls.map((each) => `${each} ${object.replace("#", `ak-outpost-${type}`)}`),
  );

describe.each([...OUTPOST_CONFIGS])("The outpost of the blueprint %s", (type, config) => {
  const name = `ak-outpost-${type}`;

  it("is made, upgraded and deleted by calls that the role allows, and by no fewer", async () => {
    const runs = [
      ["up", RELEASE, ofEach(type, "get 404", "create 201")],
      // The application takes what the cluster adds to the annotations for a change, and does not remove it.
      ["up", RELEASE, ofEach(type, "get 200").toSpliced(3, 0, `patch 200 services/${name}`)],
      ["up", "2026.8.6", ofEach(type, "get 200", "patch 200")],
      ["down", "2026.8.6", ofEach(type, "get 200", "delete 200")],
    ] as const;
    for (const [direction, version, calls] of runs) {
      await reconcile(direction, type, version, config);
      expect(server.calls.splice(0)).toEqual(calls);
      const images = direction === "up" ? Array(2).fill(`ghcr.io/goauthentik/${type}:${version}`) : [];
      expect(server.pods.map(({ spec }) => spec.containers[0]?.image)).toEqual(images);
    }
    expect(server.objects.size).toBe(0);
    const rules = valueAt(role, "rule") as readonly Record<string, readonly string[]>[];
    const rights = rules.flatMap((of) => of.resources?.flatMap((each) => of.verbs?.map((verb) => `${verb} ${each}`)));
    const used = runs.flatMap(([, , calls]) => calls.map((each) => each.replace(/ \d+ (\w+).*/, " $1")));
    expect([...new Set(used)].sort()).toEqual(rights.sort());
  });

  it("has two ready pods of the size that it asks for, with probes, behind an internal load balancer", async () => {
    await reconcile("up", type, RELEASE, config);
    const [deployment, service] = ["deployments", "services"].map((each) => server.objects.get(`${each}/${name}`));
    new Deployment(deployment).validate();
    new Service(service).validate();
    expect(deployment?.status).toEqual({ readyReplicas: 2, conditions: [] });
    const size = { cpu: "250m", memory: "512Mi", "ephemeral-storage": "1Gi" };
    const resources = { requests: size, limits: size };
    const containers = [{ resources, startupProbe: {}, livenessProbe: {}, readinessProbe: {} }];
    expect(server.pods[0]?.spec).toMatchObject({ automountServiceAccountToken: false, containers });
    expect(valueAt(service, "metadata.annotations")).toMatchObject({
      "networking.gke.io/load-balancer-type": "Internal",
    });
    expect(valueAt(service, "spec.externalTrafficPolicy")).toBe("Local");
  });
});

it("An outpost with the application's defaults is stopped after its objects, at the definitions of the cluster", async () => {
  const up = reconcile("up", "ldap", RELEASE, { kubernetes_disabled_components: [] });
  await expect(up).rejects.toThrow("cannot list customresourcedefinitions");
  expect(server.calls).toEqual([...ofEach("ldap", "get 404", "create 201"), "list 403 customresourcedefinitions/"]);
});

it("The twenty-first pod and the sixth load balancer are refused", async () => {
  const { deployment, service } = drafts("ldap", RELEASE);
  const many = patched(deployment, [{ op: "add", path: "/spec/replicas", value: 21 }]);
  const { status } = await call("POST", pathIn("apps", "deployments"), many);
  expect(status).toMatchObject({ readyReplicas: 20, conditions: [{ message: "exceeded quota: pods" }] });
  const services = ["a", "b", "c", "d", "e", "f"].map((name) => ({ ...service, metadata: { name } }));
  const answers = await Promise.all(services.map((each) => call("POST", pathIn("", "services"), each)));
  expect(answers.map(({ code }) => Number(code)).sort()).toEqual([201, 201, 201, 201, 201, 403]);
});

/**
 * Patches by which an administrator of the application could ask for more, and whether Autopilot refuses the
 * deployment.
 */
const UNSAFE: readonly (readonly [what: string, path: string, value: unknown, code: 201 | 400])[] = [
  ["privileged", "containers/0/securityContext/privileged", true, 400],
  ["host namespaces", "hostNetwork", true, 400],
  ["hostPath volumes", "volumes", [{ name: "node", hostPath: { path: "/" } }], 400],
  ["runAsUser=0", "containers/0/securityContext/runAsUser", 0, 201],
  ["runAsNonRoot != true", "containers/0/securityContext/runAsNonRoot", false, 201],
  ["unrestricted capabilities", "containers/0/securityContext/capabilities", { add: ["NET_ADMIN"] }, 201],
  ["seccompProfile", "securityContext/seccompProfile/type", "Unconfined", 201],
];

it.each(UNSAFE)("No pod is made with: %s", async (what, path, value, expected) => {
  const patch = { op: "add", path: `/spec/template/spec/${path}`, value };
  const unsafe = patched(drafts("ldap", RELEASE).deployment, [patch]);
  const { code, message, status } = await call("POST", pathIn("apps", "deployments"), unsafe);
  expect([code, server.pods]).toEqual([expected, []]);
  expect(message ?? valueAt(status, "conditions.0.message")).toBe(what);
});

it("Outposts reach nothing but names and the server, and are reached from the ranges alone", () => {
  const { spec } = kubernetesResource("kubernetes_network_policy_v1.outposts_policy");
  expect([valueAt(spec, "policy_types"), valueAt(spec, "pod_selector")]).toEqual([["Ingress", "Egress"], {}]);
  const [names, server, ...others] = valueAt(spec, "egress") as Block[];
  expect([names, ...others]).toEqual([{ ports: ["UDP", "TCP"].map((protocol) => ({ protocol, port: "53" })) }]);
  expect(valueAt(server, "to.0.pod_selector.match_labels")).toMatchObject({ "app.kubernetes.io/component": "server" });
  const own = 'try(var.outposts.ranges, ["10.0.0.0/8","172.16.0.0/12","192.168.0.0/16"])';
  const ranges = `\${length(${own}) > 0 ? ${own} : ["127.0.0.1/32"]}`;
  expect(valueAt(spec, "ingress.0.dynamic.from.for_each")).toBe(ranges);
  const ports = (valueAt(spec, "ingress.0.ports") as Block[]).map((each) => [each.protocol, each.port].join(" "));
  expect(ports).toEqual(["TCP 3389", "TCP 6636", "UDP 1812", "TCP 9000", "TCP 9443"]);
});
