import { UPGRADE_BACKUP_DAYS } from "../../lib/idp/upgrade-backup";
import { type Input } from "./input-table";

/** Inputs for what happens before another release is rolled out. */
export const UPGRADE_INPUTS = {
  backup_before_upgrade: {
    type: "bool",
    default: true,
    description: `Makes a backup of the database before another release is rolled out; the apply waits for it, and Cloud SQL keeps it for ${UPGRADE_BACKUP_DAYS} days. A change from false to true makes one at once.`,
  },
} as const satisfies Record<string, Input>;
