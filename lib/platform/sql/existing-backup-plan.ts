import { type IResolvable } from "cdktf";

import { anyOf, type Expr } from "../../core/expr/expr";
import { needs } from "../../core/inputs/needs";
import { type Relation } from "../../core/inputs/relations";
import { type Optional, orResource, text } from "../../core/inputs/rows";
import { matching } from "../../core/inputs/rules";
import { type ValuesOf } from "../../core/inputs/value";
import { type WarningRelation } from "../../core/inputs/warnings";
import { prose } from "../../core/prose";
import { type BACKUPS, USUAL_BACKUPS } from "./database-backups";

const PLAN_PATTERN = "^projects/[^/]+/locations/[^/]+/backupPlans/[^/]+$";

/** Input for a backup plan that others manage. */
export const EXISTING_BACKUP_PLAN = {
  /**
   * Backup plan of Backup and DR that your organization has attached to the database's instance, or its resource; none
   * by default. Without it, every update of such an instance fails.
   */
  existingBackupPlan: orResource(
    "id",
    ["google_backup_dr_backup_plan"],
    text({
      default: null,
      description: prose`
        Backup plan of Backup and DR that your organization has attached to the database's instance, in full,
        projects/<project>/locations/<region>/backupPlans/<plan>[[; null for none]]. The deployment then leaves backups
        and logs to the plan, which turns those of Cloud SQL off, and its scripts refuse to restore from these.
        Set it with or after attaching the plan, which changes nothing of the instance; remove it after detaching,
        which turns its own backups on again. Changing it later is safe. Needs backup_before_upgrade = false.
      `,
      must: matching(
        PLAN_PATTERN,
        prose`
          be the name of a plan in full, projects/<project>/locations/<region>/backupPlans/<plan>;
          look it up with gcloud backup-dr backup-plan-associations list
        `,
      ),
    }),
  ),
};

/** Inputs of other features on which the backup plan depends. */
type OtherInputs = typeof BACKUPS & Readonly<{ backupBeforeUpgrade: Optional<boolean | IResolvable> }>;

type Inputs = OtherInputs & typeof EXISTING_BACKUP_PLAN;

export const BACKUP_PLAN_RELATIONS: readonly Relation<Inputs>[] = [
  needs("existingBackupPlan", {
    without: ["backupBeforeUpgrade"],
    because: "the plan makes the backups of the instance",
    remedy: ({ backupBeforeUpgrade: before }) =>
      prose`
        set ${before.name} to false, and make one by the plan before each upgrade:
        guides/backups-that-stay.md#a-backup-plan-of-your-organization
      `,
  }),
];

/** Inputs that the backup plan replaces. */
const OF_PLAN = ["location", "retentionCount", "logDays"] as const;

export const BACKUP_PLAN_WARNINGS: readonly WarningRelation<Inputs>[] = [
  {
    localId: "PlanDecidesOnBackups",
    holds: (v) => anyOf(v.existingBackupPlan.isNull(), differsFromDefaults(v).not()),
    message: ({ backups: { at }, existingBackupPlan: plan }) =>
      prose`
        ${plan.name} is given together with ${OF_PLAN.map((name) => at[name].name).join(" or ")};
        these have no effect, because the plan decides where backups lie and how long they are kept; leave them out
      `,
  },
];

function differsFromDefaults(v: ValuesOf<Inputs>): Expr<boolean> {
  const { location, logDays, retentionCount } = v.backups.at;
  return anyOf(location.isSet(), retentionCount.ne(USUAL_BACKUPS.retentionCount), logDays.ne(USUAL_BACKUPS.logDays));
}
