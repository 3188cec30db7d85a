import { SecretManagerSecretIamMember } from "@cdktf/provider-google/lib/secret-manager-secret-iam-member";
import { TerraformLocal, Token, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { repeatFor } from "../core/conditional";
import { expression, literal } from "../core/expression";
import { Grants, type Identity } from "../core/identity";
import { requireProvider } from "../core/provider-requirements";
import { requireProps } from "../core/rules";
import { type SecretReference, type SecretReferences } from "./secret-references";
import { mergedReferences, type SecretSettings } from "./secret-settings";

export interface ExistingSecretsProps {
  /** Project of the secrets that are named without one. */
  readonly projectId: string;

  /** Variables and the secrets with their values. */
  readonly references: readonly SecretReferences[];

  /**
   * What must exist before the secrets are read, for example the gate of the Secret Manager API.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];
}

/**
 * Variables whose values are versions of secrets that are managed elsewhere.
 *
 * Reads no value itself. Whoever runs with them is granted access to each secret once, however many variables it is
 * used for, and also if it belongs to another project; only the owner of that project can allow such a grant.
 */
export class ExistingSecrets extends Construct implements SecretSettings {
  readonly references: string;

  readonly ready: ITerraformDependable[];

  private readonly grants = new Grants(this);

  constructor(
    scope: Construct,
    id: string,
    private readonly props: ExistingSecretsProps,
  ) {
    super(scope, id);
    requireProps(this, props, { projectId: true, references: true });
    requireProvider(this, "google");
    const given = props.references.map((references) => ({ references: asExpression(references) }));
    // One spelling of each secret, so that it is granted once.
    const shortened = `trimprefix(reference.secret_id, "${this.ownSecrets}")`;
    this.references = new TerraformLocal(
      this,
      "References",
      expression(
        `{ for name, reference in ${mergedReferences(given) ?? "{}"} : name => { secret_id = ${shortened}, version = reference.version } }`,
      ),
    ).asString;
    this.ready = props.dependsOn ?? [];
  }

  grantAccess(identity: Identity): ITerraformDependable[] {
    return this.grants.to(identity, (id) => {
      const grant = new SecretManagerSecretIamMember(this, id, {
        // In full, because the provider takes the project of another one for a change.
        secretId: "${each.value}",
        role: "roles/secretmanager.secretAccessor",
        member: identity.member,
        dependsOn: [...this.ready, ...identity.ready],
        // What runs needs the grant until it has been updated, so the grant must not be deleted first.
        lifecycle: { createBeforeDestroy: true },
      });
      const inFull = `startswith(reference.secret_id, "projects/") ? reference.secret_id : "${this.ownSecrets}\${reference.secret_id}"`;
      const only = identity.condition === undefined ? "" : ` if ${identity.condition}`;
      repeatFor(grant, expression(`toset([for reference in ${this.references} : ${inFull}${only}])`));
      return grant;
    });
  }

  /** What the full names of the deployment's own secrets begin with, as part of a quoted text of Terraform. */
  private get ownSecrets(): string {
    const { projectId } = this.props;
    return `projects/${Token.isUnresolved(projectId) ? `\${${projectId}}` : projectId}/secrets/`;
  }
}

function asExpression(references: SecretReferences): string {
  if (Token.isUnresolved(references)) return Token.asString(references);
  const entries = Object.entries(references as Readonly<Record<string, SecretReference>>).map(
    ([name, { secretId, version }]) =>
      `${JSON.stringify(name)} = { secret_id = ${textOf(secretId)}, version = ${textOf(version)} }`,
  );
  return expression(`{ ${entries.join(", ")} }`);
}

/** As text, so that all entries have the same type. */
function textOf(value: number | string): string {
  if (Token.isUnresolved(value)) return typeof value === "string" ? value : Token.asString(value);
  return JSON.stringify(literal(String(value)));
}
