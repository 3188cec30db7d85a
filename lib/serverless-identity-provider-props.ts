import { type IResolvable } from "cdktf";

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
import { type ServerlessOperationsProps } from "./operations-props";
import { CLOSED_NEEDS_DOMAIN } from "./platform/edge/edge-rules";
import { monitoringRules } from "./platform/monitoring/monitoring-settings";
import { instanceCountRules, MIN_INSTANCES_OR_NONE } from "./platform/instance-rules";
import { REQUEST_CONCURRENCY } from "./platform/request-rules";
import { SOCKET_PATH } from "./platform/serverless/cloud-run-template";
import { INSTANCE_CPU, INSTANCE_MEMORY, WORKER_CPU } from "./platform/serverless/instance-size";
import { ROLLOUT_SURGE } from "./platform/serverless/serverless-defaults";
import { connectionsOfWorkers, workerCountOf } from "./worker-props";

export interface ServerlessIdentityProviderProps extends IdentityProviderProps, ServerlessOperationsProps {
  /**
   * Closes the address that Cloud Run assigns, so that every request goes through the load balancer of the domain. Set
   * it after the domain works: the address is closed first.
   *
   * @default false
   */
  readonly closeDefaultAddress?: boolean | IResolvable;

  /**
   * Keeps the CPU allocated between requests, which a worker beside the server needs.
   *
   * @default true
   */
  readonly cpuAlwaysAllocated?: boolean | IResolvable;

  /**
   * Allows unauthenticated requests, as a sign-in page must. Otherwise callers need permission to invoke the service,
   * which browsers do not have.
   *
   * @default true
   */
  readonly publicAccess?: boolean | IResolvable;
}

/** Rules for these props, under the names that the caller uses. */
export const SERVERLESS_IDENTITY_PROVIDER_RULES: readonly Rule<ServerlessIdentityProviderProps>[] = [
  ...IDENTITY_PROVIDER_RULES,
  ...monitoringRules<ServerlessIdentityProviderProps>(() => "serverless"),
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
  ...instanceCountRules<ServerlessIdentityProviderProps>(MIN_INSTANCES_OR_NONE, ROLLOUT_SURGE, {
    maxConnections: ["databaseTier", connectionsOfTier],
    perInstance: instanceConnections,
    ofWorkers: (props) => connectionsOfWorkers(props, workerCountOf(props)),
  }),
];
