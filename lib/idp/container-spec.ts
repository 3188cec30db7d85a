import { type IResolvable, type ITerraformDependable } from "cdktf";

import { type ReadableSecret } from "../core/generated-secret";
import { missingText, type Rule } from "../core/rules";
import { type ContainerImage, type MediaStore, type SqlInstance } from "./parts";

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
  /** Path of the page that is asked for, under `/-/health/`. */
  readonly path: string;

  /** Seconds from the start of the container to the first probe. */
  readonly initialDelaySeconds: number;

  /** Seconds from one probe to the next. */
  readonly periodSeconds: number;

  /** Seconds that an answer may take, at most the period. */
  readonly timeoutSeconds: number;

  /** Failures in a row after which something is done. */
  readonly failureThreshold: number;
}

/** CPU and memory of one instance. */
export interface ResourcesSpec {
  /** Number of CPUs, for example `2`. */
  readonly cpu: string;

  /** Memory with its unit, for example `4Gi`. */
  readonly memory: string;
}

/** The database of a container. The platform offers the connection, and allows the container's identity to use it. */
export interface DatabaseSpec {
  /** Instance that the platform connects the container to. */
  readonly instance: SqlInstance;

  /** Variable that tells the container where the connection is: a socket folder or an address. */
  readonly hostVariable: string;

  /**
   * Variable that tells the container how to end the proxy beside it, where the platform's proxy must be told.
   *
   * @default - the proxy ends by itself
   */
  readonly proxyQuitVariable?: string;
}

/** A second port, with TLS of the server's own. */
export interface TlsPortSpec {
  /** Number of the port. */
  readonly port: number;

  /** What opens the port. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * One container, in words that every platform understands. Platform adapters translate it, grant what it takes to the
 * identity that it runs as, and add only what their platform forces on them.
 */
export interface ContainerSpec {
  /** Image to run. */
  readonly image: ContainerImage;

  /** Variables in plain text. */
  readonly environment: EnvironmentSpec;

  /** Variables whose values are read from the secret store. */
  readonly secretEnvironment: Readonly<Record<string, ReadableSecret>>;

  /**
   * Replaces the arguments of the image.
   *
   * @default - the image's own
   */
  readonly args?: readonly string[];

  /**
   * Variable that tells the application the base of its own links, where the platform knows it.
   *
   * @default - it is told nothing
   */
  readonly baseUrlVariable?: string;

  /**
   * Replaces the entrypoint of the image.
   *
   * @default - the image's own
   */
  readonly command?: readonly string[];

  /**
   * Database that the container connects to.
   *
   * @default - none
   */
  readonly database?: DatabaseSpec;

  /**
   * What must exist before the container starts, beside what it takes: a job that prepares it, for example.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Probe that restarts a hanging container.
   *
   * @default - none, a hanging container goes on
   */
  readonly livenessProbe?: ProbeSpec;

  /**
   * Buckets that appear as folders.
   *
   * @default - none
   */
  readonly mounts?: readonly MediaStore[];

  /**
   * Port on which it answers plain HTTP.
   *
   * @default - none, as of a worker or a job
   */
  readonly port?: number;

  /**
   * CPU and memory.
   *
   * @default - what the platform gives a container that asks for nothing
   */
  readonly resources?: ResourcesSpec;

  /**
   * Probe that holds back traffic until the container is ready.
   *
   * @default - none, the container is ready when it runs
   */
  readonly startupProbe?: ProbeSpec;

  /**
   * Port with TLS of the container's own, for platforms whose load balancer passes TLS through.
   *
   * @default - none
   */
  readonly tlsPort?: TlsPortSpec;

  /**
   * Variables that make the application trust what load balancers say about clients, given the ranges from which they
   * speak.
   *
   * @default - it is told nothing
   */
  readonly trustedProxies?: (ranges: readonly string[]) => Readonly<Record<string, string>>;
}

/** The instance of a container's database, for rules: whoever writes JavaScript may have left it out. */
export function databaseOf({ database }: ContainerSpec): SqlInstance | undefined {
  return (database as Partial<DatabaseSpec> | undefined)?.instance;
}

/** What no container may lack, for `requireProps`. */
export const REQUIRED_CONTAINER = {
  image: true,
  environment: { baseline: true, overrides: true, required: true },
  secretEnvironment: true,
} as const;

/**
 * Rules of a container for whatever runs one: an entry without a value is a misspelled name of whoever writes JavaScript.
 *
 * @param prop where the container is in the props
 */
export function containerRules<Props>(
  prop: string,
  containerOf: (props: Props) => ContainerSpec,
): readonly Rule<Props>[] {
  const missing = (props: Props): string[] => {
    const { database, mounts, secretEnvironment } = containerOf(props);
    const parts = {
      secretEnvironment,
      mounts,
      database: database && { instance: database.instance, hostVariable: database.hostVariable },
    };
    return Object.entries(parts).flatMap(([part, entries]) =>
      Object.entries((entries ?? {}) as Readonly<Record<string, unknown>>)
        .filter(([, value]) => value === undefined || value === null)
        .map(([name]) => missingText(`${prop}.${part}.${name}`)),
    );
  };
  return [{ holds: (props) => missing(props).length === 0, message: missing }];
}
