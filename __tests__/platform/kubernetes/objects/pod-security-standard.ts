/** A container, with the fields that the standard covers. */
interface Container {
  readonly name: string;
  readonly ports?: readonly { readonly hostPort?: number }[];
  readonly securityContext?: SecurityContext;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly lifecycle?: { readonly postStart?: Probe; readonly preStop?: Probe };
}

interface Probe {
  readonly httpGet?: { readonly host?: string };
  readonly tcpSocket?: { readonly host?: string };
}

interface SecurityContext {
  readonly allowPrivilegeEscalation?: boolean;
  readonly appArmorProfile?: { readonly type?: string };
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  readonly privileged?: boolean;
  readonly procMount?: string;
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly seccompProfile?: { readonly type?: string };
  readonly seLinuxOptions?: { readonly type?: string; readonly user?: string; readonly role?: string };
  readonly sysctls?: readonly { readonly name: string }[];
  readonly windowsOptions?: { readonly hostProcess?: boolean };
}

/** A pod in the form of the Kubernetes API, with the fields that the standard covers. */
export interface Pod {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly hostIPC?: boolean;
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly securityContext?: SecurityContext;
  readonly volumes?: readonly Readonly<Record<string, unknown>>[];
}

/** One control of the standard. */
export interface Control {
  readonly name: string;
  /** Everything in a pod that the control forbids, as readable places. */
  readonly violations: (pod: Pod) => readonly string[];
  /** Fields that break only this control, to be merged into a pod or its first container. */
  readonly breach: { readonly pod?: Partial<Pod>; readonly container?: Partial<Container> };
}

const ALLOWED_VOLUMES = [
  ...[
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
  ],
];

const ALLOWED_SELINUX_TYPES = ["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"];

const ALLOWED_SYSCTLS = [
  ...["kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.ip_unprivileged_port_start"],
  ...["net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range", "net.ipv4.ip_local_reserved_ports"],
  ...["net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl"],
  "net.ipv4.tcp_keepalive_probes",
];

const allContainers = ({ containers, initContainers = [] }: Pod): readonly Container[] => [
  ...initContainers,
  ...containers,
];

/** Names of the containers that meet a condition. */
const containersWhere = (pod: Pod, holds: (container: Container) => boolean): string[] =>
  allContainers(pod)
    .filter(holds)
    .map(({ name }) => `container ${name}`);

/** The security contexts, of the pod and its containers, that meet a condition. */
const contextsWhere = (pod: Pod, holds: (context: SecurityContext) => boolean): string[] => [
  ...(holds(pod.securityContext ?? {}) ? ["pod"] : []),
  ...containersWhere(pod, ({ securityContext = {} }) => holds(securityContext)),
];

/** Containers for which neither their own context nor the pod's meets a condition. */
const nobodySays = (pod: Pod, says: (context: SecurityContext) => boolean): string[] =>
  containersWhere(pod, ({ securityContext = {} }) => !says(securityContext) && !says(pod.securityContext ?? {}));

const hasHost = (probe: Probe | undefined): boolean =>
  (probe?.httpGet?.host ?? "") !== "" || (probe?.tcpSocket?.host ?? "") !== "";

/**
 * The restricted pod security standard of Kubernetes, which contains the baseline: one row per control of
 * https://kubernetes.io/docs/concepts/security/pod-security-standards/, in its order.
 */
