import { type IResolvable } from "cdktf";

import { CheckedRelation } from "../core/checked-relation";
import { oneOf, wholeNumber } from "../core/checked-value";
import { type Rule } from "../core/rules";
import { CRON_SCHEDULE } from "./dump-schedule";

/** Props of the scheduled dump of the database. */
export interface DumpProps {
  /**
   * Cron schedule of the dumps, in UTC: `30 4 * * *` for every day at 04:30. A dump reads all tables, so choose an hour
   * of little use and without rollouts: a migration waits for a dump.
   *
   * @default - no dumps
   */
  readonly dumpSchedule?: string;

  /**
   * Makes a first dump in the apply that sets this or adds the schedule; the apply waits for it.
   *
   * @default false
   */
  readonly dumpAtApply?: boolean | IResolvable;

  /**
   * Days to keep a dump; the newest one stays whatever its age.
   *
   * @default 30
   */
  readonly dumpRetentionDays?: number;

  /**
   * Storage class of the dumps: `STANDARD`, `NEARLINE` or `COLDLINE`. The latter two are cheaper, but are billed for at
   * least 30 and 90 days. Changing it later affects new dumps.
   *
   * @default "NEARLINE"
   */
  readonly dumpStorageClass?: "STANDARD" | "NEARLINE" | "COLDLINE" | (string & {});

  /**
   * Keeps the bucket with its dumps while there is no schedule.
   *
   * @default false
   */
  readonly keepDumps?: boolean | IResolvable;
}

export const DEFAULT_DUMP_DAYS = 30;
export const DEFAULT_DUMP_CLASS = "NEARLINE";

/** Days for which an object is billed at least. */
const BILLED_DAYS: Readonly<Record<string, number>> = { STANDARD: 1, NEARLINE: 30, COLDLINE: 90 };

export const DUMP_DAYS = wholeNumber(
  { from: 1, to: 3650 },
  { reason: "less than a day is useless, and ten years are enough", remedy: `use ${DEFAULT_DUMP_DAYS}` },
);

export const DUMP_CLASS = oneOf(Object.keys(BILLED_DAYS), {
  reason: "others are billed for at least a year, or cannot be restored at once",
  remedy: `use ${DEFAULT_DUMP_CLASS}`,
});

/** A shorter retention would cost the same. */
export const DUMP_DAYS_FIT_CLASS = new CheckedRelation<{ days: number; storageClass: string }, "least">({
  accepts: ({ days, storageClass }) => days >= (BILLED_DAYS[storageClass] ?? 0),
  condition: ({ days, storageClass }) => `${days} >= lookup(${BILLED}, ${storageClass}, 0)`,
  figures: {
    least: {
      of: ({ storageClass }) => BILLED_DAYS[storageClass] ?? 0,
      expression: ({ storageClass }) => `lookup(${BILLED}, ${storageClass}, 0)`,
    },
  },
  problem: (names, shown, { least }) =>
    `${names.days} is ${shown.days}; it must be at least ${least}, because ${names.storageClass} is ${shown.storageClass}, which is billed for at least that long; raise it, or use STANDARD`,
});

const BILLED = `{ ${Object.entries(BILLED_DAYS)
  .map(([name, days]) => `${name} = ${days}`)
  .join(", ")} }`;

/** A first dump goes into the bucket of the scheduled ones. */
export const DUMP_NEEDS_SCHEDULE = new CheckedRelation<{
  dumpAtApply: boolean | IResolvable;
  dumpSchedule: string | undefined;
}>({
  accepts: ({ dumpAtApply, dumpSchedule }) => dumpAtApply === false || dumpSchedule !== undefined,
  condition: ({ dumpAtApply, dumpSchedule }) => `!${dumpAtApply} || ${dumpSchedule} != null`,
  problem: (names) =>
    `${names.dumpAtApply} is true and ${names.dumpSchedule} is not given; there must be a schedule, because nothing is dumped without one; set ${names.dumpSchedule}, or set ${names.dumpAtApply} to false`,
});

export const DUMP_RULES: readonly Rule<DumpProps>[] = [
  ...CRON_SCHEDULE.map((rule) => rule.ruleOn<DumpProps>("dumpSchedule", ({ dumpSchedule }) => dumpSchedule)),
  DUMP_NEEDS_SCHEDULE.ruleOn({
    dumpAtApply: ["dumpAtApply", ({ dumpAtApply = false }) => dumpAtApply],
    dumpSchedule: ["dumpSchedule", ({ dumpSchedule }) => dumpSchedule],
  }),
  DUMP_DAYS.ruleOn("dumpRetentionDays", ({ dumpRetentionDays }) => dumpRetentionDays),
  DUMP_CLASS.ruleOn("dumpStorageClass", ({ dumpStorageClass }) => dumpStorageClass),
  DUMP_DAYS_FIT_CLASS.ruleOn({
    days: ["dumpRetentionDays", ({ dumpRetentionDays = DEFAULT_DUMP_DAYS }) => dumpRetentionDays],
    storageClass: ["dumpStorageClass", ({ dumpStorageClass = DEFAULT_DUMP_CLASS }) => dumpStorageClass],
  }),
];
