import { Token } from "cdktf";

import { CheckedValue } from "../core/checked-value";
import { expression } from "../core/expression";

/** Numbers of each field, and its step. */
const FIELDS = ["[0-5]?[0-9]", "[01]?[0-9]|2[0-3]", "0?[1-9]|[12][0-9]|3[01]", "0?[1-9]|1[0-2]", "[0-6]"].map(
  (number) => {
    const item = `((${number})|([*]|(${number})-(${number}))(/[1-9][0-9]?)?)`;
    return `${item}(,${item})*`;
  },
);

const CRON_PATTERN = `^${FIELDS.join(" ")}$`;
const RANGE_PATTERN = "([0-9]+)-([0-9]+)";

/** Days of which the first is in no month of the list, on any day of the week: the 30th of February, the 31st of April. */
const NEVER_PATTERN = `^[^ ]+ [^ ]+ (${[
  ["3[01]", "0?2"],
  ["31", "0?[2469]|11"],
]
  .map(([days, months]) => {
    const day = `(${days})(-[0-9]+)?(/[0-9]+)?`;
    return `${day}(,${day})* (${months})(,(${months}))*`;
  })
  .join("|")}) [*]$`;

/** Rules for a schedule that Cloud Scheduler and Kubernetes read alike: they differ in names, and in Sunday as 7. */
export const CRON_SCHEDULE: readonly CheckedValue<string>[] = [
  new CheckedValue<string>({
    must: "have five cron fields in numbers, days of the week from 0 to 6",
    reason: "Cloud Scheduler and Kubernetes read other forms differently",
    remedy: 'use for example "30 4 * * *" for every day at 04:30 UTC',
    schema: { pattern: CRON_PATTERN },
    accepts: (schedule) =>
      new RegExp(CRON_PATTERN).test(schedule) &&
      [...schedule.matchAll(new RegExp(RANGE_PATTERN, "g"))].every(([, from, to]) => Number(from) <= Number(to)),
    condition: (schedule) =>
      `can(regex(${JSON.stringify(CRON_PATTERN)}, ${schedule})) && alltrue([for range in regexall(${JSON.stringify(RANGE_PATTERN)}, ${schedule}) : tonumber(range[0]) <= tonumber(range[1])])`,
  }),
  new CheckedValue<string>({
    must: "be on a day that one of its months has",
    reason: "nothing would ever be dumped",
    remedy: "correct the day or the month",
    accepts: (schedule) => !new RegExp(NEVER_PATTERN).test(schedule),
    condition: (schedule) => `!can(regex(${JSON.stringify(NEVER_PATTERN)}, ${schedule}))`,
  }),
];

const DAILY_PATTERN = "^[^ ]+ [^ ]+ [*] [*] [*]$";

/** Whether a schedule runs every day, as a string: `true`, `false` or a boolean expression. */
export function isDaily(schedule: string): string {
  if (!Token.isUnresolved(schedule)) return String(new RegExp(DAILY_PATTERN).test(schedule));
  return expression(`can(regex(${JSON.stringify(DAILY_PATTERN)}, ${schedule}))`);
}
