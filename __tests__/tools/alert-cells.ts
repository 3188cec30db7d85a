import { type Platform } from "../../lib/platform/monitoring/alert";
import { ALERTS, alertsOn } from "../../lib/platform/monitoring/alerts";
import { secondsUntilHeard } from "./alert-delay";

const CALLED: Readonly<Record<Platform, string>> = { kubernetes: "GKE", serverless: "Cloud Run" };
const PLATFORMS: readonly Platform[] = ["serverless", "kubernetes"];

/** What an alert needs, in the words of the inputs. */
const NEEDS = {
  audit: "`secret_read_log`",
  certificateByDns: '`certificate_validation = "dns"`',
  checkUp: "the check-up",
  connectionPool: "`connection_pool`",
  dailyDump: "daily dumps, `dumps.schedule`",
  domain: "`domain`",
  dump: "`dumps.schedule`",
  ownBackups: "no `existing_backup_plan`",
  ownDatabase: "no `existing_database`",
  protection: "`protection`",
  requestMetric: "on GKE `domain`",
  separateWorker: '`worker_mode = "separate"`',
  serviceLevels: "`slo`",
  workerInContainer: '`worker_mode = "in-container"`',
  eventRetention: "`audit_log`",
  recoveryAccess: "`recovery_access`",
  restoreDrill: "`check_up.limits.restore_drill_days`",
  signInProbe: "`sign_in_probe`",
  standby: "`standby`, until it takes over",
  scaling: "`max_instance_count` above `min_instance_count`",
  uptimeCheck: "the uptime check",
} as const;

/** A row for each alert; two where it is raised by another condition on the other platform. */
export function alertCells(): string[][] {
  return ALERTS.flatMap(({ id, needs = [], severity, title }) => {
    const places = new Map<string, { readonly seconds: number; readonly where: readonly string[] }>();
    for (const platform of PLATFORMS) {
      const alert = alertsOn(platform).find((each) => each.id === id);
      if (alert === undefined) continue;
      const condition = shownCondition(alert);
      const { seconds, where } = places.get(condition) ?? { seconds: 0, where: [] };
      places.set(condition, {
        seconds: Math.max(seconds, secondsUntilHeard(alert, platform)),
        where: [...where, CALLED[platform]],
      });
    }
    return [...places].map(([condition, { seconds, where }]) => [
      `\`${id}\``,
      title,
      condition,
      `${seconds} s`,
      severity,
      where.length === 2 ? "both" : where.join(),
      needs.map((need) => NEEDS[need]).join(", "),
    ]);
  });
}

function shownCondition({ limit, query }: ReturnType<typeof alertsOn>[number]): string {
  if (query === undefined || limit === undefined) return "an entry of the log";
  const { durationSeconds, measures, raisedWhen, threshold } = limit;
  const duration = durationSeconds === 0 ? "" : `, ${durationSeconds} s`;
  return `${raisedWhen.replace("<", "\\<")} ${threshold} (${measures})${duration}`;
}
