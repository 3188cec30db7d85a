import { valueAt } from "../../../stacks/configuration-graph";

/** A pod in the form of the Kubernetes API, or a container of one. */
export type Part = Readonly<Record<string, unknown>>;

/** A control: what it is called, whether a pod breaks it, and fields of a pod or its first container that break it alone. */
type Control = readonly [
  name: string,
  isBroken: (pod: Part) => boolean,
  breach: { readonly pod?: Part; readonly container?: Part },
];

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
const isBeyond =
  (...allowed: readonly unknown[]) =>
  (value: unknown) =>
    isGiven(value) && !allowed.includes(value);
const hasBeyond =
  (...allowed: readonly unknown[]) =>
  (values: unknown = []) =>
    (values as readonly unknown[]).some(isBeyond(...allowed));

const VOLUMES = ["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image"].concat([
  ...["name", "persistentVolumeClaim", "projected", "secret"],
]);
const SYSCTLS = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.ip_unprivileged_port_start",
].concat([
  ...["net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range", "net.ipv4.ip_local_reserved_ports"],
  ...["net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl"],
  "net.ipv4.tcp_keepalive_probes",
]);
const SELINUX_TYPES = ["container_t", "container_init_t", "container_kvm_t", "container_engine_t"];

const HOSTS = ["livenessProbe", "readinessProbe", "startupProbe", "lifecycle.postStart", "lifecycle.preStop"].flatMap(
  (probe) => [`${probe}.httpGet.host`, `${probe}.tcpSocket.host`],
);

const context = (securityContext: Part) => ({ securityContext });

/**
 * The restricted pod security standard of Kubernetes, which contains the baseline: one row per control of
 * https://kubernetes.io/docs/concepts/security/pod-security-standards/, in its order.
 */
export const RESTRICTED_STANDARD: readonly Control[] = [
  [
    "no process of the host",
    inAnyContext("windowsOptions.hostProcess", is(true)),
    { container: context({ windowsOptions: { hostProcess: true } }) },
  ],
  [
    "no namespace of the host",
    (pod) => ["hostIPC", "hostNetwork", "hostPID"].some((name) => pod[name] === true),
    { pod: { hostPID: true } },
  ],
  ["no privileged container", inAnyContext("privileged", is(true)), { container: context({ privileged: true }) }],
  [
    "all capabilities dropped",
    ofAnyContainer("securityContext.capabilities.drop", (drop = []) => !(drop as readonly unknown[]).includes("ALL")),
    { container: context({ capabilities: { drop: ["NET_RAW"] } }) },
  ],
  [
    "no capability added but the one for low ports",
    ofAnyContainer("securityContext.capabilities.add", hasBeyond("NET_BIND_SERVICE")),
    { container: context({ capabilities: { add: ["SYS_ADMIN"], drop: ["ALL"] } }) },
  ],
  [
    "no volume of a kind that reaches the host",
    ({ volumes = [] }) => (volumes as readonly Part[]).some((volume) => hasBeyond(...VOLUMES)(Object.keys(volume))),
    { pod: { volumes: [{ name: "host", hostPath: { path: "/" } }] } },
  ],
  [
    "no port of the host",
    ofAnyContainer("ports", (ports = []) => (ports as readonly Part[]).some(({ hostPort }) => isGiven(hostPort))),
    { container: { ports: [{ hostPort: 80 }] } },
  ],
  [
    "no probe or hook of another host",
    (pod) => HOSTS.some((host) => ofAnyContainer(host, isGiven)(pod)),
    { container: { livenessProbe: { httpGet: { host: "metadata.internal" } } } },
  ],
  [
    "AppArmor on",
    inAnyContext("appArmorProfile.type", is("Unconfined")),
    { container: context({ appArmorProfile: { type: "Unconfined" } }) },
  ],
  [
    "SELinux as the container runtime has it",
    (pod) =>
      inAnyContext("seLinuxOptions.type", isBeyond(...SELINUX_TYPES))(pod) ||
      ["user", "role"].some((name) => inAnyContext(`seLinuxOptions.${name}`, isGiven)(pod)),
    { pod: context({ seLinuxOptions: { type: "spc_t" } }) },
  ],
  [
    "the default mask of /proc",
    ofAnyContainer("securityContext.procMount", isBeyond("Default")),
    { container: context({ procMount: "Unmasked" }) },
  ],
  [
    "no setting of the kernel but the safe ones",
    (pod) => {
      const settings = (valueAt(pod, "securityContext.sysctls") ?? []) as readonly Part[];
      return hasBeyond(...SYSCTLS)(settings.map(({ name }) => name));
    },
    { pod: context({ sysctls: [{ name: "kernel.msgmax" }] }) },
  ],
  [
    "no escalation of privileges",
    ofAnyContainer("securityContext.allowPrivilegeEscalation", isNot(false)),
    { container: context({ allowPrivilegeEscalation: true }) },
  ],
  [
    "somebody says that nothing runs as root",
    (pod) =>
      nobodySays("runAsNonRoot", is(true))(pod) || ofAnyContainer("securityContext.runAsNonRoot", is(false))(pod),
    { container: context({ runAsNonRoot: false }) },
  ],
  ["no user 0", inAnyContext("runAsUser", is(0)), { container: context({ runAsUser: 0 }) }],
  [
    "system calls filtered",
    (pod) =>
      nobodySays("seccompProfile.type", (type) => type === "RuntimeDefault" || type === "Localhost")(pod) ||
      inAnyContext("seccompProfile.type", is("Unconfined"))(pod),
    { pod: context({ seccompProfile: { type: "Unconfined" } }) },
  ],
];
