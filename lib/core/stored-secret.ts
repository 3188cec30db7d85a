import { SecretManagerSecret, type SecretManagerSecretConfig } from "@cdktf/provider-google/lib/secret-manager-secret";
import { TerraformIterator, Token } from "cdktf";
import { type Construct } from "constructs";

import { CheckedValue, EACH_ONCE } from "./checked-value";
import { REGION } from "./place-rules";

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

/** Rule for the regions of a secret. */
export const SECRET_LOCATIONS = new CheckedValue<readonly string[]>({
  accepts: (regions) =>
    regions.length > 0 &&
    regions.every((region) => Token.isUnresolved(region) || REGION.accepts(region)) &&
    EACH_ONCE.accepts(regions),
  condition: (regions) =>
    `length(${regions}) > 0 && alltrue([for region in ${regions} : ${REGION.condition("region")}]) && ${EACH_ONCE.condition(regions)}`,
  must: "have at least one region such as us-central1, and each only once",
  reason: "Secret Manager stores a copy in each",
  remedy: "correct it, or leave it out for the region of the deployment",
  schema: { items: REGION.schema, minItems: 1, uniqueItems: true },
});
