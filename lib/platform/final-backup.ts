import { Token, type TerraformVariableValidationConfig } from "cdktf";

import { expression, numberExpression } from "../core/expression";

/** Long enough to notice that something was deleted, and to find out what was in it. */
export const DEFAULT_FINAL_BACKUP_DAYS = 30;

const MAX_DAYS = 365;

/** Rule of the number of days, as every message states it. */
export const FINAL_BACKUP_RULE = `it must be a whole number from 0 to ${MAX_DAYS}, because the platform keeps a final backup no longer; use ${DEFAULT_FINAL_BACKUP_DAYS}, or 0 for none`;

export function isFinalBackupDays(days: number): boolean {
  return Number.isInteger(days) && days >= 0 && days <= MAX_DAYS;
}

/** The same rule for a variable. */
export function finalBackupDaysValidation(variable: string): TerraformVariableValidationConfig {
  const days = `var.${variable}`;
  return {
    condition: `\${${days} >= 0 && ${days} <= ${MAX_DAYS} && floor(${days}) == ${days}}`,
    errorMessage: `${variable} is \${${days}}; ${FINAL_BACKUP_RULE}.`,
  };
}

/** What becomes of backups when their database is deleted. Stated also when nothing is kept: absent changes nothing. */
export interface Afterlife {
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
