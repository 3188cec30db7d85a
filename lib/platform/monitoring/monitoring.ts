import { MonitoringDashboard } from "@cdktf/provider-google/lib/monitoring-dashboard";
import { MonitoringUptimeCheckConfig } from "@cdktf/provider-google/lib/monitoring-uptime-check-config";
import { ProjectIamAuditConfig } from "@cdktf/provider-google/lib/project-iam-audit-config";
import { type ITerraformDependable, TerraformLocal, Token } from "cdktf";
import { Construct } from "constructs";

import { type DeploymentContext } from "../../core/deployment-context";
import { type Condition, conditionFrom, countIf, isNever, isSet, partIf, present } from "../../core/expr/conditions";
import { type Expr, exprOf, hcl, interpolated } from "../../core/expr/expr";
import { compact, concat, each, jsonOf, trimPrefix } from "../../core/expr/functions";
import { localReference, named } from "../../core/expr/locals";
import { inFiles } from "../../core/hcl/stack-origin";
import { type WorkloadIdentity } from "../../core/identity";
import { objectName, partName, serviceName, sqlInstanceName } from "../../core/names";
import { type ProjectApis } from "../../core/project-apis";
import { DB_INIT_JOB, STARTUP_PROBE } from "../../idp/contract";
import { FIRST_DUMP_JOB } from "../../idp/dumps";
import { WORKER_MODES } from "../../idp/worker";
import { securityPolicyName } from "../domain/security-policy";
import {
  type AlertConditions,
  type AlertFacts,
  errorsCommand,
  type NamedSetting,
  namesInLogs,
  type Platform,
} from "./alert";
import { AlertPolicies } from "./alert-policies";
import { alertTable } from "./alerts";
import { dashboardOf } from "./dashboard";
import { type AlertSettings, type MonitoringSettings } from "./monitoring-settings";
import { measuresRequests } from "./service-level-metrics";
import { NO_OBJECTIVES, type Objectives, ServiceLevels } from "./service-levels";

/** A job whose log lines raise alerts. */
interface WatchedJob {
  readonly condition: Condition;
  readonly jobName: string;
}

/** A job for which a missing run also raises an alert. */
interface PeriodicJob extends WatchedJob {
  /** Time without a line that triggers the alert, for PromQL. */
  readonly missingAfter: string;
}

interface WatchedDump extends WatchedJob {
  readonly bucketName: string;
  /** Whether a dump is due every day. */
  readonly isDaily: Condition;
}

/** A replica in a second region. */
export interface WatchedReplica {
  readonly instanceName: string;
  /** Whether the replica follows the database. */
  readonly follows: Expr<boolean>;
  /** Whether the replica has taken over. */
  readonly isInUse: Expr<boolean>;
}

/** Jobs of the deployment that alerts watch; undefined ones do not exist. */
interface WatchedJobs {
  readonly checkUp: PeriodicJob | undefined;
  readonly dump: WatchedDump | undefined;
  readonly eventRetention: WatchedJob | undefined;
  readonly recoveryAccess: WatchedJob | undefined;
  readonly signInProbe: PeriodicJob | undefined;
  /** Whether the check-up reports overdue restore drills. */
  readonly restoreDrill: Condition;
}

/** Address to which clients connect. */
export interface WatchedAddress {
  /** `https://<host>`. */
  readonly url: string;
  readonly domain?: string;
  /** Whether the address accepts unauthenticated requests; by default it does. */
  readonly isPublic?: Condition;
  /** Regular expression for the name of the load balancer's URL map; needed with a domain. */
  readonly urlMap?: string;
  /** How the certificate of the domain is validated: by `dns` or by the load balancer. */
  readonly certificateValidation?: string;
  /** Whether the load balancer has a security policy of the deployment's own. */
  readonly protection: Condition;
}

/** Servers and workers. */
interface WatchedInstances {
  readonly minCount: number;
  readonly maxCount: number;
  /** Whether instances have a pool of connections. */
  readonly connectionPool: Condition;
  readonly workerCount: string;
  readonly workerMode: string;
}

interface WatchedDatabase {
  /** The instance in use, with its project, as logs have it. */
  readonly id: string;
  /** Size up to which the disk of the database grows, in GB; by default without a limit. */
  readonly diskLimitGb?: number;
  readonly maxConnections: string;
  /** Whether Cloud SQL makes the backups of the database, and no existing backup plan. */
  readonly hasOwnBackups: Condition;
  /** Whether the database's instance belongs to the deployment. */
  readonly isOwn: Condition;
  /**
   * The replica in a second region.
   *
   * @default - none
   */
  readonly standby?: WatchedReplica;
}

