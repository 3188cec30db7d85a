import { type StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";
import { StorageBucketIamMember } from "@cdktf/provider-google/lib/storage-bucket-iam-member";
import { type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { type DeploymentContext } from "../core/deployment-context";
import { idOf, setArgument } from "../core/expr/attributes";
import { countIf, isNever, isSet, partIf, present } from "../core/expr/conditions";
import { type Expr } from "../core/expr/expr";
import { max, toText } from "../core/expr/functions";
import { inFileOfExisting } from "../core/hcl/stack-origin";
import { granteeArguments, Grants, type WorkloadIdentity } from "../core/identity";
import { number, orResource, text } from "../core/inputs/rows";
import { matching, wholeNumber } from "../core/inputs/rules";
import { bucketName } from "../core/names";
import { setNewerAttribute } from "../core/newer-attribute";
import { prose } from "../core/prose";
import { addBucket, BUCKET_NAME, DAY_SECONDS } from "./media-bucket";

const ADDS = "roles/storage.objectCreator";

/** Suffix of the locked bucket's name. */
export const DUMP_LOCK_SUFFIX = "dumps-locked";

/** Members for copies of dumps that cannot be deleted early. */
export const DUMP_COPIES = {
  /**
   * Days for which nobody, including Google, can delete the copy of a dump in a separate, locked bucket; none by
   * default. A lock cannot be undone.
   */
  lockDays: number({
    default: null,
    description: prose`
      days for which nobody, including Google, can delete or change a copy of each dump, in a locked bucket of its
      own[[; null for none]]; the lock can never be undone: more days later are safe, fewer are refused[[; null
      leaves the bucket, as a destroy does, billed until its last copy is old enough]]; needs deletion_protection
    `,
    must: wholeNumber(1, 3650, ", because the lock of a bucket lasts for whole days and is permanent; begin with 30"),
  }),
  /** Existing bucket for a copy of each dump, for example in another project, or its resource; none by default. */
  copyBucket: orResource(
    "name",
    ["google_storage_bucket"],
    text({
      default: null,
      description: prose`
        existing bucket, such as one of another project,
        into which each dump and its checksum are copied[[; null for none]];
        its owner decides on lock, key, place and deletion; the account of the dumps is granted
        roles/storage.objectCreator on it, unless grant_roles is false
      `,
      must: matching(...BUCKET_NAME),
    }),
  ),
};

/** A bucket for copies of dumps. */
export interface DumpCopies {
  /** Name from the formula or from the caller, even if the bucket does not exist. @internal */
  readonly bucketName: string;

  /** Whether there is one. @internal */
  readonly condition: Expr<boolean>;
  readonly ready: ITerraformDependable[];

  /** Allows an identity to add copies. */
  grantAdd(identity: WorkloadIdentity): ITerraformDependable[];
}

interface LockedDumpsProps {
  readonly context: DeploymentContext;
  readonly deletionProtection: boolean | IResolvable;
  readonly dependsOn: ITerraformDependable[];
  readonly lockDays: Expr<number | null>;
  /** Minimum days to keep a dump. */
  readonly retentionDays: Expr<number>;
  readonly softDeleteDays: number;
  /** Second region of the copies in a new bucket; null at plan for none. */
  readonly secondRegion?: string | undefined;
}

/**
 * A second bucket for dumps, with a locked retention policy: nobody, not even an owner, can delete a copy before the
 * retention time ends.
 *
 * The job does not mount this bucket. Under a retention policy no object can be replaced or deleted, so `latest/`,
 * renames and second attempts to write a file would fail. Besides, only some releases of the mount write a new file by
 * one request, and a refused file is lost. Instead, Cloud Storage copies each finished file in one piece. The service
 * account of the job can add files, but cannot read or delete them.
 */
export class LockedDumps extends Construct implements DumpCopies {
  readonly bucketName: string;

  /** Whether there is one. @internal */
  readonly condition: Expr<boolean>;

  /** The bucket, for overrides; undefined without a lock. */
  readonly bucket: StorageBucket | undefined;

  readonly ready: ITerraformDependable[];
  private readonly grants = new Grants(this);

  /** @internal */
  constructor(scope: Construct, id: string, props: LockedDumpsProps) {
    super(scope, id);
    const { context, deletionProtection, dependsOn, lockDays, retentionDays, secondRegion, softDeleteDays } = props;
    const days = lockDays as Expr<number>;
    const seconds = days.times(DAY_SECONDS);
    this.condition = lockDays.isSet();
    this.bucketName = bucketName(context.deployment, DUMP_LOCK_SUFFIX);
    const bucketConfig = {
      name: this.bucketName,
      storageClass: "NEARLINE",
      lifecycleRule: [{ action: { type: "Delete" }, condition: { age: max(days, retentionDays).number } }],
      retentionPolicy: { isLocked: true, retentionPeriod: seconds.number },
      softDeleteDays,
      // A bucket cannot move, and a locked one cannot be deleted to free its name.
      lifecycle: isNever(isSet(secondRegion)) ? undefined : { ignoreChanges: ["location", "custom_placement_config"] },
      count: countIf(this.condition),
      dependsOn,
    };
    this.bucket = partIf(this.condition, () =>
      addBucket(this, context, deletionProtection, bucketConfig, secondRegion),
    );
    this.ready = present(this.bucket);
    if (this.bucket === undefined) return;
    // Written as an override, because the bindings accept only a number but the provider needs a text.
    setArgument(this.bucket, "retention_policy.retention_period", toText(seconds));
    // A destroy keeps the bucket, because a bucket with locked files cannot be deleted.
    setNewerAttribute(this.bucket, "deletion_policy", "ABANDON");
  }

  grantAdd(identity: WorkloadIdentity): ITerraformDependable[] {
    return this.grants.to(
      identity,
      (id, account) =>
        new StorageBucketIamMember(this, id, {
          // Refers to the id instead of the name, because a recreated bucket has the same name and the grant must be
          // recreated too.
          bucket: idOf(this.bucket),
          role: ADDS,
          ...granteeArguments(account, this.condition, ...this.ready),
        }),
      this.condition,
    );
  }
}

/** An existing bucket for copies of dumps, for example in another project; only grants are created in it. */
export class DumpsElsewhere extends Construct implements DumpCopies {
  readonly bucketName: string;

  /** @internal */
  readonly condition: Expr<boolean>;
  readonly ready: ITerraformDependable[] = [];
  private readonly grants = new Grants(this);

  /** @internal */
  constructor(scope: Construct, id: string, copyBucket: Expr<string | null>) {
    super(scope, id);
    this.condition = copyBucket.isSet();
    this.bucketName = copyBucket.text;
    inFileOfExisting(this, "parts");
  }

  grantAdd(identity: WorkloadIdentity): ITerraformDependable[] {
    const { bucketName: bucket, condition } = this;
    return this.grants.to(
      identity,
      (id, account) =>
        new StorageBucketIamMember(this, id, { bucket, role: ADDS, ...granteeArguments(account, condition) }),
      condition,
    );
  }
}
