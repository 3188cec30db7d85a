import {
  type DeploymentV1SpecTemplate,
  type DeploymentV1SpecTemplateSpec,
  type DeploymentV1SpecTemplateSpecContainer,
  type DeploymentV1SpecTemplateSpecContainerVolumeMount,
  type DeploymentV1SpecTemplateSpecInitContainer,
  type DeploymentV1SpecTemplateSpecVolume,
} from "@cdktf/provider-kubernetes/lib/deployment-v1";
import { type TerraformResource } from "cdktf";

import { type DeploymentContext } from "../../core/deployment-context";
import { addDynamicBlock, type DynamicBlock } from "../../core/expr/blocks";
import { conditionFrom } from "../../core/expr/conditions";
import { allOf, type Expr, namedText } from "../../core/expr/expr";
import { holdsFor } from "../../core/expr/functions";
import { type Labels } from "../../core/labels";
import { mebibytes } from "../../core/memory";
import { setNewerAttribute } from "../../core/newer-attribute";
import { prose } from "../../core/prose";
import { type ContainerSpec, type ProbeSpec, type ResourcesSpec } from "../../idp/container-spec";
import { DATABASE_PORT, RUNTIME_GROUP_ID, RUNTIME_USER_ID } from "../../idp/contract";
import { PUBLIC_IMAGES, referenceTo } from "../../idp/images";
import { type SqlInstance } from "../../idp/parts";
import { type InstanceSize } from "../../idp/worker";
import { addEntries, environmentOn } from "../environment";
import { type ClientAddress } from "./public-address";
import { type WorkloadSecret } from "./workload-secret";

/** Source ranges of the HTTP load balancer and its health checks. */
export const LOAD_BALANCER_RANGES = ["35.191.0.0/16", "130.211.0.0/22"];

/** Labels that select the pods of one part. */
export const partLabels = ({ deployment }: DeploymentContext, part: string) => ({
  "app.kubernetes.io/name": deployment.applicationName,
  "app.kubernetes.io/component": part,
});

/** A pod with one container and, if the container uses a database, the Cloud SQL proxy beside it. */
export interface PodSpec {
  readonly accountName: string;
  readonly container: ContainerSpec;
  /** Settings of the container that exist only on Kubernetes. */
  readonly details: Omit<
    DeploymentV1SpecTemplateSpecContainer,
    "env" | "image" | "resources" | "securityContext" | "volumeMount"
  > & { readonly volumeMount: readonly DeploymentV1SpecTemplateSpecContainerVolumeMount[] };
  readonly labels: Labels;
  /** Settings of the pod. */
  readonly own: Pick<
    DeploymentV1SpecTemplateSpec,
    | "activeDeadlineSeconds"
    | "nodeSelector"
    | "restartPolicy"
    | "terminationGracePeriodSeconds"
    | "topologySpreadConstraint"
  >;
  /** Time that a stopping proxy waits for open connections. */
  readonly proxyGraceSeconds: number;
  /** Volumes in addition to the container's buckets. */
  readonly volumes: readonly DeploymentV1SpecTemplateSpecVolume[];
}

/** Additions to a pod: blocks that exist only if a condition holds at plan. */
export interface PodExtension {
  /** Container that starts before the pod's own and stops after it. */
  readonly sidecar?: DynamicBlock;
  readonly volume: DynamicBlock;
  /** Mount of the volume in the pod's own container. */
  readonly mount: DynamicBlock;
}

/**
 * The pod template of a deployment or a job.
 *
 * It sets exactly what Autopilot's admission would otherwise add. An omission would be a diff in every plan. It would
 * also run a job again at every apply, because the template of a job is immutable.
 */
