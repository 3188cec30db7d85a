import { type ChangeScenario } from "../engine/journey";
import { all, withInputs } from "./every-stack";

/** Changes of backups in both variants. */
export const RECOVERY_CHANGES: readonly ChangeScenario[] = [
  {
    name: "backups in another place, more of them, and fewer days of log",
    change: withInputs({ backup_location: "eu", backup_retention_count: 30, transaction_log_days: 3 }),
    expected: all("update", ["google_sql_database_instance.database", "terraform_data.deletion_guard"]),
  },
];
