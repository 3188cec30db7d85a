import { HorizontalPodAutoscalerV2 } from "@cdktf/provider-kubernetes/lib/horizontal-pod-autoscaler-v2";
import { PodDisruptionBudgetV1 } from "@cdktf/provider-kubernetes/lib/pod-disruption-budget-v1";
import { Token, type ITerraformDependable, type TerraformCount } from "cdktf";
import { type Construct } from "constructs";

import { expression } from "../../core/expression";
import { PROGRESS_DEADLINE_SECONDS, ROLLOUT_MINUTES, ROLLOUT_SURGE, TARGET_CPU_PERCENT } from "./kubernetes-defaults";
import { type WorkloadNamespace } from "./workload-namespace";

/** A deployment whose number of pods depends on the CPU utilization of one container. */
interface Autoscaling {
  /** The deployment. */
  readonly workload: ITerraformDependable;

  /** Name of the deployment. */
  readonly workloadName: string;

  /** Metadata of the objects. */
  readonly metadata: ReturnType<WorkloadNamespace["metadataOf"]>;

  /** Container whose CPU counts: on average with an idle proxy, it would not look busy. */
  readonly containerName: string;

  readonly minInstanceCount: number;

  readonly maxInstanceCount: number;

  readonly podLabels: Readonly<Record<string, string>>;

  /** @default - it always exists */
  readonly count?: TerraformCount;
}

/** The autoscaler of a deployment, and the budget that lets nodes be drained one pod at a time. */
export function autoscaling(scope: Construct, spec: Autoscaling): ITerraformDependable[] {
  const { containerName, count, metadata, workload } = spec;
  const autoscaler = new HorizontalPodAutoscalerV2(scope, "Autoscaler", {
    metadata,
    spec: {
      minReplicas: spec.minInstanceCount,
      maxReplicas: spec.maxInstanceCount,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: spec.workloadName },
      metric: [
        {
          type: "ContainerResource",
          containerResource: {
            container: containerName,
            name: "cpu",
            target: { type: "Utilization", averageUtilization: TARGET_CPU_PERCENT },
          },
        },
      ],
    },
    count,
    dependsOn: [workload],
  });
  const disruptionBudget = new PodDisruptionBudgetV1(scope, "DisruptionBudget", {
    metadata,
    spec: {
      // `minAvailable` would keep the only pod on its node permanently.
      maxUnavailable: "1",
      selector: { matchLabels: { ...spec.podLabels } },
    },
    count,
    dependsOn: [workload],
  });
  return [autoscaler, disruptionBudget];
}

/** Rollout of a deployment, one more pod at a time. No replica count: the autoscaler sets it, and each apply would reset it. */
export function rollout(podLabels: Readonly<Record<string, string>>) {
  return {
    selector: { matchLabels: { ...podLabels } },
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: String(ROLLOUT_SURGE), maxUnavailable: "0" } },
    progressDeadlineSeconds: PROGRESS_DEADLINE_SECONDS,
  };
}

/** Spreads pods over zones where there is room. */
export function spreadOverZones(podLabels: Readonly<Record<string, string>>) {
  return [
    {
      topologyKey: "topology.kubernetes.io/zone",
      maxSkew: 1,
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: [{ matchLabels: { ...podLabels } }],
    },
  ];
}

/** How long the first rollout may take, and those of this many pods one after another. */
export function rolloutTimeouts(podCount: number): { readonly create: string; readonly update: string } {
  // The first rollout has one pod, because the autoscaler is created after it.
  return { create: rolloutTimeout(1), update: rolloutTimeout(podCount) };
}

function rolloutTimeout(podCount: number): string {
  const { first, further } = ROLLOUT_MINUTES;
  const minutes = Token.isUnresolved(podCount)
    ? expression(`${first} + ${further} * (${Token.asString(podCount)} - 1)`)
    : first + further * (podCount - 1);
  return `${minutes}m`;
}
