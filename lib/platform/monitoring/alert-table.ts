import { Token } from "cdktf";

import { allOf } from "../../core/conditional";
import { expression, literal } from "../../core/expression";
import { isMetric, type AlertNames, type AlertNeed, type Platform } from "./alert";
import { alertsOn } from "./alerts";

/** Whether the deployment has what an alert needs, as a string: `true`, `false` or a boolean expression. */
export type AlertConditions = Readonly<Record<AlertNeed, string>>;

/** A row in the form for Terraform, with `query` or `filter`. */
export type AlertRow = Readonly<Record<string, unknown>>;

/**
 * The alerts of a platform with the names of a deployment, by their ids.
 *
 * An alert that may be missing has a condition in `exists`, which may be known only at plan.
 */
export function alertTable(
  platform: Platform,
  names: AlertNames,
  conditions: AlertConditions,
): Readonly<Record<string, AlertRow>> {
  const rows = alertsOn(platform).flatMap(({ firstSteps, id, needs = [], on, severity, title }) => {
    const condition = on[platform];
    const exists = allOf(...needs.map((need) => conditions[need]));
    if (condition === undefined || exists === "false") return [];
    const row = {
      title,
      severity,
      ...(exists === "true" ? {} : { exists: Token.asAny(expression(exists)) }),
      ...(isMetric(condition)
        ? {
            query: literal(condition.query(names)),
            raised_when: condition.raisedWhen,
            threshold: condition.threshold,
            duration_seconds: condition.durationSeconds,
          }
        : { filter: literal(condition.filter(names)) }),
      first_steps: literal(firstSteps(names, platform)),
    };
    return [[id, row] as const];
  });
  return Object.fromEntries(rows);
}