/** Props of monitoring. */
export interface MonitoringProps extends MonitoringSettings {
  readonly apis: ProjectApis;
  readonly context: DeploymentContext;
  readonly platform: Platform;
  /** Namespace in the cluster; needed on Kubernetes. */
  readonly namespace?: string;
  readonly nameOf: (setting: NamedSetting) => string;
  /**
   * Whether there are receivers of alerts.
   *
   * @default - always
   */
  readonly hasReceivers?: Condition;
  /**
   * Service-level objectives.
   *
   * @default - none
   */
  readonly objectives?: Objectives;
  readonly address: WatchedAddress;
  readonly instances: WatchedInstances;
  readonly database: WatchedDatabase;
  readonly jobs: WatchedJobs;
  /** Accounts of the deployment, which may read its secrets. */
  readonly identities: readonly WorkloadIdentity[];
}

/**
 * Detects when sign-in does not work: an uptime check, a dashboard, and, if there is a receiver, an alert for each row
 * of the table of alerts.
 *
 * It refers to the rest of the deployment by name, and nothing waits for it.
 */
export class Monitoring extends Construct {
  /** Policies of the table of alerts, and the channels of `alertEmails`. */
  readonly alertPolicies: AlertPolicies | undefined;

  /** Command that prints the last errors of the deployment. */
  readonly errorsCommand: string;

  /** Charts of the metrics that the alerts watch. */
  readonly dashboard: MonitoringDashboard | undefined;

  /** Audit log of all reads of secrets: the setting of the whole project, which replaces an existing one. */
  readonly secretAudit: ProjectIamAuditConfig | undefined;

  /** Objectives of the service, with their remaining error budgets; undefined without objectives. */
  readonly serviceLevels: ServiceLevels | undefined;

  /** Request from several places in the world once a minute. */
  readonly uptimeCheck: MonitoringUptimeCheckConfig | undefined;
  readonly ready: ITerraformDependable[];

