import { type ITerraformDependable } from "cdktf";

import { type DeploymentContext } from "../core/place";

/** What every part is told: where it belongs, and what must exist before its first resource. */
export interface PartProps {
  readonly place: DeploymentContext;
  readonly dependsOn?: ITerraformDependable[];
}

/** Separate workers. */
export interface SeparateWorker {
  /** Name of the Cloud Run worker pool, or of the deployment in the namespace. */
  readonly workerName: string;
  /** What must exist before servers can run without workers of their own. */
  readonly ready: ITerraformDependable[];
}

/** Static IP address of a global load balancer for a domain. */
export interface LoadBalancerAddress {
  /** Id of the address, as a Terraform expression; null without a domain. */
  readonly addressId: string;

  /** Domain that clients connect to; one that is null at plan means none. */
  readonly domain: string;

  /** IP address, as a Terraform expression; null without a domain. */
  readonly ipAddress: string;
}
