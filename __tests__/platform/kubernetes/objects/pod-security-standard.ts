import { valueAt } from "../../../stacks/configuration-graph";

/** A pod in the form of the Kubernetes API, or a container of one. */
export type Part = Readonly<Record<string, unknown>>;

/** What a control is called, and whether a pod breaks it. */
type Control = readonly [name: string, isBroken: (pod: Part) => boolean];

const containersOf = ({ containers = [], initContainers = [] }: Part) => [
  ...(initContainers as readonly Part[]),
  ...(containers as readonly Part[]),
];

const ofAnyContainer = (path: string, isBad: (value: unknown) => boolean) => (pod: Part) =>
  containersOf(pod).some((container) => isBad(valueAt(container, path)));

const inAnyContext = (path: string, isBad: (value: unknown) => boolean) => (pod: Part) =>
  [pod, ...containersOf(pod)].some((part) => isBad(valueAt(part, `securityContext.${path}`)));

/** For some container, neither its own context nor the pod's is good. */
const nobodySays = (path: string, isGood: (value: unknown) => boolean) => (pod: Part) =>
  containersOf(pod).some((container) =>
    [container, pod].every((part) => !isGood(valueAt(part, `securityContext.${path}`))),
  );

const is = (expected: unknown) => (value: unknown) => value === expected;
const isNot = (expected: unknown) => (value: unknown) => value !== expected;
const isGiven = (value: unknown) => value !== undefined && value !== "" && value !== 0;
const hasBeyond =
  (...allowed: readonly unknown[]) =>
  (values: unknown = []) =>
    (values as readonly unknown[]).some((value) => !allowed.includes(value));

const VOLUMES = ["configMap", "csi", "emptyDir", "name", "persistentVolumeClaim", "projected", "secret"];
/**
 * The restricted pod security standard of Kubernetes, which contains the baseline:
 * https://kubernetes.io/docs/concepts/security/pod-security-standards/. Options of SELinux, the kernel and /proc, of
 * which it allows some, are not used at all.
 */
export const RESTRICTED_STANDARD: readonly Control[] = [
  ["no namespace of the host", (pod) => ["hostIPC", "hostNetwork", "hostPID"].some((name) => pod[name] === true)],
  ["no privileged container", inAnyContext("privileged", is(true))],
  [
    "all capabilities dropped",
    ofAnyContainer("securityContext.capabilities.drop", (drop = []) => !(drop as readonly unknown[]).includes("ALL")),
  ],
  [
    "no capability added but the one for low ports",
    ofAnyContainer("securityContext.capabilities.add", hasBeyond("NET_BIND_SERVICE")),
  ],
  [
    "no volume of a kind that reaches the host",
    ({ volumes = [] }) => (volumes as readonly Part[]).some((volume) => hasBeyond(...VOLUMES)(Object.keys(volume))),
  ],
  [
    "no port of the host",
    ofAnyContainer("ports", (ports = []) => (ports as readonly Part[]).some(({ hostPort }) => isGiven(hostPort))),
  ],
  ["AppArmor on", inAnyContext("appArmorProfile.type", is("Unconfined"))],
  ["no SELinux options", inAnyContext("seLinuxOptions", isGiven)],
  ["no settings of the kernel", inAnyContext("sysctls", isGiven)],
  ["the default mask of /proc", ofAnyContainer("securityContext.procMount", isGiven)],
  ["no escalation of privileges", ofAnyContainer("securityContext.allowPrivilegeEscalation", isNot(false))],
  [
    "somebody says that nothing runs as root",
    (pod) =>
      nobodySays("runAsNonRoot", is(true))(pod) || ofAnyContainer("securityContext.runAsNonRoot", is(false))(pod),
  ],
  ["no user 0", inAnyContext("runAsUser", is(0))],
  [
    "system calls filtered",
    (pod) =>
      nobodySays("seccompProfile.type", (type) => type === "RuntimeDefault" || type === "Localhost")(pod) ||
      inAnyContext("seccompProfile.type", is("Unconfined"))(pod),
  ],
];
