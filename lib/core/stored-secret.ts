import { SecretManagerSecret, type SecretManagerSecretConfig } from "@cdktf/provider-google/lib/secret-manager-secret";
import { TerraformIterator, Token } from "cdktf";
import { type Construct } from "constructs";

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
