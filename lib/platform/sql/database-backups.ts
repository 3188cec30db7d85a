import {
  type SqlDatabaseInstance,
  type SqlDatabaseInstanceSettings,
} from "@cdktf/provider-google/lib/sql-database-instance";
import { Token } from "cdktf";

import { CheckedRelation } from "../../core/checked-relation";
import { matching, wholeNumber } from "../../core/checked-value";
import { expression, numberExpression, numberText, quoted } from "../../core/expression";
import { setNewerAttribute } from "../../core/newer-attribute";
import { type Rule } from "../../core/rules";

/** Props of Cloud SQL's automatic backups. */
export interface BackupProps {
  /**
   * Where backups are stored: a region, or one of the multi-regions `asia`, `eu` and `us`. A region other than the
   * database's survives the loss of that one. Changing it later affects new backups.
   *
   * @default - the multi-region nearest to the database
   */
  readonly backupLocation?: string;

  /**
   * Number of daily backups to keep.
   *
   * @default 7
   */
  readonly backupRetentionCount?: number;

  /**
   * Days within which the database can be restored to any point in time, at most as many as backups are kept.
   *
   * @default 7
   */
  readonly transactionLogDays?: number;
}

export const DEFAULT_BACKUP_COUNT = 7;
export const DEFAULT_TRANSACTION_LOG_DAYS = 7;

/** Long enough to notice a deletion and to find out what was lost. */
export const DEFAULT_FINAL_BACKUP_DAYS = 30;

const MAX_DAYS = 365;

/** Days to keep the final backup. */
export const FINAL_BACKUP_DAYS = wholeNumber(
  { from: 0, to: MAX_DAYS },
  { reason: "Cloud SQL keeps final backups no longer", remedy: `use ${DEFAULT_FINAL_BACKUP_DAYS}, or 0 for none` },
);

/** A multi-region or a region. */
export const BACKUP_LOCATION = matching("^(asia|eu|us|[a-z]+-[a-z]+[0-9]+)$", {
  must: "be asia, eu, us or the name of a region such as us-central1",
  remedy: "use one of these, or none for the multi-region nearest to the database",
});

export const BACKUP_COUNT = wholeNumber(
  { from: 1, to: 365 },
  { reason: "Cloud SQL keeps no more", remedy: `use ${DEFAULT_BACKUP_COUNT}` },
);

export const TRANSACTION_LOG_DAYS = wholeNumber(
  { from: 1, to: 7 },
  { reason: "the edition keeps them no longer", remedy: `use ${DEFAULT_TRANSACTION_LOG_DAYS}` },
);

/** Cloud SQL refuses a log that reaches back further than the backups. */
export const LOGS_WITHIN_BACKUPS = new CheckedRelation<{ backupRetentionCount: number; transactionLogDays: number }>({
  accepts: ({ backupRetentionCount, transactionLogDays }) => transactionLogDays <= backupRetentionCount,
  condition: ({ backupRetentionCount, transactionLogDays }) => `${transactionLogDays} <= ${backupRetentionCount}`,
  problem: (names, shown) =>
    `${names.transactionLogDays} is ${shown.transactionLogDays}; it must not exceed ${names.backupRetentionCount}, which is ${shown.backupRetentionCount}, because a restore starts from a backup; lower one or raise the other`,
});

export const BACKUP_RULES: readonly Rule<BackupProps>[] = [
  BACKUP_LOCATION.ruleOn("backupLocation", ({ backupLocation }) => backupLocation),
  BACKUP_COUNT.ruleOn("backupRetentionCount", ({ backupRetentionCount }) => backupRetentionCount),
  TRANSACTION_LOG_DAYS.ruleOn("transactionLogDays", ({ transactionLogDays }) => transactionLogDays),
  LOGS_WITHIN_BACKUPS.ruleOn({
    backupRetentionCount: [
      "backupRetentionCount",
      ({ backupRetentionCount = DEFAULT_BACKUP_COUNT }) => backupRetentionCount,
    ],
    transactionLogDays: [
      "transactionLogDays",
      ({ transactionLogDays = DEFAULT_TRANSACTION_LOG_DAYS }) => transactionLogDays,
    ],
  }),
];

/** The automatic backups of Cloud SQL, every night. */
export function backupConfiguration({
  backupLocation,
  backupRetentionCount = DEFAULT_BACKUP_COUNT,
  transactionLogDays = DEFAULT_TRANSACTION_LOG_DAYS,
}: BackupProps): SqlDatabaseInstanceSettings["backupConfiguration"] {
  return {
    enabled: true,
    startTime: "02:00",
    location: backupLocation,
    pointInTimeRecoveryEnabled: true,
    transactionLogRetentionDays: transactionLogDays,
    backupRetentionSettings: { retainedBackups: backupRetentionCount, retentionUnit: "COUNT" },
  };
}

/**
 * Retention of backups after a delete. Set even if nothing is kept, because omitting it would not undo an earlier
 * value.
 */
interface FinalBackup {
  readonly isKept: boolean | string;

  /** Days to keep the final backup; null for none. */
  readonly retentionDays: number | null;
}

/** Retention for a number of days, 0 for none. */
export function afterlife(days: number): FinalBackup {
  if (!Token.isUnresolved(days)) return { isKept: days > 0, retentionDays: days > 0 ? days : null };
  const text = Token.asString(days);
  return {
    isKept: expression(`${text} > 0`),
    retentionDays: numberExpression(`(${text} > 0 ? ${text} : null)`),
  };
}

/** Adds the settings of the final backup that the bindings lack. */
export function addFinalBackup(instance: SqlDatabaseInstance, { isKept, retentionDays }: FinalBackup): void {
  setNewerAttribute(instance, "settings.final_backup_config.enabled", isKept);
  setNewerAttribute(instance, "settings.final_backup_config.retention_days", retentionDays);
}

/**
 * Backups that a deletion of the database leaves, and for how long: one sentence without a full stop.
 *
 * @param days days to keep the final backup, 0 for none
 */
export function backupsAfterDestroy(instanceName: string, days: number, count: number): string {
  const none = `no backup of ${instanceName}`;
  const kept = `a final backup of ${instanceName} for ${numberText(days)} days, up to ${numberText(count)} automatic backups and those from before upgrades, each until its own retention ends`;
  if (!Token.isUnresolved(days)) return days > 0 ? kept : none;
  return expression(`(${Token.asString(days)} > 0 ? ${quoted(kept)} : ${quoted(none)})`);
}
