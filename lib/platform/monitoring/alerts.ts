import { Token } from "cdktf";

import { allOf, isAlways, isNever } from "../../core/expr/conditions";
import { escaped } from "../../core/expr/terraform-text";
import { type AlertConditions, type AlertFacts, type Platform } from "./alert";
import { CHECK_UP_ALERTS } from "./check-up-alerts";
import { DATABASE_ALERTS } from "./database-alerts";
import { JOB_ALERTS } from "./job-alerts";
import { REQUEST_ALERTS } from "./request-alerts";
import { SERVICE_LEVEL_ALERTS } from "./service-level-alerts";
import { SIGN_IN_ALERTS } from "./sign-in-alerts";
import { STANDBY_ALERTS } from "./standby-alerts";
import { WORKLOAD_ALERTS } from "./workload-alerts";

/** Every alert of both variants. */
export const ALERTS = Object.entries({
  ...REQUEST_ALERTS,
  ...WORKLOAD_ALERTS,
  ...DATABASE_ALERTS,
  ...JOB_ALERTS,
  ...CHECK_UP_ALERTS,
  ...SERVICE_LEVEL_ALERTS,
  ...SIGN_IN_ALERTS,
  ...STANDBY_ALERTS,
})
  .map(([id, alert]) => ({ id, ...alert }))
  .sort((a, b) => (a.id < b.id ? -1 : 1));

/** The alerts that a platform can have, each with its query or filter there. */
export function alertsOn(platform: Platform) {
  return ALERTS.map((alert) => ({
    ...alert,
    query: alert.queries?.[platform],
    filter: alert.filters?.[platform],
  })).filter(({ filter, query }) => (filter ?? query) !== undefined);
}

/**
 * The alerts of a platform with the facts of a deployment, by their ids, in the form for Terraform.
 *
 * An alert that may be missing has a condition in `exists`, which may be known only at plan.
 *
 * @param hasReceivers whether somebody may get alerts; otherwise only alerts with a chart are made, for the chart
 * @param conditions whether the deployment has what an alert needs
 */
export function alertTable(
  platform: Platform,
  facts: AlertFacts,
  conditions: AlertConditions,
  hasReceivers = true,
): Readonly<Record<string, object>> {
  const rowsOf = (alert: ReturnType<typeof alertsOn>[number]): (readonly [id: string, row: object])[] => {
    const { filter, firstSteps, id, limit, needs = [], query, severity, title } = alert;
    const exists = allOf(...needs.map((need) => conditions[need]));
    if (isNever(exists) || (!hasReceivers && query === undefined)) return [];
    const condition = isAlways(exists) ? {} : { exists: Token.asAny(exists) };
    if (!hasReceivers && query !== undefined) {
      const chart = { title, ...condition, query: escaped(query(facts, platform)), threshold: limit?.threshold };
      return [[id, chart]];
    }
    const row = {
      title,
      severity,
      ...condition,
      ...(query && {
        query: escaped(query(facts, platform)),
        raised_when: limit?.raisedWhen,
        threshold: limit?.threshold,
        duration_seconds: limit?.durationSeconds,
      }),
      ...(filter && { filter: escaped(filter(facts, platform)) }),
      first_steps: escaped(firstSteps(facts, platform)),
    };
    return [[id, row]];
  };
  return Object.fromEntries(alertsOn(platform).flatMap(rowsOf));
}
