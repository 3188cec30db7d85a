import { type ITerraformDependable } from "cdktf";

import { type Identity } from "../core/identity";

/**
 * What parts of a platform offer to each other: the least that others need, so that a new part and an adopted one are two
 * implementations of one interface. What the identity provider itself needs is in `idp/parts.ts`.
 */
export { type Identity } from "../core/identity";
export { type JobRunner, type OneTimeJob, type OneTimeJobSpec } from "../idp/job-runner";
export { type ContainerImage, type ImageRepository, type MediaStore, type SqlInstance } from "../idp/parts";

/** A network and the subnetwork of it in the deployment's region. */
export interface Network {
  /** Address of the network, as other resources take it. */
  readonly network: string;

  /** Address of the subnetwork. */
  readonly subnetwork: string;

  /**
   * Condition, in Terraform's language, under which the subnetwork has ranges of known names for pods and services;
   * otherwise the platform makes them.
   */
  readonly hasNamedRanges: string;

  /** What must exist before anything in it can reach the internet. */
  readonly ready: ITerraformDependable[];
}

/** A cluster that runs pods. */
export interface Cluster {
  /** Account that the nodes run as; it pulls images. */
  readonly nodes: Identity;

  /** What must exist before a pod can start. */
  readonly ready: ITerraformDependable[];

  /** Allows the pods of one Kubernetes account to act as an identity; empty for an identity that takes no grants. */
  grantActAs(identity: Identity, namespace: string, accountName: string): ITerraformDependable[];
}

/** Pods that answer requests. */
export interface Workload {
  /** Address that clients come through, if the application knows one. */
  readonly address: WorkloadAddress | undefined;

  /** What selects its pods. */
  readonly podLabels: Readonly<Record<string, string>>;

  /** What must exist before it answers. */
  readonly ready: ITerraformDependable[];
}

/** Address that clients come through on their way to a workload. */
export interface WorkloadAddress {
  /** IP address. */
  readonly address: string;

  /** Where the application answers. */
  readonly url: string;
}

/** Where clients reach a service. */
export interface FrontDoor {
  /** Where the application answers. */
  readonly url: string;

  /** What must exist before clients reach it. */
  readonly ready: ITerraformDependable[];
}
