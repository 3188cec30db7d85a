import { type ITerraformDependable } from "cdktf";

import { expression, quoted } from "../core/expression";
import { type ReadableSecret } from "../core/generated-secret";
import { type WorkloadIdentity } from "../core/identity";

/** Secret variables whose names may be known only at plan. A container can have several such sets. */
export interface SecretSettings {
  /**
   * Terraform expression of a map: the name of each variable, and `secret_id` and `version` of its secret. Names and ids
   * must be known at plan. It may be empty.
   */
  readonly references: string;

  /** What must exist before the values can be read. */
  readonly ready: ITerraformDependable[];

  /** Allows an identity to read these secrets and nothing else; empty if the identity takes no grants. */
  grantAccess(identity: WorkloadIdentity): ITerraformDependable[];
}

/**
 * A variable with a secret of the deployment that exists only if the condition holds at plan.
 *
 * @param condition as a string: `true`, `false` or a boolean expression
 */
export function conditionalSetting(variable: string, secret: ReadableSecret, condition: string): SecretSettings {
  const operands = { secretId: quoted(secret.secretId), version: quoted(secret.version) };
  return {
    references: expression(conditionalReference(variable, operands, condition)),
    ready: secret.ready,
    grantAccess: (identity) => secret.grantAccess(identity),
  };
}

/**
 * Terraform expression of a map, without `${}`: a variable with its secret, or nothing if the condition does not hold.
 *
 * @param operands Terraform expressions of name and version
 */
export function conditionalReference(
  variable: string,
  { secretId, version }: Readonly<Record<"secretId" | "version", string>>,
  condition: string,
): string {
  const reference = `{ secret_id = ${secretId}, version = ${version} }`;
  return `{ for name, reference in { ${variable} = ${reference} } : name => reference if ${condition} }`;
}

/** All sets of a container as one expression; undefined without any. */
export function mergedReferences(settings: readonly Pick<SecretSettings, "references">[]): string | undefined {
  const [first, ...others] = settings.map(({ references }) => references);
  if (first === undefined || others.length === 0) return first;
  return expression(`merge(${[first, ...others].join(", ")})`);
}
