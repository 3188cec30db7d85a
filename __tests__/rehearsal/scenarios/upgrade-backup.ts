import { type Deployment } from "../deployment/deployment";

export const UPGRADE_BACKUP = "terraform_data.upgrade_backup[0]";

/** Fails unless exactly this backup has been made, and before the new release was rolled out. */
export const requireBackup =
  (description: string) =>
  ({ web }: Deployment): void => {
    const made = [...web.sql.backups.values()].map((backup) => `${String(backup.description)} ${String(backup.state)}`);
    if (made.join() !== `${description} SUCCESSFUL`) throw new Error(`the backups are: ${made.join(", ") || "none"}`);
  };
