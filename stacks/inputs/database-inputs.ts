import { type TerraformStack } from "cdktf";
import { Construct } from "constructs";

import { InputVariable } from "../../lib/core/input-variable";
import { databaseTierValidation, DEFAULT_DATABASE_TIER } from "../../lib/platform/database-tier";
import { DEFAULT_FINAL_BACKUP_DAYS, finalBackupDaysValidation } from "../../lib/platform/final-backup";

/** How large the database is, how available, and what is left of it. */
export class DatabaseInputs extends Construct {
  readonly tier: string;
  readonly availability: string;
  readonly finalBackupDays: number;

  constructor(stack: TerraformStack) {
    super(stack, "database-inputs");

    this.tier = new InputVariable(this, "database_tier", {
      type: "string",
      default: DEFAULT_DATABASE_TIER,
      description:
        "Size of the database, db-custom-<CPUs>-<memory in MB>. It decides how many connections there are, and so how many instances fit. Changing it later restarts the database.",
      validation: [databaseTierValidation("database_tier")],
    }).stringValue;

    this.availability = new InputVariable(this, "database_availability", {
      type: "string",
      default: "ZONAL",
      description:
        "ZONAL, or REGIONAL with a standby in another zone at about twice the price. Changing it later restarts the database.",
      validation: [
        {
          condition: '${contains(["ZONAL", "REGIONAL"], var.database_availability)}',
          errorMessage:
            'database_availability is "${var.database_availability}"; it must be ZONAL or REGIONAL, because the platform knows no other; use ZONAL for one zone, REGIONAL for a standby in another.',
        },
      ],
    }).stringValue;

    this.finalBackupDays = new InputVariable(this, "database_final_backup_days", {
      type: "number",
      default: DEFAULT_FINAL_BACKUP_DAYS,
      description:
        "Days for which a last backup is kept that is made as the database is deleted; the automatic ones then stay for their own time as well. 0 keeps none of them. What is kept is billed. Changing it later is safe, and counts when it was applied before the destroy.",
      validation: [finalBackupDaysValidation("database_final_backup_days")],
    }).numberValue;
  }
}
