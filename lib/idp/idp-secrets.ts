import { type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { CONTEXT_PROP, type DeploymentContext } from "../core/deployment-context";
import { type Existing } from "../core/existing";
import { type Condition, isNever } from "../core/expr/conditions";
import { anyOf, type Expr, exprOf } from "../core/expr/expr";
import { inFiles } from "../core/hcl/stack-origin";
import { refuseWrong } from "../core/inputs/inputs";
import { type KnownPropsOf, propProblems } from "../core/inputs/known-props";
import { type Relation } from "../core/inputs/relations";
import { flag, number, object, type PropsOf, text } from "../core/inputs/rows";
import { secretId } from "../core/names";
import { prose } from "../core/prose";
import { stateProvidersOf } from "../core/provider-requirements";
import { type SecretAttributes } from "../core/secrets/existing-secret";
import { GeneratedSecret } from "../core/secrets/generated-secret";
import { SIGN_IN_PROBE_BLUEPRINT } from "./blueprints";
import { BLUEPRINT_SECRETS, BOOTSTRAP_PASSWORD, BOOTSTRAP_TOKEN, SECRET_KEY } from "./contract";
import { type EnvironmentInputs, setOnce } from "./environment";
import { IS_REFERENCE, orVersion, SECRET_REFERENCE, type SecretReference } from "./secret-reference";
import { conditionalSetting, type SecretSettings } from "./secret-settings";

/** Minimum length of the first administrator's password. */
const MIN_PASSWORD_LENGTH = 8;

/** Inputs of the secrets. */
export const SECRETS = {
  /**
   * First password of the built-in administrator, as a reference to an ephemeral variable; by default, 24 random
   * letters and digits. It is stored once, and the application reads it only on its first start.
   */
  bootstrapPassword: text({
    default: null,
    ephemeral: true,
    sensitive: true,
    description: prose`
      First password of the built-in administrator[[; null or empty generates one of 24 characters]].
      It is stored once, in Secret Manager and never in the state; the application reads it on its first start only.
      Setting it later has no effect: change the password in the application.
    `,
    must: {
      condition: (password: Expr<string>) => password.eq("").or(password.length().ge(MIN_PASSWORD_LENGTH)),
      must: prose`
        have ${MIN_PASSWORD_LENGTH} or more characters, because the sign-in page is public,
        and a short one can be guessed; use a longer one, or none to generate it
      `,
    },
  }),
  /** Replaces a secret key that has leaked. */
  secretKey: object(
    {
      /** Raise it by one, together with `acceptedVersion`; 1 by default. */
      version: number({ default: 1, description: "number of the key; raise it later by one, together with the other" }),
      /** The `version` whose consequences are accepted; 1 by default. */
      acceptedVersion: number({
        default: 1,
        description: "the version whose consequences are accepted; without it, another one is refused",
      }),
    },
    {
      default: {},
      description: (members) =>
        prose`
          Replaces the application's secret key, only if it has leaked: another one is stored and rolled out,
          all sessions end, and signed links become invalid; what is stored stays valid. ${members}
          Lowering or removing it does the same.
        `,
    },
  ),
  /** Creates a token for the application's API, in Secret Manager. The application reads it only on its first start. */
  bootstrapToken: flag({
    default: false,
    description: prose`
      Creates a token of the built-in administrator for the application's API,
      in Secret Manager and never in the state, so that another stack can configure the application.
      The application reads it on its first start only: set it in the first apply.
      Setting it later rolls out new instances but creates no token; setting it to false deletes the secret,
      not the token.
    `,
  }),
};

const KEYS = {
  /** Secret key of the application. A deployment that replaces an existing installation can keep the former key. */
  secretKey: orVersion(
    object(SECRET_REFERENCE, {
      must: IS_REFERENCE,
      first: "store the key in Secret Manager",
      description: (members) =>
        `the application's secret key, { secret_id, version }. ${members} A deployment that moves in brings its own`,
    }),
  ),
  /** First password of the built-in administrator. */
  bootstrapPassword: orVersion(
    object(SECRET_REFERENCE, {
      must: IS_REFERENCE,
      first: "store the password in Secret Manager",
      description: () => "the first password of the built-in administrator, { secret_id, version }",
    }),
  ),
};

/** Existing secrets of the application. */
export interface SecretKeys extends PropsOf<
  typeof KEYS,
  { readonly bootstrapPassword: SecretReference; readonly secretKey: SecretReference }
> {}

/** Input for existing secrets. */
export const EXISTING_SECRETS = {
  /**
   * Existing secrets, or the resources of their versions, that replace generated ones. They are never written and never
   * deleted.
   */
  existingSecrets: object(KEYS, {
    description: (members) =>
      prose`
        Existing secrets instead of generated ones; what reads them is granted access,
        and they are never written or deleted. ${members} Another secret key ends all sessions;
        setting one later needs deletion_protection = false first, and see own_parts.
      `,
    must: {
      condition: (secrets: Expr) =>
        anyOf(...["secret_key", "bootstrap_password"].map((name) => secrets.member(name).isSet())),
      must: prose`
        have at least one secret, because Terraform ignores members whose names it does not know and a new
        secret would be generated; correct the name of the member, or remove it
      `,
    },
  }),
};

/** Version numbers for the replacement of a secret key. */
export interface SecretKeyVersions extends PropsOf<(typeof SECRETS)["secretKey"]["members"]> {}

/** An existing secret in place of a generated one; its attributes may be null at plan. */
export interface ExistingSecretKey extends Existing, Partial<SecretAttributes> {}

export const SECRET_RELATIONS: readonly Relation<EnvironmentInputs & typeof SECRETS>[] = [
  {
    host: "secretKey",
    holds: ({ secretKey: { at } }) => at.version.eq(at.acceptedVersion).and(at.version.floor().eq(at.version)),
    message: ({
      secretKey: {
        at: { acceptedVersion: accepted, version },
      },
    }) =>
      prose`
        ${version.name} is ${version.shown} and ${accepted.name} is ${accepted.shown};
        they must be the same whole number, because another key ends all sessions and makes signed links invalid;
        set ${version.name} back, or accept that with ${accepted.name}
      `,
  },
  // Checked, because a token is either generated or given.
  setOnce<EnvironmentInputs & typeof SECRETS>("bootstrapToken", {
    names: [BOOTSTRAP_TOKEN.variable],
    isOff: (token) => (token as Expr as Expr<boolean>).not(),
    is: "true",
    remedy: (token) => `set ${token} to false`,
  }),
];

export interface IdpSecretsProps {
  /** Provides parts of the names; secrets can be listed by the application's name. */
  readonly context: DeploymentContext;

  /**
   * The administrator's first password, a reference to an ephemeral variable. It is stored once, and the application
   * reads it only on its first start; change the password in the application later.
   *
   * @default - 24 letters and digits
   */
  readonly bootstrapPassword?: string;

  /**
   * Raising it stores another secret key and uses that one: every session ends, and every signed link becomes invalid.
   *
   * @default 1
   */
  readonly secretKeyVersion?: number;

  /**
   * Also creates an API token, which the application reads only on its first start.
   *
   * @default false
   */
  readonly bootstrapToken?: boolean | IResolvable;

  /**
   * Shipped blueprints; `ldap` and `radius` need a secret, which is generated.
   *
   * @default - none
   */
  readonly blueprints?: readonly string[];

  /**
   * Also generates the password of the sign-in probe's user.
   *
   * @default false
   */
  readonly signInProbe?: Condition;

  /**
   * Refuses deletion of secret key and password. Losing the secret key ends every session.
   *
   * @default true
   */
  readonly deletionProtection?: boolean | IResolvable;

  /** Resources to create first, for example the gate of the Secret Manager API; none by default. */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Existing secrets to use instead; their attributes may be null at plan.
   *
   * @default - all are generated
   */
  readonly existing?:
    { readonly secretKey?: ExistingSecretKey; readonly bootstrapPassword?: ExistingSecretKey } | undefined;

  /**
   * Regions in which new secrets are stored. Existing ones stay where they are.
   *
   * @default - those of `context`
   */
  readonly secretLocations?: readonly string[];
}

const PROPS: KnownPropsOf<IdpSecretsProps> = {
  context: CONTEXT_PROP,
  blueprints: "optional",
  signInProbe: "optional",
  bootstrapPassword: "optional",
  bootstrapToken: "optional",
  deletionProtection: "optional",
  dependsOn: "optional",
  existing: "optional",
  secretKeyVersion: "optional",
  secretLocations: "optional",
};

/**
 * The application's secret key and the initial password of its administrator, each generated once, and on request a
 * token for its API.
 *
 * No value is in the Terraform state; all are only in Secret Manager. No other prop changes the secret key, because a
 * new key ends every session and every signed link. To replace a leaked key, raise its version.
 */
export class IdpSecrets extends Construct {
  /** Signs sessions and cookies; for the container's `IDP_SECRET_KEY`. */
  readonly secretKey: GeneratedSecret;

  /** For the container's `IDP_BOOTSTRAP_PASSWORD`, and for the first sign-in. */
  readonly bootstrapPassword: GeneratedSecret;

  /**
   * For the container's `IDP_BOOTSTRAP_TOKEN`, and for programs that configure the application; undefined without a
   * token.
   */
  readonly bootstrapToken: GeneratedSecret | undefined;

  /** Whether the bootstrap token exists. */
  readonly hasBootstrapToken: Condition;

  /** Password of the sign-in probe's user; undefined without a probe. */
  readonly signInProbePassword: GeneratedSecret | undefined;

  /** Token and secrets of blueprints as variables of a container; each variable may be absent at plan. */
  readonly settings: readonly SecretSettings[];

  /** Dependencies of containers that read secret key and password. */
  readonly ready: ITerraformDependable[];

  constructor(scope: Construct, id: string, props: IdpSecretsProps) {
    super(scope, id);
    stateProvidersOf(this);
    refuseWrong(this, SECRETS, props, ["bootstrapPassword"], propProblems(props, PROPS));
    const {
      deletionProtection,
      dependsOn,
      context,
      secretLocations = context.secretLocations ?? [context.region],
    } = props;
    const common = {
      deletionProtection,
      dependsOn,
      secretLocations,
      labels: context.labels,
      projectId: context.projectId,
    };

    this.secretKey = new GeneratedSecret(this, "SecretKey", {
      ...common,
      secretId: secretId(context.deployment, SECRET_KEY.suffix),
      length: SECRET_KEY.length,
      loss: "every session ends and every signed link becomes invalid",
      writeVersion: props.secretKeyVersion,
      existing: props.existing?.secretKey,
    });

    this.bootstrapPassword = new GeneratedSecret(this, "BootstrapPassword", {
      ...common,
      secretId: secretId(context.deployment, BOOTSTRAP_PASSWORD.suffix),
      length: BOOTSTRAP_PASSWORD.length,
      override: props.bootstrapPassword,
      existing: props.existing?.bootstrapPassword,
    });

    const { blueprints = [], bootstrapToken = false, signInProbe = false } = props;
    this.hasBootstrapToken = bootstrapToken;
    const isApplied = (name: string): Condition =>
      name === SIGN_IN_PROBE_BLUEPRINT ? signInProbe : exprOf<readonly string[]>(blueprints).contains(name);
    // Not protected, because their loss does no harm. They can therefore be removed while the data is protected.
    const optional = [
      { id: "BootstrapToken", condition: bootstrapToken, ...BOOTSTRAP_TOKEN },
      ...Object.entries(BLUEPRINT_SECRETS).map(([id, each]) => ({ id, condition: isApplied(each.blueprint), ...each })),
    ]
      .filter(({ condition }) => !isNever(condition))
      .map(({ condition, id, length, suffix, variable }) => {
        const name = secretId(context.deployment, suffix);
        const secretProps = { condition, deletionProtection: false, length, secretId: name };
        return { id, variable, secret: new GeneratedSecret(this, id, { ...common, ...secretProps }) };
      });
    this.bootstrapToken = optional.find(({ id }) => id === "BootstrapToken")?.secret;
    this.signInProbePassword = optional.find(({ id }) => id === "SignInProbePassword")?.secret;
    this.settings = optional.map(({ secret, variable }) => conditionalSetting(variable, secret, secret.isReadable));
    inFiles(this, {
      "blueprint-secrets": ["Secrets that shipped blueprints need", Object.keys(BLUEPRINT_SECRETS)],
    });

    this.ready = [...this.secretKey.ready, ...this.bootstrapPassword.ready];
  }
}
