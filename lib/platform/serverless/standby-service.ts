import { type CloudRunV2Service } from "@cdktf/provider-google/lib/cloud-run-v2-service";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { allOf, type Condition, present } from "../../core/expr/conditions";
import { setNewerAttribute } from "../../core/newer-attribute";
import { type ContainerSpec } from "../../idp/container-spec";
import { MIN_INSTANCE_COUNT } from "../../idp/contract";
import { type ContainerImage, type SqlInstance } from "../../idp/parts";
import { countInStandby, type Standby } from "../standby";
import { addService, type ServerlessServiceProps, ServerlessWorkerPool } from "./serverless-service";

interface StandbyServiceProps {
  /** Replica of the database to which this service connects. */
  readonly database: SqlInstance;
  /** Image in the second region. */
  readonly image: ContainerImage;
  /** Props of the service in the first region. */
  readonly service: ServerlessServiceProps;
  readonly standby: Standby;
  /** Subnetwork in the second region; null at plan without a network. */
  readonly subnetwork: string;
  /** Separate workers; undefined in the other modes. */
  readonly worker?: {
    readonly condition: Condition;
    readonly container: ContainerSpec;
    readonly instanceCount: number;
  };
}

/**
 * The server and separate workers in a second region, with the same names as in the first: the same containers on a
 * replica of the database, without instances until the replica has taken over.
 *
 * No instance may start before the takeover, because the application writes at its start and a replica refuses writes.
 * No instance does: Cloud Run does not test a new revision, and only the load balancer could call the service, but does
 * not. The takeover changes only the number of instances, for which Cloud Run makes no new revision.
 */
export class StandbyService extends Construct {
  /** The service itself, for overrides. */
  readonly service: CloudRunV2Service;

  /** Separate workers; undefined in the other modes. */
  readonly worker: ServerlessWorkerPool | undefined;
  readonly ready: ITerraformDependable[];

  /** @internal */
  constructor(scope: Construct, id: string, props: StandbyServiceProps) {
    super(scope, id);
    const { service, standby, worker } = props;
    const { condition } = standby;
    const { minInstanceCount = MIN_INSTANCE_COUNT } = service;
    const moved = this.inSecondRegion(props);
    this.worker =
      worker &&
      new ServerlessWorkerPool(this, "Worker", {
        ...moved(worker.container),
        condition: allOf(worker.condition, condition),
        instanceCount: countInStandby(standby, worker.instanceCount).number,
      });
    this.service = addService(
      this,
      {
        ...service,
        ...moved(service.container),
        // Only the load balancer calls the service.
        closeDefaultAddress: true,
        minInstanceCount: countInStandby(standby, minInstanceCount).number,
        dependsOn: this.worker?.ready ?? [],
      },
      condition,
    );
    setNewerAttribute(this.service, "template.health_check_disabled", true);
    this.ready = [this.service, ...present(this.worker?.workerPool)];
  }

  /** The container of the service, adapted to the second region. */
  private inSecondRegion({ database, image, service, standby, subnetwork }: StandbyServiceProps) {
    const { address, context, identity, network } = service;
    return (container: ContainerSpec) => ({
      address,
      identity,
      context: { ...context, region: standby.region.text },
      network: network && { ...network, subnetwork },
      container: {
        ...container,
        image,
        database: container.database && { ...container.database, instance: database },
      },
    });
  }
}
