import { StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";
import { StorageBucketIamMember } from "@cdktf/provider-google/lib/storage-bucket-iam-member";
import { Op, type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { BUCKET_NAME_MAX_LENGTH, BUCKET_NAME_RESERVED_WORD, bucketName } from "../core/names";
import { nameRules } from "../core/name-rules";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { ifKnown, requireAll, requireProps, type Rule } from "../core/rules";
import { type BucketMountSpec } from "./container-spec";
import { MEDIA_BUCKET_SUFFIX, MEDIA_MOUNT_PATH, RUNTIME_GROUP_ID, RUNTIME_USER_ID } from "./contract";

export interface MediaBucketProps {
  /** Name of the application, part of the bucket's name. */
  readonly applicationName: string;

  /** Region or multi-region of the objects, for example `us-central1`. Changing it later replaces the bucket. */
  readonly location: string;

  /** `<tenant_id>-<6 hexadecimal digits>`, see `tenantPrefix`; part of the bucket's name. */
  readonly tenantPrefix: string;

  /**
   * Keeps a destroy from deleting the bucket while it holds files.
   *
   * @default true
   */
  readonly deletionProtection?: boolean | IResolvable;

  /**
   * Things that must exist first, for example the gate of the storage API.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Labels of the bucket.
   *
   * @default - none
   */
  readonly labels?: Record<string, string>;
}

/**
 * The bucket for uploaded icons and flow backgrounds, mounted as a folder into every instance.
 *
 * Private, without per-object permissions. Deleted and overwritten files can be restored for seven days and are billed
 * for as long; there is no versioning on top, because the application never edits a file and old versions would stay for
 * ever.
 */
export class MediaBucket extends Construct {
  /** Globally unique name. */
  readonly bucketName: string;

  private readonly bucket: StorageBucket;

  constructor(scope: Construct, id: string, props: MediaBucketProps) {
    super(scope, id);
    requireProps(this.node.path, props, { applicationName: true, location: true, tenantPrefix: true });
    const name = bucketName(props, MEDIA_BUCKET_SUFFIX);
    const { deletionProtection = true } = props;
    requireAll(this, { name }, RULES);

    this.bucket = new StorageBucket(this, MAIN_CHILD_ID, {
      name,
      location: props.location,
      uniformBucketLevelAccess: true,
      publicAccessPrevention: "enforced",
      softDeletePolicy: { retentionDurationSeconds: SOFT_DELETE_SECONDS },
      versioning: { enabled: false },
      forceDestroy: typeof deletionProtection === "boolean" ? !deletionProtection : Op.not(deletionProtection),
      labels: props.labels,
      dependsOn: props.dependsOn,
    });

    this.bucketName = this.bucket.name;
  }

  /** How a container mounts the bucket: as the runtime user, who could read but not write otherwise. */
  get mount(): BucketMountSpec {
    return {
      name: MEDIA_BUCKET_SUFFIX,
      bucketName: this.bucketName,
      mountPath: MEDIA_MOUNT_PATH,
      mountOptions: [
        `uid=${RUNTIME_USER_ID}`,
        `gid=${RUNTIME_GROUP_ID}`,
        "file-mode=0644",
        "dir-mode=0755",
        // Folders that exist only as a part of object names, as uploads by other tools leave them.
        "implicit-dirs",
      ],
    };
  }

  /** Lets one principal read and write files here and nowhere else; `member` as in IAM. */
  grantReadWrite(id: string, member: string): StorageBucketIamMember {
    return new StorageBucketIamMember(this, id, {
      bucket: this.bucket.name,
      role: "roles/storage.objectUser",
      member,
    });
  }
}

/** Seven days, the platform's own default, stated so that nobody has to know it. */
const SOFT_DELETE_SECONDS = 7 * 24 * 60 * 60;

const RULES: readonly Rule<{ readonly name: string }>[] = [
  ...nameRules<{ readonly name: string }>(({ name }) => name, {
    what: "bucket name",
    maxLength: BUCKET_NAME_MAX_LENGTH,
    lengthReason: "it becomes part of a host name",
    pattern: /^[a-z0-9][a-z0-9_.-]*[a-z0-9]$/,
    form: "lower-case letters, digits and hyphens",
    formReason: "the object store refuses other names",
  }),
  {
    holds: ({ name }) => ifKnown(name, (known) => !known.includes(BUCKET_NAME_RESERVED_WORD)),
    message: ({ name }) =>
      `bucket name ${name} contains "${BUCKET_NAME_RESERVED_WORD}", which no bucket name may, because the store reserves that word; change the application name or the tenant id`,
  },
];
