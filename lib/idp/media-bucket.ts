import { StorageBucket, type StorageBucketConfig } from "@cdktf/provider-google/lib/storage-bucket";
import { StorageBucketIamMember } from "@cdktf/provider-google/lib/storage-bucket-iam-member";
import { type IResolvable, type ITerraformDependable, Op } from "cdktf";
import { Construct } from "constructs";

import { CONTEXT_PROP, type DeploymentContext } from "../core/deployment-context";
import { type Existing, existingOr, isExisting, isMade } from "../core/existing";
import { attributeOf, idOf } from "../core/expr/attributes";
import {
  type Condition,
  conditionFrom,
  countIf,
  isNever,
  isSet,
  namedCondition,
  partIf,
  present,
} from "../core/expr/conditions";
import { type Expr, exprOf } from "../core/expr/expr";
import { explain, inFileOfExisting } from "../core/hcl/stack-origin";
import { granteeArguments, Grants, type WorkloadIdentity } from "../core/identity";
import { refuseWrong } from "../core/inputs/inputs";
import { type KnownPropsOf, refuseProps } from "../core/inputs/known-props";
import { number, object, orResource, type PropsOf, text } from "../core/inputs/rows";
import { isWhole, matching } from "../core/inputs/rules";
import { bucketName } from "../core/names";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { prose } from "../core/prose";
import { stateProvidersOf } from "../core/provider-requirements";
import { MEDIA_BUCKET_SUFFIX, MEDIA_MOUNT_PATH, RUNTIME_GROUP_ID, RUNTIME_USER_ID, SOFT_DELETE_DAYS } from "./contract";
import { bucketLocation, placeInBoth } from "./dual-region";
import { type MediaStore } from "./parts";

/** Mount options for the runtime user, with the permissions of files and folders. */
export function mountOptions(fileMode: string, folderMode: string): string[] {
  return [
    `uid=${RUNTIME_USER_ID}`,
    `gid=${RUNTIME_GROUP_ID}`,
    `file-mode=${fileMode}`,
    `dir-mode=${folderMode}`,
    // Shows folders that exist only as prefixes of object names, for example after uploads by other tools.
    "implicit-dirs",
  ];
}

/** Seconds of a day, for durations that Google takes in seconds. */
export const DAY_SECONDS = 86_400;

/** Input for the retention of deleted and replaced files in buckets. */
export const SOFT_DELETE = {
  /** Days for which deleted and replaced files of the buckets can be restored: 7 to 90, or 0 for none. 7 by default. */
  softDeleteDays: number({
    default: SOFT_DELETE_DAYS,
    description: prose`
      Days for which deleted and replaced files of the buckets for uploads and dumps can be restored: 7 to 90,
      or 0 for none. They are billed until then. A change counts for what is deleted from then on.
    `,
    must: {
      condition: (days: Expr<number>) => days.eq(0).or(isWhole(days, 7, 90)),
      must: "be a whole number from 7 to 90, or 0, because Cloud Storage keeps deleted files no other time; use 7",
      schema: { multipleOf: 1, minimum: 0, maximum: 90 },
    },
  }),
};

interface OwnOfBucket extends Pick<
  StorageBucketConfig,
  "count" | "dependsOn" | "lifecycle" | "lifecycleRule" | "name" | "retentionPolicy" | "rpo" | "storageClass"
> {
  /** @default 7 */
  readonly softDeleteDays?: number;
}

/**
 * Adds a private bucket without per-object permissions. A destroy does not empty the bucket while it is protected.
 *
 * @param secondRegion second region of the files; null at plan for none
 */
