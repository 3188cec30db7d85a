import { type Refusal } from "./refusal";
import { type Inputs } from "./terraform-run";

const one = (behaviour: string, name: string, value: unknown, rule: string): Refusal => [
  behaviour,
  { [name]: value },
  [`${name} is ${JSON.stringify(value)}; ${rule}.`],
];

/** Whether a first dump has a schedule; inputs that are not chosen yet break no rule. */
export function allowsDumps({ dump_at_apply: first, dump_schedule: schedule }: Inputs): boolean {
  return first !== true || schedule !== null;
}

/** Values that are accepted, for trying combinations. */
export const ACCEPTED_DUMPS = {
  dump_schedule: [null, "30 4 * * *", "*/30 0-6/2,22 1,15 1-12 1-5", "0 0 29 2 *", "0 0 29,31 4-5 *", "0 0 31 2 1"],
  dump_at_apply: [false, true],
  dump_retention_days: [30, 3650],
  dump_storage_class: ["NEARLINE", "STANDARD"],
  keep_dumps: [false, true],
} as const;

const SCHEDULE_RULE =
  'it must have five cron fields in numbers, days of the week from 0 to 6, because Cloud Scheduler and Kubernetes read other forms differently; use for example "30 4 * * *" for every day at 04:30 UTC';

/** What is refused of dumps by a rule that looks at one input. */
export const REFUSED_DUMPS_ALONE: readonly Refusal[] = [
  ...["", "daily", "@daily", "30 4 * *", "30 4 * * * *", "30  4 * * *", "60 4 * * *", "30 24 * * *", "30 4 0 * *"].map(
    (schedule) => one(`the schedule "${schedule}"`, "dump_schedule", schedule, SCHEDULE_RULE),
  ),
  ...["30 4 * 13 *", "30 4 * * 7", "30 4 * * MON", "30 4-2 * * *", "5/10 4 * * *", "*/0 4 * * *", "30 4, * * *"].map(
    (schedule) => one(`the schedule "${schedule}"`, "dump_schedule", schedule, SCHEDULE_RULE),
  ),
  ...["30 4 31 2 *", "0 0 30-31,31 02 *", "0 0 31 4,06,11 *"].map((schedule) =>
    one(
      `the schedule "${schedule}", which never comes`,
      "dump_schedule",
      schedule,
      "it must be on a day that one of its months has, because nothing would ever be dumped; correct the day or the month",
    ),
  ),
  one(
    "no day for a dump",
    "dump_retention_days",
    0,
    "it must be a whole number from 1 to 3650, because less than a day is useless, and ten years are enough; use 30",
  ),
  one(
    "a class that is billed for a year",
    "dump_storage_class",
    "ARCHIVE",
    "it must be STANDARD, NEARLINE or COLDLINE, because others are billed for at least a year, or cannot be restored at once; use NEARLINE",
  ),
];

/** What is refused of dumps by a rule that compares several inputs. */
export const REFUSED_DUMPS_TOGETHER: readonly Refusal[] = [
  [
    "a dump in an apply without a schedule",
    { dump_at_apply: true },
    [
      "dump_at_apply is true and dump_schedule is not given; there must be a schedule, because nothing is dumped without one; set dump_schedule, or set dump_at_apply to false.",
    ],
  ],
  [
    "fewer days for a dump than are billed",
    { dump_retention_days: 7 },
    [
      'dump_retention_days is 7; it must be at least 30, because dump_storage_class is "NEARLINE", which is billed for at least that long; raise it, or use STANDARD.',
    ],
  ],
];
