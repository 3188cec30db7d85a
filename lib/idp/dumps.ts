import { type StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";
import { StorageBucketIamMember } from "@cdktf/provider-google/lib/storage-bucket-iam-member";
import { type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { type DeploymentContext } from "../core/deployment-context";
import { idOf } from "../core/expr/attributes";
import { type Condition, countIf, isNever, partIf, readyOf } from "../core/expr/conditions";
import { allOf, anyOf, type Expr, hcl } from "../core/expr/expr";
import { allIn, compact, element, every, toNumber } from "../core/expr/functions";
import { type GrantedAccount, granteeArguments, Grants, type WorkloadIdentity } from "../core/identity";
import { needs } from "../core/inputs/needs";
import { type Relation } from "../core/inputs/relations";
import { flag, number, object, type ObjectRow, type Optional, type PropsOf, textOrNull } from "../core/inputs/rows";
import { wholeNumber } from "../core/inputs/rules";
import { type ValuesOf } from "../core/inputs/value";
import { type WarningRelation } from "../core/inputs/warnings";
import { bucketName } from "../core/names";
import { type ProjectApis } from "../core/project-apis";
import { prose } from "../core/prose";
import { addScript, joined, type StackFile } from "../core/stack-file";
import { type ContainerSpec } from "./container-spec";
import { clientImage, databaseJobContainer } from "./database-job";
import { DUMP_COPIES, type DumpCopies, type DumpsElsewhere, type LockedDumps } from "./dump-copies";
import { type ScheduledJobRunner } from "./job-runner";
import { addBucket, mountOptions, type SOFT_DELETE } from "./media-bucket";
import { type MediaStore, type SqlInstance } from "./parts";

/** Numbers and step of each cron field, in a syntax with the same meaning for Cloud Scheduler and Kubernetes. */
const FIELDS = ["[0-5]?[0-9]", "[01]?[0-9]|2[0-3]", "0?[1-9]|[12][0-9]|3[01]", "0?[1-9]|1[0-2]", "[0-6]"].map(
  (each) => {
    const item = `((${each})|([*]|(${each})-(${each}))(/[1-9][0-9]?)?)`;
    return `${item}(,${item})*`;
  },
);
const CRON = `^${FIELDS.join(" ")}$`;
const RANGE = "([0-9]+)-([0-9]+)";

/**
 * Schedules that never run, because the day does not exist in any of the months: the 30th of February, the 31st of
 * April.
 */
const NEVER = `^[^ ]+ [^ ]+ (${[
  ["3[01]", "0?2"],
  ["31", "0?[2469]|11"],
]
  .map(([days, months]) => {
    const day = `(${days})(-[0-9]+)?(/[0-9]+)?`;
    return `${day}(,${day})* (${months})(,(${months}))*`;
  })
  .join("|")}) [*]$`;

const DAILY = "^[^ ]+ [^ ]+ [*] [*] [*]$";

/** Members for dumps and their bucket. */
const SCHEDULED_DUMPS = {
  /**
   * Cron schedule, in UTC: `30 4 * * *` for every day at 04:30. Choose a quiet hour. Null ends the dumps and keeps
   * the bucket.
   */
  schedule: textOrNull({
    description: prose`
      cron schedule, in UTC, "30 4 * * *" for every day at 04:30; choose an hour with little use and no rollouts,
      because a migration waits for a dump[[; null ends the dumps and keeps the bucket]]
    `,
    example: "30 4 * * *",
    must: {
      must: prose`
        have five cron fields in numbers, days of the week from 0 to 6, and name a day that one of its months has,
        because Cloud Scheduler and Kubernetes read other forms differently;
        use for example "30 4 * * *" for every day at 04:30 UTC
      `,
      schema: { pattern: CRON },
      condition: (schedule: Expr<string>) => {
        const isOrdered = (range: Expr<readonly string[]>) =>
          toNumber(element(range, 0)).le(toNumber(element(range, 1)));
        const hasDay = schedule.matches(NEVER).not();
        return schedule.matches(CRON).and(hasDay, every(allIn(schedule, RANGE), isOrdered, "range"));
      },
    },
  }),
  /** Makes a first dump in the apply that sets this flag or adds the schedule; the apply waits for the dump. */
  atApply: flag({
    default: false,
    description: prose`
      makes a first dump in the apply that sets it to true, once the application runs; the apply waits for it,
      and the next apply repeats a failed one; needs a schedule
    `,
  }),
  /** Days to keep a dump, 30 by default; the newest one stays regardless of its age. */
  retentionDays: number({
    default: 30,
    description: prose`
      days to keep a dump, billed for at least 30; the newest one stays whatever its age;
      fewer later delete the oldest
    `,
    must: wholeNumber(1, 3650, ", because a dump that is kept for less than a day is gone before it is needed; use 30"),
  }),
};

/** A named type, because the compiler drops the comments of members from an inlined one. */
type DumpMembers = typeof DUMP_COPIES & typeof SCHEDULED_DUMPS;

type DumpInputs = Readonly<{
  /**
   * Scheduled dumps of the database into a separate bucket, and optionally copies that cannot be deleted early; none by
   * default.
   */
  dumps: ObjectRow<DumpMembers>;
}>;

/** Input of the scheduled dumps of the database. */
export const DUMPS: DumpInputs = {
  dumps: object<DumpMembers>(
    { ...SCHEDULED_DUMPS, ...DUMP_COPIES },
    {
      description: (members) =>
        prose`
          Scheduled dumps of the database into a bucket of their own. ${members} [[Null for none, which deletes the
          bucket; while it has dumps, deletion_protection refuses that.]] Changing it later is safe.
        `,
    },
  ),
};

/** The input of another feature on which dumps depend. */
type DeletionProtection = Readonly<{ deletionProtection: Optional<boolean | IResolvable> }>;

/** Scheduled dumps of the database. */
export interface DumpProps extends PropsOf<DumpMembers> {}

export const DUMP_RELATIONS: readonly Relation<DeletionProtection & typeof DUMPS>[] = [
  needs("dumps.atApply", { with: ["dumps.schedule"], because: "nothing is dumped without a schedule" }),
  needs("dumps.lockDays", {
    with: ["deletionProtection"],
    because: prose`
      a deployment that may be destroyed must not lock its dumps: nobody can ever undo a lock, and the bucket is
      billed until its end
    `,
  }),
];

export const DUMP_WARNINGS: readonly WarningRelation<typeof DUMPS>[] = [
  {
    localId: "DumpsAreHourlyAtMost",
    holds: ({ dumps }) => dumps.at.schedule.isNullOr((schedule) => schedule.matches("^[0-9]+ ")),
    message: ({ dumps }) =>
      prose`
        ${dumps.at.schedule.name} dumps the whole database several times an hour; each dump reads it in full,
        and holds up migrations; begin with a fixed minute, such as 30 4 * * *
      `,
  },
];

/** Whether dumps are made. */
export const isDumped = ({ dumps }: ValuesOf<typeof DUMPS>): Expr<boolean> => dumps.at.schedule.isSet();

/** Names of the scheduled job, which the restore scripts use, and of the job at apply. */
export const DUMP_JOB = "dump";
export const FIRST_DUMP_JOB = "dump-1";

/** Suffix of the bucket's name. */
export const DUMP_BUCKET_SUFFIX = "dumps";

/** Folders of the bucket. */
const FOLDERS = { byTime: "dumps", newest: "latest" } as const;

interface DatabaseDumpProps {
  readonly inputs: ValuesOf<typeof DUMPS & typeof SOFT_DELETE>;
  readonly apis: ProjectApis;
  readonly database: SqlInstance;
  readonly context: DeploymentContext;
  /** Existing bucket for copies. */
  readonly elsewhere: DumpsElsewhere;
  readonly locked: LockedDumps;
  /** Platform that runs the job, under a service account that has no other use; undefined without a schedule. */
  readonly runner: ScheduledJobRunner | undefined;
  /**
   * Dependencies that wait for the first start of the application, because it creates the tables. The bucket does not
   * wait.
   */
  readonly dependsOn: ITerraformDependable[];
  /** Prevents the bucket from being deleted while it holds dumps. */
  readonly deletionProtection: boolean | IResolvable;
  /** Second region of the dumps; null at plan for none. */
  readonly secondRegion?: string | undefined;
}

/** Whether the bucket exists; without a schedule, it is kept. */
export const hasDumpBucket = ({ dumps }: ValuesOf<typeof DUMPS>): Expr<boolean> => dumps.isSet();

/**
 * Dumps the database on a schedule into a separate bucket.
 *
 * Unlike a backup of the instance, a dump survives mistakes in Cloud SQL and can be restored on another version or
 * server. The name of a dump contains its time, and a file beside it contains its checksum. `scripts/restore.sh`
 * restores it. Stored dumps and runs of the job are billed.
 */
export class DatabaseDump extends Construct {
  /** Whether there is a schedule. */
  readonly condition: Condition;

  /** Whether a dump is made at least once a day. */
  readonly isDaily: Condition;
  readonly bucket: DumpBucket;

  /** Name of the bucket; null at plan if there is none. */
  readonly bucketName: string;

  /** The existing bucket with copies. */
  readonly elsewhere: DumpsElsewhere;

  /** The locked bucket with copies. */
  readonly locked: LockedDumps;

  /** Name of the locked bucket; null at plan if there is none. */
  readonly lockedBucketName: string;

  /** Name of the job; undefined if there is no schedule. */
  readonly jobName: string | undefined;

  /** Command that makes a dump at once; without a schedule, undefined or null at plan. */
  readonly runCommand: string | undefined;
  readonly ready: ITerraformDependable[];

  /** @internal */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: DatabaseDumpProps,
  ) {
    super(scope, id);
    const { inputs } = props;
    const { schedule } = inputs.dumps.at;
    const isScheduled = isDumped(inputs);
    this.condition = isScheduled;
    this.isDaily = allOf(isScheduled, (schedule as Expr as Expr<string>).matches(DAILY));
    const hasBucket = hasDumpBucket(inputs);

    this.elsewhere = props.elsewhere;
    this.locked = props.locked;
    this.bucket = new DumpBucket(this, "Bucket", props, hasBucket);
    const [query, program] = ["unrestorable.sh", "dump-database.sh"].map((file) =>
      addScript(this, `lib/idp/scripts/${file}`),
    ) as [StackFile, StackFile];
    const script = joined(query, program);
    const scheduled = this.addScheduledJob(script, isScheduled);
    const first = this.addFirstDump(script, isScheduled);

    this.bucketName = hasBucket.choose(this.bucket.bucketName, null).text;
    this.lockedBucketName = this.locked.condition.choose(this.locked.bucketName, null).text;
    this.jobName = scheduled?.jobName;
    this.runCommand = scheduled && isScheduled.choose(scheduled.runCommand, null).text;
    this.ready = [...readyOf(scheduled, first), ...this.locked.ready];
  }

  /** The scheduled job and the bucket, for the alerts; undefined without a schedule. @internal */
  get watched() {
    const { condition, isDaily, jobName } = this;
    return jobName === undefined ? undefined : { bucketName: this.bucket.bucketName, condition, isDaily, jobName };
  }

  private addScheduledJob(script: StackFile, condition: Expr<boolean>) {
    const { inputs, runner } = this.props;
    return runner?.schedule(this, "Job", {
      ...this.jobWith(script),
      name: DUMP_JOB,
      // A retry is safe, because each attempt writes a new file.
      maxRetries: 2,
      schedule: inputs.dumps.at.schedule.text,
      // UTC, like the times of Cloud SQL's backups.
      timeZone: "Etc/UTC",
      condition,
    });
  }

  /** A dump during an apply, so that one exists before the first scheduled run. */
  private addFirstDump(script: StackFile, isScheduled: Expr<boolean>) {
    const { database, inputs, runner } = this.props;
    const condition = allOf(isScheduled, inputs.dumps.at.atApply);
    return partIf(condition, () =>
      runner?.runOnce(this, "AtApply", {
        ...this.jobWith(script),
        name: FIRST_DUMP_JOB,
        // The apply waits for it.
        maxRetries: 0,
        rerunWhenChanged: {
          script: script.sha256,
          image: clientImage(database),
          instance: database.connectionName,
          database: database.databaseName,
        },
        condition,
      }),
    );
  }

  /** Props that both jobs share. */
  private jobWith(script: StackFile) {
    const { database, dependsOn } = this.props;
    return {
      script,
      scriptName: "dump-database.sh",
      container: {
        ...this.container(database),
        mounts: [this.bucket],
        // The mount of a bucket may keep a file in memory until it is stored.
        resources: { cpu: "1", memory: "2Gi" },
        dependsOn,
      },
      // Far more time than a dump of several gigabytes takes.
      timeoutSeconds: 1800,
    };
  }

  /** Container of the job, with the buckets for copies. */
  private container(database: SqlInstance): ContainerSpec {
    const { bucket, elsewhere, locked } = this;
    const container = databaseJobContainer(database, { DUMP_FOLDER: bucket.mountPath });
    const isCopied = anyOf(locked.condition, elsewhere.condition);
    if (isNever(isCopied)) return container;
    const names = [locked, elsewhere].map(({ bucketName: name, condition }) => condition.choose(name, null));
    const optional = {
      DUMP_BUCKET: isCopied.choose(bucket.bucketName, null).text,
      DUMP_COPIES: isCopied.choose(hcl<string>`join(" ", ${compact(names)})`, null).text,
    };
    return { ...container, environment: { ...container.environment, optional } };
  }
}

/**
 * The bucket of the dumps. It is separate from the bucket of uploads, to which an attacker in the application could
 * write.
 *
 * A dump in `dumps/` has its time in its name. Only the service account of the job can add dumps, and not even this
 * account can replace or delete a dump; dumps are deleted after the retention time. `latest/` contains a copy of the
 * newest dump, until the next dump replaces the copy. Deleted and replaced files can be restored for `softDeleteDays`.
 *
 * There is no retention policy, because the mount of a bucket could not write under a policy; `LockedDumps` has one.
 */
export class DumpBucket extends Construct implements MediaStore {
  readonly name = DUMP_BUCKET_SUFFIX;

  /** Name from the formula, because an optional bucket may have no attributes. */
  readonly bucketName: string;
  readonly mountPath = "/dumps";

  /** Cloud Run runs the client as root, GKE as the runtime user. */
  readonly mountOptions = mountOptions("0666", "0777");

  readonly ready: ITerraformDependable[];
  readonly bucket: StorageBucket;

  private readonly grants = [new Grants(this), new Grants(this), new Grants(this)] as const;
  private readonly copies: readonly DumpCopies[];

  /** @internal */
  constructor(
    scope: Construct,
    id: string,
    { apis, deletionProtection, inputs, context, elsewhere, locked, secondRegion }: DatabaseDumpProps,
    private readonly condition: Condition,
  ) {
    super(scope, id);
    this.copies = [locked, elsewhere];
    this.bucketName = bucketName(context.deployment, this.name);
    const bucketConfig = {
      name: this.bucketName,
      // A class that is cheap for rarely read files, but still allows immediate reading.
      storageClass: "NEARLINE",
      // Excludes latest/, because the last dump must stay if no further dump succeeds.
      lifecycleRule: [
        {
          action: { type: "Delete" },
          condition: { age: inputs.dumps.at.retentionDays.number, matchesPrefix: [`${FOLDERS.byTime}/`] },
        },
      ],
      softDeleteDays: inputs.softDeleteDays.number,
      count: countIf(condition),
      dependsOn: apis.ready("storage"),
    };
    this.bucket = addBucket(this, context, deletionProtection, bucketConfig, secondRegion);
    this.ready = [this.bucket];
  }

  /**
   * Allows an identity to add and read dumps, to replace the copy of the newest dump, and to add copies to other
   * buckets.
   */
  grantReadWrite(identity: WorkloadIdentity): ITerraformDependable[] {
    const [adds, reads, replaces] = this.grants;
    const newest = {
      title: "the copy of the newest dump",
      expression: `resource.name.startsWith("projects/_/buckets/${this.bucketName}/objects/${FOLDERS.newest}/")`,
    };
    const grant = (id: string, account: GrantedAccount, role: string, condition?: typeof newest) =>
      new StorageBucketIamMember(this, id, {
        // Refers to the id instead of the name: a recreated bucket has the same name but an unknown id, so the grant is
        // recreated too.
        bucket: idOf(this.bucket),
        role,
        condition,
        ...granteeArguments(account, this.condition, this.bucket),
      });
    return [
      ...adds.to(identity, (id, account) => grant(`${id}Adds`, account, "roles/storage.objectCreator")),
      ...reads.to(identity, (id, account) => grant(`${id}Reads`, account, "roles/storage.objectViewer")),
      ...replaces.to(identity, (id, account) => grant(`${id}Replaces`, account, "roles/storage.objectUser", newest)),
      ...this.copies.flatMap((copies) => copies.grantAdd(identity)),
    ];
  }
}