export function podTemplate(pod: PodSpec): DeploymentV1SpecTemplate {
  const { container, details, own } = pod;
  // The default suffices for a client that sends a few SQL statements.
  const { database, mounts = [], resources = { cpu: "250m", memory: "512Mi" } } = container;
  // Makes GKE inject the sidecar of the driver that mounts buckets.
  const annotations = mounts.length === 0 ? undefined : { "gke-gcsfuse/volumes": "true" };
  return {
    metadata: { labels: pod.labels, annotations },
    spec: {
      ...own,
      serviceAccountName: pod.accountName,
      automountServiceAccountToken: false,
      // Off, because the application could mistake service variables for its own settings.
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: String(RUNTIME_USER_ID),
        runAsGroup: String(RUNTIME_GROUP_ID),
        fsGroup: String(RUNTIME_GROUP_ID),
        seccompProfile: { type: "RuntimeDefault" },
      },
      // Admission adds it to every pod; omitting it would be a permanent diff, and make a job run again.
      toleration: [{ key: "kubernetes.io/arch", operator: "Equal", value: "amd64", effect: "NoSchedule" }],
      initContainer: database === undefined ? undefined : [databaseProxy(database.instance, pod)],
      container: [
        {
          command: container.command && [...container.command],
          args: container.args && [...container.args],
          ...details,
          image: container.image.containerImage,
          resources: sized(resources),
          securityContext: HARDENED,
          volumeMount: [...mounts.map(({ mountPath, name }) => ({ name, mountPath })), ...details.volumeMount],
        },
      ],
      volume: [
        ...mounts.map(({ bucketName, mountOptions, name }) => ({
          name,
          csi: {
            driver: "gcsfuse.csi.storage.gke.io",
            readOnly: false,
            volumeAttributes: { bucketName, mountOptions: mountOptions.join(",") },
          },
        })),
        ...pod.volumes,
      ],
    },
  };
}

/**
 * Adds what the bindings cannot express to a resource with such a template.
 *
 * @param secret copies of the secrets that the container gets as variables
 * @param additions address that clients connect to, additions to the pod, and the path of the pod in a cron job
 */
export function completePodTemplate(
  resource: TerraformResource,
  container: ContainerSpec,
  secret: WorkloadSecret,
  additions: {
    readonly address?: ClientAddress;
    readonly extensions?: readonly PodExtension[];
    readonly podPath?: string;
  } = {},
): void {
  const { address, extensions = [], podPath = "spec.template.spec" } = additions;
  // Makes the proxy a sidecar, which runs beside the container instead of before it.
  if (container.database) setNewerAttribute(resource, `${podPath}.init_container.0.restart_policy`, "Always");
  // The HTTPS load balancer appends its own address to X-Forwarded-For.
  const ownRange =
    address && namedText("load_balancer_ranges", `${address.address}/32${address.ipv6?.nextRange ?? ""}`);
  const environment = environmentOn(
    {
      databaseHost: LOOPBACK,
      loadBalancerRanges: [...LOAD_BALANCER_RANGES, ...(ownRange === undefined ? [] : [ownRange])],
      baseUrl: address?.url,
      passesTls: true,
      proxyQuitUrl: `http://${LOOPBACK}:${PROXY_ADMIN_PORT}/quitquitquit`,
    },
    container,
  );
  addEntries(resource, `${podPath}.container.0`, environment, secret.entries, literalText);
  addDynamicBlock(resource, podPath, "init_container", ...extensions.flatMap(({ sidecar }) => sidecar ?? []));
  addDynamicBlock(resource, podPath, "volume", ...extensions.map(({ volume }) => volume));
  addDynamicBlock(resource, `${podPath}.container.0`, "volume_mount", ...extensions.map(({ mount }) => mount));
}

const READINESS = { initialDelaySeconds: 0, periodSeconds: 15, timeoutSeconds: 15, failureThreshold: 3 } as const;

/** The probes of a container, in the format of Kubernetes; a container without a port has none. */
export function probes({ livenessProbe, port, probePort = port, startupProbe }: ContainerSpec) {
  const probe = (spec: ProbeSpec | undefined) => {
    if (spec === undefined || probePort === undefined) return undefined;
    const { path, ...timing } = spec;
    return { ...timing, httpGet: { path, port: String(probePort), scheme: "HTTP" } };
  };
  return {
    startupProbe: probe(startupProbe),
    livenessProbe: probe(livenessProbe),
    // The HTTP load balancer derives its health check from the readiness probe of a server. It removes a pod within 45
    // seconds, and adds it again within 15 seconds. With 200 requests at once, answers took over ten seconds in a test.
    readinessProbe: startupProbe && port !== undefined ? probe({ ...READINESS, path: startupProbe.path }) : undefined,
  };
}

