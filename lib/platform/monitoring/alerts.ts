import { isMetric, type Alert, type Platform } from "./alert";
import { DATABASE_ALERTS } from "./database-alerts";
import { JOB_ALERTS } from "./job-alerts";
import { REQUEST_ALERTS } from "./request-alerts";
import { WORKER_ALERTS } from "./worker-alerts";
import { WORKLOAD_ALERTS } from "./workload-alerts";

/** Every alert of both variants. */
export const ALERTS: readonly Alert[] = [
  ...REQUEST_ALERTS,
  ...WORKLOAD_ALERTS,
  ...WORKER_ALERTS,
  ...DATABASE_ALERTS,
  ...JOB_ALERTS,
].sort((a, b) => (a.id < b.id ? -1 : 1));

/** The alerts that a platform can have. */
export function alertsOn(platform: Platform): readonly Alert[] {
  return ALERTS.filter(({ on }) => on[platform] !== undefined);
}

/** Ids of the alerts with a threshold. */
export function tunableIds(platform: Platform): string[] {
  return alertsOn(platform)
    .filter(({ on }) => isMetric(on[platform] ?? { filter: () => "" }))
    .map(({ id }) => id);
}
