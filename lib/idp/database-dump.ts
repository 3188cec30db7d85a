import { type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { allOf, anyOf, isOn, isSet } from "../core/conditional";
import { expression, quoted } from "../core/expression";
import { type DeploymentContext } from "../core/place";
import { type ProjectApis } from "../core/project-apis";
import { addScript } from "../core/stack-file";
import { DB_INIT_IMAGE } from "./contract";
import {
  DUMP_JOB,
  DUMP_MAX_RETRIES,
  DUMP_MOUNT_PATH,
  DUMP_RESOURCES,
  DUMP_TIME_ZONE,
  DUMP_TIMEOUT_SECONDS,
  FIRST_DUMP_JOB,
} from "./dump-defaults";
import { DumpBucket } from "./dump-bucket";
import { type DumpProps } from "./dump-props";
import { isDaily } from "./dump-schedule";
import { databaseJobContainer } from "./database-job";
import { type ScheduledJobRunner } from "./job-runner";
import { type SqlInstance } from "./parts";

export interface DatabaseDumpProps extends DumpProps {
  /** APIs of the project, with `storage` for the bucket. */
  readonly apis: ProjectApis;

  /** Instance whose application database is dumped. */
  readonly database: SqlInstance;

  /** Determines the name and the region of the bucket. */
  readonly place: DeploymentContext;

  /** Platform that runs the job, with a service account for nothing else. */
  readonly runner: ScheduledJobRunner;

  /**
   * What must exist before a dump: the first start of the application, which creates the tables. The bucket does not
   * wait for it. Default: nothing.
   */
  readonly dependsOn?: ITerraformDependable[];

  /** Prevents the bucket from being deleted while it holds dumps. Default: true. */
  readonly deletionProtection?: boolean | IResolvable;
}

/**
 * Dumps the database on a schedule into a bucket of its own.
 *
 * Unlike a backup of the instance, a dump survives mistakes in Cloud SQL and can be restored on another version or
 * server. Each has its time in its name, and its checksum beside it. `scripts/restore.sh` restores it. Stored dumps and
 * runs of the job are billed.
 */
export class DatabaseDump extends Construct {
  /** Whether there is a schedule, as a string: `true`, `false` or a boolean expression. */
  readonly condition: string;

  /** Whether the schedule runs every day. */
  readonly isDaily: string;

  /** The bucket of the dumps. */
  readonly bucket: DumpBucket;

  /** Name of the bucket; null at plan if there is none. */
  readonly bucketName: string;

  /** Name of the scheduled job. */
  readonly jobName: string;

  /** Command that makes a dump at once; null at plan if there is no schedule. */
  readonly runCommand: string;

  /** What must exist before scheduled dumps are made. */
  readonly ready: ITerraformDependable[];

  constructor(scope: Construct, id: string, props: DatabaseDumpProps) {
    super(scope, id);
    const { database, dumpAtApply = false, dumpSchedule, keepDumps = false, runner } = props;
    this.condition = isSet(dumpSchedule);
    this.isDaily = dumpSchedule === undefined ? "false" : allOf(this.condition, isDaily(dumpSchedule));
    const hasBucket = anyOf(this.condition, isOn(keepDumps));

    this.bucket = new DumpBucket(this, "Bucket", {
      place: props.place,
      condition: hasBucket,
      deletionProtection: props.deletionProtection,
      retentionDays: props.dumpRetentionDays,
      storageClass: props.dumpStorageClass,
      dependsOn: props.apis.ready("storage"),
    });
    const script = addScript(this, `lib/idp/scripts/${SCRIPT_NAME}`);
    const job = {
      script,
      scriptName: SCRIPT_NAME,
      container: {
        ...databaseJobContainer(database, DB_INIT_IMAGE, { DUMP_FOLDER: DUMP_MOUNT_PATH }),
        mounts: [this.bucket],
        resources: DUMP_RESOURCES,
        dependsOn: props.dependsOn,
      },
      timeoutSeconds: DUMP_TIMEOUT_SECONDS,
    };
    const scheduled = runner.schedule(this, "Job", {
      ...job,
      name: DUMP_JOB,
      maxRetries: DUMP_MAX_RETRIES,
      schedule: dumpSchedule ?? "",
      timeZone: DUMP_TIME_ZONE,
      condition: this.condition,
    });
    const first = runner.runOnce(this, "AtApply", {
      ...job,
      name: FIRST_DUMP_JOB,
      maxRetries: 0,
      rerunWhenChanged: {
        script: script.sha256,
        image: DB_INIT_IMAGE,
        instance: database.connectionName,
        database: database.databaseName,
      },
      condition: allOf(this.condition, isOn(dumpAtApply)),
    });

    this.bucketName = orNull(hasBucket, this.bucket.bucketName);
    this.jobName = scheduled.jobName;
    this.runCommand = orNull(this.condition, scheduled.runCommand);
    this.ready = [...scheduled.ready, ...first.ready];
  }
}

function orNull(condition: string, text: string): string {
  return condition === "true" ? text : expression(`(${condition} ? ${quoted(text)} : null)`);
}

const SCRIPT_NAME = "dump-database.sh";
