import { DeploymentV1 } from "@cdktf/provider-kubernetes/lib/deployment-v1";
import { HorizontalPodAutoscalerV2 } from "@cdktf/provider-kubernetes/lib/horizontal-pod-autoscaler-v2";
import { PodDisruptionBudgetV1 } from "@cdktf/provider-kubernetes/lib/pod-disruption-budget-v1";
import { Token, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { expression } from "../../core/expression";
import { objectName, type DeploymentName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { requireProvider } from "../../core/provider-requirements";
import { ifKnown, requireAll, requireProps, type Rule } from "../../core/rules";
import { type ContainerSpec } from "../../idp/container-spec";
import { MAX_INSTANCE_COUNT, MIN_INSTANCE_COUNT } from "../../idp/contract";
import { connectionsRule } from "../connections-rule";
import { type NetworkAttachment } from "../network-attachment";
import { onPlatform } from "../plain-environment";
import { type PostgresqlDatabase } from "../postgresql-database";
import {
  BUCKET_ANNOTATION,
  DRAIN_SECONDS,
  platformEnvironment,
  PROGRESS_DEADLINE_SECONDS,
  PROXY_GRACE_SECONDS,
  ROLLOUT_MINUTES,
  ROLLOUT_SURGE,
  SERVER_HTTPS_PORT,
  TARGET_CPU_PERCENT,
  TERMINATION_GRACE_SECONDS,
} from "./contract";
import { podSizeProblems } from "./pod-size";
import { completePodTemplate, podTemplate } from "./pod-template";
import { mountsOf, probe, volumesOf } from "./server-container";
import { type WorkloadAccount } from "./workload-account";
import { type WorkloadNamespace } from "./workload-namespace";
import { WorkloadSecret } from "./workload-secret";

/** What an application must know of its front door. */
export interface KnownFrontDoor {
  /** Address that visitors connect to. */
  readonly address: string;

  /** Where the application answers. */
  readonly url: string;
}

export interface KubernetesWorkloadProps {
  /** Account that the pods run as. */
  readonly account: WorkloadAccount;

  /** What to run. */
  readonly container: ContainerSpec;

  /** Database that the proxy beside the container leads to. */
  readonly database: PostgresqlDatabase;

  /** What the names are made of. */
  readonly deployment: DeploymentName;

  readonly namespace: WorkloadNamespace;

  /** Project of the secret store. */
  readonly projectId: string;

  /**
   * Things that must exist first: image, grants, completed initialization.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Where visitors come in, of which the application is told: its address, which is among those that a request has passed
   * when there is a domain, and the base of its own links. A variable of the container wins.
   *
   * @default - unknown, as without a domain it may be
   */
  readonly frontDoor?: KnownFrontDoor;

  /**
   * Most instances at a time, and one more during a rollout; each takes 20 database connections at its peak.
   *
   * @default 3
   */
  readonly maxInstanceCount?: number;

  /**
   * Instances that are always running.
   *
   * @default 1
   */
  readonly minInstanceCount?: number;

  /**
   * Network on which the database has its private address.
   *
   * @default - none, it has a public one
   */
  readonly network?: NetworkAttachment;
}

/**
 * A container as a deployment that scales with its CPU and is replaced one pod at a time.
 *
 * The application is told to trust the platform's load balancer, unless the container brings a list of its own.
 *
 * The new pod migrates the database and is ready before an old one goes. It holds no data: a first start that fails leaves
 * it to be replaced by the next apply.
 */
export class KubernetesWorkload extends Construct {
  /** What selects its pods. */
  readonly podLabels: Readonly<Record<string, string>>;

  /** Exists when the pods answer. */
  readonly rolledOut: ITerraformDependable;

  /** Everything that belongs to it. */
  readonly started: ITerraformDependable[];

  constructor(scope: Construct, id: string, props: KubernetesWorkloadProps) {
    super(scope, id);
    requireProps(this.node.path, props, {
      account: true,
      container: true,
      database: true,
      deployment: true,
      namespace: true,
      projectId: true,
    });
    requireAll(this, props, RULES);
    requireProvider(this, "kubernetes");
    const { account, container, database, deployment, namespace, network, projectId } = props;
    const { maxInstanceCount = MAX_INSTANCE_COUNT, minInstanceCount = MIN_INSTANCE_COUNT } = props;
    const metadata = { name: objectName(deployment), namespace: namespace.namespaceName };
    this.podLabels = { "app.kubernetes.io/name": deployment.applicationName, "app.kubernetes.io/component": "server" };

    const secret = new WorkloadSecret(this, "Secrets", {
      name: metadata.name,
      namespace,
      projectId,
      values: container.secretEnvironment,
    });

    const workload = new DeploymentV1(this, MAIN_CHILD_ID, {
      metadata,
      spec: {
        // No number of replicas: the autoscaler below decides it, and each apply would reset it.
        selector: { matchLabels: { ...this.podLabels } },
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: String(ROLLOUT_SURGE), maxUnavailable: "0" } },
        progressDeadlineSeconds: PROGRESS_DEADLINE_SECONDS,
        template: podTemplate({
          account,
          labels: this.podLabels,
          // Values are read when a container starts, so a new version must start new pods.
          annotations: { ...BUCKET_ANNOTATION, "secret-versions": secret.versions },
          secret,
          secretVariables: Object.keys(container.secretEnvironment),
          container: {
            name: SERVER,
            image: container.image,
            port: [
              { name: "http", containerPort: container.port },
              { name: "https", containerPort: SERVER_HTTPS_PORT },
            ],
            startupProbe: probe(container.startupProbe, container.port),
            livenessProbe: probe(container.livenessProbe, container.port),
            // The platform's load balancer takes its own health check from this one.
            readinessProbe: probe({ ...container.startupProbe, ...READINESS_TIMING }, container.port),
            lifecycle: { preStop: [{ exec: { command: ["sleep", String(DRAIN_SECONDS)] } }] },
            volumeMount: mountsOf(container),
          },
          resources: container.resources,
          volumes: volumesOf(container),
          proxy: { database, network, quitsOnRequest: false, graceSeconds: PROXY_GRACE_SECONDS },
          terminationGracePeriodSeconds: TERMINATION_GRACE_SECONDS,
          topologySpreadConstraint: [
            {
              topologyKey: "topology.kubernetes.io/zone",
              maxSkew: 1,
              whenUnsatisfiable: "ScheduleAnyway",
              labelSelector: [{ matchLabels: { ...this.podLabels } }],
            },
          ],
        }),
      },
      // The first rollout is of one pod: the autoscaler comes after it.
      timeouts: { create: rolloutTimeout(1), update: rolloutTimeout(maxInstanceCount) },
      dependsOn: [...namespace.ready, ...(props.dependsOn ?? [])],
    });
    completePodTemplate(workload, onPlatform(platformEnvironment(props.frontDoor), container.environment));

    const autoscaler = new HorizontalPodAutoscalerV2(this, "Autoscaler", {
      metadata,
      spec: {
        minReplicas: minInstanceCount,
        maxReplicas: maxInstanceCount,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: workload.metadata.name },
        metric: [
          {
            // Of the server alone: the proxy beside it idles and would hide that the server is busy.
            type: "ContainerResource",
            containerResource: {
              container: SERVER,
              name: "cpu",
              target: { type: "Utilization", averageUtilization: TARGET_CPU_PERCENT },
            },
          },
        ],
      },
    });

    const disruptionBudget = new PodDisruptionBudgetV1(this, "DisruptionBudget", {
      metadata,
      spec: {
        // A number that must stay available would keep the only instance on its node for ever.
        maxUnavailable: "1",
        selector: { matchLabels: { ...this.podLabels } },
      },
      dependsOn: [workload],
    });

    this.rolledOut = workload;
    this.started = [workload, autoscaler, disruptionBudget];
  }
}

