import { SecretManagerSecret, type SecretManagerSecretConfig } from "@cdktf/provider-google/lib/secret-manager-secret";
import { TerraformIterator, Token, type ITerraformDependable } from "cdktf";
import { type Construct } from "constructs";

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
  readonly identity: string;

  /** The value, for write-only arguments and provider configuration; empty while the version is disabled. */
  readonly ephemeralValue: string;

  /**
   * The same, not read before `id` of a resource is known: for one that exists before the first apply, whose plan then asks no
   * API.
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
  return new SecretManagerSecret(scope, id, {
    ...config,
    replication: locations === undefined ? { auto: {} } : { userManaged: { replicas: replicasIn(locations) } },
    // Another place would replace the secret, and so lose its value.
    lifecycle: { ignoreChanges: ["replication"] },
  });
}

function replicasIn(locations: readonly string[]) {
  if (!Token.isUnresolved(locations)) return locations.map((location) => ({ location }));
  const each = TerraformIterator.fromList(locations as string[]);
  return each.dynamic({ location: each.value as string });
}
