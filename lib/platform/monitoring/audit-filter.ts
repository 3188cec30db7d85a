import { bucketName, clusterName, type DeploymentName, secretId, serviceName, sqlInstanceName } from "../../core/names";
import { type AlertNames, type Platform, labelsOf } from "./alert";
import { secretReads } from "./job-alerts";

/** Names in the filter of the audit log; each is a literal or a Terraform expression. */
export interface AuditNames extends Pick<AlertNames, "namespace" | "secretPrefix" | "worker" | "workload"> {
  readonly deployment: DeploymentName;
  /** Ids of the service accounts that the deployment makes. */
  readonly accountIds: readonly string[];
}

/** Where the application writes a line for each event that it stores. */
const EVENT = 'jsonPayload.logger="authentik.events.models" AND jsonPayload.event="Created Event"';

/** A sign-in with a name that nobody has, of which the application stores nothing. */
const UNKNOWN_NAME = 'jsonPayload.event="invalid_login"';

/** A change of the application's own settings, such as how long it stores events, of which it stores none. */
const SETTINGS = [
  'jsonPayload.logger="authentik.asgi" AND jsonPayload.event=~"^/api/v3/admin/settings/"',
  'jsonPayload.method=("PATCH" OR "PUT")',
].join(" AND ");

/** Parts in parentheses, because OR binds more tightly than AND in Cloud Logging, unlike elsewhere. */
const anyOf = (...filters: readonly string[]): string => filters.map((filter) => `(${filter})`).join(" OR ");

/** Filters of what belongs into an audit log, each for another source. */
export function auditFilters(names: AuditNames, platform: Platform) {
  return {
    /** What the application logs of its users and administrators. */
    events: `(${labelsOf(names, platform).join(" OR ")}) AND (${anyOf(EVENT, UNKNOWN_NAME, SETTINGS)})`,
    /** Who reads the deployment's secrets, where the project logs that. */
    secret_reads: secretReads(names.secretPrefix),
    /** Who changes the deployment. */
    changes: changes(names, platform),
  };
}

/** Changes of what has a name of the deployment's. Parts with a number in place of a name cannot be found. */
function changes({ accountIds, deployment, namespace }: AuditNames, platform: Platform): string {
  const named = [
    serviceName(deployment),
    sqlInstanceName(deployment),
    // Without what follows in the names of single ones.
    secretId(deployment, "").replace(/-$/, ""),
    bucketName(deployment, "").replace(/-$/, ""),
    ...(platform === "kubernetes" ? [clusterName(deployment)] : []),
  ];
  const parts = `protoPayload.resourceName=~"/(${named.join("|")})($|[^a-z0-9])"`;
  const accounts = `resource.labels.email_id=~"^(${accountIds.join("|")})@"`;
  // The cluster changes objects all the time by accounts of its own.
  const objects = [
    `protoPayload.resourceName=~"(^|/)namespaces/${namespace}(/|$)"`,
    `NOT protoPayload.authenticationInfo.principalEmail=~"^system:"`,
  ].join(" AND ");
  const all = platform === "kubernetes" ? anyOf(parts, accounts, objects) : anyOf(parts, accounts);
  return `log_id("cloudaudit.googleapis.com/activity") AND (${all})`;
}
