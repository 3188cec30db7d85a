import { TerraformStack } from "cdktf";
import { type IConstruct } from "constructs";

/** Oldest Terraform that has write-only attributes (1.11) besides ephemeral resources (1.10). */
const TERRAFORM_VERSION = ">= 1.11.0";

/**
 * Accepted releases per provider: from the oldest that knows every attribute we emit up to the next major one.
 *
 * google 7.42 brought the job execution at apply, random 3.7 the ephemeral password, kubernetes 3.2.1 the restart policy of
 * init containers that makes a sidecar, tls 4.1 and aws 5.100 the releases the stacks are checked with. The prebuilt
 * bindings would pin the exact release they were generated from, which may be older.
 */
export const PROVIDER_REQUIREMENTS = {
  aws: { source: "hashicorp/aws", version: ">= 5.100.0, < 7.0.0" },
  google: { source: "hashicorp/google", version: ">= 7.42.0, < 8.0.0" },
  kubernetes: { source: "hashicorp/kubernetes", version: ">= 3.2.1, < 4.0.0" },
  random: { source: "hashicorp/random", version: ">= 3.7.2, < 4.0.0" },
  tls: { source: "hashicorp/tls", version: ">= 4.1.0, < 5.0.0" },
} as const;

export type ProviderName = keyof typeof PROVIDER_REQUIREMENTS;

/** States the accepted releases of a provider in the construct's stack, in place of the bindings' exact pin. */
export function requireProvider(scope: IConstruct, name: ProviderName): void {
  const stack = TerraformStack.of(scope);
  stack.addOverride("terraform.required_version", TERRAFORM_VERSION);
  stack.addOverride(`terraform.required_providers.${name}`, PROVIDER_REQUIREMENTS[name]);
}
