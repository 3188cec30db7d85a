import { SecretManagerSecret, type SecretManagerSecretConfig } from "@cdktf/provider-google/lib/secret-manager-secret";
import { Token, type ITerraformDependable } from "cdktf";
import { type Construct } from "constructs";

import { addDynamicBlock } from "./conditional";
import { expression } from "./expression";
import { type WorkloadIdentity } from "./identity";

/** One version of a stored secret. Consumers never refer to `latest`, so that a new version is a visible change. */
export interface ReadableSecret {
  /** Name of the secret in its project. */
  readonly secretId: string;

  /** Number of the version. */
  readonly version: string;

  /**
   * Distinguishes this version from every other, also from one of the same number in a secret that was deleted and
   * created again, and says nothing of the value.
   */
  readonly revision: string;

  /** The value, for write-only arguments and provider configuration; empty while the version is disabled. */
  readonly ephemeralValue: string;

  /**
   * The same, not read before a resource's `id` is known, so a first plan asks no API.
   *
   * @default - `ephemeralValue`
   */
  valueAfter?(id: string): string;

  /** What must exist before the value can be read. */
  readonly ready: ITerraformDependable[];

  /** Allows an identity to read this secret and nothing else; empty if the identity takes no grants. */
  grantAccess(identity: WorkloadIdentity): ITerraformDependable[];
}

/** Adds a secret that is stored in these regions, or without them where Google chooses. */
export function addSecret(
  scope: Construct,
  id: string,
  locations: readonly string[] | undefined,
  config: Omit<SecretManagerSecretConfig, "lifecycle" | "replication">,
): SecretManagerSecret {
  const secret = new SecretManagerSecret(scope, id, {
    ...config,
    replication: locations === undefined ? { auto: {} } : {},
    // Another place would replace the secret, and so lose its value.
    lifecycle: { ignoreChanges: ["replication"] },
  });
  // Known at synth or not, in the one form to which a key can be added.
  const forEach =
    locations &&
    expression(`toset(${Token.isUnresolved(locations) ? Token.asString(locations) : JSON.stringify(locations)})`);
  if (forEach !== undefined)
    addDynamicBlock(secret, "replication.user_managed", "replicas", {
      forEach,
      content: { location: "${replicas.value}" },
    });
  return secret;
}
