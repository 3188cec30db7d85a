import { DeploymentV1 } from "@cdktf/provider-kubernetes/lib/deployment-v1";
import { HorizontalPodAutoscalerV2 } from "@cdktf/provider-kubernetes/lib/horizontal-pod-autoscaler-v2";
import { PodDisruptionBudgetV1 } from "@cdktf/provider-kubernetes/lib/pod-disruption-budget-v1";
import { dependable as addressOf, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { type DeploymentContext } from "../../core/deployment-context";
import { type Condition, countIf, partIf, present } from "../../core/expr/conditions";
import { exprOf, literal } from "../../core/expr/expr";
import { explain, inFiles } from "../../core/hcl/stack-origin";
import { type WorkloadIdentity } from "../../core/identity";
import { type ValuesOf } from "../../core/inputs/value";
import { labelsWith } from "../../core/labels";
import { objectName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { prose } from "../../core/prose";
import { type ContainerSpec } from "../../idp/container-spec";
import { WORKER_NAME } from "../../idp/worker";
import { type SeparateWorker } from "../parts";
import { type GEOIP, geoipUpdater } from "./geoip";
import { completePodTemplate, partLabels, type PodExtension, type PodSpec, podTemplate, probes } from "./pod-template";
import { type ClientAddress } from "./public-address";
import { type WorkloadNamespace } from "./workload-namespace";
import { addWorkloadSecret, SECRET_PARTS, type WorkloadSecret } from "./workload-secret";

/** Name of the container that answers requests. */
export const SERVER_CONTAINER = "server";

/** Seconds for which a terminating pod keeps answering, because the load balancer still sends requests for a moment. */
export const DRAIN_SECONDS = 20;

/** Time for draining and then for the application's shutdown, which takes up to 35 seconds. */
export const TERMINATION_GRACE_SECONDS = 90;

/** Additional pods during a rollout, which replaces pods one after another. */
export const ROLLOUT_SURGE = 1;

/** Props that pods of servers and pods of workers have in common. */
interface PodsProps {
  readonly container: ContainerSpec;
  /** Service account of the pods. It is granted access to the container's resources. */
  readonly identity: WorkloadIdentity;
  /** Maximum number of pods, without the additional one during a rollout. */
  readonly maxInstanceCount: number;
  readonly minInstanceCount: number;
  readonly namespace: WorkloadNamespace;
  /** Additions for a container whose worker runs outposts. */
  readonly outposts?: PodExtension | undefined;
  readonly context: DeploymentContext;
}

export interface KubernetesWorkloadProps extends PodsProps {
  /**
   * Address to which clients connect. It is the base of the application's links, and a proxy that the application
   * trusts.
   */
  readonly address: ClientAddress;
  readonly geoip: ValuesOf<typeof GEOIP>["geoip"];
  /** Prefix from which public images are pulled, if any. */
  readonly imageMirror?: string | undefined;
}

/**
 * A deployment of a container that scales by its CPU; a rollout replaces one pod at a time.
 *
 * The application is set to trust Google's load balancers, unless the container has its own list; the HTTPS load
 * balancer adds its address to X-Forwarded-For. The new pod migrates the database and is ready before an old one stops.
 * The deployment holds no data: if its first start fails, the next apply replaces it.
 */
export class KubernetesWorkload extends Construct {
  readonly address: ClientAddress;
  readonly podLabels: Readonly<Record<string, string>>;
  readonly ready: ITerraformDependable[];
  readonly accountName: string;
  readonly secret: WorkloadSecret;

  /** Name of the deployment; a reference to it waits for the deployment. */
  readonly workloadName: string;
  readonly workload: DeploymentV1;

  /** @internal */
  constructor(scope: Construct, id: string, props: KubernetesWorkloadProps) {
    super(scope, id);
    const { address, container, geoip, identity, imageMirror, namespace, context } = props;
    const { port, tlsPort } = container;
    const name = objectName(context.deployment);
    this.address = address;
    this.podLabels = partLabels(context, SERVER_CONTAINER);
    this.accountName = namespace.addAccount(this, name, identity);
    this.secret = addWorkloadSecret(this, container, { name, namespace, projectId: context.projectId });
    const { accountName, podLabels, secret } = this;
    const { ready, workload } = addScaledDeployment(this, props, {
      accountName,
      address,
      name,
      podLabels,
      secret,
      extensions: present(
        partIf(geoip.isSet(), () => geoipUpdater(this, "Geoip", { geoip, imageMirror, namespace, context })),
      ),
      details: {
        name: SERVER_CONTAINER,
        port: [
          ...(port === undefined ? [] : [{ name: "http", containerPort: port }]),
          ...(tlsPort === undefined ? [] : [{ name: "https", containerPort: tlsPort.port }]),
        ],
        ...probes(container),
        lifecycle: { preStop: [{ exec: { command: ["sleep", String(DRAIN_SECONDS)] } }] },
      },
    });
    this.workload = workload;
    this.workloadName = workload.metadata.name;
    this.ready = ready;
    const copies = "Copies of secrets in the namespace, for the server's pods";
    const scaling = "How many pods of the server there are, and how many may stop at a time";
    inFiles(this, {
      secrets: [copies, ["Geoip", ...SECRET_PARTS]],
      scaling: [scaling, ["Autoscaler", "DisruptionBudget"]],
    });
  }

  /** Rolls the server out after another deployment. @internal */
  waitFor(other: DeploymentV1): void {
    this.workload.dependsOn = [...(this.workload.dependsOn ?? []), addressOf(other)];
  }
}

interface KubernetesWorkerProps extends PodsProps {
  readonly condition: Condition;
  /** The server. Workers share its service account, secrets and address, and its rollouts wait for them. */
  readonly server: KubernetesWorkload;
}

/**
 * A deployment of workers, separate from the server, with its own autoscaler and disruption budget.
 *
 * Nothing can connect to its pods. It holds no data: a task that a stopped pod has not finished waits in the database.
 */
export class KubernetesWorker extends Construct implements SeparateWorker {
  readonly ready: ITerraformDependable[];
  readonly workerName: string;
  readonly workload: DeploymentV1;

  /** @internal */
  constructor(scope: Construct, id: string, props: KubernetesWorkerProps) {
    super(scope, id);
    const { condition, container, context, server } = props;
    this.workerName = objectName(context.deployment, WORKER_NAME);
    const { accountName, address, secret } = server;
    const { ready, workload } = addScaledDeployment(this, props, {
      accountName,
      address,
      condition,
      name: this.workerName,
      secret,
      podLabels: partLabels(context, WORKER_NAME),
      // A new worker must be healthy for a moment before the next old one is stopped.
      minReadySeconds: 15,
      details: { name: WORKER_NAME, ...probes(container) },
    });
    this.workload = workload;
    this.ready = ready;
    // A separate worker must be running before the last worker beside a server stops.
    server.waitFor(workload);
  }
}

interface DeploymentSpec extends Pick<PodSpec, "accountName"> {
  readonly address: ClientAddress;
  readonly details: Omit<PodSpec["details"], "volumeMount">;
  readonly name: string;
  readonly podLabels: Readonly<Record<string, string>>;
  readonly secret: WorkloadSecret;
  readonly condition?: Condition;
  readonly extensions?: readonly PodExtension[];
  readonly minReadySeconds?: number | undefined;
}

/** A deployment, its autoscaler, and the budget that lets nodes be drained one pod at a time. */
function addScaledDeployment(scope: Construct, props: PodsProps, spec: DeploymentSpec) {
  const workload = addDeployment(scope, props, spec);
  const autoscaler = addAutoscaler(scope, workload, props, spec);
  const disruptionBudget = addDisruptionBudget(scope, workload, props, spec);
  return { workload, ready: [workload, autoscaler, disruptionBudget] };
}

function addDeployment(scope: Construct, props: PodsProps, spec: DeploymentSpec): DeploymentV1 {
  const { container, identity, maxInstanceCount, namespace, outposts } = props;
  const { accountName, address, details, minReadySeconds, name, secret } = spec;
  const extensions = [...(spec.extensions ?? []), ...(outposts ? [outposts] : [])];
  const matchLabels = { ...spec.podLabels };
  const furtherPods = exprOf(maxInstanceCount).minus(1);
  const workload = new DeploymentV1(scope, MAIN_CHILD_ID, {
    metadata: namespace.metadataOf(name),
    spec: {
      selector: { matchLabels },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: String(ROLLOUT_SURGE), maxUnavailable: "0" } },
      // Time before a rollout counts as failed: for a new node, the image and up to 11 minutes of migrations.
      progressDeadlineSeconds: 1500,
      minReadySeconds,
      template: podTemplate({
        accountName,
        container,
        labels: labelsWith(namespace.labels, spec.podLabels),
        details: { ...details, volumeMount: [{ name: SHARED_MEMORY, mountPath: "/dev/shm" }] },
        // The application's sockets and metrics fill the default of 64 MiB. It counts towards the memory limit.
        volumes: [{ name: SHARED_MEMORY, emptyDir: { medium: "Memory", sizeLimit: "256Mi" } }],
        // The proxy stops after the server.
        proxyGraceSeconds: 10,
        own: {
          nodeSelector: namespace.nodeSelector,
          restartPolicy: "Always",
          terminationGracePeriodSeconds: TERMINATION_GRACE_SECONDS,
          // Spreads pods over zones where there is room.
          topologySpreadConstraint: [
            {
              topologyKey: "topology.kubernetes.io/zone",
              maxSkew: 1,
              whenUnsatisfiable: "ScheduleAnyway",
              labelSelector: [{ matchLabels }],
            },
          ],
        },
      }),
    },
    // 30 minutes for the first pod, and 4 minutes for each further pod. The first rollout has one pod, because the
    // autoscaler is created after it.
    timeouts: { create: "30m", update: `${literal(30).plus(literal(4).times(furtherPods)).text}m` },
    count: countIf(spec.condition),
    dependsOn: namespace.grantsTo(identity, container),
  });
  explain(
    workload,
    prose`
      No number of replicas: the autoscaler sets it. Values that Autopilot sets by itself are written as it sets
      them, or every plan would show a change.
    `,
  );
  completePodTemplate(workload, container, secret, { address, extensions });
  return workload;
}