export const RESTRICTED_STANDARD: readonly Control[] = [
  {
    name: "no process of the host",
    violations: (pod) => contextsWhere(pod, ({ windowsOptions }) => windowsOptions?.hostProcess === true),
    breach: { container: { securityContext: { windowsOptions: { hostProcess: true } } } },
  },
  {
    name: "no namespace of the host",
    violations: (pod) => (["hostIPC", "hostNetwork", "hostPID"] as const).filter((name) => pod[name] === true),
    breach: { pod: { hostPID: true } },
  },
  {
    name: "no privileged container",
    violations: (pod) => containersWhere(pod, ({ securityContext }) => securityContext?.privileged === true),
    breach: { container: { securityContext: { privileged: true } } },
  },
  {
    name: "all capabilities dropped",
    violations: (pod) =>
      containersWhere(pod, ({ securityContext }) => securityContext?.capabilities?.drop?.includes("ALL") !== true),
    breach: { container: { securityContext: { capabilities: { drop: ["NET_RAW"] } } } },
  },
  {
    name: "no capability added but the one for low ports",
    violations: (pod) =>
      containersWhere(
        pod,
        ({ securityContext }) =>
          securityContext?.capabilities?.add?.some((capability) => capability !== "NET_BIND_SERVICE") === true,
      ),
    breach: { container: { securityContext: { capabilities: { add: ["SYS_ADMIN"], drop: ["ALL"] } } } },
  },
  {
    name: "no volume of a kind that reaches the host",
    violations: ({ volumes = [] }) =>
      volumes
        .filter((volume) => !Object.keys(volume).every((field) => field === "name" || ALLOWED_VOLUMES.includes(field)))
        .map(({ name }) => `volume ${String(name)}`),
    breach: { pod: { volumes: [{ name: "host", hostPath: { path: "/" } }] } },
  },
  {
    name: "no port of the host",
    violations: (pod) => containersWhere(pod, ({ ports = [] }) => ports.some(({ hostPort = 0 }) => hostPort !== 0)),
    breach: { container: { ports: [{ hostPort: 80 }] } },
  },
  {
    name: "no probe or hook of another host",
    violations: (pod) =>
      containersWhere(pod, ({ lifecycle, livenessProbe, readinessProbe, startupProbe }) =>
        [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].some(hasHost),
      ),
    breach: { container: { livenessProbe: { httpGet: { host: "metadata.internal" } } } },
  },
  {
    name: "AppArmor on",
    violations: (pod) => contextsWhere(pod, ({ appArmorProfile }) => appArmorProfile?.type === "Unconfined"),
    breach: { container: { securityContext: { appArmorProfile: { type: "Unconfined" } } } },
  },
  {
    name: "SELinux as the container runtime has it",
    violations: (pod) =>
      contextsWhere(
        pod,
        ({ seLinuxOptions: { type = "", user = "", role = "" } = {} }) =>
          !ALLOWED_SELINUX_TYPES.includes(type) || user !== "" || role !== "",
      ),
    breach: { pod: { securityContext: { seLinuxOptions: { type: "spc_t" } } } },
  },
  {
    name: "the default mask of /proc",
    violations: (pod) =>
      containersWhere(pod, ({ securityContext }) => (securityContext?.procMount ?? "Default") !== "Default"),
    breach: { container: { securityContext: { procMount: "Unmasked" } } },
  },
  {
    name: "no setting of the kernel but the safe ones",
    violations: ({ securityContext: { sysctls = [] } = {} }) =>
      sysctls.map(({ name }) => name).filter((name) => !ALLOWED_SYSCTLS.includes(name)),
    breach: { pod: { securityContext: { sysctls: [{ name: "kernel.msgmax" }] } } },
  },
  {
    name: "no escalation of privileges",
    violations: (pod) =>
      containersWhere(pod, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false),
    breach: { container: { securityContext: { allowPrivilegeEscalation: true } } },
  },
  {
    name: "somebody says that nothing runs as root",
    violations: (pod) => [
      ...nobodySays(pod, ({ runAsNonRoot }) => runAsNonRoot === true),
      ...containersWhere(pod, ({ securityContext }) => securityContext?.runAsNonRoot === false),
    ],
    breach: { container: { securityContext: { runAsNonRoot: false } } },
  },
  {
    name: "no user 0",
    violations: (pod) => contextsWhere(pod, ({ runAsUser }) => runAsUser === 0),
    breach: { container: { securityContext: { runAsUser: 0 } } },
  },
  {
    name: "system calls filtered",
    violations: (pod) => [
      ...nobodySays(pod, ({ seccompProfile }) => ["RuntimeDefault", "Localhost"].includes(seccompProfile?.type ?? "")),
      ...contextsWhere(pod, ({ seccompProfile }) => seccompProfile?.type === "Unconfined"),
    ],
    breach: { pod: { securityContext: { seccompProfile: { type: "Unconfined" } } } },
  },
];
