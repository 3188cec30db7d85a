import { type Expr, exprOf, interpolated } from "../../core/expr/expr";
import { min } from "../../core/expr/functions";
import { type Relation } from "../../core/inputs/relations";
import { number, object, type PropsOf, text } from "../../core/inputs/rows";
import { isWhole, matching, wholeNumber } from "../../core/inputs/rules";
import { prose } from "../../core/prose";

const MAX_DAYS = 365;

/** Limit of the Enterprise edition, which is the default; Enterprise Plus would keep 35. */
const MAX_LOG_DAYS = 7;

/** Inputs for backups of the database. */
export const BACKUPS = {
  /** Cloud SQL's own backups of the database, every night. */
  backups: object(
    {
      /** Number of daily backups to keep, 7 by default. */
      retentionCount: number({
        default: 7,
        description: "number of daily backups to keep, which are billed; fewer later delete the oldest",
        schema: { multipleOf: 1, minimum: 1, maximum: MAX_DAYS },
      }),
      /**
       * Days within which the database can be restored to any point in time, 7 by default; at most the number of kept
       * backups.
       */
      logDays: number({
        default: 7,
        description: prose`
          days within which the database can be restored to any point in time, 1 to ${MAX_LOG_DAYS},
          at most retention_count; fewer later delete the oldest log
        `,
        schema: { multipleOf: 1, minimum: 1, maximum: MAX_LOG_DAYS },
      }),
      /**
       * Location of the backups: a region, `asia`, `eu` or `us`; by default the multi-region nearest to the database.
       */
      location: text({
        default: null,
        description: prose`
          where they are stored: a region, or asia, eu or us[[; null for the multi-region nearest to the database]];
          a region other than the database's survives the loss of that one; a change affects new backups
        `,
        must: matching(
          "^(asia|eu|us|[a-z]+-[a-z]+[0-9]+)$",
          prose`
            be asia, eu, us or the name of a region such as us-central1; use one of these,
            or none for the multi-region nearest to the database
          `,
        ),
      }),
      /**
       * Days to keep the final backup that Cloud SQL makes when the database is deleted, 30 by default. 0 keeps none.
       * Kept backups are billed.
       */
      finalDays: number({
        // Long enough to notice a deletion and to find out what was lost.
        default: 30,
        description: prose`
          days to keep the final backup that Cloud SQL makes when the database is deleted;
          the automatic backups are then kept for their own retention time too; 0 keeps none;
          apply a change before the destroy
        `,
        must: wholeNumber(0, MAX_DAYS, ", because Cloud SQL keeps final backups no longer; use 30, or 0 for none"),
      }),
    },
    {
      default: {},
      description: (members) => `Cloud SQL's own backups of the database. ${members} Changing it later is safe.`,
    },
  ),
};

/** Backups of the database. */
export interface BackupProps extends PropsOf<(typeof BACKUPS)["backups"]["members"]> {}

const { members: MEMBERS } = BACKUPS.backups;

/** Default backups of a program. */
export const USUAL_BACKUPS = {
  retentionCount: MEMBERS.retentionCount.default as number,
  logDays: MEMBERS.logDays.default as number,
  finalDays: MEMBERS.finalDays.default as number,
};

export const BACKUP_RELATIONS: readonly Relation<typeof BACKUPS>[] = [
  {
    host: "backups",
    holds: ({ backups: { at } }) =>
      isWhole(at.retentionCount, 1, MAX_DAYS).and(
        isWhole(at.logDays, 1),
        at.logDays.le(min(MAX_LOG_DAYS, at.retentionCount)),
      ),
    message: ({
      backups: {
        at: { logDays: days, retentionCount: count },
      },
    }) =>
      prose`
        ${days.name} is ${days.shown} and ${count.name} is ${count.shown}; both must be whole numbers from 1,
        the former up to ${MAX_LOG_DAYS} and the latter up to ${MAX_DAYS}, because Cloud SQL keeps no more in
        its Enterprise edition, and the former must not exceed the latter, because a restore starts from a backup;
        use 7 for both
      `,
  },
];

/** The automatic backups of Cloud SQL, every night, as a block of an instance's settings. */
export function backupConfiguration(backups: BackupProps = {}): Readonly<Record<string, unknown>> {
  const { location, logDays = USUAL_BACKUPS.logDays, retentionCount = USUAL_BACKUPS.retentionCount } = backups;
  return {
    enabled: true,
    start_time: "02:00",
    location,
    point_in_time_recovery_enabled: true,
    transaction_log_retention_days: logDays,
    backup_retention_settings: { retained_backups: retentionCount, retention_unit: "COUNT" },
  };
}

/**
 * Retention of backups after a deletion of the instance, and the remaining backups as a sentence without a full stop.
 * The retention is set even to none, because omitting it would not undo an earlier value.
 *
 * @param days days to keep the final backup, 0 for none
 * @param plan existing backup plan that makes the backups; null without one
 */
export function backupsAfterDeletion(instanceName: string, days: number, count: number, plan: Expr<string | null>) {
  const none = `no backup of ${instanceName}`;
  const ofPlan = interpolated`what the backup plan ${plan} keeps of ${instanceName}`;
  const ownBackups = prose`
    a final backup of ${instanceName} for ${exprOf(days).text} days,
    up to ${exprOf(count).text} automatic backups and those from before upgrades,
    each until its own retention ends
  `;
  const isKept = exprOf(days).gt(0);
  return {
    isKept: isKept.flag,
    retentionDays: isKept.choose(days, null).number,
    remains: plan.isSet().choose(ofPlan, isKept.choose(ownBackups, none)).text,
  };
}
