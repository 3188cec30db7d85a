import { createHash } from "node:crypto";

import { Fn, Token } from "cdktf";

/**
 * Every name formula and its budget. The formulas take literals and Terraform expressions alike; a name of an
 * expression is an expression. All names of one deployment contain its tenant prefix.
 */

/** What the id of a project looks like. */
export const PROJECT_ID_PATTERN = "^[a-z][a-z0-9-]{4,28}[a-z0-9]$";

/** Longest tenant id; from the input's own rule. */
export const TENANT_ID_MAX_LENGTH = 20;

/** Default name of an application. */
export const DEFAULT_APPLICATION_NAME = "idp";

/** Default region of a deployment. */
export const DEFAULT_REGION = "us-central1";

/** Hexadecimal digits of the project's hash in the tenant prefix: keeps bucket names unique across projects. */
const PROJECT_HASH_LENGTH = 6;

/** What `tenantPrefix` gives. */
export const TENANT_PREFIX_PATTERN = `^[a-z0-9-]{1,${TENANT_ID_MAX_LENGTH}}-[0-9a-f]{${PROJECT_HASH_LENGTH}}$`;

/**
 * Longest application name. The tightest budget is the database initialization job: its name and its execution token
 * together stay below 63, see `JOB_NAME_AND_TOKEN_MAX_LENGTH`.
 */
export const APPLICATION_NAME_MAX_LENGTH = 18;

/** A bucket's name becomes part of a host name. */
export const BUCKET_NAME_MAX_LENGTH = 63;

/** Word that no bucket name may contain. */
export const BUCKET_NAME_RESERVED_WORD = "google";

/** A service's name becomes part of a host name. */
export const SERVICE_NAME_MAX_LENGTH = 49;

/** A service account's id becomes part of an e-mail address. */
export const SERVICE_ACCOUNT_ID_MAX_LENGTH = 30;

/** Limit of Secret Manager. */
export const SECRET_ID_MAX_LENGTH = 255;

/** Cloud SQL limits the name together with the project id. */
export const SQL_INSTANCE_NAME_MAX_LENGTH = 98;

/** PostgreSQL cuts off the rest. */
export const POSTGRESQL_NAME_MAX_LENGTH = 63;

/** Cloud Run names an execution after the job and its token, in fewer than 63 characters. */
export const JOB_NAME_AND_TOKEN_MAX_LENGTH = 62;

/** Limit of GKE. */
export const CLUSTER_NAME_MAX_LENGTH = 40;

/** Limit of Compute Engine for networks, addresses and certificates. */
export const NETWORK_NAME_MAX_LENGTH = 63;

/** A Unix socket address holds 108 bytes with its closing zero. */
export const SOCKET_PATH_MAX_LENGTH = 107;

/** What surrounds `<project>:<region>:<instance>` in the path of the database socket. */
const SOCKET_PATH_FRAME = "/cloudsql/" + "/.s.PGSQL.5432";

/** Characters that the connection name of a database may have so that the socket path fits. */
export const CONNECTION_NAME_MAX_LENGTH = SOCKET_PATH_MAX_LENGTH - SOCKET_PATH_FRAME.length;

/** Characters that a connection name adds to project id, region, tenant id and application name. */
export const CONNECTION_NAME_FRAME_LENGTH = "::sql-".length + "-".length + PROJECT_HASH_LENGTH + "-".length;

/** What the names of one deployment are made of. */
export interface DeploymentName {
  /** From `tenantPrefix`. */
  readonly tenantPrefix: string;

  /** Lower-case letters, digits and hyphens, starting with a letter, at most 18. */
  readonly applicationName: string;
}

/** `<tenant_id>-<first 6 hexadecimal digits of sha256(project_id)>`. */
export function tenantPrefix(tenantId: string, projectId: string): string {
  return `${tenantId}-${shortHash([projectId], PROJECT_HASH_LENGTH)}`;
}

/** `secret-<tenant_prefix>-<application_name>-<suffix>`. */
export function secretId({ tenantPrefix, applicationName }: DeploymentName, suffix: string): string {
  return `secret-${tenantPrefix}-${applicationName}-${suffix}`;
}

