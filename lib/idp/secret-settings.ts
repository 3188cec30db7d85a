import { type ITerraformDependable } from "cdktf";

import { expression, quoted } from "../core/expression";
import { type Value } from "../core/inputs";
import { type ReadableSecret } from "../core/stored-secret";
import { type WorkloadIdentity } from "../core/identity";

/** Secret variables whose names may be known only at plan. A container can have several such sets. */
export interface SecretSettings {
  /**
   * Terraform expression of a map: the name of each variable, and `secret_id` and `version` of its secret, with
   * `identity` if that is known. Names and ids must be known at plan. It may be empty.
   */
  readonly references: string;

  /** What must exist before the values can be read. */
  readonly ready: ITerraformDependable[];

  /** Allows an identity to read these secrets and nothing else; empty if the identity takes no grants. */
  grantAccess(identity: WorkloadIdentity): ITerraformDependable[];
}

/** A variable with a secret that exists only if the condition holds: `true`, `false` or a boolean expression. */
export function conditionalSetting(variable: string, secret: ReadableSecret, condition: string): SecretSettings {
  const operands = {
    secretId: quoted(secret.secretId),
    version: quoted(secret.version),
    identity: quoted(secret.identity),
  };
  return {
    references: expression(conditionalReference(variable, operands, condition)),
    ready: secret.ready,
    grantAccess: (identity) => secret.grantAccess(identity),
  };
}

/**
 * Terraform expression of a map, without `${}`: a variable with its secret, or nothing if the condition does not hold.
 *
 * @param operands Terraform expressions of name and version, and of the identity if that is known
 */
export function conditionalReference(
  variable: string,
  { identity, secretId, version }: Record<"secretId" | "version", string | Value> & { readonly identity?: string },
  condition: string,
): string {
  const known = identity === undefined ? "" : `, identity = ${identity}`;
  const reference = `{ secret_id = ${secretId}, version = ${version}${known} }`;
  return `{ for name, reference in { ${variable} = ${reference} } : name => reference if ${condition} }`;
}

/** Identities of the versions of a container's secrets and of further `references`, as one text; empty without any. */
export function secretIdentities(values: Readonly<Record<string, ReadableSecret>>, references: string | undefined) {
  const own = Object.entries(values).map(([variable, { identity }]) => `${variable}=${identity}`);
  if (references === undefined) return own.join(",");
  const further = `[for name, reference in ${references} : "\${name}=\${reference.secret_id}:\${try(reference.identity, reference.version)}"]`;
  return [...own, expression(`join(",", ${further})`)].join(",");
}

/** All sets of a container as one expression; undefined without any. */
export function mergedReferences(settings: readonly Pick<SecretSettings, "references">[]): string | undefined {
  const [first, ...others] = settings.map(({ references }) => references);
  if (first === undefined || others.length === 0) return first;
  return expression(`merge(${[first, ...others].join(", ")})`);
}
