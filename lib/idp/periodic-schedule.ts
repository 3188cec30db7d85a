import { type Expr } from "../core/expr/expr";
import { captured, toNumber } from "../core/expr/functions";

/** A period in minutes that divides an hour, so that all pauses are equal and an alert can count them. */
export const PERIODIC_SCHEDULE = "^[*]/(5|10|15|20|30) [*] [*] [*] [*]$";

/** Reason and fix of a rule for periodic schedules. */
export const IS_PERIODIC = (minutes: number) =>
  `be every 5, 10, 15, 20 or 30 minutes, because an alert counts its periods; use "*/${minutes} * * * *"`;

/** Time without a successful run that triggers an alert, for PromQL: three periods. */
export function missingAfter(schedule: Expr<string>, fallbackMinutes: number): string {
  const minutes = toNumber(captured(schedule, PERIODIC_SCHEDULE, 0));
  return `${minutes.times(3).tryOr(3 * fallbackMinutes).text}m`;
}
