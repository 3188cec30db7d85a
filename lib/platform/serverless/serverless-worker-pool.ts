import { CloudRunV2WorkerPool } from "@cdktf/provider-google/lib/cloud-run-v2-worker-pool";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { claimName } from "../../core/claimed-names";
import { countIf } from "../../core/conditional";
import { type WorkloadIdentity } from "../../core/identity";
import { WORKER_POOL_NAME_MAX_LENGTH, workerPoolName } from "../../core/names";
import { type DeploymentContext, PLACE_RULES, REQUIRED_PLACE } from "../../core/place";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { nameRules, requireProps, RESOURCE_NAME, type Rule } from "../../core/rules";
import { containerRules, REQUIRED_CONTAINER, type ContainerSpec } from "../../idp/container-spec";
import { noPortRule } from "../../idp/worker-container";
import { DEFAULT_WORKER_COUNT, WORKER_COUNT, WORKER_RESOURCES } from "../../idp/worker-mode";
import { grantsTo } from "../environment";
import { CONTAINER_DEMAND, containerSizeRules } from "../instance-rules";
import { attachmentRules, type NetworkAttachment } from "../network/network-attachment";
import { type SeparateWorker, type LoadBalancerAddress } from "../parts";
import { enoughConnections } from "../sql/database-size";
import {
  addDynamicBlocks,
  containerBlock,
  networkAccess,
  secretAnnotations,
  socketPathRule,
  volumeBlocks,
} from "./cloud-run-template";
import { INSTANCE_MEMORY, WORKER_CPU } from "./instance-size";
import { ROLLOUT_INSTANCES, SERVICE_TIMEOUT } from "./serverless-defaults";

export interface ServerlessWorkerPoolProps {
  /** Container to run, without a port and without probes. The socket of its database is under `/cloudsql`. */
  readonly container: ContainerSpec;

  /** Service account that the container runs as. It is granted access to what the container uses. */
  readonly identity: WorkloadIdentity;

  /** Determines the name and the region. */
  readonly place: DeploymentContext;

  /**
   * Address that clients connect to, which the application takes as the base of the links in its mails. Variables of the
   * container override it.
   *
   * @default - that of the application's own settings
   */
  readonly address?: LoadBalancerAddress;

  /**
   * Whether it exists, as a string: `true`, `false` or a boolean expression.
   *
   * @default "true"
   */
  readonly condition?: string;

  /**
   * What must exist first, in addition to what the container uses: `apis.ready("run")`.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Number of instances; nothing scales it.
   *
   * @default 1
   */
  readonly instanceCount?: number;

  /**
   * Existing network on which the database has its private address.
   *
   * @default - none
   */
  readonly network?: NetworkAttachment;
}

/**
 * A Cloud Run worker pool: a fixed number of instances of a container that answers no requests.
 *
 * It holds no data and has no deletion protection. Its instances are billed all the time.
 */
export class ServerlessWorkerPool extends Construct implements SeparateWorker {
  readonly workerName: string;

  readonly ready: ITerraformDependable[];

  /** The worker pool itself, for overrides. */
  readonly workerPool: CloudRunV2WorkerPool;

  constructor(scope: Construct, id: string, props: ServerlessWorkerPoolProps) {
    super(scope, id);
    requireProps(this, props, { container: REQUIRED_CONTAINER, identity: true, place: REQUIRED_PLACE }, RULES);
    const { address, condition, container, dependsOn = [], identity, network, place } = props;
    const { instanceCount: manualInstanceCount = DEFAULT_WORKER_COUNT } = props;
    const { resources = DEFAULT_RESOURCES } = container;
    this.workerName = workerPoolName(place.deployment);
    claimName(this, `Cloud Run worker pool in ${place.projectId}`, this.workerName);

    this.workerPool = new CloudRunV2WorkerPool(this, MAIN_CHILD_ID, {
      project: place.projectId,
      name: this.workerName,
      location: place.region,
      deletionProtection: false,
      labels: place.labels,
      // Without a mode, because the API returns only the number.
      scaling: { manualInstanceCount },
      template: {
        annotations: secretAnnotations(container),
        labels: place.labels,
        serviceAccount: identity.email,
        vpcAccess: networkAccess(network),
        containers: [{ ...containerBlock(container), resources: { limits: { ...resources } } }],
        volumes: volumeBlocks(container),
      },
      timeouts: { create: SERVICE_TIMEOUT, update: SERVICE_TIMEOUT },
      // Every tool that changes the pool writes its own name there.
      lifecycle: { ignoreChanges: ["client", "client_version"] },
      count: countIf(condition),
      // Cloud Run checks for all of these when it starts a revision.
      dependsOn: [...grantsTo(identity, container), ...(network?.dependsOn ?? []), ...dependsOn],
    });
    addDynamicBlocks(this.workerPool, "template", container, network, address);

    this.ready = [this.workerPool];
  }
}

const DEFAULT_RESOURCES = { cpu: String(WORKER_RESOURCES.cpu), memory: WORKER_RESOURCES.memory };

const RULES: readonly Rule<ServerlessWorkerPoolProps>[] = [
  ...PLACE_RULES,
  ...attachmentRules<ServerlessWorkerPoolProps>(
    "network",
    ({ network }) => network,
    ({ place }) => place.region,
  ),
  ...nameRules<ServerlessWorkerPoolProps>(({ place }) => workerPoolName(place.deployment), {
    ...RESOURCE_NAME,
    what: "worker pool name",
    maxLength: WORKER_POOL_NAME_MAX_LENGTH,
    lengthReason: "Cloud Run allows no longer one",
  }),
  ...containerRules<ServerlessWorkerPoolProps>("container", ({ container }) => container),
  socketPathRule("container", ({ container }) => container),
  noPortRule("container", ({ container }) => container, "a service"),
  WORKER_COUNT.ruleOn("instanceCount", ({ instanceCount }) => instanceCount),
  ...containerSizeRules(DEFAULT_RESOURCES, WORKER_CPU, INSTANCE_MEMORY),
  enoughConnections(ROLLOUT_INSTANCES).ruleOn<ServerlessWorkerPoolProps>({
    maxConnections: CONTAINER_DEMAND.maxConnections,
    maxInstanceCount: ["instanceCount", ({ instanceCount = DEFAULT_WORKER_COUNT }) => instanceCount],
    perInstance: ["connections of a worker", CONTAINER_DEMAND.perInstance],
    requests: ["requests of a worker", () => 0],
    ofWorkers: ["connections of other workers", () => 0],
  }),
];
