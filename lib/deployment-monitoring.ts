import { type Construct } from "constructs";

import { settingName } from "./core/expression";
import { MAX_INSTANCE_COUNT, MIN_INSTANCE_COUNT } from "./idp/contract";
import { type DatabaseDump } from "./idp/database-dump";
import { type IdentityProviderProps } from "./identity-provider-props";
import { isProtected } from "./platform/edge/protection";
import { type NamedSetting } from "./platform/monitoring/alert";
import { Monitoring } from "./platform/monitoring/monitoring";
import { type MonitoringProps } from "./platform/monitoring/monitoring-props";
import { type PostgresqlDatabase } from "./platform/sql/postgresql-database";
import { workerCountOf } from "./worker-props";

/** What the monitoring must know about the platform. */
export type MonitoredPlatform = Pick<MonitoringProps, "isPublic" | "namespace" | "platform" | "url" | "urlMap">;

/** The monitored parts of a deployment. */
interface MonitoredDeployment extends MonitoredPlatform, Pick<MonitoringProps, "apis" | "identities" | "place"> {
  readonly database: PostgresqlDatabase;
  readonly dump: DatabaseDump | undefined;
}

/** The monitoring of a whole identity provider. */
export function deploymentMonitoring(
  scope: Construct,
  settings: IdentityProviderProps,
  { database, dump, ...deployment }: MonitoredDeployment,
): Monitoring {
  const { alertEmails, alerts, auditSecretAccess, dashboard, domain, workerMode } = settings;
  const { maxInstanceCount = MAX_INSTANCE_COUNT, minInstanceCount = MIN_INSTANCE_COUNT } = settings;
  const { notificationChannels, secretReaders, uptimeCheck } = settings;
  return new Monitoring(scope, "Monitoring", {
    ...deployment,
    ...{ alertEmails, alerts, auditSecretAccess, dashboard, notificationChannels, secretReaders, uptimeCheck },
    called: (setting) =>
      settingName(scope, (settings as Readonly<Partial<Record<NamedSetting, unknown>>>)[setting], setting),
    ...{ domain, maxInstanceCount, minInstanceCount, workerMode },
    dump: dump && {
      jobName: dump.jobName,
      bucketName: dump.bucket.bucketName,
      condition: dump.condition,
      isDaily: dump.isDaily,
    },
    maxConnections: database.connectionLimit,
    protection: isProtected(settings.protection),
    workerCount: workerCountOf(settings),
  });
}
