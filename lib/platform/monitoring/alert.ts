/** Where a deployment runs; determines metrics and logs. */
export type Platform = "kubernetes" | "serverless";

/** Names of the props that the first steps of alerts suggest to change. */
export type NamedSetting =
  | "applicationVersion"
  | "certificateValidation"
  | "containerCpu"
  | "containerMemory"
  | "databaseTier"
  | "maxInstanceCount"
  | "minInstanceCount"
  | "requestLogSampleRate"
  | "secretReaders"
  | "workerCount"
  | "workerCpu"
  | "workerMaxCount"
  | "workerMemory"
  | "workerProcesses";

/**
 * Names in queries, filters and first steps. Each is a literal or a Terraform expression; one that only some deployments
 * have is meaningless in the others.
 */
export interface AlertNames {
  /** Name of a setting where it is given: as a prop, or as an input of a stack. */
  readonly called: (setting: NamedSetting) => string;
  readonly projectId: string;
  /** Host that the uptime check requests. */
  readonly host: string;
  /** Regular expression for the name of the load balancer's URL map. */
  readonly urlMap: string;
  /** Cloud SQL instance. */
  readonly database: string;
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
  readonly dumpJob: string;
  /** Job that dumps at an apply. */
  readonly firstDumpJob: string;
  readonly dumpBucket: string;
  readonly namespace: string;
  /** Beginning of the names of the secrets. */
  readonly secretPrefix: string;
  /** Accounts that may read secrets, each in quotes, joined by OR. */
  readonly secretReaders: string;
}

/** Text that contains names. */
type Text = (names: AlertNames) => string;

/** A condition on a metric. */
export interface MetricCondition {
  /** PromQL expression of one value; an empty result raises nothing. */
  readonly query: Text;

  /** How the value compares with the threshold while something is wrong. */
  readonly raisedWhen: "<" | ">" | ">=";

  readonly threshold: number;

  /** How long that must last. */
  readonly durationSeconds: number;
}

/** A log entry that raises an alert. */
export interface LogCondition {
  /** Filter in Cloud Logging's query language. */
  readonly filter: Text;
}

export type Condition = LogCondition | MetricCondition;

/** What a deployment must have for an alert to make sense. */
export type AlertNeed =
  | "audit"
  | "dailyDump"
  | "domain"
  | "dump"
  | "protection"
  | "room"
  | "separateWorker"
  | "uptimeCheck"
  | "workerInContainer";

/** A row of the table of alerts. */
export interface Alert {
  /** Key in the input `alerts`, in the policy's address and in tests. */
  readonly id: string;

  /** What is wrong, in the words of the notification. */
  readonly title: string;

  readonly severity: "CRITICAL" | "ERROR" | "WARNING";

  /** Unit of the threshold; missing if no condition has one. */
  readonly measures?: string;

  /** Condition for each platform that can have the alert. */
  readonly on: Readonly<Partial<Record<Platform, Condition>>>;

  /** What the deployment must have. Default: nothing; it exists in every deployment. */
  readonly needs?: readonly AlertNeed[];

  /** What to do first, with commands; the text of the notification. */
  readonly firstSteps: (names: AlertNames, platform: Platform) => string;
}

/** Whether a condition is about a metric, and so has a threshold and a duration. */
export function isMetric(condition: Condition): condition is MetricCondition {
  return "query" in condition;
}

/** A command that prints the log entries of a filter. */
export function logCommand(filter: string, { projectId }: AlertNames, freshness = "1h"): string {
  return `gcloud logging read '${filter}' --project=${projectId} --freshness=${freshness}`;
}

/** Log filters, each for all entries of one part. */
export const LOGS_OF = {
  /** Server and worker, in one container or separate. */
  workload: ({ namespace, worker, workload }: AlertNames, platform: Platform) =>
    platform === "serverless"
      ? `resource.type=("cloud_run_revision" OR "cloud_run_worker_pool") (resource.labels.service_name="${workload}" OR resource.labels.worker_pool_name="${worker}")`
      : `resource.type="k8s_container" resource.labels.namespace_name="${namespace}" resource.labels.container_name=("server" OR "worker")`,

  /** A separate worker. */
  separateWorker: ({ namespace, worker }: AlertNames, platform: Platform) =>
    platform === "serverless"
      ? `resource.type="cloud_run_worker_pool" resource.labels.worker_pool_name="${worker}"`
      : `resource.type="k8s_container" resource.labels.namespace_name="${namespace}" resource.labels.container_name="worker"`,

  /** The lines that the entrypoint writes about the worker beside the server. */
  worker: (names: AlertNames, platform: Platform) =>
    `${LOGS_OF.workload(names, platform)} textPayload:"cloud-entrypoint: "`,

  /** A job in Cloud Run, or the pods of a job in the namespace. */
  job: ({ namespace }: AlertNames, platform: Platform, job: string) =>
    platform === "serverless"
      ? `resource.type="cloud_run_job" resource.labels.job_name="${job}"`
      : `resource.type="k8s_container" resource.labels.namespace_name="${namespace}" resource.labels.pod_name:"${job}"`,

  /** The job of the schedule, and the one that dumps at an apply. */
  dumps: (names: AlertNames, platform: Platform) =>
    platform === "serverless"
      ? `resource.type="cloud_run_job" resource.labels.job_name=("${names.dumpJob}" OR "${names.firstDumpJob}")`
      : LOGS_OF.job(names, platform, names.dumpJob),

  /** Requests, each with its client. */
  requests: (names: AlertNames) => `${LOGS_OF.workload(names, "serverless")} log_id("run.googleapis.com/requests")`,

  database: ({ database, projectId }: AlertNames) =>
    `resource.type="cloudsql_database" resource.labels.database_id="${projectId}:${database}"`,

  loadBalancer: ({ urlMap }: AlertNames) =>
    `resource.type="http_load_balancer" resource.labels.url_map_name=~"^${urlMap}$"`,

  /** What the cluster reports about objects of one kind in the namespace. */
  events: ({ namespace }: AlertNames, kind: string, name: string) =>
    `log_id("events") jsonPayload.involvedObject.kind="${kind}" jsonPayload.involvedObject.namespace="${namespace}" jsonPayload.involvedObject.name:"${name}"`,
} as const;
