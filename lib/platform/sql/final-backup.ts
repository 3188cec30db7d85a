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
