import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { Service } from "kubernetes-models/v1/Service";
import { parse } from "yaml";

import { OUTPOSTS } from "../../../../lib/idp/contract";
import { type Block } from "../../../support/synthesis";
import { kubernetesResource } from "../../../stacks/kubernetes-stack";
import { valueAt } from "../../../stacks/configuration-graph";

const ROLE = kubernetesResource("kubernetes_role_v1.outposts_role");

/** A call to the API server of a cluster. */
interface Call {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** That of the outposts, unless it says another one; "" for the whole cluster. */
  readonly namespace?: string;
}

/** Whether the role lets its account make a call, as the API server judges: a role is for its own namespace alone. */
function isAllowed({ group, namespace = "outposts", resource, verb }: Call): boolean {
  const rules = valueAt(ROLE, "rule") as readonly Record<string, readonly string[]>[];
  return (
    namespace === "outposts" &&
    rules.some(
      ({ api_groups: groups = [], resources = [], verbs = [] }) =>
        groups.includes(group) && resources.includes(resource) && verbs.includes(verb),
    )
  );
}

/**
 * What the application calls for an outpost, in its order (authentik/outposts/controllers/kubernetes.py and k8s/*.py): it
 * looks, and makes, changes or makes anew what is not as it should be; at the end of an outpost, it looks and deletes.
 */
const CALLS: readonly Call[] = [
  ["", "secrets"],
  ["apps", "deployments"],
  ["", "services"],
].flatMap(([group = "", resource = ""]) =>
  ["get", "create", "patch", "delete"].map((verb) => ({ group, resource, verb })),
);

const REFUSED: readonly (readonly [what: string, call: Call])[] = [
  ["read a secret of the application", { verb: "get", group: "", resource: "secrets", namespace: "identity-provider" }],
  ["change the application", { verb: "patch", group: "apps", resource: "deployments", namespace: "identity-provider" }],
  ["list secrets", { verb: "list", group: "", resource: "secrets" }],
  ["make an ingress", { verb: "create", group: "networking.k8s.io", resource: "ingresses" }],
  [
    "look for definitions",
    { verb: "list", group: "apiextensions.k8s.io", resource: "customresourcedefinitions", namespace: "" },
  ],
  ["give itself rights", { verb: "create", group: "rbac.authorization.k8s.io", resource: "rolebindings" }],
  ["make a pod by itself", { verb: "create", group: "", resource: "pods" }],
  ["run a command in a pod", { verb: "create", group: "", resource: "pods/exec" }],
  ["get the token of another account", { verb: "create", group: "", resource: "serviceaccounts/token" }],
  ["raise its limits", { verb: "patch", group: "", resource: "resourcequotas" }],
  ["open the network", { verb: "delete", group: "networking.k8s.io", resource: "networkpolicies" }],
];

describe("The role of the application in the namespace of its outposts", () => {
  it("allows each call that it makes for an outpost, and no rule more", () => {
    expect(CALLS.filter((call) => !isAllowed(call))).toEqual([]);
    const rules = valueAt(ROLE, "rule") as readonly Record<string, readonly string[]>[];
    const granted = rules.flatMap(({ resources = [], verbs = [] }) =>
      resources.flatMap((each) => verbs.map((verb) => `${verb} ${each}`)),
    );
    expect(granted.sort()).toEqual(CALLS.map(({ resource, verb }) => `${verb} ${resource}`).sort());
  });

  it.each(REFUSED)("does not let it %s", (_, call) => {
    expect(isAllowed(call)).toBe(false);
  });

  it("is for the account of the server's pods, of which only the worker's container has a token", () => {
    const binding = kubernetesResource("kubernetes_role_binding_v1.outposts_role_binding");
    const [name, namespace] = ["${var.application_name}", "${local.namespace_name}"];
    expect(valueAt(binding, "subject")).toEqual([{ kind: "ServiceAccount", name, namespace }]);
    const [server, worker] = ["workload", "worker"].map((name) =>
      kubernetesResource(`kubernetes_deployment_v1.${name}`),
    );
    const mountOf = (block: Block | undefined) => {
      const mounts = [valueAt(block, "spec.template.spec.container.0.dynamic.volume_mount")].flat() as Block[];
      return mounts.find((mount) => valueAt(mount, "content.mount_path") === OUTPOSTS.tokenFolder)?.for_each;
    };
    expect(mountOf(server)).toBe('${((var.manage_outposts) && (var.worker_mode != "separate") ? [1] : [])}');
    expect(mountOf(worker)).toBe("${(var.manage_outposts ? [1] : [])}");
  });
});

/** What the application makes of an outpost before the patches (k8s/deployment.py, service.py), without what is of no account. */
const drafts = (type: string) => ({
  deployment: {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: `ak-outpost-${type}`, labels: { ...OUTPOSTS.podLabels } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { ...OUTPOSTS.podLabels } },
      template: {
        metadata: { labels: { ...OUTPOSTS.podLabels } },
        spec: {
          securityContext: { seccompProfile: { type: "RuntimeDefault" } },
          containers: [
            {
              name: type,
              image: `ghcr.io/goauthentik/${type}:2026.5.9`,
              securityContext: {
                ...{ runAsNonRoot: true, allowPrivilegeEscalation: false },
                capabilities: { drop: ["ALL"] },
              },
            },
          ],
        },
      },
    },
  },
  service: {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: `ak-outpost-${type}` },
    spec: { type: "LoadBalancer", ports: [{ name: type, port: 1 }] },
  },
});

