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

/** A pod template after Autopilot's admission, which adds what is missing. */
export function admittedTemplate(template: Value): Value {
  const pod = valueAt(template, "spec.0");
  if (!isValueObject(template) || !isValueObject(pod)) return template;
  const tolerations = membersOf(pod.toleration);
  const isTolerated = tolerations.some((toleration) => sameValue(toleration, TOLERATION));
  const profile = { seccomp_profile: [{ type: "RuntimeDefault", localhost_profile: null }] };
  const hasProfile = textAt(pod, "security_context.0.seccomp_profile.0.type") !== "";
  const admitted: ValueObject = {
    ...pod,
    toleration: isTolerated ? tolerations : [...tolerations, TOLERATION],
    security_context: [blockWith(valueAt(pod, "security_context.0"), hasProfile ? {} : profile)],
    container: membersOf(pod.container).map(admittedContainer),
    init_container: membersOf(pod.init_container).map(admittedContainer),
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
