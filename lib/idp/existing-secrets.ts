import { SecretManagerSecretIamMember } from "@cdktf/provider-google/lib/secret-manager-secret-iam-member";
import { type ITerraformDependable, TerraformLocal } from "cdktf";
import { Construct } from "constructs";

import { repeatFor } from "../core/expr/attributes";
import { conditionFrom } from "../core/expr/conditions";
import { call, type Expr, hcl, interpolated, reference } from "../core/expr/expr";
import { each, element, split, startsWith } from "../core/expr/functions";
import { inFileOfExisting } from "../core/hcl/stack-origin";
import { Grants, type WorkloadIdentity } from "../core/identity";
import { type SecretSettings } from "./secret-settings";

export interface ExistingSecretsProps {
  /** Project of secrets without a project in their names. */
  readonly projectId: string;
  /** Maps from variables to the secrets with their values. */
  readonly references: readonly Expr[];
  readonly dependsOn?: ITerraformDependable[];
}

/**
 * Variables with versions of secrets as values; the secrets are managed elsewhere.
 *
 * Terraform reads none of the values. An identity is granted access to each secret once, even if several variables use
 * it. The owner of a secret in another project must allow such a grant.
 */
export class ExistingSecrets extends Construct implements SecretSettings {
  readonly references: string;
  readonly ready: ITerraformDependable[];
  private readonly grants = new Grants(this);

  private readonly projectId: string;

  /** @internal */
  constructor(scope: Construct, id: string, { dependsOn = [], projectId, references: given }: ExistingSecretsProps) {
    super(scope, id);
    this.projectId = projectId;
    // Full names give each secret one spelling, so that access is granted once.
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
        project: element(split("/", EACH_NAME), 1).text,
        // The full name, because the provider would treat a different spelling of the project as a change.
        secretId: EACH_NAME.text,
        role: "roles/secretmanager.secretAccessor",
        member,
        dependsOn: [...this.ready, ...ready],
        // Containers need the grant until they are updated, so it must not be deleted first.
        lifecycle: { createBeforeDestroy: true },
      });
      const references = hcl<readonly unknown[]>`${this.references}`;
      const names = each(
        references,
        (reference) => this.fullNameOf(reference.member<string>("secret_id").present),
        () => conditionFrom(condition ?? true),
        "reference",
      );
      repeatFor(grant, hcl`toset(${names})`.text);
      inFileOfExisting(grant, "parts");
      return grant;
    });
  }

  private fullNameOf(secretId: Expr<string>): Expr<string> {
    return startsWith(secretId, "projects/").choose(
      secretId,
      interpolated`projects/${this.projectId}/secrets/${secretId}`,
    );
  }
}

/** Full name of the secret in a grant with `for_each`. */
const EACH_NAME = reference<string>("each.value", { knownAt: "plan", mayBeNull: false });
