import { isWhole, matching, whole } from "../../core/inputs/checks";
import { type Expr, exprOf, interpolated } from "../../core/expr/expr";
import { min } from "../../core/expr/functions";
import { type Relation } from "../../core/inputs/relations";
import { number, text, type PropsOf } from "../../core/inputs/rows";

const MAX_DAYS = 365;

/** Inputs for backups of the database. */
export const BACKUPS = {
  /** Where backups are stored: a region, `asia`, `eu` or `us`; by default the multi-region nearest to the database. */
  backupLocation: text({
    default: null,
    description: [
      "Where backups are stored: a region, or asia, eu or us; null for the multi-region nearest to the database.",
      "A region other than the database's survives the loss of that one. Changing it later affects new backups.",
    ].join(" "),
    must: matching(
      "^(asia|eu|us|[a-z]+-[a-z]+[0-9]+)$",
      [
        "be asia, eu, us or the name of a region such as us-central1; use one of these,",
        "or none for the multi-region nearest to the database",
      ].join(" "),
    ),
  }),
  /** Number of daily backups to keep, 7 by default. */
  backupRetentionCount: number({
    default: 7,
    description:
      "Number of daily backups to keep. Kept backups are billed. Changing it later is safe; fewer delete the oldest.",
    schema: { multipleOf: 1, minimum: 1, maximum: MAX_DAYS },
  }),
  /**
   * Days within which the database can be restored to any point in time, 7 by default, at most as many as backups are
   * kept.
   */
  transactionLogDays: number({
    default: 7,
    description: [
      "Days within which the database can be restored to any point in time, at most backup_retention_count.",
      "Changing it later is safe; fewer delete the oldest log.",
    ].join(" "),
    schema: { multipleOf: 1, minimum: 1, maximum: 7 },
  }),
  /**
   * Days to keep the final backup that Cloud SQL makes when the database is deleted, 30 by default. 0 keeps none. Kept
   * backups are billed.
   */
  databaseFinalBackupDays: number({
    // Long enough to notice a deletion and to find out what was lost.
    default: 30,
    description: [
      "Days to keep the final backup that Cloud SQL makes when the database is deleted;",
      "the automatic backups are then kept for their own retention time too. 0 keeps none.",
      "Kept backups are billed. Changing it later is safe; apply it before the destroy.",
    ].join(" "),
    must: whole(0, MAX_DAYS, ", because Cloud SQL keeps final backups no longer; use 30, or 0 for none"),
  }),
};

export const BACKUP_RELATIONS: readonly Relation<typeof BACKUPS>[] = [
  {
    of: "transactionLogDays",
    holds: ({ backupRetentionCount: count, transactionLogDays: days }) =>
      isWhole(count, 1, MAX_DAYS).and(isWhole(days, 1), days.le(min(7, count))),
    says: ({ backupRetentionCount: count, transactionLogDays: days }) =>
      [
        `${days.name} is ${days.shown} and ${count.name} is ${count.shown}; both must be whole numbers from 1,`,
        `the former up to 7 and the latter up to ${MAX_DAYS}, because Cloud SQL keeps no more,`,
        "and the former must not exceed the latter, because a restore starts from a backup; use 7 for both",
      ].join(" "),
  },
];

/** The automatic backups of Cloud SQL, every night, as a block of an instance's settings. */
export function backupConfiguration({
  backupLocation,
  backupRetentionCount = BACKUPS.backupRetentionCount.default as number,
  transactionLogDays = BACKUPS.transactionLogDays.default as number,
}: Partial<PropsOf<typeof BACKUPS>>): Readonly<Record<string, unknown>> {
  return {
    enabled: true,
    start_time: "02:00",
    location: backupLocation,
    point_in_time_recovery_enabled: true,
    transaction_log_retention_days: transactionLogDays,
    backup_retention_settings: { retained_backups: backupRetentionCount, retention_unit: "COUNT" },
  };
}

/**
 * Retention of backups after a delete, which is set even if nothing is kept, because omitting it would not undo an
 * earlier value; and what remains then, as one sentence without a full stop.
 *
 * @param days days to keep the final backup, 0 for none
 * @param plan plan of others that makes the backups; null without one
 */
export function backupsAfterDeletion(instanceName: string, days: number, count: number, plan: Expr<string | null>) {
  const none = `no backup of ${instanceName}`;
  const ofPlan = interpolated`what the backup plan ${plan} keeps of ${instanceName}`;
  const kept = [
    `a final backup of ${instanceName} for ${exprOf(days).text} days,`,
    `up to ${exprOf(count).text} automatic backups and those from before upgrades,`,
    "each until its own retention ends",
  ].join(" ");
  const isKept = exprOf(days).gt(0);
  return {
    isKept: isKept.flag,
    retentionDays: isKept.choose(days, null).number,
    remains: plan.isSet().choose(ofPlan, isKept.choose(kept, none)).text,
  };
}
