import { LIVENESS_PROBE } from "../../lib/idp/contract";
import { type Platform } from "../../lib/platform/monitoring/alert";

/** What happens when a part fails. */
export interface Failure {
  readonly what: string;

  /** What the platform or the application does by itself, and after how long. */
  readonly byItself: string;

  /** Alerts that are raised, by id. */
  readonly alerts: readonly string[];

  /** What is left to do. */
  readonly then: string;

  /** A test that shows it: its file, and a part of the test's name. */
  readonly shownBy: readonly [file: string, name: string];
}

export const ENTRYPOINT_TEST = "__tests__/image/entrypoint-container.ts";
export const WORKER_MODES_TEST = "__tests__/image/entrypoint-worker-modes.ts";

export const LIVENESS_SECONDS = LIVENESS_PROBE.periodSeconds * LIVENESS_PROBE.failureThreshold;

export const RESTORE = "identity-provider.md#restore";
export const ELSEWHERE = "identity-provider.md#restore-in-another-region";
export const RESTORE_TEST = "__tests__/idp/recovery/restore.exhaustive.test.ts";

/** What is different on a platform. */
interface Words {
  readonly instance: string;
  readonly instances: string;
  readonly workload: string;

  /** What replaces one that ended. */
  readonly another: string;

  /** Test that shows the refusal of a destroy. */
  readonly refused: Failure["shownBy"];

  /** Test that shows that an apply creates again what somebody has deleted. */
  readonly remade: Failure["shownBy"];
}

export const ON: Readonly<Record<Platform, Words>> = {
  serverless: {
    instance: "instance",
    instances: "instances",
    workload: "service",
    another: "Cloud Run starts another instance with the next request, or at once below `min_instance_count`",
    refused: ["__tests__/rehearsal/scenarios/idp-serverless.ts", "deletion_protection is true; nothing is deleted"],
    remade: ["__tests__/rehearsal/scenarios/deleted-parts.ts", "parts that somebody has deleted"],
  },
  kubernetes: {
    instance: "pod",
    instances: "pods",
    workload: "deployment in the cluster",
    another: "the cluster restarts the container at once, and starts another pod if its node is gone",
    refused: ["__tests__/rehearsal/scenarios/idp-kubernetes.ts", "deletion_protection is true; nothing is deleted"],
    remade: ["__tests__/rehearsal/scenarios/deleted-parts.ts", "parts that somebody has deleted"],
  },
};

export const CLUSTER_IS_DELETED: Failure = {
  what: "The cluster is deleted",
  byItself: "GKE refuses while `deletion_protection` is true; it holds no data",
  alerts: ["uptime"],
  then: "[Take its objects out of the state and delete its load balancer](idp-kubernetes.md#replacing-the-cluster), then apply: a new one takes its place, with the same database and bucket.",
  shownBy: ["__tests__/rehearsal/scenarios/idp-kubernetes-incidents.ts", "a cluster that somebody has deleted"],
};