const SERVER = "server";

/** Time to replace so many pods one after another. */
function rolloutTimeout(podCount: number): string {
  const { first, further } = ROLLOUT_MINUTES;
  const minutes = Token.isUnresolved(podCount)
    ? expression(`${first} + ${further} * (${Token.asString(podCount)} - 1)`)
    : first + further * (podCount - 1);
  return `${minutes}m`;
}

/** Takes an instance out of the load balancer within half a minute, and back within ten seconds. */
const READINESS_TIMING = { initialDelaySeconds: 0, periodSeconds: 10, failureThreshold: 3 } as const;

const RULES: readonly Rule<KubernetesWorkloadProps>[] = [
  {
    holds: ({ container: { resources } }) =>
      Token.isUnresolved(resources.cpu) ||
      Token.isUnresolved(resources.memory) ||
      podSizeProblems(resources.cpu, resources.memory).length === 0,
    message: ({ container: { resources } }) => podSizeProblems(resources.cpu, resources.memory),
  },
  {
    holds: ({ minInstanceCount }) => ifKnown(minInstanceCount, (count) => Number.isInteger(count) && count >= 1),
    message: ({ minInstanceCount }) =>
      `minInstanceCount is ${String(minInstanceCount)}; it must be a whole number from 1, because the platform scales no further down; use ${MIN_INSTANCE_COUNT}`,
  },
  {
    holds: ({ minInstanceCount = MIN_INSTANCE_COUNT, maxInstanceCount = MAX_INSTANCE_COUNT }) =>
      Token.isUnresolved(maxInstanceCount) ||
      (Number.isInteger(maxInstanceCount) &&
        (Token.isUnresolved(minInstanceCount) || maxInstanceCount >= Math.max(minInstanceCount, 1))),
    message: ({ minInstanceCount = MIN_INSTANCE_COUNT, maxInstanceCount = MAX_INSTANCE_COUNT }) =>
      `maxInstanceCount is ${maxInstanceCount}; it must be a whole number from minInstanceCount, which is ${minInstanceCount}, because the platform refuses such a range; raise it or lower the other`,
  },
  connectionsRule(ROLLOUT_SURGE),
];
