import { SecretManagerSecret, type SecretManagerSecretConfig } from "@cdktf/provider-google/lib/secret-manager-secret";
import { type ITerraformDependable, type TerraformResource, Token } from "cdktf";
import { type Construct } from "constructs";

import { addDynamicBlock } from "../expr/blocks";
import { expression } from "../expr/terraform-text";
import { type WorkloadIdentity } from "../identity";

/** One version of a stored secret. Consumers never refer to `latest`, so that a new version is a visible change. */
export interface ReadableSecret {
  /** Name of the secret in its project. */
  readonly secretId: string;

  /** Number of the version. */
  readonly version: string;

  /**
   * Distinguishes this version from every other version, even from a version with the same number in a recreated
   * secret. Reveals nothing about the value.
   */
  readonly revision: string;

  /** The value, for write-only arguments and provider configuration; empty while the version is disabled. */
  readonly ephemeralValue: string;

  /**
   * The value. Empty while `id` is unknown, so that a first plan reads no secret.
   *
   * @default - `ephemeralValue`
   */
  valueOnceKnown?(id: string): string;

  /** Dependencies for readers of the value. */
  readonly ready: ITerraformDependable[];

  /** Allows an identity to read this secret and nothing else; empty if the identity takes no grants. */
  grantAccess(identity: WorkloadIdentity): ITerraformDependable[];
}

/** Adds a secret that is stored in these regions; without regions, Google chooses. */
export function addSecret(
  scope: Construct,
  id: string,
  locations: readonly string[] | undefined,
  config: Omit<SecretManagerSecretConfig, "lifecycle" | "replication">,
): SecretManagerSecret {
  const secret = new SecretManagerSecret(scope, id, {
    ...config,
    replication: replicationIn(locations),
    // Changed regions would replace the secret and lose its value.
    lifecycle: { ignoreChanges: ["replication"] },
  });
  if (Token.isUnresolved(locations))
    addDynamicBlock(secret, "replication.user_managed", "replicas", {
      forEach: expression(`toset(${Token.asString(locations)})`),
      content: { location: "${replicas.value}" },
    });
  return secret;
}

/** Regions of a secret, as far as synthesis knows them. */
function replicationIn(locations: readonly string[] | undefined): SecretManagerSecretConfig["replication"] {
  if (locations === undefined) return { auto: {} };
  if (Token.isUnresolved(locations)) return {};
  return { userManaged: { replicas: locations.map((location) => ({ location })) } };
}

/** Paths of the blocks for a secret's regions. */
export function replicaPaths(secret: TerraformResource): string[] {
  const { replicas } = (secret as Partial<SecretManagerSecret>).replicationInput?.userManaged ?? {};
  if (!Array.isArray(replicas)) return ["replication.user_managed.dynamic.replicas.content"];
  return replicas.map((_, index) => `replication.user_managed.replicas.${index}`);
}
