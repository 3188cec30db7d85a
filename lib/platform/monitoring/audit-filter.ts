import { type Expr, hcl } from "../../core/expr/expr";
import { bucketName, clusterName, type DeploymentName, secretId, serviceName, sqlInstanceName } from "../../core/names";
import { type AlertFacts, labelsOf, type Platform } from "./alert";
import { SECRET_SUFFIXES, secretReads } from "./job-alerts";

/** Names in the filter of the audit log; each is a literal or a Terraform expression. */
export interface AuditNames extends Pick<AlertFacts, "namespace" | "secretPrefix" | "worker" | "workload"> {
  readonly deployment: DeploymentName;
  /** Ids of the service accounts that the deployment makes. */
  readonly accountIds: readonly string[];
  /** E-mail addresses of accounts that are managed elsewhere. */
  readonly givenAccounts: Expr<readonly string[]>;
  /** The cluster in use; undefined on Cloud Run. */
  readonly cluster?: ClusterInLogs | undefined;
}

/**
 * Identity of a cluster in logs. The name alone does not suffice, because each region may have a cluster with that
 * name.
 */
export type ClusterInLogs = Readonly<Record<"name" | "location", string>>;

/** Logger of the application with a line for each event that it stores. */
const EVENT = 'jsonPayload.logger="authentik.events.models" AND jsonPayload.event="Created Event"';

/** A sign-in with an unknown user name; the application stores no event for it. */
const UNKNOWN_NAME = 'jsonPayload.event="invalid_login"';

/**
 * A change of the application's own settings, for example of the retention of events; the application stores no event
 * for it.
 */
const SETTINGS = [
  'jsonPayload.logger="authentik.asgi" AND jsonPayload.event=~"^/api/v3/admin/settings/"',
  'jsonPayload.method=("PATCH" OR "PUT")',
].join(" AND ");

/** Parts are in parentheses, because OR binds more tightly than AND in Cloud Logging, unlike elsewhere. */
const eitherOf = (...filters: readonly string[]): string => filters.map((filter) => `(${filter})`).join(" OR ");

/**
 * Limited to the cluster, because another deployment of the project may have a namespace of the same name in another
 * cluster.
 */
const inCluster = ({ cluster }: AuditNames): readonly string[] =>
  cluster === undefined
    ? []
    : [`resource.labels.cluster_name="${cluster.name}"`, `resource.labels.location="${cluster.location}"`];

/** Filters for the audit log, each for another source. */
export function auditFilters(names: AuditNames, platform: Platform) {
  return {
    /** The application's log of its users and administrators. */
    events: [
      `(${labelsOf(names, platform).join(" OR ")})`,
      ...inCluster(names),
      `(${eitherOf(EVENT, UNKNOWN_NAME, SETTINGS)})`,
    ].join(" AND "),
    /** Reads of the deployment's secrets, if the project logs them. */
    secret_reads: secretReads(names.secretPrefix),
    /** Changes of the deployment. */
    changes: changes(names, platform),
    /** Restore drills that have passed. */
    drills: drills(names, platform),
  };
}

/**
 * The line of record-drill.sh, which runs in a copy of the job db-init. The job's name may be cut off, so the line
 * names the instance.
 */
function drills(names: AuditNames, platform: Platform): string {
  const { deployment, namespace } = names;
  const copies =
    platform === "serverless"
      ? ['resource.type="cloud_run_job"', 'resource.labels.job_name=~"-restore$"']
      : [
          'resource.type="k8s_container"',
          `resource.labels.namespace_name="${namespace}"`,
          'resource.labels.pod_name=~"-restore-[a-z0-9]+$"',
          ...inCluster(names),
        ];
  return [
    ...copies,
    'jsonPayload.message="restore-drill: passed"',
    `jsonPayload.instance="${sqlInstanceName(deployment)}"`,
  ].join(" AND ");
}

/** Changes of permissions on the whole project, because they include the deployment. */
const PROJECT_POLICY = [
  'resource.type="project" AND protoPayload.serviceName="cloudresourcemanager.googleapis.com"',
  'protoPayload.methodName:"SetIamPolicy"',
].join(" AND ");

/** Changes of resources with a name of the deployment. Resources with a number in place of a name cannot be found. */
function changes(names: AuditNames, platform: Platform): string {
  const { deployment, namespace } = names;
  const isOfCluster = platform === "kubernetes";
  const owned = [serviceName(deployment), bucketName(deployment, "").replace(/-$/, "")];
  if (isOfCluster) owned.push(clusterName(deployment));
  // The tenant prefix ends in a hash, so a hyphen after it begins the name of a part.
  const parts = `protoPayload.resourceName=~"/(${owned.join("|")})($|[^a-z0-9])"`;
  // These end in the application's name; a hyphen after it begins the rest of another application's name.
  const ended = [sqlInstanceName(deployment), `${secretId(deployment, "")}(${SECRET_SUFFIXES})`];
  const named = `protoPayload.resourceName=~"/(${ended.join("|")})($|[/:.])"`;
  const accounts = `resource.labels.email_id=~"^(${accountPatterns(names)})"`;
  // Excluded, because the cluster changes objects continuously under its own accounts.
  const objects = [
    `protoPayload.resourceName=~"(^|/)namespaces/${namespace}(/|$)"`,
    ...inCluster(names),
    `NOT protoPayload.authenticationInfo.principalEmail=~"^system:"`,
  ].join(" AND ");
  const all = [parts, named, accounts, PROJECT_POLICY, ...(isOfCluster ? [objects] : [])];
  return `log_id("cloudaudit.googleapis.com/activity") AND (${eitherOf(...all)})`;
}

/** Beginnings of e-mail addresses of accounts, as alternatives. */
function accountPatterns({ accountIds, givenAccounts }: AuditNames): string {
  const ownPatterns = accountIds.map((id) => `${id}@`).join("|");
  if (givenAccounts.isLiteral) return [ownPatterns, ...givenAccounts.literal].join("|");
  return `${ownPatterns}${hcl<string>`join("", formatlist("|%s", ${givenAccounts}))`.text}`;
}
