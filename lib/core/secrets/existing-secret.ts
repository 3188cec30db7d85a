import { SecretManagerSecretIamMember } from "@cdktf/provider-google/lib/secret-manager-secret-iam-member";
import { type ITerraformDependable, TerraformLocal, Token } from "cdktf";
import { Construct } from "constructs";

import { type Condition, countIf, namedCondition } from "../expr/conditions";
import { type Expr, exprOf, hcl, interpolated } from "../expr/expr";
import { element, split, trimPrefix } from "../expr/functions";
import { inFileOfExisting } from "../hcl/stack-origin";
import { granteeArguments, Grants, type WorkloadIdentity } from "../identity";
import { stateProvidersOf } from "../provider-requirements";
import { EphemeralResource } from "./ephemeral-resource";
import { type ReadableSecret } from "./stored-secret";

/** A version of a secret that is managed elsewhere. */
export interface SecretAttributes {
  /** Name of the secret; for a secret of another project, the full name `projects/<project>/secrets/<name>`. */
  readonly secretId: string;
  /** Number of the version. */
  readonly version: number | string;
}

/** A version of a secret that is managed elsewhere, and the condition for its use. */
export interface ExistingSecretProps extends SecretAttributes {
  /** Project of a secret if its name contains none. */
  readonly projectId: string;

  /**
   * Condition under which the secret exists; known at plan.
   *
   * @default true
   */
  readonly condition?: Condition;
}

/** Opens a version of a secret, if the condition holds, to read its value. */
export function openVersion(
  scope: Construct,
  id: string,
  condition: Condition,
  attributes: Readonly<Record<"secret" | "version", string>>,
): EphemeralResource {
  const type = "google_secret_manager_secret_version";
  return new EphemeralResource(scope, id, { type, provider: "google", count: countIf(condition), attributes });
}

/** A secret that is managed elsewhere: it is never written and never deleted, and its consumers are granted access. */
export class ExistingSecret extends Construct implements ReadableSecret {
  readonly secretId: string;
  readonly version: string;
  readonly revision: string;
  readonly ready: ITerraformDependable[] = [];
  readonly fullName: string;

  private readonly given: Condition;
  private named: Condition | undefined;
  private readonly grants = new Grants(this);
  private stored: EphemeralResource | undefined;

  constructor(scope: Construct, id: string, { condition = true, projectId, secretId, version }: ExistingSecretProps) {
    super(scope, id);
    stateProvidersOf(this);
    inFileOfExisting(this, "parts");
    this.given = condition;
    if ([secretId, projectId].some((part) => Token.isUnresolved(part))) {
      const prefix = interpolated`projects/${projectId}/secrets/`;
      const name = hcl<string>`try(regex("^projects/.+$", ${secretId}), ${interpolated`${prefix}${secretId}`}, "")`;
      this.fullName = new TerraformLocal(this, "Name", name).asString;
      this.secretId = trimPrefix(this.fullName, prefix).text;
    } else {
      const prefix = `projects/${projectId}/secrets/`;
      this.fullName = secretId.startsWith("projects/") ? secretId : prefix + secretId;
      // The short name of a secret of the same project, as Cloud Run returns it.
      this.secretId = this.fullName.startsWith(prefix) ? this.fullName.slice(prefix.length) : this.fullName;
    }
    this.version = exprOf(version).text;
    this.revision = exprOf([this.fullName, this.version]).joinedBy("/versions/").text;
  }

  get ephemeralValue(): string {
    return this.read(exprOf(this.fullName));
  }

  valueOnceKnown(id: string): string {
    return this.read(exprOf(id).eq("").choose("", this.fullName));
  }

  /** Whether the secret exists; the first access creates a local for a long condition. */
  private get condition(): Condition {
    this.named ??= namedCondition(this, "IsUsed", this.given);
    return this.named;
  }

  private read(secret: Expr<string>): string {
    this.stored ??= openVersion(this, "Stored", this.condition, { secret: secret.text, version: this.version });
    return this.stored.stringAttribute("secret_data");
  }

  grantAccess(identity: WorkloadIdentity): ITerraformDependable[] {
    return this.grants.to(
      identity,
      (id, account) =>
        new SecretManagerSecretIamMember(this, id, {
          ...granteeArguments(account, this.condition),
          project: element(split("/", this.fullName), 1).text,
          // The full name, because the provider would treat a different spelling of the project as a change.
          secretId: this.fullName,
          role: "roles/secretmanager.secretAccessor",
        }),
      this.condition,
    );
  }
}
