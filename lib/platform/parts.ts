import { type ITerraformDependable } from "cdktf";

import { type WorkloadIdentity } from "../core/identity";

/**
 * Interfaces between the parts of a platform. They hold only what other parts need, so that created and existing
 * resources can both implement them. Those that the identity provider itself needs are in `idp/parts.ts`.
 */
export { type WorkloadIdentity } from "../core/identity";
export {
  type JobRunner,
  type OneTimeJob,
  type OneTimeJobSpec,
  type ScheduledJob,
  type ScheduledJobRunner,
  type ScheduledJobSpec,
} from "../idp/job-runner";
export { type ContainerImage, type ImageRepository, type MediaStore, type SqlInstance } from "../idp/parts";

/** A network and its subnetwork in the deployment's region. */
export interface Network {
  /** Id of the network, as other resources refer to it. */
  readonly network: string;

  /** Id of the subnetwork. */
  readonly subnetwork: string;

  /**
   * Terraform condition under which the subnetwork has named ranges for pods and services; otherwise GKE creates the
   * ranges.
   */
  readonly hasNamedRanges: string;

  /** What must exist before anything in it can reach the internet. */
  readonly ready: ITerraformDependable[];

  /** What must exist before anything is created in it. Default: nothing but the subnetwork. */
  readonly dependsOn?: ITerraformDependable[];
}

/** A cluster that runs pods. */
export interface Cluster {
  /** Service account of the nodes; it pulls images. */
  readonly nodes: WorkloadIdentity;

  /** What must exist before a pod can start. */
  readonly ready: ITerraformDependable[];

  /** Allows the pods of one Kubernetes service account to act as an identity; empty for one that takes no grants. */
  grantActAs(identity: WorkloadIdentity, namespace: string, accountName: string): ITerraformDependable[];
}

/** Pods that answer requests. */
export interface Workload {
  /** Labels that select its pods. */
  readonly podLabels: Readonly<Record<string, string>>;

  /** What must exist before it answers requests. */
  readonly ready: ITerraformDependable[];
}

/** Separate workers. */
export interface SeparateWorker {
  /** Name of the Cloud Run worker pool, or of the deployment in the namespace. */
  readonly workerName: string;

  /** What must exist before servers can run without workers of their own. */
  readonly ready: ITerraformDependable[];
}

/** Address at which clients reach a workload. */
export interface WorkloadAddress {
  /** IP address. */
  readonly address: string;

  /** URL of the application. */
  readonly url: string;
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

/** Certificates of a global load balancer. */
export interface CertificateMap {
  /** How a proxy refers to the map, as a Terraform expression; null if there is none. */
  readonly mapUrl: string;

  /** What must exist before a load balancer can use the map. */
  readonly ready: ITerraformDependable[];
}

/** Entry point of clients to a workload. */
export interface FrontDoor {
  /** URL of the application. */
  readonly url: string;

  /** What must exist before clients can reach it. */
  readonly ready: ITerraformDependable[];
}
