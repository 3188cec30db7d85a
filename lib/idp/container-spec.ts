import { type IResolvable, type ITerraformDependable, type TerraformLocal } from "cdktf";

import { type Condition } from "../core/expr/conditions";
import { type ReadableSecret } from "../core/secrets/stored-secret";
import { type ContainerImage, type MediaStore, type SqlInstance } from "./parts";
import { type SecretSettings } from "./secret-settings";

/** Variables from the caller: a literal map, or an expression that evaluates to one. */
export type EnvironmentOverrides = Readonly<Record<string, string>> | IResolvable;

/** Plain-text variables in layers; later ones take precedence. */
export interface EnvironmentSpec {
  /** Defaults, which the caller may override. */
  readonly baseline: Readonly<Record<string, string>>;

  /** Further defaults; a variable that is null at plan is omitted. None by default. */
  readonly optional?: Readonly<Record<string, string>>;

  /**
   * Variables of these layers that several containers share. They are written to the folder only once.
   *
   * @default - nothing
   */
  readonly common?: CommonVariables;

  /** Variables from the caller. */
  readonly overrides: EnvironmentOverrides;

  /** Fixed values. */
  readonly required: Readonly<Record<string, string>>;
}

/** Variables in a local of the folder. */
export interface CommonVariables {
  readonly variables: Readonly<Record<string, string>>;

  /** Returns the local; the first call creates it. */
  readonly local: () => TerraformLocal;
}

/** An unauthenticated GET on the container's port. */
export interface ProbeSpec {
  /** Path of the request. */
  readonly path: string;

  /** Seconds from the start of the container to the first probe. */
  readonly initialDelaySeconds: number;

  /** Seconds between probes. */
  readonly periodSeconds: number;

  /** Seconds after which a probe without an answer fails, at most the period. */
  readonly timeoutSeconds: number;

  /** Consecutive failures after which the platform acts. */
  readonly failureThreshold: number;
}

/** CPU and memory of one instance. */
export interface ResourcesSpec {
  /** Number of CPUs, for example `2`. */
  readonly cpu: string;

  /** Memory with its unit, for example `4Gi`. */
  readonly memory: string;
}

/** The database of a container. The platform provides the connection and allows the container's identity to use it. */
export interface DatabaseSpec {
  /** Instance to which the platform connects the container. */
  readonly instance: SqlInstance;

  /** Variable with the location of the connection: a socket folder or an address. */
  readonly hostVariable: string;

  /** Variable with the URL that stops the proxy sidecar, for platforms whose proxy does not stop by itself. */
  readonly proxyQuitVariable?: string;
}

/** A second port with TLS that is terminated by the server itself. */
export interface TlsPortSpec {
  /** Number of the port. */
  readonly port: number;

  /** Variables that open the port. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * One container, described independently of the platform. Platform adapters translate the description, grant the
 * container's identity access to secrets, database and buckets, and add only the requirements of their platform.
 */
export interface ContainerSpec {
  /** Image to run. */
  readonly image: ContainerImage;

  /** Plain-text variables. */
  readonly environment: EnvironmentSpec;

  /** Variables whose values are read from Secret Manager. */
  readonly secretEnvironment: Readonly<Record<string, ReadableSecret>>;

  /** Replaces the arguments of the image. */
  readonly args?: readonly string[];

  /** Variable with the base URL of the application's own links, for platforms that know the URL; none by default. */
  readonly baseUrlVariable?: string;

  /** Replaces the entrypoint of the image. */
  readonly command?: readonly string[];

  /** Database to which the container connects; none by default. */
  readonly database?: DatabaseSpec;

  /**
   * Dependencies besides the parts that the container uses, such as a job that prepares the database; none by default.
   */
  readonly dependsOn?: ITerraformDependable[];

  /** Probe that restarts a hanging container; none by default, and a hanging container then keeps running. */
  readonly livenessProbe?: ProbeSpec;

  /**
   * Whether the container works only during requests and may idle between them.
   *
   * @default false
   */
  readonly canIdle?: Condition;

  /** Buckets that are mounted as folders; none by default. */
  readonly mounts?: readonly MediaStore[];

  /** Port for plain HTTP; none by default, as for a worker or a job. */
  readonly port?: number;

  /** Port only for probes, for a container without another port; none by default. */
  readonly probePort?: number;

  /** CPU and memory; the platform's defaults if left out. */
  readonly resources?: ResourcesSpec;

  /** Further variables with values from Secret Manager; their names may be known only at plan. None by default. */
  readonly secretSettings?: readonly SecretSettings[];

  /** Probe that holds back traffic until the container is ready; without one, a running container counts as ready. */
  readonly startupProbe?: ProbeSpec;

  /** Port on which the container itself terminates TLS, for passthrough load balancers; none by default. */
  readonly tlsPort?: TlsPortSpec;

  /**
   * Returns variables that make the application trust the forwarded headers of load balancers with the given source
   * ranges; they override the caller's variables. By default, there are none.
   */
  readonly trustedProxies?: (
    ranges: readonly string[],
    overrides: EnvironmentOverrides,
  ) => Readonly<Record<string, string>>;
}
