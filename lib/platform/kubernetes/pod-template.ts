import {
  type DeploymentV1SpecTemplate,
  type DeploymentV1SpecTemplateSpecContainer,
  type DeploymentV1SpecTemplateSpecContainerStartupProbe,
  type DeploymentV1SpecTemplateSpecContainerVolumeMount,
  type DeploymentV1SpecTemplateSpecInitContainer,
  type DeploymentV1SpecTemplateSpecTopologySpreadConstraint,
  type DeploymentV1SpecTemplateSpecVolume,
} from "@cdktf/provider-kubernetes/lib/deployment-v1";
import { type TerraformResource } from "cdktf";

import { addDynamicBlock } from "../../core/conditional";
import { type Labels } from "../../core/labels";
import { setNewerAttribute } from "../../core/newer-attribute";
import { type ContainerSpec, type ProbeSpec, type ResourcesSpec } from "../../idp/container-spec";
import { DATABASE_PORT, RUNTIME_GROUP_ID, RUNTIME_USER_ID } from "../../idp/contract";
import { addEntries, environmentOn } from "../environment";
import { type SqlInstance, type WorkloadAddress } from "../parts";
import {
  ARCHITECTURE_TOLERATION,
  BUCKET_ANNOTATION,
  BUCKET_DRIVER,
  LOAD_BALANCER_RANGES,
  LOOPBACK,
  PROXY_ADMIN_PORT,
  PROXY_HEALTH_PORT,
  PROXY_IMAGE,
  PROXY_QUIT_URL,
  PROXY_SIZE,
} from "./kubernetes-defaults";
import { hardened, literalText, type PodExtension, sized } from "./pod-container";
import { type WorkloadAccount } from "./workload-account";
import { type WorkloadSecret } from "./workload-secret";

/** A pod with one container and, if that has a database, the Cloud SQL proxy beside it. */
interface PodSpec {
  readonly account: WorkloadAccount;

  /** Container to run. */
  readonly container: ContainerSpec;

  /** Settings of the container that exist only on Kubernetes. */
  readonly details: Omit<
    DeploymentV1SpecTemplateSpecContainer,
    "env" | "image" | "resources" | "securityContext" | "volumeMount"
  > & { readonly volumeMount: readonly DeploymentV1SpecTemplateSpecContainerVolumeMount[] };

  readonly labels: Labels;

  /** How long the proxy waits for open connections after it is told to stop. */
  readonly proxyGraceSeconds: number;

  readonly resources: ResourcesSpec;

  /** Copies of the secrets that the container gets as variables. */
  readonly secret: WorkloadSecret;

  readonly terminationGracePeriodSeconds: number;

  /** Volumes in addition to those of the container's buckets. */
  readonly volumes: readonly DeploymentV1SpecTemplateSpecVolume[];

  /** @default - none */
  readonly activeDeadlineSeconds?: number;

  /** @default "Always" */
  readonly restartPolicy?: "Always" | "Never";

  /** @default - no preference */
  readonly topologySpreadConstraint?: DeploymentV1SpecTemplateSpecTopologySpreadConstraint[];
}

/**
 * The pod template of a deployment or a job.
 *
 * It sets exactly what Autopilot's admission would otherwise add. An omission would be a diff in every plan, and for a
 * job, whose template is immutable, another run at every apply.
 */