export function addBucket(
  scope: Construct,
  context: DeploymentContext,
  deletionProtection: boolean | IResolvable,
  { softDeleteDays = SOFT_DELETE_DAYS, ...own }: OwnOfBucket,
  secondRegion?: string,
): StorageBucket {
  const bucket = new StorageBucket(scope, MAIN_CHILD_ID, {
    project: context.projectId,
    location: bucketLocation(context.region, secondRegion),
    uniformBucketLevelAccess: true,
    publicAccessPrevention: "enforced",
    softDeletePolicy: { retentionDurationSeconds: exprOf(softDeleteDays).times(DAY_SECONDS).number },
    versioning: { enabled: false },
    forceDestroy: typeof deletionProtection === "boolean" ? !deletionProtection : Op.not(deletionProtection),
    labels: context.labels,
    ...own,
  });
  placeInBoth(bucket, context.region, secondRegion);
  return bucket;
}

/** Replication mode to the second region; null without a second region, because Google would refuse the argument. */
function rpoOf(secondRegion: string | undefined, isTurbo: boolean | IResolvable): string | undefined {
  const hasSecond = isSet(secondRegion);
  if (isNever(hasSecond)) return undefined;
  // DEFAULT is written out, because the provider would keep ASYNC_TURBO if the argument were left out.
  return hasSecond.choose<string | null>(conditionFrom(isTurbo).choose("ASYNC_TURBO", "DEFAULT"), null).text;
}

/** Pattern of bucket names, and the rule in words for messages. */
export const BUCKET_NAME = [
  "^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$",
  "be the name of a bucket, without gs:// and without a folder; look it up with gcloud storage buckets list",
] as const;

const BUCKET = {
  /** Name of the bucket. */
  name: text({ description: "its name", must: matching(...BUCKET_NAME) }),
};

/** Input for an existing bucket. */
export const EXISTING_BUCKET = {
  /**
   * Existing bucket for the uploads, or its resource, with uniform access. Retention, versions and location are managed
   * by the owner of the bucket.
   */
  existingBucket: orResource(
    "name",
    { google_storage_bucket: (bucket) => ({ name: bucket.getStringAttribute("name") }) },
    object(BUCKET, {
      description: (members) =>
        prose`
          Existing bucket for uploaded icons and flow backgrounds; it must have uniform bucket-level access and no
          retention policy. ${members} Setting it later deletes the bucket of this deployment, which must be empty,
          and needs deletion_protection = false first; removing it creates an empty one.
        `,
    }),
  ),
};

/** Attributes of an existing bucket. */
export interface BucketAttributes extends PropsOf<typeof BUCKET> {}

export interface MediaBucketProps {
  /** Components of the bucket's name, and its region. Changing the region later replaces the bucket. */
  readonly context: DeploymentContext;

  /**
   * Prevents a destroy from deleting the bucket while it holds files.
   *
   * @default true
   */
  readonly deletionProtection?: boolean | IResolvable;

  /** Resources to create first, for example the gate of the Cloud Storage API; none by default. */
  readonly dependsOn?: ITerraformDependable[];

  /** An existing bucket to use instead; attributes may be null at plan. Setting it later deletes the created bucket. */
  readonly existing?: Existing & Partial<BucketAttributes>;

  /**
   * Second region of the files; null at plan for none. Setting it later replaces the bucket.
   *
   * @default - none
   */
  readonly secondRegion?: string | undefined;

  /**
   * Days for which deleted and replaced files can be restored: 7 to 90, or 0 for none.
   *
   * @default 7
   */
  readonly softDeleteDays?: number;

  /**
   * Whether a new file is in `secondRegion` within 15 minutes, which Google bills for each GB. Changing it later is
   * safe.
   *
   * @default false
   */
  readonly turboReplication?: boolean | IResolvable | undefined;
}

const PROPS: KnownPropsOf<MediaBucketProps> = {
  context: CONTEXT_PROP,
  deletionProtection: "optional",
  dependsOn: "optional",
  existing: "optional",
  secondRegion: "optional",
  softDeleteDays: "optional",
  turboReplication: "optional",
};

