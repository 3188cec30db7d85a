import { TerraformLocal, Token, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { isOn, isSet, isWord, switchOf } from "../../core/conditional";
import { expression, numberText } from "../../core/expression";
import { jobName, objectName, secretId, serviceName, sqlInstanceName, workerPoolName } from "../../core/names";
import { DB_INIT_JOB } from "../../idp/contract";
import { FIRST_DUMP_JOB } from "../../idp/dumps";
import { WORKER_DEFAULTS, WORKER_MODES, WORKER_NAME } from "../../idp/worker";
import { securityPolicyName } from "../edge/security-policy";
import { type AlertNames } from "./alert";
import { AlertPolicies } from "./alert-policies";
import { alertTable, type AlertConditions } from "./alert-table";
import { Dashboard } from "./dashboard";
import { type MonitoringProps } from "./monitoring-props";
import { type AlertSettings, type MonitoringSettings } from "./monitoring-settings";
import { SecretAudit } from "./secret-audit";
import { UptimeCheck } from "./uptime-check";

/**
 * Detects when sign-in does not work: an uptime check, a dashboard, and, if there is a receiver, an alert for each row
 * of the table of alerts.
 *
 * It refers to the rest of the deployment by name, and nothing waits for it.
 */
export class Monitoring extends Construct {
  /** Policies of the table of alerts, and the channels of `alertEmails`. */
  readonly alertPolicies: AlertPolicies;

  /** Charts of the metrics that the alerts watch. */
  readonly dashboard: Dashboard;

  /** Audit log of all reads of secrets. */
  readonly secretAudit: SecretAudit;

  /** Request from outside once a minute. */
  readonly uptimeCheck: UptimeCheck;

  /** What must exist before an alert is raised when sign-in does not work. */
  readonly ready: ITerraformDependable[];

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { apis, auditSecretAccess = false, dashboard = true, domain, place, platform } = props;
    const { workerMode = WORKER_MODES.inContainer } = props;
    const dependsOn = apis.ready("monitoring");
    const names = this.namesOf(props);
    const conditions: AlertConditions = {
      audit: isOn(auditSecretAccess),
      domain: isSet(domain),
      dailyDump: props.dump?.isDaily ?? "false",
      dump: props.dump?.condition ?? "false",
      protection: props.protection ?? "false",
      room: canScale(props),
      separateWorker: isWord(workerMode, WORKER_MODES.separate),
      uptimeCheck: isChecked(props),
      workerInContainer: isWord(workerMode, WORKER_MODES.inContainer),
    };
    const table = new TerraformLocal(this, "Table", alertTable(platform, names, conditions)).fqn;
    const settings = new TerraformLocal(this, "Settings", settingsOf(props)).fqn;
    const alerts = new TerraformLocal(
      this,
      "ExistingAlerts",
      expression(
        `{ for id, alert in ${table} : id => merge(alert, { for name, given in try(${settings}[id], {}) : name => given if given != null }) if try(alert.exists, true) }`,
      ),
    ).fqn;

    this.uptimeCheck = new UptimeCheck(this, "UptimeCheck", {
      place,
      dependsOn,
      host: names.host,
      condition: conditions.uptimeCheck,
      // Without a domain, the server in the cluster answers with a certificate of its own.
      validatesCertificate: platform === "serverless" ? true : switchOf(conditions.domain),
    });
    this.dashboard = new Dashboard(this, "Dashboard", { place, alerts, dependsOn, condition: isOn(dashboard) });
    this.secretAudit = new SecretAudit(this, "SecretAudit", {
      place,
      condition: conditions.audit,
      dependsOn: apis.ready("secretmanager", "logging"),
    });
    this.alertPolicies = new AlertPolicies(this, "Alerts", {
      place,
      alerts,
      dependsOn,
      emails: props.alertEmails,
      channels: props.notificationChannels,
    });
    this.ready = [this.uptimeCheck, this.dashboard, this.secretAudit, this.alertPolicies].flatMap(({ ready }) => ready);
  }

  private namesOf(props: MonitoringProps): AlertNames {
    const { dump, identities, maxConnections, maxInstanceCount, namespace = "", place, platform, url, urlMap } = props;
    const { deployment, projectId } = place;
    const isServerless = platform === "serverless";
    const emails = identities.map(({ email }) => email);
    const readers = new TerraformLocal(this, "Readers", emails).fqn;
    const others = new TerraformLocal(this, "OtherReaders", props.secretReaders ?? []).fqn;
    return {
      called: props.called ?? String,
      projectId,
      host: expression(`trimprefix(${new TerraformLocal(this, "Url", url).fqn}, "https://")`),
      urlMap: urlMap ?? "",
      database: sqlInstanceName(deployment),
      maxConnections,
      maxInstances: numberText(maxInstanceCount),
      securityPolicy: securityPolicyName(deployment),
      deployment: serviceName(deployment),
      worker: isServerless ? workerPoolName(deployment) : objectName(deployment, WORKER_NAME),
      workers: props.workerCount ?? String(WORKER_DEFAULTS.count),
      workload: isServerless ? serviceName(deployment) : objectName(deployment),
      job: isServerless ? jobName(deployment, DB_INIT_JOB) : objectName(deployment, DB_INIT_JOB),
      dumpJob: dump?.jobName ?? "",
      firstDumpJob: isServerless ? jobName(deployment, FIRST_DUMP_JOB) : objectName(deployment, FIRST_DUMP_JOB),
      dumpBucket: dump?.bucketName ?? "",
      namespace,
      secretPrefix: secretId(deployment, ""),
      secretReaders: expression(`join(" OR ", [for reader in concat(${readers}, ${others}) : jsonencode(reader)])`),
    };
  }
}

/**
 * Whether there can be fewer instances than the maximum; otherwise the alert about reaching it would be meaningless.
 */
function canScale({ maxInstanceCount: most, minInstanceCount: least }: MonitoringProps): string {
  if (!Token.isUnresolved(most) && !Token.isUnresolved(least)) return String(most > least);
  return expression(`${numberText(most)} > ${numberText(least)}`);
}

/** As given, or else whether the application is public. */
function isChecked({ isPublic = "true", uptimeCheck }: MonitoringProps): string {
  if (uptimeCheck === undefined) return isPublic;
  const given = isOn(uptimeCheck);
  return Token.isUnresolved(given) ? expression(`(${given} == null ? ${isPublic} : ${given})`) : given;
}

/** The settings in the form of a Terraform input. */
function settingsOf({ alerts = {} }: MonitoringSettings): unknown {
  if (Token.isUnresolved(alerts)) return alerts;
  return Object.fromEntries(
    Object.entries(alerts as Readonly<Record<string, AlertSettings>>).map(([id, { durationSeconds, ...row }]) => [
      id,
      { ...row, ...(durationSeconds === undefined ? {} : { duration_seconds: durationSeconds }) },
    ]),
  );
}