export function podTemplate(pod: PodSpec): DeploymentV1SpecTemplate {
  const { container, details, secret } = pod;
  const { database, mounts = [] } = container;
  return {
    metadata: { labels: pod.labels, annotations: mounts.length === 0 ? undefined : { ...BUCKET_ANNOTATION } },
    spec: {
      serviceAccountName: pod.account.accountName,
      automountServiceAccountToken: false,
      // The application could mistake service variables for its own settings.
      enableServiceLinks: false,
      restartPolicy: pod.restartPolicy ?? "Always",
      terminationGracePeriodSeconds: pod.terminationGracePeriodSeconds,
      activeDeadlineSeconds: pod.activeDeadlineSeconds,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: String(RUNTIME_USER_ID),
        runAsGroup: String(RUNTIME_GROUP_ID),
        fsGroup: String(RUNTIME_GROUP_ID),
        seccompProfile: { type: "RuntimeDefault" },
      },
      toleration: [{ ...ARCHITECTURE_TOLERATION }],
      topologySpreadConstraint: pod.topologySpreadConstraint,
      initContainer: database === undefined ? undefined : [databaseProxy(database.instance, pod)],
      container: [
        {
          command: container.command && [...container.command],
          args: container.args && [...container.args],
          ...details,
          image: container.image.containerImage,
          env: Object.keys(container.secretEnvironment).map((name) => ({
            name,
            valueFrom: { secretKeyRef: { name: secret.secretName, key: name } },
          })),
          resources: sized(pod.resources),
          securityContext: hardened(),
          volumeMount: [...mounts.map(({ mountPath, name }) => ({ name, mountPath })), ...details.volumeMount],
        },
      ],
      volume: [
        ...mounts.map(({ bucketName, mountOptions, name }) => ({
          name,
          csi: {
            driver: BUCKET_DRIVER,
            readOnly: false,
            volumeAttributes: { bucketName, mountOptions: mountOptions.join(",") },
          },
        })),
        ...pod.volumes,
      ],
    },
  };
}

/** What `completePodTemplate` adds only to some pods. */
interface PodAdditions {
  readonly address?: WorkloadAddress;
  readonly extension?: PodExtension;
  readonly podPath?: string;
}

/**
 * Adds what the bindings cannot express to a resource with such a template.
 *
 * @param secret copies of the secrets that the container gets as variables
 * @param additions optional: address that clients connect to, additions to the pod, and the path of the pod in a resource
 *   other than a deployment or a job
 */
export function completePodTemplate(
  resource: TerraformResource,
  container: ContainerSpec,
  secret: WorkloadSecret,
  { address, extension, podPath = POD_PATH }: PodAdditions = {},
): void {
  // Makes the proxy a sidecar, which runs beside the container instead of before it.
  if (container.database !== undefined) {
    setNewerAttribute(resource, `${podPath}.init_container.0.restart_policy`, "Always");
  }
  const environment = environmentOn(
    {
      databaseHost: LOOPBACK,
      // The HTTPS load balancer appends its own address to X-Forwarded-For.
      loadBalancerRanges: [...LOAD_BALANCER_RANGES, ...(address === undefined ? [] : [`${address.address}/32`])],
      baseUrl: address?.url,
      passesTls: true,
      proxyQuitUrl: PROXY_QUIT_URL,
    },
    container,
  );
  addEntries(resource, `${podPath}.container.0`, {
    environment,
    spelling: literalText,
    secrets: secret.furtherEntries,
  });
  if (extension === undefined) return;
  addDynamicBlock(resource, podPath, "init_container", extension.sidecar);
  addDynamicBlock(resource, podPath, "volume", extension.volume);
  addDynamicBlock(resource, `${podPath}.container.0`, "volume_mount", extension.mount);
}

/** A probe in the format of Kubernetes; undefined for a container without a port. */
export function probe(
  spec: ProbeSpec | undefined,
  port: number | undefined,
): DeploymentV1SpecTemplateSpecContainerStartupProbe | undefined {
  if (spec === undefined || port === undefined) return undefined;
  const { path, ...timing } = spec;
  return { ...timing, httpGet: { path, port: String(port), scheme: "HTTP" } };
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
    image: PROXY_IMAGE,
    args: [
      `--address=${LOOPBACK}`,
      `--port=${DATABASE_PORT}`,
      `--private-ip=${database.hasPrivateAddress}`,
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
    resources: sized(PROXY_SIZE),
    securityContext: hardened({ readOnlyRootFilesystem: true }),
  };
}

/** Path of the pod in a deployment and in a job. */
const POD_PATH = "spec.template.spec";