/** `bkt-<application_name><tenant_prefix>-<suffix>`; no hyphen between the first two, as the contract has it. */
export function bucketName({ tenantPrefix, applicationName }: DeploymentName, suffix: string): string {
  return `bkt-${applicationName}${tenantPrefix}-${suffix}`;
}

/** `sql-<tenant_prefix>-<application_name>`; a tenant id may start with a digit, an instance may not. */
export function sqlInstanceName({ tenantPrefix, applicationName }: DeploymentName): string {
  return `sql-${tenantPrefix}-${applicationName}`;
}

/** `<project>:<region>:<instance>`: how the platform's proxies find an instance. */
export function connectionName(projectId: string, region: string, deployment: DeploymentName): string {
  return `${projectId}:${region}:${sqlInstanceName(deployment)}`;
}

/**
 * `db_<tenant_prefix>_<application_name>` with underscores: role and database, without a need for quotes. A tenant id may
 * start with a digit, or be `pg`, and names that start with `pg_` belong to PostgreSQL.
 */
export function postgresqlName({ tenantPrefix, applicationName }: DeploymentName): string {
  const parts = ["db", tenantPrefix, applicationName];
  return parts.some((part) => Token.isUnresolved(part))
    ? Fn.replace(Fn.join("_", parts), "-", "_")
    : parts.join("_").replaceAll("-", "_");
}

/** `<application_name>-<tenant_prefix>`: service and image repository; it is part of the service's address. */
export function serviceName({ tenantPrefix, applicationName }: DeploymentName): string {
  return `${applicationName}-${tenantPrefix}`;
}

/** `<region>-docker.pkg.dev/<project>/<repository>`: the beginning of every image in a deployment's own repository. */
export function imagePrefix(region: string, projectId: string, deployment: DeploymentName): string {
  return `${region}-docker.pkg.dev/${projectId}/${serviceName(deployment)}`;
}

/** `<application_name>-<tenant_prefix>-<job>`. */
export function jobName(deployment: DeploymentName, job: string): string {
  return `${serviceName(deployment)}-${job}`;
}

/**
 * `<purpose>-<first 12 hexadecimal digits of sha256(<tenant_prefix>-<application_name>)>`.
 *
 * Service account ids hold 30 characters, less than the prefix and the application name; the readable form goes in the
 * display name.
 *
 * @param purpose at most 17 characters, starting with a letter
 */
export function serviceAccountId({ tenantPrefix, applicationName }: DeploymentName, purpose: string): string {
  return `${purpose}-${shortHash([tenantPrefix, applicationName], SHORT_NAME_HASH_LENGTH)}`;
}

/**
 * `gke-<application_name>-<first 12 hexadecimal digits of sha256(<tenant_prefix>)>`: a cluster's name holds 40 characters,
 * less than the prefix and the application name.
 */
export function clusterName({ tenantPrefix, applicationName }: DeploymentName): string {
  return `gke-${applicationName}-${shortHash([tenantPrefix], SHORT_NAME_HASH_LENGTH)}`;
}

/** `<application_name>-<tenant_prefix>-<part>`: networks and what belongs to them, addresses. */
export function networkName(deployment: DeploymentName, part: string): string {
  return `${serviceName(deployment)}-${part}`;
}

/** `<application_name>-<tenant_prefix>-<first 8 hexadecimal digits of sha256(domain)>`: another domain, another name. */
export function certificateName(deployment: DeploymentName, domain: string): string {
  return networkName(deployment, shortHash([domain], DOMAIN_HASH_LENGTH));
}

/** `<application_name>` or `<application_name>-<part>`: objects of a namespace, which is the deployment's alone. */
export function objectName({ applicationName }: DeploymentName, part?: string): string {
  return part === undefined ? applicationName : `${applicationName}-${part}`;
}

/** Collisions within one project stay out of reach with 48 bits. */
const SHORT_NAME_HASH_LENGTH = 12;

/** Few domains follow each other on one deployment. */
const DOMAIN_HASH_LENGTH = 8;

function shortHash(parts: readonly [string, ...string[]], length: number): string {
  if (parts.some((part) => Token.isUnresolved(part))) {
    const text = parts.length === 1 ? parts[0] : Fn.join("-", [...parts]);
    return Fn.substr(Fn.sha256(text), 0, length);
  }
  return createHash("sha256").update(parts.join("-")).digest("hex").slice(0, length);
}
