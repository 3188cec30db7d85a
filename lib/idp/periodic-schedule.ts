import { type Expr } from "../core/expr/expr";
import { captured, toNumber } from "../core/expr/functions";

/** Every how many minutes: divisors of an hour, so that all pauses are alike, and an alert can count them. */
export const PERIODIC_SCHEDULE = "^[*]/(5|10|15|20|30) [*] [*] [*] [*]$";

/** The rest of a rule for such a schedule: the reason and the fix. */
export const IS_PERIODIC = (minutes: number) =>
  `be every 5, 10, 15, 20 or 30 minutes, because an alert counts its periods; use "*/${minutes} * * * *"`;

/** Time without a good run after which it counts as missing, for PromQL: three periods. */
export function missingAfter(schedule: Expr<string>, fallbackMinutes: number): string {
  const minutes = toNumber(captured(schedule, PERIODIC_SCHEDULE, 0));
  return `${minutes.times(3).tryOr(3 * fallbackMinutes).text}m`;
}
