import { isValueObject, membersOf, sameValue, textAt, type Value, valueAt, type ValueObject } from "./terraform-value";

/** Requests of a container that states none. */
const DEFAULT_REQUESTS = { cpu: "500m", memory: "2Gi", "ephemeral-storage": "1Gi" };

const TOLERATION: ValueObject = {
  key: "kubernetes.io/arch",
  operator: "Equal",
  value: "amd64",
  effect: "NoSchedule",
  toleration_seconds: null,
};

/** Annotations that admission adds to every workload. */
export const ADMISSION_ANNOTATIONS = {
  "autopilot.gke.io/resource-adjustment": '{"modified":true}',
  "autopilot.gke.io/warden-version": "34.1.0",
} as const;

/** What GKE adds to a pod that mounts a bucket, which counts as the pod's. */
const BUCKET_SIDECAR = { cpu: 0.25, memoryMebibytes: 256 };

/** Memory that a pod has for each CPU, over all of its containers. */
const GIBIBYTES_FOR_A_CPU = { least: 1, most: 6.5 } as const;

/** The least that a pod gets. */
const LEAST = { cpu: 0.05, memoryMebibytes: 52 } as const;

/** The number of CPUs, or of MiB of memory. */
function quantity(value: Value): number {
  const text = typeof value === "number" ? String(value) : textAt({ value }, "value");
  const [, number = "", unit = ""] = /^([0-9.]+)(m|Mi|Gi)?$/.exec(text) ?? [];
  return Number(number) * ({ m: 0.001, Gi: 1024 }[unit] ?? 1);
}

/** The first container with more CPU or memory, where the whole pod has too little of one for the other. */
function balanced(containers: readonly Value[], further: readonly Value[], mountsBuckets: boolean): readonly Value[] {
  const [first, ...others] = containers;
  const requests = valueAt(first, "resources.0.requests");
  if (!isValueObject(first) || !isValueObject(requests)) return containers;
  const sum = (name: string, added: number) =>
    [...others, ...further]
      .map((each) => quantity(valueAt(each, `resources.0.requests.${name}`)))
      .reduce((total, each) => total + each, added);
  const sidecar = mountsBuckets ? BUCKET_SIDECAR : { cpu: 0, memoryMebibytes: 0 };
  const [cpuOfOthers, memoryOfOthers] = [sum("cpu", sidecar.cpu), sum("memory", sidecar.memoryMebibytes)];
  const cpu = Math.max(quantity(requests.cpu ?? ""), LEAST.cpu - cpuOfOthers);
  const memory = Math.max(quantity(requests.memory ?? ""), LEAST.memoryMebibytes - memoryOfOthers);
  const { least, most } = GIBIBYTES_FOR_A_CPU;
  const leastMemory = (cpu + cpuOfOthers) * least * 1024 - memoryOfOthers;
  const leastCpu = (memory + memoryOfOthers) / 1024 / most - cpuOfOthers;
  if (memory >= leastMemory && cpu >= leastCpu) return containers;
  const raised = {
    ...requests,
    cpu: `${Math.ceil(Math.max(cpu, leastCpu) * 1000)}m`,
    memory: `${Math.ceil(Math.max(memory, leastMemory))}Mi`,
  };
  return [{ ...first, resources: [{ requests: raised, limits: raised }] }, ...others];
}

/** A pod template after Autopilot's admission, which adds what is missing, and raises what is out of proportion. */
export function admittedTemplate(template: Value): Value {
  const pod = valueAt(template, "spec.0");
  if (!isValueObject(template) || !isValueObject(pod)) return template;
  const tolerations = membersOf(pod.toleration);
  const isTolerated = tolerations.some((toleration) => sameValue(toleration, TOLERATION));
  const profile = { seccomp_profile: [{ type: "RuntimeDefault", localhost_profile: null }] };
  const hasProfile = textAt(pod, "security_context.0.seccomp_profile.0.type") !== "";
  const containers = membersOf(pod.container).map(admittedContainer);
  const initContainers = membersOf(pod.init_container).map(admittedContainer);
  const mountsBuckets = textAt(template, "metadata.0.annotations.gke-gcsfuse/volumes") === "true";
  const admitted: ValueObject = {
    ...pod,
    toleration: isTolerated ? tolerations : [...tolerations, TOLERATION],
    security_context: [blockWith(valueAt(pod, "security_context.0"), hasProfile ? {} : profile)],
    container: balanced(containers, initContainers, mountsBuckets),
    init_container: initContainers,
  };
  return { ...template, spec: [admitted] };
}

/** A block with further members, which is created if it is missing. */
function blockWith(value: Value, members: ValueObject): ValueObject {
  return { ...(isValueObject(value) ? value : {}), ...members };
}

function admittedContainer(container: Value): Value {
  const context = valueAt(container, "security_context.0");
  const dropped = membersOf(valueAt(context, "capabilities.0.drop"));
  const drop = dropped.includes("NET_RAW") ? dropped : [...dropped, "NET_RAW"];
  const capabilities = blockWith(valueAt(context, "capabilities.0"), { drop });
  const escalation = valueAt(context, "allow_privilege_escalation") ?? false;
  const requests = blockWith(DEFAULT_REQUESTS, blockWith(valueAt(container, "resources.0.requests"), {}));
  const limits = blockWith(requests, blockWith(valueAt(container, "resources.0.limits"), {}));
  return blockWith(container, {
    security_context: [blockWith(context, { allow_privilege_escalation: escalation, capabilities: [capabilities] })],
    resources: [{ requests, limits }],
  });
}
