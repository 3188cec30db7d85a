import { CloudRunV2WorkerPool } from "@cdktf/provider-google/lib/cloud-run-v2-worker-pool";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { countIf } from "../../core/conditional";
import { workerPoolName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { grantsTo } from "../environment";
import { type SeparateWorker } from "../parts";
import {
  addFurtherBlocks,
  containerBlock,
  networkAccess,
  secretAnnotations,
  SERVICE_TIMEOUTS,
  volumeBlocks,
} from "./cloud-run-template";
import { type ServerlessServiceProps } from "./serverless-service";

/** What it shares with the service means the same there. */
interface ServerlessWorkerPoolProps extends Pick<
  ServerlessServiceProps,
  "address" | "container" | "identity" | "network" | "place"
> {
  /** Whether it exists, as a boolean expression. */
  readonly condition: string;

  /** Number of instances; nothing scales it. */
  readonly instanceCount: number;
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
    const { address, condition, container, identity, instanceCount, network, place } = props;
    this.workerName = workerPoolName(place.deployment);

    this.workerPool = new CloudRunV2WorkerPool(this, MAIN_CHILD_ID, {
      project: place.projectId,
      name: this.workerName,
      location: place.region,
      deletionProtection: false,
      labels: place.labels,
      // Without a mode, because the API returns only the number.
      scaling: { manualInstanceCount: instanceCount },
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
      timeouts: SERVICE_TIMEOUTS,
      // Every tool that changes the pool writes its own name there.
      lifecycle: { ignoreChanges: ["client", "client_version"] },
      count: countIf(condition),
      // Cloud Run checks for all of these when it starts a revision.
      dependsOn: [...grantsTo(identity, container), ...(network?.dependsOn ?? [])],
    });
    addFurtherBlocks(this.workerPool, "template", container, network, address);

    this.ready = [this.workerPool];
  }
}
