import { type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

import { type IPodSpec } from "kubernetes-models/v1/PodSpec";

import { valueAt } from "../../../stacks/configuration-graph";
import { LoopbackServer } from "../../../support/loopback-server";
import { type Block } from "../../../support/synthesis";

const PATH = /^\/(?:api|apis\/([^/]+))\/\w+(?:\/namespaces\/([^/]+))?\/(\w+)(?:\/([^/]+))?(\/\w+)?(?:\?.*)?$/;
const VERBS: Block = { GET: "get", POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" };
const VERBS_OF_ALL: Block = { ...VERBS, GET: "list", DELETE: "deletecollection" };

type Container = IPodSpec["containers"][number];
/** `own` is what a container's security context leaves of its pod's. */
type Rules = Record<string, (own: NonNullable<Container["securityContext"]>, pod: IPodSpec) => unknown>;

/** What no workload may have on Autopilot. */
const AUTOPILOT: Rules = {
  "host namespaces": (_, pod) => pod.hostNetwork ?? pod.hostPID ?? pod.hostIPC,
  "hostPath volumes": (_, { volumes = [] }) => volumes.some(({ hostPath }) => hostPath),
  privileged: (own) => own.privileged,
};
/** And no pod by https://kubernetes.io/docs/concepts/security/pod-security-standards. */
const RESTRICTED: Rules = {
  ...AUTOPILOT,
  "allowPrivilegeEscalation != false": (own) => own.allowPrivilegeEscalation !== false,
  "unrestricted capabilities": (own) => !own.capabilities?.drop?.includes("ALL"),
  "added capabilities": (own) => own.capabilities?.add?.some((name) => name !== "NET_BIND_SERVICE"),
  "runAsNonRoot != true": (own) => own.runAsNonRoot !== true,
  "runAsUser=0": (own) => own.runAsUser === 0,
  seccompProfile: (own) => !["RuntimeDefault", "Localhost"].includes(own.seccompProfile?.type ?? ""),
};

function brokenBy(pod: IPodSpec, rules: Rules) {
  const containers = [...pod.containers, ...(pod.initContainers ?? [])];
  const contexts = containers.map((each) => ({ ...pod.securityContext, ...each.securityContext }));
  return Object.keys(rules).find((rule) => contexts.some((own) => rules[rule]?.(own, pod)));
}

const SIZE = { cpu: "500m", memory: "2Gi", "ephemeral-storage": "1Gi" };
const PROBE = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };

/** A container with the size that Autopilot gives it, whose limits are the requests, and whole probes. */
function completed(container: Container): Container {
  const requests = { ...SIZE, ...container.resources?.requests };
  const probes = Object.entries(container).filter(([key]) => key.endsWith("Probe"));
  const whole = probes.map(([key, probe]) => [key, { ...PROBE, ...(probe as object) }] as const);
  return { ...container, ...Object.fromEntries(whole), resources: { requests, limits: requests } };
}

const isMap = (value: unknown): value is Block => typeof value === "object" && value !== null && !Array.isArray(value);
const merged = (whole: unknown, patch: unknown): unknown =>
  isMap(whole) && isMap(patch)
    ? { ...whole, ...Object.fromEntries(Object.entries(patch).map(([key, each]) => [key, merged(whole[key], each)])) }
    : patch;

type Answer = Block & { readonly code: number };
const refusal = (code: number, reason: string, message: string): Answer => ({ code, kind: "Status", reason, message });

/** Resources of a stack, the pod security standard of its namespace, and the accounts of tokens. */
type Cluster = Readonly<Record<"binding" | "quota" | "role" | "tokens", Block>> & { readonly standard?: string };

/** A namespace on Autopilot as a service account meets it; what controllers do to an object is done with the answer. */
export class ApiServer extends LoopbackServer {
  /** Verb, status, resource and name of each call. */
  readonly calls: string[] = [];
  /** By resource and name. */
  readonly objects = new Map<string, Block>();
  pods: readonly { readonly of: string; readonly spec: IPodSpec }[] = [];

  constructor(private readonly cluster: Cluster) {
    super((request, response) => {
      void this.answer(request).then((answer) => response.writeHead(answer.code).end(JSON.stringify(answer)));
    });
  }

  private async answer(request: IncomingMessage) {
    const [, group = "", namespace = "", resource = "", nameInPath, part = ""] = PATH.exec(request.url ?? "") ?? [];
    const object = JSON.parse((await text(request)) || "{}") as Block;
    const verb = String((nameInPath === undefined ? VERBS_OF_ALL : VERBS)[request.method ?? ""]);
    const name = nameInPath ?? (valueAt(object, "metadata.name") as string | undefined) ?? "";
    const call = { group, namespace, resource: resource + part, verb };
    const answer = this.unauthorized(request.headers.authorization, call) ?? this.handle(verb, resource, name, object);
    this.calls.push(`${verb} ${answer.code} ${resource}/${name}`);
    return answer;
  }

  private unauthorized(header = "", { group, namespace, resource, verb }: Readonly<Record<string, string>>) {
    const { binding, role, tokens } = this.cluster;
    const account = tokens[header.replace("Bearer ", "")];
    if (account === undefined) return refusal(401, "Unauthorized", "Unauthorized");
    const subjects = valueAt(binding, "subject") as readonly Block[];
    const rules = valueAt(role, "rule") as readonly Readonly<Record<string, readonly unknown[]>>[];
    const asked = Object.entries({ api_groups: group, resources: resource, verbs: verb });
    const isAllowed =
      subjects.some((of) => [of.kind, of.namespace, of.name].join(":") === account) &&
      valueAt(binding, "role_ref.name") === valueAt(role, "metadata.name") &&
      [binding, role].every((each) => valueAt(each, "metadata.namespace") === namespace) &&
      rules.some((rule) => asked.every(([key, value]) => rule[key]?.includes(value)));
    return isAllowed ? undefined : refusal(403, "Forbidden", `cannot ${verb} ${resource} in "${namespace}"`);
  }

  private handle(verb: string, resource: string, name: string, object: Block): Answer {
    const key = `${resource}/${name}`;
    const found = this.objects.get(key);
    if (verb === "create" && found !== undefined) return refusal(409, "AlreadyExists", `${key} already exists`);
    if (verb !== "create" && found === undefined) return refusal(404, "NotFound", `${key} not found`);
    const others = this.pods.filter(({ of }) => of !== key);
    if (verb === "get") return { code: 200, ...found };
    if (verb === "delete") {
      this.objects.delete(key);
      this.pods = others;
      return { code: 200, kind: "Status" };
    }
    let kept = merged(found, object) as Block;
    const limit = (what: string) => Number((valueAt(this.cluster.quota, "spec.hard") as Block)[what]);
    const isBalanced = (service: Block) => valueAt(service, "spec.type") === "LoadBalancer";
    if (isBalanced(kept)) {
      const balanced = [...this.objects].filter(([each, service]) => each !== key && isBalanced(service));
      const room = limit("services.loadbalancers") - balanced.length;
      if (room <= 0) return refusal(403, "Forbidden", "exceeded quota: services.loadbalancers");
      kept = merged(kept, { metadata: { annotations: { "service.kubernetes.io/backend-service": name } } }) as Block;
    }
    if (resource === "deployments") {
      const [replicas, pod] = [Number(valueAt(kept, "spec.replicas")), valueAt(kept, "spec.template.spec") as IPodSpec];
      const spec = { ...pod, containers: pod.containers.map(completed) };
      const denied = brokenBy(spec, AUTOPILOT);
      if (denied !== undefined) return refusal(400, "GKE Warden constraints violations", denied);
      // The standard and the quota are for pods: the deployment is taken, and says why it has not all of them.
      const broken = this.cluster.standard === "restricted" ? brokenBy(spec, RESTRICTED) : undefined;
      const readyReplicas = broken === undefined ? Math.min(replicas, limit("pods") - others.length) : 0;
      this.pods = [...others, ...Array.from({ length: readyReplicas }, () => ({ of: key, spec }))];
      const failure = { type: "ReplicaFailure", message: broken ?? "exceeded quota: pods" };
      const status = { readyReplicas, conditions: readyReplicas < replicas ? [failure] : [] };
      kept = merged(kept, { spec: { template: { spec } }, status }) as Block;
    }
    this.objects.set(key, kept);
    return { code: verb === "create" ? 201 : 200, ...kept };
  }
}
