import { numberOr } from "./core/conditional";
import { type Rule } from "./core/rules";
import { RESOURCES } from "./idp/contract";
import { instanceConnections } from "./idp/worker-connections";
import { usualWorkerMaximum, WORKER_RANGE, WORKER_RESOURCES } from "./idp/worker-mode";
import { connectionsOfTier, IDENTITY_PROVIDER_RULES, type IdentityProviderProps } from "./identity-provider-props";
import { instanceCountRules, MAX_INSTANCES, MIN_INSTANCES } from "./platform/instance-rules";
import { AUTHORIZED_NETWORKS, type AuthorizedNetworks } from "./platform/kubernetes/autopilot-cluster";
import { type Geoip, GEOIP_RULES } from "./platform/kubernetes/geoip";
import { ROLLOUT_INSTANCES } from "./platform/kubernetes/kubernetes-defaults";
import { duringRollout } from "./platform/sql/database-size";
import { POD_CPU, POD_MEMORY, WORKER_POD_CPU } from "./platform/kubernetes/pod-size";
import { NAMESPACE_NAME } from "./platform/kubernetes/workload-namespace";
import { monitoringRules } from "./platform/monitoring/monitoring-settings";
import { connectionsOfWorkers, needsSeparate, workerCountOf } from "./worker-props";

export interface KubernetesIdentityProviderProps extends IdentityProviderProps {
  /**
   * CIDR ranges that may reach the control plane, by name; include that of the machine that applies.
   *
   * @default - any source address; sign-in is still required
   */
  readonly authorizedNetworks?: AuthorizedNetworks;

  /**
   * Databases that tell the application where a client's address is, kept current in each pod with an account at
   * MaxMind. Whoever applies must be allowed to read the secret with the licence key.
   *
   * @default - those of the image, which are as old as its release
   */
  readonly geoip?: Geoip;

  /**
   * Namespace of all Kubernetes objects. Changing it later stops the service, replaces the objects and starts the
   * service again; the data stays.
   *
   * @default "identity-provider"
   */
  readonly namespace?: string;

  /**
   * Maximum number of separate workers, plus one during a rollout.
   *
   * @default - one more than `workerCount`
   */
  readonly workerMaxCount?: number;
}

export const DEFAULT_NAMESPACE = "identity-provider";

/** Maximum number of separate workers, without the additional one during a rollout. */
export function workerMaxCountOf(props: KubernetesIdentityProviderProps): number {
  return numberOr(props.workerMaxCount, usualWorkerMaximum(workerCountOf(props)));
}

/** Rules for these props, under the names that the caller uses. */
export const KUBERNETES_IDENTITY_PROVIDER_RULES: readonly Rule<KubernetesIdentityProviderProps>[] = [
  ...IDENTITY_PROVIDER_RULES,
  ...monitoringRules("kubernetes"),
  AUTHORIZED_NETWORKS.ruleOn("authorizedNetworks", ({ authorizedNetworks }) => authorizedNetworks),
  ...GEOIP_RULES,
  NAMESPACE_NAME.ruleOn("namespace", ({ namespace }) => namespace),
  POD_CPU.ruleOn("containerCpu", ({ containerCpu }) => containerCpu),
  POD_MEMORY.ruleOn({
    cpu: ["containerCpu", ({ containerCpu = RESOURCES.cpu }) => containerCpu],
    memory: ["containerMemory", ({ containerMemory = RESOURCES.memory }) => containerMemory],
  }),
  MAX_INSTANCES.ruleOn("workerMaxCount", ({ workerMaxCount }) => workerMaxCount),
  needsSeparate("workerMaxCount", ({ workerMaxCount }) => workerMaxCount),
  WORKER_RANGE.ruleOn({
    workerCount: ["workerCount", workerCountOf],
    workerMaxCount: ["workerMaxCount", workerMaxCountOf],
  }),
  WORKER_POD_CPU.ruleOn("workerCpu", ({ workerCpu }) => workerCpu),
  POD_MEMORY.ruleOn({
    cpu: ["workerCpu", ({ workerCpu = WORKER_RESOURCES.cpu }) => workerCpu],
    memory: ["workerMemory", ({ workerMemory = WORKER_RESOURCES.memory }) => workerMemory],
  }),
  ...instanceCountRules<KubernetesIdentityProviderProps>(MIN_INSTANCES, ROLLOUT_INSTANCES, {
    maxConnections: ["databaseTier", connectionsOfTier],
    perInstance: instanceConnections,
    ofWorkers: [
      "workerMaxCount, workerCount",
      (props) => connectionsOfWorkers(props, duringRollout(workerMaxCountOf(props), ROLLOUT_INSTANCES)),
    ],
  }),
];
