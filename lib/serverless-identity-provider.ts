import { type IResolvable } from "cdktf";
import { type Construct } from "constructs";

import { DeletionGuard } from "./core/deletion-guard";
import { requireProps, type Rule } from "./core/rules";
import { RESOURCES } from "./idp/contract";
import { DbInit } from "./idp/db-init";
import { IdentityProvider } from "./identity-provider";
import {
  connectionNameLength,
  connectionsOfTier,
  IDENTITY_PROVIDER_RULES,
  type IdentityProviderProps,
} from "./identity-provider-props";
import { instanceCountRules, MIN_INSTANCES_OR_NONE } from "./platform/instance-rules";
import { SOCKET_PATH } from "./platform/serverless/cloud-run-template";
import { INSTANCE_CPU, INSTANCE_MEMORY } from "./platform/serverless/instance-size";
import { ROLLOUT_SURGE } from "./platform/serverless/serverless-defaults";
import { ServerlessJobs } from "./platform/serverless/serverless-jobs";
import { ServerlessService } from "./platform/serverless/serverless-service";

export interface ServerlessIdentityProviderProps extends IdentityProviderProps {
  /**
   * Keeps the CPU allocated between requests, which the worker beside the server needs.
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

/**
 * The identity provider on Cloud Run, from an empty project in one apply.
 *
 * The database and the minimum number of instances are always billed. The stack must configure the google provider. The
 * machine that applies needs `sh`, `curl` and `jq`.
 */
export class ServerlessIdentityProvider extends IdentityProvider {
  readonly initialization: DbInit;

  readonly service: ServerlessService;

  readonly url: string;

  constructor(scope: Construct, id: string, props: ServerlessIdentityProviderProps) {
    requireProps(`${scope.node.path}/${id}`, props, { projectId: true, tenantId: true }, RULES);
    super(scope, id, props, { apis: ["run"], apisOfNetwork: ["compute"] });
    const { apis, initializer, place, runtime } = this;
    const { deletionProtection = true, network } = props;

    this.initialization = new DbInit(this, "DbInit", {
      database: this.database,
      runner: new ServerlessJobs({
        place,
        network,
        identity: initializer,
        dependsOn: apis.ready("run", "secretmanager"),
      }),
    });

    this.service = new ServerlessService(this, "Service", {
      place,
      network,
      identity: runtime,
      container: this.container(this.initialization),
      cpuAlwaysAllocated: props.cpuAlwaysAllocated,
      minInstanceCount: props.minInstanceCount,
      maxInstanceCount: props.maxInstanceCount,
      publicAccess: props.publicAccess,
    });
    this.url = this.service.url;

    new DeletionGuard(this, "DeletionGuard", { protect: deletionProtection, dependsOn: this.service.ready });
  }
}

type Props = ServerlessIdentityProviderProps;

const RULES: readonly Rule<Props>[] = [
  ...IDENTITY_PROVIDER_RULES,
  SOCKET_PATH.ruleOn({ connectionName: ["projectId, region, tenantId and applicationName", connectionNameLength] }),
  INSTANCE_CPU.ruleOn("containerCpu", ({ containerCpu }) => containerCpu),
  INSTANCE_MEMORY.ruleOn({
    cpu: ["containerCpu", ({ containerCpu = RESOURCES.cpu }) => containerCpu],
    memory: ["containerMemory", ({ containerMemory = RESOURCES.memory }) => containerMemory],
  }),
  ...instanceCountRules<Props>(MIN_INSTANCES_OR_NONE, ROLLOUT_SURGE, ["databaseTier", connectionsOfTier]),
];
