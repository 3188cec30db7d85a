import { type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { isOn } from "../core/conditional";
import { GeneratedSecret, SECRET_WRITE_VERSION, secretReferenceRule } from "../core/generated-secret";
import { secretId } from "../core/names";
import { type DeploymentContext, PLACE_RULES } from "../core/place";
import { requireProps, type Rule } from "../core/rules";
import { SECRET_LOCATIONS } from "../core/stored-secret";
import { BOOTSTRAP_PASSWORD, BOOTSTRAP_TOKEN, SECRET_KEY } from "./contract";
import { conditionalSetting, type SecretSettings } from "./secret-settings";

export interface IdpSecretsProps {
  /** Parts of the names; secrets can be listed by the application's name. */
  readonly place: DeploymentContext;

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
   * Also creates a token for the application's API. The application reads it only on its first start.
   *
   * @default false
   */
  readonly bootstrapToken?: boolean | IResolvable;

  /**
   * Refuses deletion of secret key and password. Losing the secret key ends every session of the deployment.
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

  /**
   * Regions in which new secrets are stored. Existing ones stay where they are.
   *
   * @default - those of the place
   */
  readonly secretLocations?: readonly string[];
}

/**
 * The application's secret key and the initial password of its administrator, each generated once, and on request a
 * token for its API.
 *
 * No value is in the Terraform state; all are only in Secret Manager. The secret key stays the same whatever the props: a
 * new one ends every session and every signed link. To replace a leaked one, replace its version in one apply.
 */
export class IdpSecrets extends Construct {
  /** Signs sessions and cookies; for the container's `IDP_SECRET_KEY`. */
  readonly secretKey: GeneratedSecret;

  /** For the container's `IDP_BOOTSTRAP_PASSWORD`, and for the first sign-in. */
  readonly bootstrapPassword: GeneratedSecret;

  /**
   * For the container's `IDP_BOOTSTRAP_TOKEN`, and for programs that configure the application; undefined if not
   * requested.
   */
  readonly bootstrapToken: GeneratedSecret | undefined;

  /** Whether there is one, as a string: `true`, `false` or a boolean expression. */
  readonly hasBootstrapToken: string;

  /** `bootstrapToken` as a variable of a container that may be absent at plan; empty without. */
  readonly settings: readonly SecretSettings[];

  /** What must exist before a container can read secret key and password. */
  readonly ready: ITerraformDependable[];

  constructor(scope: Construct, id: string, props: IdpSecretsProps) {
    super(scope, id);
    requireProps(this, props, ["place"], RULES);
    const { deletionProtection, dependsOn, place, secretLocations = place.secretLocations ?? [place.region] } = props;
    const common = { deletionProtection, dependsOn, secretLocations, labels: place.labels, projectId: place.projectId };

    this.secretKey = new GeneratedSecret(this, "SecretKey", {
      ...common,
      secretId: secretId(place.deployment, SECRET_KEY.suffix),
      length: SECRET_KEY.length,
      loss: "every session ends and every signed link becomes invalid",
    });

    this.bootstrapPassword = new GeneratedSecret(this, "BootstrapPassword", {
      ...common,
      secretId: secretId(place.deployment, BOOTSTRAP_PASSWORD.suffix),
      length: BOOTSTRAP_PASSWORD.length,
      override: props.bootstrapPassword,
      writeVersion: props.bootstrapPasswordVersion,
    });

    const { bootstrapToken = false } = props;
    this.hasBootstrapToken = isOn(bootstrapToken);
    if (bootstrapToken === false) {
      this.settings = [];
    } else {
      // Not protected: nothing is lost with it, and it can be removed while the data is protected.
      this.bootstrapToken = new GeneratedSecret(this, "BootstrapToken", {
        ...common,
        deletionProtection: false,
        condition: isOn(bootstrapToken),
        secretId: secretId(place.deployment, BOOTSTRAP_TOKEN.suffix),
        length: BOOTSTRAP_TOKEN.length,
      });
      this.settings = [
        conditionalSetting(BOOTSTRAP_TOKEN.variable, this.bootstrapToken, this.bootstrapToken.isReadable),
      ];
    }

    this.ready = [...this.secretKey.ready, ...this.bootstrapPassword.ready];
  }
}

const RULES: readonly Rule<IdpSecretsProps>[] = [
  ...PLACE_RULES,
  secretReferenceRule("bootstrapPassword", ({ bootstrapPassword }) => bootstrapPassword),
  SECRET_WRITE_VERSION.ruleOn("bootstrapPasswordVersion", ({ bootstrapPasswordVersion: version }) => version),
  SECRET_LOCATIONS.ruleOn("secretLocations", ({ secretLocations }) => secretLocations),
];
