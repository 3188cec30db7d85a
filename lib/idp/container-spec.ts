import { type IResolvable } from "cdktf";

import { type SecretReference } from "../core/generated-secret";

/** Variables of the caller: a literal map, or an expression that is a map. */
export type EnvironmentOverrides = Readonly<Record<string, string>> | IResolvable;

/** Plain variables in three layers; later ones win. */
export interface EnvironmentSpec {
  /** Unless the caller says otherwise. */
  readonly baseline: Readonly<Record<string, string>>;

  /** What the caller says. */
  readonly overrides: EnvironmentOverrides;

  /** What must hold. */
  readonly required: Readonly<Record<string, string>>;
}

/** An unauthenticated GET on the container port. */
export interface ProbeSpec {
  readonly path: string;
  readonly initialDelaySeconds: number;
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
}

/** A bucket that appears as a folder. */
export interface BucketMountSpec {
  /** Name of the mount within the container, for example `storage`. */
  readonly name: string;

  readonly bucketName: string;

  readonly mountPath: string;

  /** Flags of the object-storage file system, without dashes. */
  readonly mountOptions: readonly string[];
}

/** CPU and memory of one instance. */
export interface ResourcesSpec {
  /** Whole CPUs, for example `2`. */
  readonly cpu: string;

  /** Memory with its unit, for example `4Gi`. */
  readonly memory: string;
}

/**
 * One container, in words that every platform understands. Platform adapters translate it and add only what their
 * platform forces on them.
 */
export interface ContainerSpec {
  readonly image: string;

  readonly port: number;

  readonly environment: EnvironmentSpec;

  /** Variables whose values are read from the secret store. */
  readonly secretEnvironment: Readonly<Record<string, SecretReference>>;

  readonly startupProbe: ProbeSpec;

  readonly livenessProbe: ProbeSpec;

  readonly mounts: readonly BucketMountSpec[];

  readonly resources: ResourcesSpec;
}
