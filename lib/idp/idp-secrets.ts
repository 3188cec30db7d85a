import { type SecretManagerSecretIamMember } from "@cdktf/provider-google/lib/secret-manager-secret-iam-member";
import { type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { GeneratedSecret, type SecretReference } from "../core/generated-secret";
import { secretId } from "../core/names";
import { requireProps, RulesBrokenError } from "../core/rules";
import { BOOTSTRAP_PASSWORD, SECRET_KEY } from "./contract";

export interface IdpSecretsProps {
  /** Name of the application, part of the secrets' names; secrets can be listed by it. */
  readonly applicationName: string;

  /** `<tenant_id>-<6 hexadecimal digits>`, see `tenantPrefix`; part of the secrets' names. */
  readonly tenantPrefix: string;

  /**
   * Password to store for the built-in administrator, as a reference to an ephemeral variable.
   *
   * @default - 24 random letters and digits
   */
  readonly bootstrapPassword?: string;

  /**
   * Raising it stores the given, or a newly generated, bootstrap password. The application reads it on its first start
   * only; later the password is changed inside the application.
   *
   * @default 1
   */
  readonly bootstrapPasswordVersion?: number;

  /**
   * Refuses deletion of both secrets. Losing the secret key ends every session of the deployment.
   *
   * @default true
   */
  readonly deletionProtection?: boolean | IResolvable;

  /**
   * Things that must exist first, for example the gate of the secret store's API.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Labels of the secrets.
   *
   * @default - none
   */
  readonly labels?: Record<string, string>;
}

/** The two secrets of the application. */
export type IdpSecretName = "secretKey" | "bootstrapPassword";

/**
 * The application's secret key and the first password of its administrator, generated once and stable for life.
 *
 * Neither value is in Terraform's state; both are in the secret store only. The secret key offers no rotation on
 * purpose: a new one ends every session and makes stored tokens unreadable.
 */
export class IdpSecrets extends Construct {
  private readonly secrets: Readonly<Record<IdpSecretName, GeneratedSecret>>;

  constructor(scope: Construct, id: string, props: IdpSecretsProps) {
    super(scope, id);
    requireProps(this.node.path, props, { applicationName: true, tenantPrefix: true });
    const { deletionProtection, dependsOn, labels } = props;

    const secretKey = new GeneratedSecret(this, "SecretKey", {
      secretId: secretId(props, SECRET_KEY.suffix),
      length: SECRET_KEY.length,
      deletionProtection,
      dependsOn,
      labels,
    });

    const bootstrapPassword = new GeneratedSecret(this, "BootstrapPassword", {
      secretId: secretId(props, BOOTSTRAP_PASSWORD.suffix),
      length: BOOTSTRAP_PASSWORD.length,
      override: props.bootstrapPassword,
      writeVersion: props.bootstrapPasswordVersion,
      deletionProtection,
      dependsOn,
      labels,
    });

    this.secrets = { secretKey, bootstrapPassword };
  }

  /** Signs sessions and cookies; for the container's `IDP_SECRET_KEY`. */
  get secretKey(): SecretReference {
    return this.secrets.secretKey.reference;
  }

  /** For the container's `IDP_BOOTSTRAP_PASSWORD`, and for whoever signs in first. */
  get bootstrapPassword(): SecretReference {
    return this.secrets.bootstrapPassword.reference;
  }

  /** What must exist before a container can read both. */
  get stored(): ITerraformDependable[] {
    return Object.values(this.secrets).map((secret) => secret.stored);
  }

  /** Lets one principal read one of the secrets; `member` as in IAM, for example `serviceAccount:a@b`. */
  grantAccess(id: string, secret: IdpSecretName, member: string): SecretManagerSecretIamMember {
    if (!Object.hasOwn(this.secrets, secret)) {
      const known = Object.keys(this.secrets).join(" or ");
      throw new RulesBrokenError(this.node.path, [
        `the secret is ${secret}; it must be ${known}, because there are no others; name one of them`,
      ]);
    }
    return this.secrets[secret].grantAccess(id, member);
  }
}
