import { Token } from "cdktf";

import { wholeNumber } from "../../core/checked-value";
import { expression, numberExpression } from "../../core/expression";

/** Long enough to notice a deletion and to find out what was lost. */
export const DEFAULT_FINAL_BACKUP_DAYS = 30;

const MAX_DAYS = 365;

/** Days to keep the final backup. */
export const FINAL_BACKUP_DAYS = wholeNumber(
  { from: 0, to: MAX_DAYS },
  { reason: "Cloud SQL keeps a final backup no longer", remedy: `use ${DEFAULT_FINAL_BACKUP_DAYS}, or 0 for none` },
);

/** Retention of backups after a delete. Set even if nothing is kept: leaving it out would not undo an earlier value. */
interface Afterlife {
  readonly isKept: boolean | string;

  /** Days to keep the final backup; null for none. */
  readonly retentionDays: number | null;
}

export function afterlife(days: number): Afterlife {
  if (!Token.isUnresolved(days)) return { isKept: days > 0, retentionDays: days > 0 ? days : null };
  const text = Token.asString(days);
  return {
    isKept: expression(`${text} > 0`),
    retentionDays: numberExpression(`(${text} > 0 ? ${text} : null)`),
  };
}

/**
 * Server flags for logging. None needs a restart. Together they log each connection and each schema change, which costs
 * next to nothing.
 *
 * DDL statements are logged in full, so set passwords as salted hashes only, as `db-init` does.
 */
export const LOGGING_FLAGS = {
  log_checkpoints: "on",
  log_connections: "on",
  log_disconnections: "on",
  log_lock_waits: "on",
  // The default, explicit because it is a requirement: logs failing statements.
  log_min_error_statement: "error",
  log_statement: "ddl",
  // Every temporary file, regardless of size.
  log_temp_files: "0",
} as const;
