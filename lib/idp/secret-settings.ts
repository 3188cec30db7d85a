import { type ITerraformDependable, TerraformLocal } from "cdktf";
import { type Construct } from "constructs";

import { type Condition, conditionFrom } from "../core/expr/conditions";
import { type Expr, exprOf, hcl } from "../core/expr/expr";
import { expression } from "../core/expr/terraform-text";
import { type WorkloadIdentity } from "../core/identity";
import { type ReadableSecret } from "../core/secrets/stored-secret";

/**
 * A set of secret variables; the names of the variables may be known only at plan. A container can have several sets.
 */
export interface SecretSettings {
  /**
   * Terraform expression of a map: the name of each variable, and `secret_id` and `version` of its secret, with
   * `identity` if that is known. Names and ids must be known at plan. It may be empty.
   */
  readonly references: string;

  /** Dependencies of containers that read the values. */
  readonly ready: ITerraformDependable[];

  /** Allows an identity to read these secrets and nothing else; empty if the identity takes no grants. */
  grantAccess(identity: WorkloadIdentity): ITerraformDependable[];
}

/** A variable with a secret value; it exists only if the condition holds. */
export function conditionalSetting(variable: string, secret: ReadableSecret, condition: Condition): SecretSettings {
  const operands = {
    secretId: exprOf(secret.secretId),
    version: exprOf(secret.version),
    revision: exprOf(secret.revision),
  };
  return {
    references: conditionalReference(variable, operands, conditionFrom(condition)).text,
    ready: secret.ready,
    grantAccess: (identity) => secret.grantAccess(identity),
  };
}

/**
 * A map with a variable and its secret, or nothing if the condition does not hold.
 *
 * @param secret name and version, and the revision if known
 */
export function conditionalReference(
  variable: string,
  secret: Readonly<Record<"secretId" | "version", Expr>> & { readonly revision?: Expr },
  condition: Expr<boolean>,
): Expr {
  const { revision, secretId, version } = secret;
  const reference = { secret_id: secretId, version, ...(revision !== undefined && { identity: revision }) };
  return hcl`{ for name, reference in ${{ [variable]: reference }} : name => reference if ${condition} }`;
}

/** Merges the sets into one set, with its references in a local of the folder. */
export function joinedSettings(scope: Construct, id: string, settings: readonly SecretSettings[]): SecretSettings[] {
  const references = mergedReferences(settings);
  if (references === undefined || settings.length < 2) return [...settings];
  return [
    {
      references: new TerraformLocal(scope, id, references).asString,
      ready: settings.flatMap(({ ready }) => ready),
      grantAccess: (identity) => settings.flatMap((each) => each.grantAccess(identity)),
    },
  ];
}

/** Revisions of a container's secrets and of further `references`, as one text; empty without secrets. */
export function secretRevisions(values: Readonly<Record<string, ReadableSecret>>, references: string | undefined) {
  const ownRevisions = Object.entries(values).map(([variable, { revision }]) => `${variable}=${revision}`);
  if (references === undefined) return ownRevisions.join(",");
  // Each item contains its comma, so that an empty list has the same text as no list.
  const further = hcl<readonly string[]>`[
    for name, reference in ${exprOf(references)} :
    ",\${name}=\${reference.secret_id}:\${try(reference.identity, reference.version)}"
  ]`;
  return `${ownRevisions.join(",")}${further.joinedBy("").text}`;
}

/** All sets of a container as one expression; undefined without a set. */
export function mergedReferences(settings: readonly Pick<SecretSettings, "references">[]): string | undefined {
  const [first, ...others] = settings.map(({ references }) => references);
  if (first === undefined || others.length === 0) return first;
  return expression(`merge(${[first, ...others].join(", ")})`);
}
