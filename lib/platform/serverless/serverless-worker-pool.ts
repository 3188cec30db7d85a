import { CloudRunV2WorkerPool } from "@cdktf/provider-google/lib/cloud-run-v2-worker-pool";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { countIf } from "../../core/conditional";
import { type WorkloadIdentity } from "../../core/identity";
import { workerPoolName } from "../../core/names";
import { type DeploymentContext } from "../../core/place";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type ContainerSpec } from "../../idp/container-spec";
import { grantsTo } from "../environment";
import { type NetworkAttachment } from "../network/network-attachment";
import { type SeparateWorker, type LoadBalancerAddress } from "../parts";
import { addDynamicBlocks, containerBlock, networkAccess, secretAnnotations, volumeBlocks } from "./cloud-run-template";
import { SERVICE_TIMEOUT } from "./serverless-defaults";

export interface ServerlessWorkerPoolProps {
  /** Container to run, without a port and without probes. The socket of its database is under `/cloudsql`. */
  readonly container: ContainerSpec;

  /** Service account that the container runs as. It is granted access to what the container uses. */
  readonly identity: WorkloadIdentity;

  /** Determines the name and the region. */
  readonly place: DeploymentContext;

  /**
   * Address that clients connect to, which the application takes as the base of the links in its mails. Variables of
   * the container override it. Default: that of the application's own settings.
   */
  readonly address?: LoadBalancerAddress;

  /** Whether it exists, as a string: `true`, `false` or a boolean expression. Default: "true". */
  readonly condition?: string;

  /** Number of instances; nothing scales it. */
  readonly instanceCount: number;

  /** Existing network on which the database has its private address. Default: none. */
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
    const { address, condition, container, identity, network, place } = props;
    this.workerName = workerPoolName(place.deployment);

    this.workerPool = new CloudRunV2WorkerPool(this, MAIN_CHILD_ID, {
      project: place.projectId,
      name: this.workerName,
      location: place.region,
      deletionProtection: false,
      labels: place.labels,
      // Without a mode, because the API returns only the number.
      scaling: { manualInstanceCount: props.instanceCount },
      template: {
        annotations: secretAnnotations(container),
        labels: place.labels,
        serviceAccount: identity.email,
        vpcAccess: networkAccess(network),
        containers: [
          { ...containerBlock(container), resources: container.resources && { limits: { ...container.resources } } },
        ],
        volumes: volumeBlocks(container),
      },
      timeouts: { create: SERVICE_TIMEOUT, update: SERVICE_TIMEOUT },
      // Every tool that changes the pool writes its own name there.
      lifecycle: { ignoreChanges: ["client", "client_version"] },
      count: countIf(condition),
      // Cloud Run checks for all of these when it starts a revision.
      dependsOn: [...grantsTo(identity, container), ...(network?.dependsOn ?? [])],
    });
    addDynamicBlocks(this.workerPool, "template", container, network, address);

    this.ready = [this.workerPool];
  }
}
