import { containersOf } from "./pod-template";
import { GIBIBYTE, quantity } from "../quantity";
import { isValueObject, membersOf, sameValue, textAt, type Value, valueAt, type ValueObject } from "../terraform-value";

/** Requests of a container that states none. */
const DEFAULT_REQUESTS = { cpu: "500m", memory: "2Gi", "ephemeral-storage": "1Gi" } as const;

/** Minimum CPU of a pod. */
const LEAST_CPU = 0.05;
const LEAST_MEMORY = 52 * 2 ** 20;

/** Allowed range of gibibytes per CPU. */
const LEAST_RATIO = 1;
const MOST_RATIO = 6.5;

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

/**
 * A pod template after Autopilot's admission: missing values are added and others corrected.
 *
 * An equal value in another notation is kept: the provider ignores such a difference too.
 */
export function admittedTemplate(template: Value): Value {
  const pod = valueAt(template, "spec.0");
  if (!isValueObject(template) || !isValueObject(pod)) return template;
  const tolerations = membersOf(pod.toleration);
  const tolerated = tolerations.some((toleration) => sameValue(toleration, TOLERATION));
  const admitted: ValueObject = {
    ...pod,
    toleration: tolerated ? tolerations : [...tolerations, TOLERATION],
    security_context: [withSeccompProfile(valueAt(pod, "security_context.0"))],
    container: membersOf(pod.container).map(admittedContainer),
    init_container: membersOf(pod.init_container).map(admittedContainer),
  };
  return { ...template, spec: [withinBounds(admitted)] };
}

/** Adds members to a block, which is created if missing. */
function block(value: Value, members: ValueObject): ValueObject {
  return { ...(isValueObject(value) ? value : {}), ...members };
}

function withSeccompProfile(context: Value): ValueObject {
  const type = textAt(context, "seccomp_profile.0.type");
  if (type !== "") return context as ValueObject;
  return block(context, { seccomp_profile: [{ type: "RuntimeDefault", localhost_profile: null }] });
}

function admittedContainer(container: Value): Value {
  if (!isValueObject(container)) return container;
  const context = valueAt(container, "security_context.0");
  const dropped = membersOf(valueAt(context, "capabilities.0.drop"));
  const drop = dropped.includes("NET_RAW") ? dropped : [...dropped, "NET_RAW"];
  const capabilities = block(valueAt(context, "capabilities.0"), { drop });
  const escalation = valueAt(context, "allow_privilege_escalation") ?? false;
  return {
    ...container,
    security_context: [block(context, { allow_privilege_escalation: escalation, capabilities: [capabilities] })],
    resources: [admittedResources(valueAt(container, "resources.0"))],
  };
}

/** Sets all requests and limits; the storage limit is at most the request. */
function admittedResources(resources: Value): ValueObject {
  const requests = { ...DEFAULT_REQUESTS, ...mapAt(resources, "requests") };
  const limits = { ...requests, ...mapAt(resources, "limits") };
  const storage = "ephemeral-storage";
  const lowered = quantity(limits[storage]) > quantity(requests[storage]) ? { [storage]: requests[storage] } : {};
  return { requests, limits: { ...limits, ...lowered } };
}

function mapAt(value: Value, path: string): Partial<Record<keyof typeof DEFAULT_REQUESTS, string>> {
  const found = valueAt(value, path);
  return isValueObject(found) ? found : {};
}

/** Raises CPU or memory of the first container to the minimum and to the allowed ratio. */
function withinBounds(pod: ValueObject): ValueObject {
  const running = [
    ...membersOf(pod.container),
    ...membersOf(pod.init_container).filter((container) => textAt(container, "restart_policy") === "Always"),
  ];
  const total = (resource: string) =>
    running.reduce<number>(
      (sum, container) => sum + quantity(textAt(container, `resources.0.requests.${resource}`)),
      0,
    );
  const cpu = total("cpu");
  const memory = total("memory");
  const enoughCpu = Math.max(cpu, LEAST_CPU, memory / GIBIBYTE / MOST_RATIO);
  const enoughMemory = Math.max(memory, LEAST_MEMORY, enoughCpu * LEAST_RATIO * GIBIBYTE);
  if (enoughCpu === cpu && enoughMemory === memory) return pod;
  const [first, ...others] = membersOf(pod.container);
  const raised = {
    cpu: `${Math.ceil((quantity(textAt(first, "resources.0.requests.cpu")) + enoughCpu - cpu) * 1000)}m`,
    memory: `${Math.ceil((quantity(textAt(first, "resources.0.requests.memory")) + enoughMemory - memory) / 2 ** 20)}Mi`,
  };
  const resources = valueAt(first, "resources.0");
  return {
    ...pod,
    container: [
      block(first ?? null, {
        resources: [
          {
            requests: { ...mapAt(resources, "requests"), ...raised },
            limits: { ...mapAt(resources, "limits"), ...raised },
          },
        ],
      }),
      ...others,
    ],
  };
}

/** Whether a pod with buckets lacks the annotation for the sidecar that mounts them. */
export function lacksBucketSidecar(template: Value, buckets: readonly string[]): boolean {
  const annotations = valueAt(template, "metadata.0.annotations");
  const annotation = isValueObject(annotations) ? annotations["gke-gcsfuse/volumes"] : null;
  return buckets.length > 0 && containersOf(valueAt(template, "spec.0")).length > 0 && annotation !== "true";
}
