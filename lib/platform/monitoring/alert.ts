import { type Condition } from "../../core/expr/conditions";
import { type Expr } from "../../core/expr/expr";
import { type DeploymentName, objectName, secretId, serviceName, workerPoolName } from "../../core/names";
import { prose } from "../../core/prose";
import { WORKER_NAME } from "../../idp/worker";

/** Platform of a deployment; determines metrics and logs. */
export type Platform = "kubernetes" | "serverless";

/** Names of the props that the first steps of alerts suggest to change. */
export type NamedSetting =
  | "applicationVersion"
  | "certificateValidation"
  | "containerCpu"
  | "containerMemory"
  | "databaseDiskLimitGb"
  | "databaseFlags"
  | "databaseTier"
  | "maintenanceWindow"
  | "maxInstanceCount"
  | "minInstanceCount"
  | "domainOptions.requestLogSampleRate"
  | "secretReadLog.expectedReaders"
  | "signInProbe"
  | "standby"
  | "worker.count"
  | "worker.cpu"
  | "worker.maxCount"
  | "worker.memory"
  | "worker.processes"
  | "worker.threads";

/**
 * Names, goals and sizes for queries, filters and first steps. Each is a literal or a Terraform expression. Facts of
 * some deployments are meaningless in others.
 */
export interface AlertFacts {
  /** Name of a setting: of the prop, or of the stack's input. */
  readonly nameOf: (setting: NamedSetting) => string;
  readonly projectId: string;
  /** Host that the uptime check requests. */
  readonly host: string;
  /** Regular expression for the name of the load balancer's URL map. */
  readonly urlMap: string;
  /** Cloud SQL instance. */
  readonly database: string;
  /** Size in GB up to which the disk of the database grows, 0 for any. */
  readonly diskLimitGb: string;
  /** Connections that the database accepts. */
  readonly maxConnections: string;
  readonly maxInstances: string;
  /** Cloud Run service, or deployment in the namespace. */
  readonly workload: string;
  /** Worker pool, or deployment of the workers in the namespace. */
  readonly worker: string;
  /** Number of separate workers that always run. */
  readonly workers: string;
  readonly securityPolicy: string;
  /** Beginning of the names of certificates. */
  readonly deployment: string;
  /** Beginning of the names of the jobs that prepare the database. */
  readonly job: string;
  /** Whether clients connect through a load balancer with metrics. */
  readonly hasDomain: Condition;
  /** Goals of service levels, and the time in which requests must be answered. */
  readonly availableGoal: string;
  readonly latencyGoal: Expr<number>;
  readonly latencyMs: string;
  readonly checkUpJob: string;
  /** Time without a check-up after which it is missing, for PromQL. */
  readonly checkUpWindow: string;
  readonly eventRetentionJob: string;
  readonly recoveryJob: string;
  readonly signInProbeJob: string;
  /** Time without a run of the sign-in probe after which it is missing, for PromQL. */
  readonly signInProbeWindow: string;
  /** Instance of Cloud SQL that is a replica in the second region. */
  readonly standbyDatabase: string;
  readonly dumpJob: string;
  /** Job that makes a dump at an apply. */
  readonly firstDumpJob: string;
  readonly dumpBucket: string;
  readonly namespace: string;
  /** Beginning of the names of the secrets. */
  readonly secretPrefix: string;
  /** Accounts that may read secrets, each in quotes, joined by OR. */
  readonly secretReaders: string;
}

/** Text that contains facts of a deployment. */
export type Text = (facts: AlertFacts, platform: Platform) => string;

/** Texts for the platforms that can have the alert. */
type Texts = Readonly<Partial<Record<Platform, Text>>>;

/** Features of a deployment that alerts require. */
export type AlertNeed =
  | "audit"
  | "certificateByDns"
  | "checkUp"
  | "connectionPool"
  | "dailyDump"
  | "domain"
  | "dump"
  | "eventRetention"
  | "ownBackups"
  | "ownDatabase"
  | "protection"
  | "requestMetric"
  | "recoveryAccess"
  | "restoreDrill"
  | "scaling"
  | "separateWorker"
  | "serviceLevels"
  | "signInProbe"
  | "standby"
  | "uptimeCheck"
  | "workerInContainer";

/** Whether a deployment meets each need. */
export type AlertConditions = Readonly<Record<AlertNeed, Condition>>;

/** A row of the table of alerts; on each platform, it has either a query or a filter. */
interface Alert {
  /** The problem, in the words of the notification. */
  readonly title: string;
  readonly severity: "CRITICAL" | "ERROR" | "WARNING";
  /** Features that the deployment must have. By default none, so that every deployment has the alert. */
  readonly needs?: readonly AlertNeed[];
  /** PromQL expressions of one value; an empty result raises no alert. */
  readonly queries?: Texts;
  /** Comparison of the query's value that raises the alert, its duration, and the unit. */
  readonly limit?: {
    readonly raisedWhen: "<" | ">" | ">=";
    readonly threshold: number;
    readonly durationSeconds: number;
    readonly measures: string;
  };
  /** Filters in Cloud Logging's query language, for the log entry that raises the alert. */
  readonly filters?: Texts;
  /** First steps, with commands; the text of the notification. */
  readonly firstSteps: Text;
}

