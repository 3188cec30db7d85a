import { type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { GeneratedSecret, SECRET_WRITE_VERSION, secretReferenceRule } from "../core/generated-secret";
import { secretId } from "../core/names";
import { type DeploymentPlace, PLACE_RULES, REQUIRED_PLACE } from "../core/place";
import { requireProps, type Rule } from "../core/rules";
import { BOOTSTRAP_PASSWORD, SECRET_KEY } from "./contract";

export interface IdpSecretsProps {
  /** Parts of the names; secrets can be listed by the application's name. */
  readonly place: DeploymentPlace;

  /**
   * Password to store for the built-in administrator, as a reference to an ephemeral variable.
   *
   * @default - 24 random letters and digits
   */
  readonly bootstrapPassword?: string;

  /**
   * Raising it stores the given bootstrap password, or a newly generated one. The application reads it only on its
   * first start; later, change the password in the application.
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
   * What must exist first, for example the gate of the Secret Manager API.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];
}

/**
 * The application's secret key and the initial password of its administrator, each generated once.
 *
 * Neither value is in the Terraform state; both are only in Secret Manager. The secret key cannot be rotated on
 * purpose: a new one ends every session and makes stored tokens unreadable.
 */
export class IdpSecrets extends Construct {
  /** Signs sessions and cookies; for the container's `IDP_SECRET_KEY`. */
  readonly secretKey: GeneratedSecret;

  /** For the container's `IDP_BOOTSTRAP_PASSWORD`, and for the first sign-in. */
  readonly bootstrapPassword: GeneratedSecret;

  /** What must exist before a container can read both. */
  readonly ready: ITerraformDependable[];

  constructor(scope: Construct, id: string, props: IdpSecretsProps) {
    super(scope, id);
    requireProps(this, props, { place: REQUIRED_PLACE }, RULES);
    const { deletionProtection, dependsOn, place } = props;
    const common = { deletionProtection, dependsOn, labels: place.labels };

    this.secretKey = new GeneratedSecret(this, "SecretKey", {
      ...common,
      secretId: secretId(place.deployment, SECRET_KEY.suffix),
      length: SECRET_KEY.length,
    });

    this.bootstrapPassword = new GeneratedSecret(this, "BootstrapPassword", {
      ...common,
      secretId: secretId(place.deployment, BOOTSTRAP_PASSWORD.suffix),
      length: BOOTSTRAP_PASSWORD.length,
      override: props.bootstrapPassword,
      writeVersion: props.bootstrapPasswordVersion,
    });

    this.ready = [...this.secretKey.ready, ...this.bootstrapPassword.ready];
  }
}

const RULES: readonly Rule<IdpSecretsProps>[] = [
  ...PLACE_RULES,
  secretReferenceRule("bootstrapPassword", ({ bootstrapPassword }) => bootstrapPassword),
  SECRET_WRITE_VERSION.ruleOn("bootstrapPasswordVersion", ({ bootstrapPasswordVersion: version }) => version),
];