  /** @internal */
  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { apis, context, objectives = NO_OBJECTIVES, platform } = props;
    const dependsOn = apis.ready("monitoring");
    const facts = this.addAlertFacts(props);
    this.errorsCommand = errorsCommand(facts, platform, this.databaseIdInLogs(props));
    const conditions = conditionsOf(props, facts);
    const alerts = this.tableOfAlerts(props, facts, conditions);
    this.uptimeCheck = this.addUptimeCheck(props, facts.host, conditions);
    this.serviceLevels = partIf(
      objectives.condition,
      () => new ServiceLevels(this, "ServiceLevels", { context, dependsOn, facts, objectives, platform }),
    );
    this.dashboard = this.addDashboard(props, alerts);
    this.secretAudit = this.addSecretAudit(props);
    this.alertPolicies = partIf(
      props.hasReceivers,
      () => new AlertPolicies(this, "Alerts", { ...props, alerts, dependsOn }),
    );
    inFiles(this, { alerts: ["The table of alerts: queries, limits and what to do first", ["Table"]] });
    this.ready = [
      ...present<ITerraformDependable>(this.uptimeCheck, this.dashboard, this.secretAudit),
      ...(this.serviceLevels?.ready ?? []),
      ...(this.alertPolicies?.ready ?? []),
    ];
  }

  /** The alerts of this deployment, with the changes of the input `alerts`. */
  private tableOfAlerts(props: MonitoringProps, facts: AlertFacts, conditions: AlertConditions): Expr<object> {
    const hasReceivers = !isNever(props.hasReceivers);
    const rows = alertTable(props.platform, facts, conditions, hasReceivers);
    const table = localReference<object>(new TerraformLocal(this, "Table", rows));
    const alert = hasReceivers ? this.mergedAlert(props) : hcl`alert`;
    const existing = hcl`{ for id, alert in ${table} : id => ${alert} if try(alert.exists, true) }`;
    return localReference(new TerraformLocal(this, "ExistingAlerts", existing));
  }

  /** An alert of the table with its changes, which apply only if somebody gets alerts. */
  private mergedAlert(props: MonitoringProps): Expr {
    const changes = conditionFrom(props.hasReceivers ?? true).choose<unknown>(exprOf(alertChanges(props)), {});
    const settings = localReference<object>(new TerraformLocal(this, "Settings", changes));
    return hcl`merge(alert, { for name, given in try(${settings}[id], {}) : name => given if given != null })`;
  }

  private addUptimeCheck(
    { apis, context, platform }: MonitoringProps,
    host: string,
    conditions: AlertConditions,
  ): MonitoringUptimeCheckConfig | undefined {
    const project = context.projectId;
    return partIf(
      conditions.uptimeCheck,
      () =>
        new MonitoringUptimeCheckConfig(this, "UptimeCheck", {
          project,
          displayName: serviceName(context.deployment),
          period: "60s",
          timeout: "10s",
          // Replaced when the host changes, so no policy may name the check, which would keep it from being deleted.
          monitoredResource: { type: "uptime_url", labels: { host, project_id: project } },
          httpCheck: {
            // The readiness path, not the liveness path, because sign-in needs the database and a process without a
            // database is still alive.
            path: STARTUP_PROBE.path,
            port: 443,
            useSsl: true,
            // Not validated without a domain, because the server in the cluster then uses a self-signed certificate.
            validateSsl: platform === "serverless" ? true : conditionFrom(conditions.domain).flag,
            acceptedResponseStatusCodes: [{ statusClass: "STATUS_CLASS_2XX" }],
          },
          userLabels: context.labels,
          count: countIf(conditions.uptimeCheck),
          dependsOn: apis.ready("monitoring"),
        }),
    );
  }

  private addDashboard(
    { apis, context, dashboard = true }: MonitoringProps,
    alerts: Expr<object>,
  ): MonitoringDashboard | undefined {
    return partIf(
      dashboard,
      () =>
        new MonitoringDashboard(this, "Dashboard", {
          project: context.projectId,
          dashboardJson: dashboardOf(serviceName(context.deployment), alerts, this.serviceLevels?.budgets),
          count: countIf(dashboard),
          dependsOn: apis.ready("monitoring"),
        }),
    );
  }

  private addSecretAudit({ apis, context, secretReadLog }: MonitoringProps): ProjectIamAuditConfig | undefined {
    const isLogged = secretReadLog?.enabled ?? false;
    return partIf(
      isLogged,
      () =>
        new ProjectIamAuditConfig(this, "SecretAudit", {
          project: context.projectId,
          service: "secretmanager.googleapis.com",
          auditLogConfig: [{ logType: "DATA_READ" }],
          count: countIf(isLogged),
          dependsOn: apis.ready("secretmanager", "logging"),
        }),
    );
  }

  /** Name of the instance in use: the replica once it has taken over. */
  private databaseInLogs({ context, database: { standby } }: MonitoringProps): string {
    const primary = sqlInstanceName(context.deployment);
    if (standby === undefined) return primary;
    return named(this, "Database", standby.isInUse.choose(standby.instanceName, primary)).text;
  }

  /** The instance that is watched, with its project, as logs have it. */
  private databaseIdInLogs({ context, database: { id, standby } }: MonitoringProps): string {
    if (standby === undefined) return id;
    const replica = interpolated`${context.projectId}:${standby.instanceName}`;
    return named(this, "DatabaseId", standby.isInUse.choose<string>(replica, id)).text;
  }

  /** Facts for alerts, in part as locals. */
  private addAlertFacts(props: MonitoringProps): AlertFacts {
    const { address, database, instances, objectives = NO_OBJECTIVES } = props;
    const { checkUp, dump, eventRetention, recoveryAccess, signInProbe } = props.jobs;
    const { deployment, projectId } = props.context;
    const isServerless = props.platform === "serverless";
    const url = localReference<string>(new TerraformLocal(this, "Url", address.url));
    return {
      ...namesInLogs(deployment, props.platform, props.namespace),
      nameOf: props.nameOf,
      projectId,
      host: trimPrefix(url, "https://").text,
      urlMap: address.urlMap ?? "",
      database: this.databaseInLogs(props),
      diskLimitGb: exprOf(database.diskLimitGb ?? 0).coalesce(0).text,
      hasDomain: isSet(address.domain),
      availableGoal: objectives.available.text,
      latencyGoal: objectives.latency,
      latencyMs: objectives.latencyMs.text,
      maxConnections: database.maxConnections,
      maxInstances: exprOf(instances.maxCount).text,
      securityPolicy: securityPolicyName(deployment),
      deployment: serviceName(deployment),
      workers: instances.workerCount,
      job: isServerless ? partName(deployment, DB_INIT_JOB) : objectName(deployment, DB_INIT_JOB),
      checkUpJob: checkUp?.jobName ?? "",
      checkUpWindow: checkUp?.missingAfter ?? "",
      eventRetentionJob: eventRetention?.jobName ?? "",
      recoveryJob: recoveryAccess?.jobName ?? "",
      signInProbeJob: signInProbe?.jobName ?? "",
      signInProbeWindow: signInProbe?.missingAfter ?? "",
      standbyDatabase: database.standby?.instanceName ?? "",
      dumpJob: dump?.jobName ?? "",
      firstDumpJob: isServerless ? partName(deployment, FIRST_DUMP_JOB) : objectName(deployment, FIRST_DUMP_JOB),
      dumpBucket: dump?.bucketName ?? "",
      secretReaders: this.secretReaders(props),
    };
  }

  /** Accounts that may read secrets, for the filter of an alert that only a log of reads can raise. */
  private secretReaders({ identities, secretReadLog }: MonitoringProps): string {
    if (isNever(secretReadLog?.enabled ?? false)) return "";
    // Accounts that do not exist are left out.
    const emails = identities.map(({ condition, email }) =>
      conditionFrom(condition ?? true).choose<string, null>(email, null),
    );
    const isSure = identities.every(({ condition }) => condition === undefined);
    const readers = localReference<readonly string[]>(
      new TerraformLocal(this, "Readers", isSure ? emails : compact(emails)),
    );
    const expected = secretReadLog?.expectedReaders ?? [];
    const others = localReference<readonly string[]>(new TerraformLocal(this, "OtherReaders", expected));
    return each(concat(readers, others), jsonOf, undefined, "reader").joinedBy(" OR ").text;
  }
}