/** Alerts by their ids: the keys in the input `alerts`, in the policies' addresses and in tests. */
export type Alerts = Readonly<Record<string, Alert>>;

/** One text for both platforms. */
export function both(text: Text): Texts {
  return { kubernetes: text, serverless: text };
}

/** A command that prints the log entries of a filter. */
export function logCommand(filter: string, { projectId }: AlertFacts, freshness = "1h"): string {
  return `gcloud logging read '${filter}' --project=${projectId} --freshness=${freshness}`;
}

/** Names of the parts of a deployment in logs. */
export function namesInLogs(
  deployment: DeploymentName,
  platform: Platform,
  namespace = "",
): Pick<AlertFacts, "namespace" | "secretPrefix" | "worker" | "workload"> {
  const isServerless = platform === "serverless";
  return {
    namespace,
    secretPrefix: secretId(deployment, ""),
    worker: isServerless ? workerPoolName(deployment) : objectName(deployment, WORKER_NAME),
    workload: isServerless ? serviceName(deployment) : objectName(deployment),
  };
}

/** Labels of the log's resources, each of one kind of the deployment's servers, workers and jobs. */
export function labelsOf(
  { namespace, worker, workload }: Pick<AlertFacts, "namespace" | "worker" | "workload">,
  platform: Platform,
): string[] {
  const labels =
    platform === "serverless"
      ? [
          `service_name="${workload}"`,
          `worker_pool_name="${worker}"`,
          `job_name=~"^${workload}-"`,
          `job_id=~"^${workload}-"`,
        ]
      : [`namespace_name="${namespace}"`];
  return labels.map((label) => `resource.labels.${label}`);
}

/**
 * A command that prints the last errors of a deployment: of its servers, workers and jobs, and of the database.
 *
 * @param databaseId of the instance in use, with its project, as logs have it
 */
export function errorsCommand(facts: AlertFacts, platform: Platform, databaseId: string): string {
  const labels = [...labelsOf(facts, platform), `resource.labels.database_id="${databaseId}"`];
  const filter = `(severity>=ERROR OR jsonPayload.level=("error" OR "critical")) AND (${labels.join(" OR ")})`;
  const columns = "table(timestamp, resource.type, textPayload, jsonPayload.event)";
  return `${logCommand(filter, facts)} --limit=30 --format='${columns}'`;
}

/** Log filters, each for all entries of one part. */
export const LOGS_OF = {
  /** Server and worker, in one container or separate. */
  workload: ({ namespace, worker, workload }: AlertFacts, platform: Platform) =>
    platform === "serverless"
      ? prose`
        resource.type=("cloud_run_revision" OR "cloud_run_worker_pool")
        (resource.labels.service_name="${workload}" OR resource.labels.worker_pool_name="${worker}")
      `
      : prose`
        resource.type="k8s_container" resource.labels.namespace_name="${namespace}"
        resource.labels.container_name=("server" OR "worker")
      `,

  separateWorker: ({ namespace, worker }: AlertFacts, platform: Platform) =>
    platform === "serverless"
      ? `resource.type="cloud_run_worker_pool" resource.labels.worker_pool_name="${worker}"`
      : prose`
        resource.type="k8s_container" resource.labels.namespace_name="${namespace}"
        resource.labels.container_name="worker"
      `,

  /** The lines that the entrypoint writes about the supervised processes. */
  entrypoint: (facts: AlertFacts, platform: Platform) =>
    `${LOGS_OF.workload(facts, platform)} textPayload:"cloud-entrypoint: "`,

  /** A job in Cloud Run, or the pods of a job in the namespace. */
  job: ({ namespace }: AlertFacts, platform: Platform, job: string) =>
    platform === "serverless"
      ? `resource.type="cloud_run_job" resource.labels.job_name="${job}"`
      : `resource.type="k8s_container" resource.labels.namespace_name="${namespace}" resource.labels.pod_name:"${job}"`,

  /** The scheduled job, and the job that makes a dump at an apply. */
  dumps: (facts: AlertFacts, platform: Platform) =>
    platform === "serverless"
      ? `resource.type="cloud_run_job" resource.labels.job_name=("${facts.dumpJob}" OR "${facts.firstDumpJob}")`
      : LOGS_OF.job(facts, platform, facts.dumpJob),

  /** Requests, each with its client. */
  requests: (facts: AlertFacts) => `${LOGS_OF.workload(facts, "serverless")} log_id("run.googleapis.com/requests")`,

  database: ({ database, projectId }: AlertFacts) =>
    `resource.type="cloudsql_database" resource.labels.database_id="${projectId}:${database}"`,

  loadBalancer: ({ urlMap }: AlertFacts) =>
    `resource.type="http_load_balancer" resource.labels.url_map_name=~"^${urlMap}$"`,

  /** The cluster's events about objects of one kind in the namespace. */
  events: ({ namespace }: AlertFacts, kind: string, name: string) =>
    prose`
      log_id("events") jsonPayload.involvedObject.kind="${kind}"
      jsonPayload.involvedObject.namespace="${namespace}" jsonPayload.involvedObject.name:"${name}"
    `,
} as const;
