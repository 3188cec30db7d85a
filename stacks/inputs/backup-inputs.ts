import {
  BACKUP_COUNT,
  BACKUP_LOCATION,
  DEFAULT_BACKUP_COUNT,
  DEFAULT_TRANSACTION_LOG_DAYS,
  LOGS_WITHIN_BACKUPS,
  TRANSACTION_LOG_DAYS,
} from "../../lib/platform/sql/database-backups";
import { UPGRADE_BACKUP_DAYS } from "../../lib/idp/upgrade-backup";
import { type Input } from "./input-table";

/** Inputs for backups of the database, daily and before upgrades. */
export const BACKUP_INPUTS = {
  backup_location: {
    type: "string",
    default: null,
    description:
      "Where backups are stored: a region, or asia, eu or us; null for the multi-region nearest to the database. A region other than the database's survives the loss of that one. Changing it later affects new backups.",
    must: BACKUP_LOCATION,
  },
  backup_retention_count: {
    type: "number",
    default: DEFAULT_BACKUP_COUNT,
    description:
      "Number of daily backups to keep. Kept backups are billed. Changing it later is safe; fewer delete the oldest.",
    must: BACKUP_COUNT,
  },
  transaction_log_days: {
    type: "number",
    default: DEFAULT_TRANSACTION_LOG_DAYS,
    description:
      "Days within which the database can be restored to any point in time, at most backup_retention_count. Changing it later is safe; fewer delete the oldest log.",
    must: TRANSACTION_LOG_DAYS,
    together: [
      LOGS_WITHIN_BACKUPS.validationOf({
        backupRetentionCount: "backup_retention_count",
        transactionLogDays: "transaction_log_days",
      }),
    ],
  },
  backup_before_upgrade: {
    type: "bool",
    default: true,
    description: `Makes a backup of the database before another release is rolled out; the apply waits for it, and Cloud SQL keeps it for ${UPGRADE_BACKUP_DAYS} days. A change from false to true makes one at once.`,
  },
} as const satisfies Record<string, Input>;
