import { StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";
import { StorageBucketObject } from "@cdktf/provider-google/lib/storage-bucket-object";
import { PrivateKey } from "@cdktf/provider-tls/lib/private-key";
import { Fn, TerraformLocal, Token, type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { conditionOf, countWhen, expression } from "../core/expression";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { requireProvider } from "../core/provider-requirements";
import { RSA_KEY_BITS, SSH_KEY_OBJECT_NAME } from "./contract";
import { keyBucketName } from "./lab-names";

export interface LabKeyProps {
  /** Part of the bucket's name. */
  readonly deploymentId: string;

  /** Region of the bucket. */
  readonly location: string;

  /** Project that it goes into. */
  readonly projectId: string;

  /** Creates the bucket with the private key in it. */
  readonly createBucket: boolean | IResolvable;

  /**
   * Things that must exist before the key pair.
   *
   * @default - nothing
   */
  readonly after?: ITerraformDependable[];

  /** Things that must exist before the bucket: the gate of the store's API, where there is a bucket. */
  readonly dependsOn: ITerraformDependable[];
}

/**
 * The key pair with which the discovery client signs in to the Linux targets.
 *
 * The private key is in the Terraform state, and in the bucket when there is one: whoever may read either may sign in.
 * Another key replaces it with `-replace` at its address; the targets take the new one over at once, and forget the old one when
 * they restart.
 */
export class LabKey extends Construct {
  /** One line as in `authorized_keys`. */
  readonly publicKey: string;

  /** Name of the bucket with the private key; null when there is none. */
  readonly bucketName: string;

  /** Expression: whether there is a bucket. */
  readonly hasBucket: string;

  /** Address of the key pair in Terraform. */
  readonly address: string;

  constructor(scope: Construct, id: string, props: LabKeyProps) {
    super(scope, id);
    requireProvider(this, "tls");
    const { createBucket, projectId } = props;
    const count = countWhen(conditionOf(createBucket));

    const key = new PrivateKey(this, MAIN_CHILD_ID, {
      algorithm: "RSA",
      rsaBits: RSA_KEY_BITS,
      dependsOn: props.after,
    });

    const bucket = new StorageBucket(this, "Bucket", {
      project: projectId,
      name: keyBucketName(props.deploymentId),
      location: props.location,
      uniformBucketLevelAccess: true,
      publicAccessPrevention: "enforced",
      forceDestroy: true,
      // A key that was replaced or destroyed must be gone, not restorable for a week.
      softDeletePolicy: { retentionDurationSeconds: 0 },
      versioning: { enabled: false },
      count,
      dependsOn: props.dependsOn,
    });
    this.bucketName = new TerraformLocal(this, "BucketName", expression(`one(${bucket.fqn}[*].name)`)).asString;
    this.hasBucket = `length(${bucket.fqn}[*]) > 0`;

    new StorageBucketObject(this, "File", {
      bucket: this.bucketName,
      name: SSH_KEY_OBJECT_NAME,
      content: key.privateKeyPem,
      contentType: "application/x-pem-file",
      count,
    });

    this.publicKey = Token.asString(Fn.trimspace(key.publicKeyOpenssh));
    this.address = `${key.terraformResourceType}.${key.friendlyUniqueId}`;
  }
}
