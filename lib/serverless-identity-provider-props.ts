import { type Rule } from "./core/rules";
import { RESOURCES } from "./idp/contract";
import { instanceConnections } from "./idp/worker-connections";
import { WORKER_RESOURCES } from "./idp/worker-mode";
import {
  connectionNameLength,
  connectionsOfTier,
  IDENTITY_PROVIDER_RULES,
  type IdentityProviderProps,
} from "./identity-provider-props";
import { CLOSED_NEEDS_DOMAIN } from "./platform/edge/edge-rules";
import { monitoringRules } from "./platform/monitoring/monitoring-settings";
import { instanceCountRules, MIN_INSTANCES_OR_NONE } from "./platform/instance-rules";
import { SOCKET_PATH } from "./platform/serverless/cloud-run-template";
import { INSTANCE_CPU, INSTANCE_MEMORY, WORKER_CPU } from "./platform/serverless/instance-size";
import { ROLLOUT_INSTANCES } from "./platform/serverless/serverless-defaults";
import { duringRollout } from "./platform/sql/database-size";
import { REQUEST_CONCURRENCY, type ServiceOptions } from "./platform/serverless/service-options";
import { connectionsOfWorkers, workerCountOf } from "./worker-props";

export interface ServerlessIdentityProviderProps extends IdentityProviderProps, ServiceOptions {}

/** Rules for these props, under the names that the caller uses. */
export const SERVERLESS_IDENTITY_PROVIDER_RULES: readonly Rule<ServerlessIdentityProviderProps>[] = [
  ...IDENTITY_PROVIDER_RULES,
  ...monitoringRules("serverless"),
  CLOSED_NEEDS_DOMAIN.ruleOn({
    closeDefaultAddress: ["closeDefaultAddress", ({ closeDefaultAddress = false }) => closeDefaultAddress],
    domain: ["domain", ({ domain }) => domain],
  }),
  SOCKET_PATH.ruleOn({ connectionName: ["projectId, region, tenantId and applicationName", connectionNameLength] }),
  REQUEST_CONCURRENCY.ruleOn("maxInstanceRequestConcurrency", (props) => props.maxInstanceRequestConcurrency),
  INSTANCE_CPU.ruleOn("containerCpu", ({ containerCpu }) => containerCpu),
  INSTANCE_MEMORY.ruleOn({
    cpu: ["containerCpu", ({ containerCpu = RESOURCES.cpu }) => containerCpu],
    memory: ["containerMemory", ({ containerMemory = RESOURCES.memory }) => containerMemory],
  }),
  WORKER_CPU.ruleOn("workerCpu", ({ workerCpu }) => workerCpu),
  INSTANCE_MEMORY.ruleOn({
    cpu: ["workerCpu", ({ workerCpu = WORKER_RESOURCES.cpu }) => workerCpu],
    memory: ["workerMemory", ({ workerMemory = WORKER_RESOURCES.memory }) => workerMemory],
  }),
  ...instanceCountRules<ServerlessIdentityProviderProps>(MIN_INSTANCES_OR_NONE, ROLLOUT_INSTANCES, {
    maxConnections: ["databaseTier", connectionsOfTier],
    perInstance: instanceConnections,
    requests: ({ maxInstanceRequestConcurrency }) => maxInstanceRequestConcurrency,
    ofWorkers: [
      "workerCount",
      (props) => connectionsOfWorkers(props, duringRollout(workerCountOf(props), ROLLOUT_INSTANCES)),
    ],
  }),
];