/** Whether the deployment has what an alert needs. */
function conditionsOf(props: MonitoringProps, facts: AlertFacts): AlertConditions {
  const { address, database, instances, objectives = NO_OBJECTIVES } = props;
  const { checkUp, dump, eventRetention, recoveryAccess, restoreDrill, signInProbe } = props.jobs;
  const workerMode = exprOf(instances.workerMode);
  return {
    audit: props.secretReadLog?.enabled ?? false,
    certificateByDns: exprOf(address.certificateValidation ?? "dns").eq("dns"),
    checkUp: checkUp?.condition ?? false,
    connectionPool: instances.connectionPool,
    domain: isSet(address.domain),
    dailyDump: dump?.isDaily ?? false,
    dump: dump?.condition ?? false,
    eventRetention: eventRetention?.condition ?? false,
    ownBackups: database.hasOwnBackups,
    ownDatabase: database.isOwn,
    protection: address.protection,
    requestMetric: measuresRequests(facts, props.platform),
    recoveryAccess: recoveryAccess?.condition ?? false,
    restoreDrill,
    scaling: canScale(instances),
    separateWorker: workerMode.eq(WORKER_MODES.separate),
    serviceLevels: objectives.condition,
    signInProbe: signInProbe?.condition ?? false,
    standby: database.standby?.follows ?? false,
    uptimeCheck: hasUptimeCheck(props),
    workerInContainer: workerMode.eq(WORKER_MODES.inContainer),
  };
}

/** Whether there can be fewer instances than the maximum; otherwise reaching it means nothing. */
function canScale({ maxCount, minCount }: WatchedInstances): Expr<boolean> {
  return exprOf(maxCount).gt(minCount);
}

/** The input `uptimeCheck`; by default, whether the application is public. */
function hasUptimeCheck({ address: { isPublic = true }, uptimeCheck }: MonitoringProps): Condition {
  if (uptimeCheck === undefined) return isPublic;
  const given = conditionFrom(uptimeCheck);
  return given.isNull().choose(conditionFrom(isPublic), given);
}

/** Changes of alerts, in the form of a Terraform input. */
function alertChanges({ alerts = {} }: MonitoringSettings): unknown {
  if (Token.isUnresolved(alerts)) return alerts;
  return Object.fromEntries(
    Object.entries(alerts as Readonly<Record<string, AlertSettings>>).map(([id, { durationSeconds, ...row }]) => [
      id,
      { ...row, ...(durationSeconds === undefined ? {} : { duration_seconds: durationSeconds }) },
    ]),
  );
}