/**
 * The Cloud SQL proxy as an init container; with its restart policy, it starts before the pod's other containers and
 * stops after them.
 */
function databaseProxy(database: SqlInstance, pod: PodSpec): DeploymentV1SpecTemplateSpecInitContainer {
  const health = (path: string) => ({ httpGet: { path, port: String(PROXY_HEALTH_PORT) }, timeoutSeconds: 5 });
  const quitsOnRequest = pod.container.database?.proxyQuitVariable !== undefined;
  return {
    name: "database-proxy",
    image: database.proxyImage ?? referenceTo(PUBLIC_IMAGES.databaseProxy, undefined),
    args: [
      `--address=${LOOPBACK}`,
      `--port=${DATABASE_PORT}`,
      `--private-ip=${conditionFrom(database.hasPrivateAddress).text}`,
      "--structured-logs",
      "--health-check",
      // Probes come from outside the pod.
      "--http-address=0.0.0.0",
      `--http-port=${PROXY_HEALTH_PORT}`,
      "--exit-zero-on-sigterm",
      `--max-sigterm-delay=${pod.proxyGraceSeconds}s`,
      ...(quitsOnRequest ? ["--quitquitquit", `--admin-port=${PROXY_ADMIN_PORT}`] : []),
      database.connectionName,
    ],
    // The other containers start once this has succeeded.
    startupProbe: { ...health("/startup"), periodSeconds: 1, failureThreshold: 60 },
    livenessProbe: { ...health("/liveness"), periodSeconds: 30, failureThreshold: 3 },
    // The smallest container that GKE offers, with room for its connections.
    resources: sized({ cpu: "100m", memory: "128Mi" }),
    securityContext: { ...HARDENED, readOnlyRootFilesystem: true },
  };
}

/** Address of the proxy for the other containers of the pod. */
const LOOPBACK = "127.0.0.1";

/** Default port on which the proxy accepts the request to quit. */
const PROXY_ADMIN_PORT = 9091;

/** Default port on which the proxy answers probes. */
const PROXY_HEALTH_PORT = 9090;

/** Requests and limits of a container, equal and complete, because admission would fill in missing values. */
export function sized({ cpu, memory }: ResourcesSpec) {
  // Admission lowers a limit to its request.
  const size = { cpu, memory, "ephemeral-storage": "1Gi" };
  return { requests: size, limits: size };
}

/**
 * Security context of every container: no privileges. Admission would otherwise add NET_RAW to the dropped
 * capabilities.
 */
export const HARDENED = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ["ALL", "NET_RAW"] },
  seccompProfile: { type: "RuntimeDefault" },
};

/**
 * A string, escaped so that the container gets it unchanged: Kubernetes would expand $(NAME), and reduce $$ to $.
 *
 * @param value Terraform expression, without `${}`
 */
export function literalText(value: string): string {
  return `\${replace(${value}, "$", "$$")}`;
}

const isCpu = (cpu: Expr<number>) => allOf(cpu.ge(0.5), cpu.le(28), cpu.modulo(0.25).eq(0));

/**
 * CPUs and memory of a pod: Autopilot's limits, minus the resources of the containers beside the server. The limits of
 * the memory depend on the CPUs; another rule refuses a wrong number of CPUs.
 *
 * @param recommended recommended number of CPUs
 */
export const podSize = (recommended: number): InstanceSize => ({
  cpuChoice: "0.5 to 28 in steps of 0.25",
  cpu: {
    condition: isCpu,
    must: `be 0.5 to 28 in steps of 0.25, because Autopilot offers no other pods; use ${recommended}`,
    schema: { minimum: 0.5, maximum: 28, multipleOf: 0.25 },
  },
  memory: {
    rule: prose`
      that fits the CPU, 1 to 6.5Gi per CPU and 108Gi at most,
      because Autopilot raises other requests and bills them
    `,
    fits: (cpu, memory) => {
      const isInRange = (gibibytes: Expr<number>) =>
        allOf(gibibytes.ge(cpu), gibibytes.le(cpu.times(6.5)), gibibytes.le(108));
      return isCpu(cpu)
        .not()
        .or(holdsFor(mebibytes(memory).dividedBy(1024), isInRange, "gibibytes"));
    },
  },
});
