import { SecretManagerSecretIamMember } from "@cdktf/provider-google/lib/secret-manager-secret-iam-member";
import { TerraformLocal, Token, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { type Expr, call, hcl } from "../core/expr";
import { repeatFor, conditionFrom } from "../core/conditional";
import { expression } from "../core/expression";
import { inFileOfExisting } from "../core/hcl/stack-origin";
import { Grants, type WorkloadIdentity } from "../core/identity";
import { type SecretSettings } from "./secret-settings";

export interface ExistingSecretsProps {
  /** Project of the secrets without a project in their names. */
  readonly projectId: string;
  /** Variables and the secrets with their values, as maps. */
  readonly references: readonly Expr[];
  readonly dependsOn?: ITerraformDependable[];
}

/**
 * Variables whose values are versions of secrets that are managed elsewhere.
 *
 * Reads no value itself. An identity is granted access to each secret once, no matter how many variables use it, even
 * in another project, whose owner must allow such a grant.
 */
export class ExistingSecrets extends Construct implements SecretSettings {
  readonly references: string;
  readonly ready: ITerraformDependable[];
  private readonly grants = new Grants(this);

  /** Beginning of the full names of the deployment's own secrets, as part of a quoted Terraform string. */
  private readonly ownSecrets: string;

  constructor(scope: Construct, id: string, { dependsOn = [], projectId, references: given }: ExistingSecretsProps) {
    super(scope, id);
    this.ownSecrets = `projects/${Token.isUnresolved(projectId) ? `\${${projectId}}` : projectId}/secrets/`;
    // One spelling of each secret, so that access is granted once.
    const all = call("merge", given);
    const shortened = hcl`trimprefix(reference.secret_id, ${`projects/${projectId}/secrets/`})`;
    const short = hcl`{ secret_id = ${shortened}, version = reference.version }`;
    const references = hcl`{ for name, reference in ${all} : name => ${short} }`;
    this.references = new TerraformLocal(this, "References", references).asString;
    this.ready = dependsOn;
  }

  grantAccess(identity: WorkloadIdentity): ITerraformDependable[] {
    return this.grants.to(identity, (id, { condition, member, ready }) => {
      const grant = new SecretManagerSecretIamMember(this, id, {
        project: expression('split("/", each.value)[1]'),
        // In full, because the provider would treat a differently written project as a change.
        secretId: "${each.value}",
        role: "roles/secretmanager.secretAccessor",
        member,
        dependsOn: [...this.ready, ...ready],
        // Containers need the grant until they are updated, so it must not be deleted first.
        lifecycle: { createBeforeDestroy: true },
      });
      const inFull = [
        `startswith(reference.secret_id, "projects/") ? reference.secret_id :`,
        `"${this.ownSecrets}\${reference.secret_id}"`,
      ].join(" ");
      const only = condition === undefined ? "" : ` if ${conditionFrom(condition).text}`;
      repeatFor(grant, expression(`toset([for reference in ${this.references} : ${inFull}${only}])`));
      inFileOfExisting(grant, "parts");
      return grant;
    });
  }
}