interface Patch {
  readonly op: string;
  readonly path: string;
  readonly value: unknown;
}

/** Adds each value; throws where what it is added to is not there, as the application's library does. */
function patched<Whole extends object>(draft: Whole, patches: readonly Patch[]): Whole {
  const whole = structuredClone(draft);
  for (const { op, path, value } of patches) {
    expect(op).toBe("add");
    const names = path.split("/").slice(1);
    const last = names.pop() ?? "";
    const parent = names.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], whole);
    if (typeof parent !== "object" || parent === null) throw new Error(`there is nothing at ${path}`);
    (parent as Record<string, unknown>)[last] = value;
  }
  return whole;
}

const BLUEPRINTS = join(__dirname, "../../../../image/blueprints");

function outpostOf(type: string): Block {
  const text = readFileSync(join(BLUEPRINTS, `${type}.yaml`), "utf8").replaceAll(/!\w+/g, "");
  const { entries } = parse(text) as { readonly entries: readonly Block[] };
  return entries.find(({ model }) => model === "authentik_outposts.outpost") ?? {};
}

describe.each(["ldap", "radius"])("The outpost of the blueprint %s", (type) => {
  const config = valueAt(outpostOf(type), "attrs.config") as Record<string, never>;
  const patches = config.kubernetes_json_patches as unknown as Record<"deployment" | "service", readonly Patch[]>;
  const { deployment: draft, service: internal } = drafts(type);
  const deployment = patched(draft, patches.deployment);
  const service = patched(internal, patches.service);

  it("is valid, and the same after another look", () => {
    new Deployment(deployment as never).validate();
    new Service(service as never).validate();
    const found = structuredClone(deployment);
    const [container] = found.spec.template.spec.containers as unknown as Record<string, object>[];
    for (const [key, probe] of Object.entries(container ?? {})) {
      // What the API server adds where a probe leaves it out.
      const defaults = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
      if (key.endsWith("Probe")) Object.assign(container ?? {}, { [key]: { ...defaults, ...probe } });
    }
    expect(patched(found, patches.deployment)).toEqual(found);
    expect(patched(service, patches.service)).toEqual(service);
  });

  it("has what Autopilot and the restricted standard ask for, and probes", () => {
    const pod = valueAt(deployment, "spec.template.spec");
    expect(pod).toMatchObject({ automountServiceAccountToken: false });
    const container = valueAt(pod, "containers.0") as Block;
    const { limits, requests } = container.resources as Record<string, unknown>;
    expect(requests).toEqual({ cpu: "250m", memory: "512Mi", "ephemeral-storage": "1Gi" });
    expect(limits).toEqual(requests);
    expect(Object.keys(container)).toEqual(expect.arrayContaining(["startupProbe", "livenessProbe", "readinessProbe"]));
    expect(container.securityContext).toMatchObject({ runAsNonRoot: true, allowPrivilegeEscalation: false });
  });

  it("is reached inside the network alone, and asks for nothing that the role refuses", () => {
    expect(service.metadata).toMatchObject({ annotations: { "networking.gke.io/load-balancer-type": "Internal" } });
    expect(service.spec).toMatchObject({ externalTrafficPolicy: "Local" });
    expect(config.kubernetes_disabled_components).toEqual(["prometheus servicemonitor"]);
  });
});

it("Pods beside outposts have no privileges, and there are not many", () => {
  const namespace = kubernetesResource("kubernetes_namespace_v1.outposts");
  expect(JSON.stringify(valueAt(namespace, "metadata.labels"))).toContain('enforce\\" = \\"restricted');
  const quota = kubernetesResource("kubernetes_resource_quota_v1.outposts_quota");
  expect(valueAt(quota, "spec.hard")).toEqual({ pods: "20", "services.loadbalancers": "5" });
});

it("Outposts reach nothing but names and the server, and are reached from the ranges alone", () => {
  const policy = kubernetesResource("kubernetes_network_policy_v1.outposts_policy");
  expect(valueAt(policy, "spec.policy_types")).toEqual(["Ingress", "Egress"]);
  expect(valueAt(policy, "spec.pod_selector")).toEqual({});
  const [names, server, ...others] = valueAt(policy, "spec.egress") as Block[];
  expect(others).toEqual([]);
  expect(names).toEqual({ ports: ["UDP", "TCP"].map((protocol) => ({ protocol, port: "53" })) });
  expect(valueAt(server, "to.0.pod_selector.match_labels")).toMatchObject({ "app.kubernetes.io/component": "server" });
  expect(valueAt(policy, "spec.ingress.0.dynamic.from.for_each")).toBe(
    '${coalescelist(tolist(var.outpost_ranges), ["127.0.0.1/32"])}',
  );
  const ports = (valueAt(policy, "spec.ingress.0.ports") as Block[]).map(({ port, protocol }) =>
    [protocol, port].join(" "),
  );
  expect(ports).toEqual(["TCP 3389", "TCP 6636", "UDP 1812", "TCP 9000", "TCP 9443"]);
});
