import { Token } from "cdktf";

import { wholeNumber } from "../../core/checked-value";
import { expression, numberExpression } from "../../core/expression";

/** Long enough to notice that something was deleted, and to find out what was in it. */
export const DEFAULT_FINAL_BACKUP_DAYS = 30;

const MAX_DAYS = 365;

/** Days of the final backup. */
export const FINAL_BACKUP_DAYS = wholeNumber(
  { from: 0, to: MAX_DAYS },
  { reason: "Cloud SQL keeps a final backup no longer", remedy: `use ${DEFAULT_FINAL_BACKUP_DAYS}, or 0 for none` },
);

/** What becomes of backups when their database is deleted. Stated also when nothing is kept: absent changes nothing. */
interface Afterlife {
  readonly isKept: boolean | string;

  /** Days of the final backup; null for none. */
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
 * What the database writes into its log, as flags of the server. None needs a restart, and together they write a line for
 * each connection and each change of the schema, which costs next to nothing.
 *
 * Statements that define something are logged in full, so whoever sets a password sends its salted hash, as `db-init` does.
 */
export const LOGGING_FLAGS = {
  log_checkpoints: "on",
  log_connections: "on",
  log_disconnections: "on",
  log_lock_waits: "on",
  // The default, said because it is asked for: statements that fail are logged.
  log_min_error_statement: "error",
  log_statement: "ddl",
  // Every temporary file, whatever its size.
  log_temp_files: "0",
} as const;
