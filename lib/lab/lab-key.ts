import { StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";
import { StorageBucketObject } from "@cdktf/provider-google/lib/storage-bucket-object";
import { PrivateKey } from "@cdktf/provider-tls/lib/private-key";
import { Fn, type IResolvable, TerraformLocal, Token } from "cdktf";
import { Construct } from "constructs";

import { attributeOf, idOf } from "../core/expr/attributes";
import { addDynamicBlock } from "../core/expr/blocks";
import { countIf } from "../core/expr/conditions";
import { exprOf } from "../core/expr/expr";
import { compact } from "../core/expr/functions";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { RSA_KEY_BITS, SSH_KEY_OBJECT_NAME } from "./contract";
import { type LabPartProps } from "./lab-foundation";
import { keyBucketName } from "./lab-names";

interface LabKeyProps extends LabPartProps {
  readonly createBucket: boolean | IResolvable;
  /** Key of Cloud KMS that encrypts the bucket, null at plan for Google's own. */
  readonly kmsKey: string | undefined;
}

export interface LabKey {
  /** The bucket of the private key, with a count. */
  readonly bucket: StorageBucket;
  /** Null when there is no bucket. */
  readonly bucketName: string;
  readonly keyPair: PrivateKey;
  /** One `authorized_keys` line. */
  readonly publicKey: string;
  /** Terraform address of the key pair, for `-replace`. */
  readonly address: string;
}

/**
 * The key pair with which the discovery client signs in to the Linux VMs.
 *
 * The private key is in the Terraform state, and in the bucket if there is one: access to either is access to the VMs.
 * To rotate it, apply with `-replace` and its address; the VMs accept the new key at once, and the old one until they
 * restart.
 */
export function addLabKey(scope: Construct, id: string, props: LabKeyProps): LabKey {
  const self = new Construct(scope, id);
  const { dependsOn, kmsKey, outlivedBy } = props;
  const count = countIf(props.createBucket);

  const key = { algorithm: "RSA", rsaBits: RSA_KEY_BITS, dependsOn: outlivedBy };
  const keyPair = new PrivateKey(self, MAIN_CHILD_ID, key);
  const bucket = new StorageBucket(self, "Bucket", {
    project: props.projectId,
    name: keyBucketName(props.deploymentId),
    location: props.region,
    labels: props.labels,
    uniformBucketLevelAccess: true,
    publicAccessPrevention: "enforced",
    forceDestroy: true,
    // A replaced or destroyed key must be gone at once, not restorable for a week.
    softDeletePolicy: { retentionDurationSeconds: 0 },
    versioning: { enabled: false },
    count,
    dependsOn: [...outlivedBy, ...dependsOn],
  });
  if (kmsKey !== undefined) {
    addDynamicBlock(bucket, "", "encryption", {
      forEach: compact([exprOf(kmsKey)]).list,
      content: { default_kms_key_name: "${encryption.value}" },
    });
  }
  new StorageBucketObject(self, "File", {
    // The id instead of the name: a recreated bucket has the same name but an unknown id, which recreates the file.
    bucket: idOf(bucket),
    name: SSH_KEY_OBJECT_NAME,
    content: keyPair.privateKeyPem,
    contentType: "application/x-pem-file",
    count,
  });
  return {
    bucket,
    keyPair,
    bucketName: new TerraformLocal(self, "BucketName", attributeOf(bucket, "name").text).asString,
    publicKey: Token.asString(Fn.trimspace(keyPair.publicKeyOpenssh)),
    address: `${keyPair.terraformResourceType}.${keyPair.friendlyUniqueId}`,
  };
}
