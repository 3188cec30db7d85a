import { type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { conditionFrom, countIf, partIf, present } from "../core/expr/conditions";
import { interpolated } from "../core/expr/expr";
import { flag } from "../core/inputs/rows";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { addRestLibraries, runsScript } from "../core/project-apis";
import { prose } from "../core/prose";
import { addScript } from "../core/stack-file";
import { TerraformData } from "../core/terraform-data";
import { type SqlInstance } from "./parts";

interface UpgradeBackupProps {
  readonly database: SqlInstance;
  readonly projectId: string;
  /** Release to roll out; a backup is made before the release changes. */
  readonly release: string;
  readonly enabled?: boolean | IResolvable;
}

/** Days after which Cloud SQL removes a backup that was made before an upgrade. */
const UPGRADE_BACKUP_DAYS = 30;

/** Input of the backups before upgrades. */
export const UPGRADE_BACKUPS = {
  /**
   * Makes a backup of the database before another release is rolled out. The apply waits for the backup, which is kept
   * for 30 days.
   */
  backupBeforeUpgrade: flag({
    default: true,
    description: prose`
      Makes a backup of the database before another release is rolled out; the apply waits for it,
      and Cloud SQL keeps it for ${UPGRADE_BACKUP_DAYS} days. A change from false to true makes one at once.
    `,
  }),
};

/**
 * A backup of the database before each rollout of another release, because migrations cannot be undone. An apply makes
 * the backup and waits for it, unless the database does not exist yet.
 */
export class UpgradeBackup extends Construct {
  /** Dependencies of parts that must change only after the backup. */
  readonly ready: ITerraformDependable[];

  /**
   * Description of the backup in Cloud SQL, needed to find it because Cloud SQL chooses the id; undefined or null if no
   * backup is made.
   */
  readonly description: string | undefined;

  /** @internal */
  constructor(scope: Construct, id: string, props: UpgradeBackupProps) {
    super(scope, id);
    const { database, enabled = true, projectId, release } = props;

    addRestLibraries(this);
    addScript(this, "lib/idp/scripts/sql-rest.sh");
    const script = addScript(this, "lib/idp/scripts/backup-before-upgrade.sh");
    const backup = partIf(
      enabled,
      () =>
        new TerraformData(this, MAIN_CHILD_ID, {
          triggersReplace: { release },
          provisioners: runsScript(script, {
            PROJECT_ID: database.projectId ?? projectId,
            INSTANCE: database.instanceName,
            DATABASE: database.databaseName,
            RELEASE: release,
            BACKUP_DAYS: String(UPGRADE_BACKUP_DAYS),
          }),
          count: countIf(enabled),
          dependsOn: database.ready,
        }),
    );
    this.description = partIf(
      enabled,
      () => conditionFrom(enabled).choose<string, null>(interpolated`before ${release}`, null).text,
    );
    this.ready = present(backup);
  }
}
