import { StorageBucket, type StorageBucketConfig } from "@cdktf/provider-google/lib/storage-bucket";
import { StorageBucketIamMember } from "@cdktf/provider-google/lib/storage-bucket-iam-member";
import { Op, type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { bucketName } from "../core/names";
import { countIf } from "../core/conditional";
import { Grants, type WorkloadIdentity } from "../core/identity";
import { type DeploymentContext } from "../core/place";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { stateProvidersOf } from "../core/provider-requirements";
import {
  MEDIA_BUCKET_SUFFIX,
  MEDIA_MOUNT_PATH,
  RUNTIME_GROUP_ID,
  RUNTIME_USER_ID,
  SOFT_DELETE_SECONDS,
} from "./contract";
import { type MediaStore } from "./parts";
import { explain } from "../core/hcl/stack-origin";

/** Options of a mount as the runtime user, with the permissions of its files and folders. */
export function mountOptions(fileMode: string, folderMode: string): string[] {
  return [
    `uid=${RUNTIME_USER_ID}`,
    `gid=${RUNTIME_GROUP_ID}`,
    `file-mode=${fileMode}`,
    `dir-mode=${folderMode}`,
    // Shows folders that exist only as prefixes of object names, as after uploads by other tools.
    "implicit-dirs",
  ];
}

/** Adds a private bucket, without per-object permissions; while it is protected, a destroy does not empty it. */
export function addBucket(
  scope: Construct,
  place: DeploymentContext,
  deletionProtection: boolean | IResolvable,
  own: Pick<StorageBucketConfig, "count" | "dependsOn" | "lifecycleRule" | "name" | "storageClass">,
): StorageBucket {
  return new StorageBucket(scope, MAIN_CHILD_ID, {
    project: place.projectId,
    location: place.region,
    uniformBucketLevelAccess: true,
    publicAccessPrevention: "enforced",
    softDeletePolicy: { retentionDurationSeconds: SOFT_DELETE_SECONDS },
    versioning: { enabled: false },
    forceDestroy: typeof deletionProtection === "boolean" ? !deletionProtection : Op.not(deletionProtection),
    labels: place.labels,
    ...own,
  });
}

export interface MediaBucketProps {
  /** Parts of the bucket's name, and its region. Changing the region later replaces the bucket. */
  readonly place: DeploymentContext;

  /**
   * Prevents a destroy from deleting the bucket while it holds files.
   *
   * @default true
   */
  readonly deletionProtection?: boolean | IResolvable;

  /** What must exist first, for example the gate of the Cloud Storage API; nothing by default. */
  readonly dependsOn?: ITerraformDependable[];
}

/**
 * The bucket for uploaded icons and flow backgrounds, mounted as a folder into every instance.
 *
 * Private, without per-object permissions. Deleted and overwritten files can be restored for seven days, during which
 * they are billed. There is no versioning, because the application never edits a file and old versions would stay
 * permanently.
 */
export class MediaBucket extends Construct implements MediaStore {
  readonly name = MEDIA_BUCKET_SUFFIX;

  /** Globally unique name. */
  readonly bucketName: string;
  readonly mountPath = MEDIA_MOUNT_PATH;

  /** Those of the runtime user, which could otherwise read but not write. */
  readonly mountOptions = mountOptions("0644", "0755");

  readonly ready: ITerraformDependable[];

  /** The bucket itself, for overrides. */
  readonly bucket: StorageBucket;

  private readonly grants = new Grants(this);

  constructor(scope: Construct, id: string, props: MediaBucketProps) {
    super(scope, id);
    stateProvidersOf(this);
    const { deletionProtection = true, dependsOn, place } = props;
    const name = bucketName(place.deployment, MEDIA_BUCKET_SUFFIX);
    this.bucket = addBucket(this, place, deletionProtection, { name, dependsOn });
    explain(this.bucket, "Protected by not being emptied: Google refuses to delete a bucket that has files.");
    this.bucketName = this.bucket.name;
    this.ready = [this.bucket];
  }

  grantReadWrite(identity: WorkloadIdentity): ITerraformDependable[] {
    return this.grants.to(
      identity,
      (id) =>
        new StorageBucketIamMember(this, id, {
          // Not by its name, which a new bucket keeps: the id is unknown until there is one, which replaces the grant too.
          bucket: this.bucket.id,
          role: "roles/storage.objectUser",
          member: identity.member,
          count: countIf(identity.condition),
          dependsOn: identity.ready,
        }),
    );
  }
}
