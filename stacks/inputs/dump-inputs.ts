import {
  DEFAULT_DUMP_CLASS,
  DEFAULT_DUMP_DAYS,
  DUMP_CLASS,
  DUMP_DAYS,
  DUMP_DAYS_FIT_CLASS,
  DUMP_NEEDS_SCHEDULE,
} from "../../lib/idp/dump-props";
import { CRON_SCHEDULE } from "../../lib/idp/dump-schedule";
import { type Input } from "./input-table";

/** Inputs of the scheduled dump of the database. */
export const DUMP_INPUTS = {
  dump_schedule: {
    type: "string",
    default: null,
    description:
      'Cron schedule, in UTC, of dumps of the database into a bucket of their own: "30 4 * * *" for every day at 04:30; null for no dumps. Choose an hour of little use and without rollouts, because a migration waits for a dump. Changing it later is safe; null deletes the bucket, which deletion_protection refuses while it has dumps, unless keep_dumps is true.',
    must: CRON_SCHEDULE,
  },
  dump_at_apply: {
    type: "bool",
    default: false,
    description:
      "Makes a first dump in the apply that sets it to true, once the application runs; the apply waits for it, and the next apply repeats a failed one. Needs dump_schedule. Changing it later is safe.",
    together: [DUMP_NEEDS_SCHEDULE.validationOf({ dumpAtApply: "dump_at_apply", dumpSchedule: "dump_schedule" })],
  },
  dump_retention_days: {
    type: "number",
    default: DEFAULT_DUMP_DAYS,
    description:
      "Days to keep a dump; the newest one stays whatever its age. Changing it later is safe; fewer delete the oldest.",
    must: DUMP_DAYS,
    together: [DUMP_DAYS_FIT_CLASS.validationOf({ days: "dump_retention_days", storageClass: "dump_storage_class" })],
  },
  dump_storage_class: {
    type: "string",
    default: DEFAULT_DUMP_CLASS,
    description:
      "Storage class of the dumps: STANDARD, NEARLINE or COLDLINE. The latter two are cheaper, but are billed for at least 30 and 90 days. Changing it later affects new dumps.",
    must: DUMP_CLASS,
  },
  keep_dumps: {
    type: "bool",
    default: false,
    description: "Keeps the bucket with its dumps while dump_schedule is null. Changing it later is safe.",
  },
} as const satisfies Record<string, Input>;
