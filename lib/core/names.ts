import { createHash } from "node:crypto";

import { Fn, Token } from "cdktf";

import { namedText } from "./expr/expr";

/**
 * All name formulas and their limits. The formulas take literals and Terraform expressions; a name built from an
 * expression is an expression. Names outside a deployment's own namespace contain the tenant prefix or a hash of the
 * prefix.
 */

export const PROJECT_ID_PATTERN = "^[a-z][a-z0-9-]{4,28}[a-z0-9]$";

/** Limit from the contract. */
export const TENANT_ID_MAX_LENGTH = 20;

export const DEFAULT_TENANT_ID = "demo";
export const DEFAULT_APPLICATION_NAME = "idp";
export const DEFAULT_REGION = "us-central1";

/** Hexadecimal digits of the project's hash in the tenant prefix: keeps bucket names unique across projects. */
const PROJECT_HASH_LENGTH = 6;

/** The tightest limit is the name of the job db-init: see `JOB_NAME_AND_TOKEN_MAX_LENGTH`. */
export const APPLICATION_NAME_MAX_LENGTH = 18;

/** Word that no bucket name may contain. */
export const BUCKET_NAME_RESERVED_WORD = "google";

/** A service account id is part of an e-mail address. */
export const SERVICE_ACCOUNT_ID_MAX_LENGTH = 30;

/** Limit of Secret Manager. */
export const SECRET_ID_MAX_LENGTH = 255;

/**
 * Cloud Run builds the name of an execution from the name of the job and a token; it must have fewer than 63
 * characters.
 */
export const JOB_NAME_AND_TOKEN_MAX_LENGTH = 62;

/** A Unix socket address has 108 bytes, including the terminating zero. */
export const SOCKET_PATH_MAX_LENGTH = 107;

/** Maximum length of a database's connection name, so that the path of its socket fits. */
export const CONNECTION_NAME_MAX_LENGTH = SOCKET_PATH_MAX_LENGTH - "/cloudsql/".length - "/.s.PGSQL.5432".length;

/** Characters that a connection name adds to project id, region, tenant id and application name. */
export const CONNECTION_NAME_FRAME_LENGTH = "::sql-".length + "-".length + PROJECT_HASH_LENGTH + "-".length;

/** Characters that the connection name of a replica in another region adds, without the replica's number. */
export const STANDBY_CONNECTION_NAME_FRAME_LENGTH = CONNECTION_NAME_FRAME_LENGTH + "-standby".length;

/** Parts of the names of one deployment. */
export interface DeploymentName {
  /** `<tenant id>-<hash of the project>`, as returned by `deploymentContext`. */
  readonly tenantPrefix: string;

  /** Lower-case letters, digits and hyphens, starting with a letter, at most 18. */
  readonly applicationName: string;
}

/** The tenant id with a hash of the project, so that names differ for the same tenant in two projects. */
export function tenantPrefix(tenantId: string, projectId: string): string {
  return `${tenantId}-${shortHash([projectId], PROJECT_HASH_LENGTH)}`;
}

/** Name of a secret. @param suffix purpose of the secret, such as `database-password` */
export function secretId({ tenantPrefix, applicationName }: DeploymentName, suffix: string): string {
  return `secret-${tenantPrefix}-${applicationName}-${suffix}`;
}

/** No hyphen between application name and tenant prefix, as the contract requires. */
export function bucketName({ tenantPrefix, applicationName }: DeploymentName, suffix: string): string {
  return `bkt-${applicationName}${tenantPrefix}-${suffix}`;
}

/** The name of an instance must not start with a digit, although a tenant id may. */
export function sqlInstanceName({ tenantPrefix, applicationName }: DeploymentName): string {
  return namedText("sql_instance_name", `sql-${tenantPrefix}-${applicationName}`);
}

/**
 * Name of a replica in another region. It contains a number, because Google reserves the name of a deleted instance for
 * a week.
 */
export function standbyInstanceName(deployment: DeploymentName, number: string): string {
  return namedText("standby_instance_name", `${sqlInstanceName(deployment)}-standby${number}`);
}

/**
 * Name of role and database, with underscores so that it needs no quoting. The prefix `db_` is necessary because a
 * tenant id may start with a digit, or be `pg`, and PostgreSQL reserves names that start with `pg_`.
 */
export function postgresqlName({ tenantPrefix, applicationName }: DeploymentName): string {
  const parts = ["db", tenantPrefix, applicationName];
  return parts.some((part) => Token.isUnresolved(part))
    ? Fn.replace(Fn.join("_", parts), "-", "_")
    : parts.join("_").replaceAll("-", "_");
}

/** Name of service and image repository; part of the service's URL. */
export function serviceName({ tenantPrefix, applicationName }: DeploymentName): string {
  return `${applicationName}-${tenantPrefix}`;
}

/** Prefix of every image in a deployment's own repository. */
export function imagePrefix(region: string, projectId: string, deployment: DeploymentName): string {
  return `${region}-docker.pkg.dev/${projectId}/${serviceName(deployment)}`;
}

/** Shortened, because the name of a worker pool is too short for the whole word. */
export function workerPoolName(deployment: DeploymentName): string {
  return partName(deployment, "w");
}

/** Name of a job, of a network and its parts, or of an address. */
export function partName(deployment: DeploymentName, part: string): string {
  return `${serviceName(deployment)}-${part}`;
}

/** Name with a hash of a domain or region. A deployment has few of them over time, so 8 digits are enough. */
export function hashedName(deployment: DeploymentName, of: string): string {
  return partName(deployment, shortHash([of], 8));
}

/**
 * A service account id has at most 30 characters, too few for tenant prefix and application name; the display name is
 * readable.
 *
 * @param purpose at most 21 characters, starting with a letter; more than 17 shorten the hash
 */
export function serviceAccountId({ tenantPrefix, applicationName }: DeploymentName, purpose: string): string {
  const longest = SERVICE_ACCOUNT_ID_MAX_LENGTH - `${purpose}-`.length;
  return `${purpose}-${shortHash([tenantPrefix, applicationName], Math.min(longest, SHORT_NAME_HASH_LENGTH))}`;
}

/** A cluster's name has at most 40 characters, too few for tenant prefix and application name. */
export function clusterName({ tenantPrefix, applicationName }: DeploymentName): string {
  return `gke-${applicationName}-${shortHash([tenantPrefix], SHORT_NAME_HASH_LENGTH)}`;
}

/** Name of an object in the deployment's own namespace. */
export function objectName({ applicationName }: DeploymentName, part?: string): string {
  return part === undefined ? applicationName : `${applicationName}-${part}`;
}

/** 48 bits make collisions within one project practically impossible. */
const SHORT_NAME_HASH_LENGTH = 12;

function shortHash(parts: readonly [string, ...string[]], length: number): string {
  if (parts.some((part) => Token.isUnresolved(part))) {
    const [first] = parts;
    const hash = parts.length === 1 ? Fn.sha256(first) : namedText("name_hash", Fn.sha256(Fn.join("-", [...parts])));
    return Fn.substr(hash, 0, length);
  }
  return createHash("sha256").update(parts.join("-")).digest("hex").slice(0, length);
}