/** A bucket that is mounted as a folder of the runtime user. */
export abstract class BucketFolder extends Construct implements MediaStore {
  readonly name = MEDIA_BUCKET_SUFFIX;

  /** Globally unique name. */
  abstract readonly bucketName: string;
  readonly mountPath = MEDIA_MOUNT_PATH;

  /** Files and folders belong to the runtime user, because that user could not write otherwise. */
  readonly mountOptions = mountOptions("0644", "0755");

  readonly ready: ITerraformDependable[] = [];
  private readonly grants = new Grants(this);

  abstract grantReadWrite(identity: WorkloadIdentity): ITerraformDependable[];

  /** @param condition condition under which the bucket exists */
  protected grantOn(bucket: string, identity: WorkloadIdentity, condition: Condition): ITerraformDependable[] {
    const role = "roles/storage.objectUser";
    return this.grants.to(
      identity,
      (id, account) => new StorageBucketIamMember(this, id, { bucket, role, ...granteeArguments(account, condition) }),
      condition,
    );
  }
}

class ExistingBucket extends BucketFolder {
  constructor(
    scope: Construct,
    id: string,
    readonly bucketName: string,
    private readonly condition: Condition = true,
  ) {
    super(scope, id);
    stateProvidersOf(this);
    inFileOfExisting(this, "parts");
  }

  grantReadWrite(identity: WorkloadIdentity): ITerraformDependable[] {
    return this.grantOn(this.bucketName, identity, this.condition);
  }
}

/**
 * The bucket for uploaded icons and flow backgrounds, mounted as a folder into every instance.
 *
 * The bucket is private and has no per-object permissions. Deleted and overwritten files can be restored for
 * `softDeleteDays`; they are billed during this time. There is no versioning, because the application never edits a
 * file and old versions would stay permanently.
 */
export class MediaBucket extends BucketFolder {
  readonly bucketName: string;

  /** The bucket itself, for overrides; undefined if an existing one is used. */
  readonly bucket: StorageBucket | undefined;

  private readonly existing: MediaStore | undefined;
  private readonly condition: Condition;

  /** An existing bucket, in which only grants are created. */
  static fromAttributes(scope: Construct, id: string, attributes: BucketAttributes): MediaStore {
    refuseWrong(scope, BUCKET, attributes, ["name"]);
    return new ExistingBucket(scope, id, attributes.name);
  }

  constructor(scope: Construct, id: string, props: MediaBucketProps) {
    super(scope, id);
    stateProvidersOf(this);
    refuseProps(this, props, PROPS);
    const { deletionProtection = true, dependsOn, existing, context, secondRegion, softDeleteDays } = props;
    const { turboReplication = false } = props;
    const name = bucketName(context.deployment, MEDIA_BUCKET_SUFFIX);
    this.condition = namedCondition(this, "IsMade", isMade(existing));
    this.bucket = partIf(this.condition, () =>
      addBucket(
        this,
        context,
        deletionProtection,
        { name, dependsOn, count: countIf(this.condition), softDeleteDays, rpo: rpoOf(secondRegion, turboReplication) },
        secondRegion,
      ),
    );
    if (this.bucket !== undefined)
      explain(this.bucket, "Protected by not being emptied: Google refuses to delete a bucket that has files.");
    this.bucketName = existingOr(this, "Name", existing, existing?.name, attributeOf(this.bucket, "name").text);
    if (existing?.name !== undefined)
      this.existing = new ExistingBucket(scope, `Existing${id}`, existing.name, isExisting(existing));
    this.ready.push(...present(this.bucket));
  }

  grantReadWrite(identity: WorkloadIdentity): ITerraformDependable[] {
    return [
      // Refers to the id instead of the name: a recreated bucket has the same name but an unknown id, so the grant is
      // recreated too.
      ...this.grantOn(idOf(this.bucket), identity, this.condition),
      ...(this.existing?.grantReadWrite(identity) ?? []),
    ];
  }
}