function addAutoscaler(
  scope: Construct,
  workload: DeploymentV1,
  { maxInstanceCount, minInstanceCount, namespace }: PodsProps,
  { condition, details, name }: DeploymentSpec,
): HorizontalPodAutoscalerV2 {
  // Percentage above which another pod is started.
  const target = { type: "Utilization", averageUtilization: 70 };
  return new HorizontalPodAutoscalerV2(scope, "Autoscaler", {
    metadata: namespace.metadataOf(name),
    spec: {
      minReplicas: minInstanceCount,
      maxReplicas: maxInstanceCount,
      scaleTargetRef: {
        apiVersion: "apps/v1",
        kind: "Deployment",
        name: condition === undefined ? workload.metadata.name : name,
      },
      metric: [
        {
          // The CPU of the server alone: averaged with an idle proxy, a busy server would not look busy.
          type: "ContainerResource",
          containerResource: { container: details.name, name: "cpu", target },
        },
      ],
    },
    count: countIf(condition),
    dependsOn: [workload],
  });
}

function addDisruptionBudget(
  scope: Construct,
  workload: DeploymentV1,
  { namespace }: PodsProps,
  { condition, name, podLabels }: DeploymentSpec,
): PodDisruptionBudgetV1 {
  return new PodDisruptionBudgetV1(scope, "DisruptionBudget", {
    metadata: namespace.metadataOf(name),
    // `minAvailable` would keep the only pod on its node permanently.
    spec: { maxUnavailable: "1", selector: { matchLabels: { ...podLabels } } },
    count: countIf(condition),
    dependsOn: [workload],
  });
}

const SHARED_MEMORY = "shared-memory";
