import { StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";
import { StorageBucketIamMember } from "@cdktf/provider-google/lib/storage-bucket-iam-member";
import { Op, type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { allOf, countIf, oneAttribute } from "../core/conditional";
import { expression } from "../core/expression";
import { Grants, type WorkloadIdentity } from "../core/identity";
import { bucketName } from "../core/names";
import { type DeploymentContext } from "../core/place";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { RUNTIME_GROUP_ID, RUNTIME_USER_ID, SOFT_DELETE_SECONDS } from "./contract";
import { DUMP_BUCKET_SUFFIX, DUMP_FOLDERS, DUMP_MOUNT_PATH } from "./dump-defaults";
import { DEFAULT_DUMP_CLASS, DEFAULT_DUMP_DAYS } from "./dump-props";
import { type MediaStore } from "./parts";

export interface DumpBucketProps {
  /** Parts of the bucket's name, and its region. Changing the region later replaces the bucket. */
  readonly place: DeploymentContext;

  /** Condition under which the bucket exists, as a string: `true`, `false` or a boolean expression. Default: "true". */
  readonly condition?: string;

  /** Prevents the bucket from being deleted while it holds dumps. Default: true. */
  readonly deletionProtection?: boolean | IResolvable;

  /** What must exist first, for example the gate of the Cloud Storage API. Default: nothing. */
  readonly dependsOn?: ITerraformDependable[];

  /** Days to keep a dump; the newest one stays whatever its age. Default: 30. */
  readonly retentionDays?: number;

  /** `STANDARD`, `NEARLINE` or `COLDLINE`. Default: "NEARLINE". */
  readonly storageClass?: "STANDARD" | "NEARLINE" | "COLDLINE" | (string & {});
}

/**
 * The bucket of the dumps. It is separate from that of uploads, to which an attacker in the application could write.
 *
 * A dump in `dumps/` has its time in its name. Only the service account of the job can add dumps, and even that cannot
 * replace or delete one; they are deleted after the retention time. `latest/` holds a copy of the newest, which only
 * the next dump replaces. Deleted and replaced files can be restored for seven days. There is no retention policy,
 * because the mount of a bucket could not write under one.
 */
export class DumpBucket extends Construct implements MediaStore {
  readonly name = DUMP_BUCKET_SUFFIX;

  readonly bucketName: string;

  readonly mountPath = DUMP_MOUNT_PATH;

  /** Cloud Run runs the client as root, GKE as the runtime user. */
  readonly mountOptions = [
    `uid=${RUNTIME_USER_ID}`,
    `gid=${RUNTIME_GROUP_ID}`,
    "file-mode=0666",
    "dir-mode=0777",
    "implicit-dirs",
  ];

  readonly ready: ITerraformDependable[];

  /** The bucket itself, for overrides. */
  readonly bucket: StorageBucket;

  private readonly condition: string;
  private readonly adds = new Grants(this);
  private readonly reads = new Grants(this);
  private readonly replaces = new Grants(this);

  constructor(scope: Construct, id: string, props: DumpBucketProps) {
    super(scope, id);
    const { condition = "true", deletionProtection = true, place } = props;
    const name = nameOf(props);
    this.condition = condition;

    this.bucket = new StorageBucket(this, MAIN_CHILD_ID, {
      name,
      project: place.projectId,
      location: place.region,
      storageClass: props.storageClass ?? DEFAULT_DUMP_CLASS,
      uniformBucketLevelAccess: true,
      publicAccessPrevention: "enforced",
      softDeletePolicy: { retentionDurationSeconds: SOFT_DELETE_SECONDS },
      versioning: { enabled: false },
      // Excludes latest/: if no dump succeeds any more, the last one must stay.
      lifecycleRule: [
        {
          action: { type: "Delete" },
          condition: { age: props.retentionDays ?? DEFAULT_DUMP_DAYS, matchesPrefix: [`${DUMP_FOLDERS.byTime}/`] },
        },
      ],
      forceDestroy: typeof deletionProtection === "boolean" ? !deletionProtection : Op.not(deletionProtection),
      labels: place.labels,
      count: countIf(condition),
      dependsOn: props.dependsOn,
    });

    // By its name, because a bucket that may not exist has no attribute to refer to.
    this.bucketName = name;
    this.ready = [this.bucket];
  }

  /** Allows an identity to add and read dumps, and to replace the copy of the newest one. */
  grantReadWrite(identity: WorkloadIdentity): ITerraformDependable[] {
    const grant = (id: string, role: string, condition?: { title: string; expression: string }) =>
      new StorageBucketIamMember(this, id, {
        // Not by its name, which a new bucket keeps: the id is unknown until there is one, which replaces the grant too.
        bucket: expression(oneAttribute(this.bucket, "id")),
        role,
        member: identity.member,
        condition,
        count: countIf(allOf(this.condition, identity.condition ?? "true")),
        dependsOn: [this.bucket, ...identity.ready],
      });
    const newest = {
      title: "the copy of the newest dump",
      expression: `resource.name.startsWith("projects/_/buckets/${this.bucketName}/objects/${DUMP_FOLDERS.newest}/")`,
    };
    return [
      ...this.adds.to(identity, (id) => grant(`${id}Adds`, "roles/storage.objectCreator")),
      ...this.reads.to(identity, (id) => grant(`${id}Reads`, "roles/storage.objectViewer")),
      ...this.replaces.to(identity, (id) => grant(`${id}Replaces`, "roles/storage.objectUser", newest)),
    ];
  }
}

function nameOf({ place }: DumpBucketProps): string {
  return bucketName(place.deployment, DUMP_BUCKET_SUFFIX);
}
