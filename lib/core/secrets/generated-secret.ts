import { type SecretManagerSecret } from "@cdktf/provider-google/lib/secret-manager-secret";
import { SecretManagerSecretIamMember } from "@cdktf/provider-google/lib/secret-manager-secret-iam-member";
import { SecretManagerSecretVersion } from "@cdktf/provider-google/lib/secret-manager-secret-version";
import { Fn, type IResolvable, type ITerraformDependable, Token } from "cdktf";
import { Construct } from "constructs";

import { type Existing, existingOr, isExisting, isExistingUsed, isMade } from "../existing";
import { attributeOr } from "../expr/attributes";
import { type Condition, countIf, isAlways, namedCondition, not, partIf } from "../expr/conditions";
import { allOf, anyOf, type Expr, exprOf, hcl, namedStep, reference } from "../expr/expr";
import { explain } from "../hcl/stack-origin";
import { granteeArguments, Grants, type WorkloadIdentity } from "../identity";
import { type KnownPropsOf, refuseProps } from "../inputs/known-props";
import { RulesBrokenError } from "../inputs/rules-broken-error";
import { MAIN_CHILD_ID } from "../portable-stack";
import { prose } from "../prose";
import { stateProvidersOf } from "../provider-requirements";
import { TerraformData } from "../terraform-data";
import { EphemeralResource } from "./ephemeral-resource";
import { ExistingSecret, openVersion, type SecretAttributes } from "./existing-secret";
import { rotationOf } from "./rotation";
import { addSecret, type ReadableSecret } from "./stored-secret";

/** Name, value and rotation of a generated secret. */
export interface GeneratedSecretProps {
  /**
   * Whether the secret exists; known at plan. The secret must not be read otherwise.
   *
   * @default true
   */
  readonly condition?: Condition;

  /** Resources to create first, for example the gate of the Secret Manager API; none by default. */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * An existing secret to use instead; its attributes may be null at plan. The secret is never written and never
   * deleted. Access to it is granted if `isGranted` holds, by default always.
   *
   * @default - a secret is created
   */
  readonly existing?: (Existing & Partial<SecretAttributes> & { readonly isGranted?: Condition }) | undefined;

  /**
   * Damage by a new value, as a clause. If given, a new version is refused until it is accepted by `-replace` of the
   * record of the first version.
   *
   * @default - a new value is accepted
   */
  readonly loss?: string;

  /**
   * Refuses deletion of the secret by an apply or a destroy.
   *
   * @default true
   */
  readonly deletionProtection?: boolean | IResolvable;

  /** Labels of the secret; none by default. */
  readonly labels?: Record<string, string>;

  /** Length of the generated value, at least 8: lower-case and upper-case letters and digits, at least one of each. */
  readonly length: number;

  /**
   * A value to store instead, as a reference to an ephemeral variable; empty or null means none.
   *
   * @default - generated
   */
  readonly override?: string;

  /** Project of the secret. Changing it later replaces the secret, with a new value. */
  readonly projectId: string;

  /** Name of the secret, at most 255 letters, digits, hyphens and underscores. */
  readonly secretId: string;

  /**
   * Regions in which the value is stored; a secret that already exists is not moved.
   *
   * @default - Google's choice, which an organization may refuse
   */
  readonly secretLocations?: readonly string[];

  /**
   * Number of the value, in place of `writeVersion`; may be null at plan. Raising it by one writes a new value and
   * keeps the previous one for consumers that still read the previous one.
   *
   * @default - one value at a time
   */
  readonly rotation?: number;

  /**
   * Raising it writes a new value: the override, or a newly generated one. Nothing else writes a value.
   *
   * @default 1
   */
  readonly writeVersion?: number;
}

const PROPS: KnownPropsOf<GeneratedSecretProps> = {
  condition: "optional",
  deletionProtection: "optional",
  dependsOn: "optional",
  existing: "optional",
  labels: "optional",
  length: "required",
  loss: "optional",
  override: "optional",
  projectId: "required",
  rotation: "optional",
  secretId: "required",
  secretLocations: "optional",
  writeVersion: "optional",
};

/**
 * A secret whose value is written once, at the first apply, and appears in no state, plan or log.
 *
 * Terraform generates a candidate in every run but stores it only when the write version changes, so a second apply
 * changes nothing. Consumers read the value from Secret Manager. A former version is disabled once all consumers have
 * used its successor, and destroyed a week later; until then, `gcloud secrets versions enable` restores it.
 */
export class GeneratedSecret extends Construct implements ReadableSecret {
  readonly secretId: string;
  readonly ready: ITerraformDependable[];

  /** The secret itself, without its value; undefined if an existing one is used. */
  readonly secret: SecretManagerSecret | undefined;

  /**
   * Whether the current version can be read. A disabled version cannot be read, but must not prevent a destroy of the
   * deployment.
   */
  readonly isReadable: Condition;
  /** Number of the current version; known after the first apply. */
  readonly version: string;
  readonly revision: string;
  private readonly condition: Condition;
  private readonly projectId: string;
  private readonly own: OwnVersion | undefined;
  private readonly grants = new Grants(this);
  private readonly existing: ExistingSecret | undefined;
  private readonly isExistingUsed: Expr<boolean>;
  private readonly isOptional: boolean;
  private awaitedId: string | undefined;
  private stored: EphemeralResource | undefined;
  private storedOwn: EphemeralResource | undefined;

  constructor(scope: Construct, id: string, props: GeneratedSecretProps) {
    super(scope, id);
    stateProvidersOf(this);
    refuseProps(this, props, PROPS);
    refuseLiteral(this, props.override);
    refuseIncomplete(this, props.existing);
    const { condition = true, existing, loss } = props;
    this.condition = namedCondition(this, "IsMade", allOf(condition, isMade(existing)));
    this.isOptional = !isAlways(condition);
    this.projectId = props.projectId;
    this.own = partIf(this.condition, () => addOwnVersion(this, this.condition, props));
    this.secret = this.own?.secret;

    this.isExistingUsed = isExistingUsed(existing);
    this.existing = addExisting(scope, `Existing${id}`, props);

    // An existing version counts as enabled: its owner is responsible for it, and nothing is looked up.
    const isOwnReadable = this.own?.isReadable ?? false;
    this.isReadable = this.existing === undefined ? isOwnReadable : anyOf(this.isExistingUsed, isOwnReadable);
    const choose = (part: string, ofExisting: string | undefined, own: string | undefined) =>
      existingOr(this, part, existing, ofExisting, own ?? "");
    this.secretId = choose("Id", this.existing?.secretId, this.own?.ofSecret("secret_id"));
    this.version = choose("Number", this.existing?.version, this.own?.current("version"));
    const stored = choose("Identity", this.existing?.revision, this.ownRevision()?.text);

    const keptSecret = loss === undefined ? undefined : this.keepFirst(stored, loss, props.writeVersion);
    this.revision = keptSecret?.revision ?? stored;
    this.ready = keptSecret?.ready ?? [...(this.own?.versions ?? [])];
  }

  /** Without an existing secret, a named step instead of the local that chooses between the two secrets. */
  private ownRevision(): Expr<string> | undefined {
    if (this.own === undefined || this.existing !== undefined) return this.own?.revision;
    return namedStep(`${this.own.secret.friendlyUniqueId}_identity`, this.own.revision);
  }

  get ephemeralValue(): string {
    const ownId = this.own?.ofSecret("id") ?? "";
    const existing = exprOf(this.existing?.fullName ?? "");
    const opened = this.awaitedId === undefined ? existing : exprOf(this.awaitedId).eq("").choose("", existing);
    this.stored ??= openVersion(this, "Stored", this.isReadable, {
      secret: this.existing ? this.existingOrOwn(opened, ownId).text : ownId,
      version: this.version,
    });
    return this.stored.stringAttribute("secret_data");
  }

  valueOnceKnown(id: string): string {
    this.awaitedId ??= id;
    return this.ephemeralValue;
  }

  /** The value of the generated secret, for parts of the same deployment; empty if an existing secret is used. */
  get ownValue(): string {
    const { own } = this;
    if (this.existing === undefined || own === undefined) return this.ephemeralValue;
    const attributes = { secret: own.ofSecret("id"), version: own.current("version") };
    this.storedOwn ??= openVersion(this, "StoredOwn", own.isReadable, attributes);
    return this.storedOwn.stringAttribute("secret_data");
  }

  grantAccess(identity: WorkloadIdentity): ITerraformDependable[] {
    const ownGrants = this.grants.to(
      identity,
      (id, account) =>
        new SecretManagerSecretIamMember(this, id, {
          ...granteeArguments(account, this.condition),
          project: this.projectId,
          secretId: this.own?.ofSecret("id") ?? "",
          role: "roles/secretmanager.secretAccessor",
          // While an optional secret is being removed, its consumers read it until they are updated.
          lifecycle: this.isOptional ? { createBeforeDestroy: true } : undefined,
        }),
      this.condition,
    );
    return [...ownGrants, ...(this.existing?.grantAccess(identity) ?? [])];
  }

  /**
   * Records the first version, and refuses any other version before something uses it, until the new version is
   * accepted. A new version appears, for example, after somebody deleted the first one.
   */
  private keepFirst(stored: string, loss: string, writeVersion: number | undefined) {
    const record = new TerraformData(this, "First", {
      input: { version: stored },
      // A write version that the caller raises accepts the new version; without one, the state is unchanged.
      triggersReplace: writeVersion === undefined ? undefined : afterFirst(writeVersion),
      lifecycle: { ignoreChanges: ["input"] },
    });
    const first = reference<string>(`${record.outputExpression}.version`, { knownAt: "apply", mayBeNull: false });
    const again = prose`
      if you have a copy of the former value, delete the secret and create it again,
      so that its version ${this.version} has that value
    `;
    const remedy = this.existing ? this.isExistingUsed.choose("name the former version again", again).text : again;
    const check = new TerraformData(this, "Check", {
      lifecycle: {
        precondition: [
          {
            condition: first.eq(stored),
            errorMessage: prose`
              the secret ${this.secretId} in ${this.projectId} has another version than ${first.text};
              with another value, ${loss}, so nothing uses it yet; ${remedy}; then, or to use the other value,
              apply with -replace=terraform_data.${record.friendlyUniqueId} once.
            `,
          },
        ],
      },
    });
    // The check refers to the version, so waiting for it is enough.
    return { revision: first.text, ready: [check] };
  }

  /** The expression for the existing secret or for the generated one, whichever is used. */
  private existingOrOwn(existing: Expr<string>, own: string): Expr<string> {
    return this.own === undefined ? existing : this.isExistingUsed.choose(existing, own);
  }
}

/** Refuses a literal as override, because it would be written into the folder. */
function refuseLiteral(scope: Construct, override: string | undefined): void {
  if (override === undefined || Token.isUnresolved(override)) return;
  throw new RulesBrokenError(scope.node.path, [
    prose`
      override is given as a literal; it must be a reference, because a literal would be written into the
      synthesized folder; pass the value of an ephemeral variable
    `,
  ]);
}

/** Refuses an existing secret without one of its attributes, because an empty one would be read instead. */
function refuseIncomplete(scope: Construct, existing: GeneratedSecretProps["existing"]): void {
  if (existing === undefined || (existing.secretId !== undefined && existing.version !== undefined)) return;
  throw new RulesBrokenError(scope.node.path, [
    prose`
      existing has ${existing.secretId === undefined ? "no secretId" : "no version"}; it must have both,
      because no other secret would be made, and an empty one would be read; add it, or leave existing out
    `,
  ]);
}

/** The existing secret to use instead; undefined if the caller names none. */
function addExisting(
  scope: Construct,
  id: string,
  { condition = true, existing, projectId }: GeneratedSecretProps,
): ExistingSecret | undefined {
  const { isGranted = true, secretId, version } = existing ?? {};
  if (secretId === undefined || version === undefined) return undefined;
  const isThere = allOf(condition, isExisting(existing), isGranted);
  return new ExistingSecret(scope, id, { condition: isThere, projectId, secretId, version });
}

/** The generated secret and its versions. */
interface OwnVersion {
  readonly secret: SecretManagerSecret;
  readonly versions: readonly SecretManagerSecretVersion[];
  /** Whether the current version can be read. */
  readonly isReadable: Expr<boolean>;
  /** Distinguishes the current version from every other version. */
  readonly revision: Expr<string>;
  /** Attribute of the secret. */
  readonly ofSecret: (name: string) => string;
  /** Attribute of the current version. */
  readonly current: (name: string) => string;
}

/** @param condition condition under which the secret exists */
function addOwnVersion(scope: Construct, condition: Condition, props: GeneratedSecretProps): OwnVersion {
  const value = valueToStore(scope, props);
  const secret = addSecret(scope, MAIN_CHILD_ID, props.secretLocations, {
    count: countIf(condition),
    project: props.projectId,
    secretId: props.secretId,
    deletionProtection: props.deletionProtection ?? true,
    // A version destroyed by mistake can be enabled again for a week.
    versionDestroyTtl: "604800s",
    labels: props.labels,
    dependsOn: props.dependsOn,
  });
  const write = (id: string, version: Pick<WrittenVersion, "condition" | "isIdle" | "number">) =>
    addVersion(scope, id, { secret, value, ...version }, props);
  const turns = props.rotation === undefined ? undefined : rotationOf(props.rotation);
  const number = turns ? turns.odd.number : (props.writeVersion ?? 1);
  const written = write("Version", { condition, number, isIdle: turns?.isEven });
  const second =
    turns &&
    write("SecondVersion", {
      condition: allOf(condition, turns.hasSecond),
      number: turns.even.number,
      isIdle: not(turns.isEven),
    });
  explain(
    written,
    "Written once, when its version number is first set or raised: the value is in no state, plan or log.",
  );
  const ofCurrent = <T extends boolean | string>(name: string, fallback: T): Expr<T> => {
    const first = attributeOr(written, name, fallback);
    return turns && second ? turns.isEven.choose(attributeOr(second, name, fallback), first) : first;
  };
  // Empty if the version does not exist, because null cannot be part of a text.
  const current = (name: string) => ofCurrent(name, "").text;
  return {
    secret,
    versions: second ? [written, second] : [written],
    isReadable: ofCurrent("enabled", false),
    revision: hcl<string>`join("@", [${current("name")}, ${current("create_time")}])`,
    ofSecret: (name) => attributeOr(secret, name, "").text,
    current,
  };
}

/** The override, or a newly generated value in every run. */
function valueToStore(scope: Construct, { length, override }: GeneratedSecretProps): string {
  const candidate = new EphemeralResource(scope, "Candidate", {
    type: "random_password",
    provider: "random",
    // Letters and digits need no quoting in shells, URLs and connection strings. At least one letter, because the
    // application parses values that look like JSON and would turn digits alone into a number.
    attributes: { length, special: false, min_lower: 1, min_upper: 1, min_numeric: 1 },
  }).stringAttribute("result");
  return override === undefined ? candidate : Token.asString(Fn.coalesce([override, candidate]));
}

/** A version of the generated secret. */
interface WrittenVersion {
  readonly condition: Condition;
  readonly secret: SecretManagerSecret;
  readonly value: string;
  /** Changing the number writes the value again. */
  readonly number: number;
  /** Whether the version is not current and so may be disabled; undefined if it is always current. */
  readonly isIdle: Expr<boolean> | undefined;
}

function addVersion(
  scope: Construct,
  id: string,
  { condition, isIdle, number, secret, value }: WrittenVersion,
  { projectId, secretId }: GeneratedSecretProps,
): SecretManagerSecretVersion {
  return new SecretManagerSecretVersion(scope, id, {
    count: countIf(condition),
    // `project` is left out: `secret` holds the full id, and adding the argument would replace existing versions.
    secret: attributeOr(secret, "id", "").text,
    secretDataWo: value,
    secretDataWoVersion: number,
    lifecycle: {
      // Consumers use the old version until they are updated, so it must not be deleted first.
      createBeforeDestroy: true,
      // A version that somebody disabled stays disabled, because there was a reason, and an update would come after the
      // values are read.
      ignoreChanges: ["enabled"],
      postcondition: [
        {
          condition: isIdle === undefined ? ENABLED : ENABLED.or(isIdle),
          errorMessage: prose`
            version \${coalesce(self.version, "<number>")} of the secret ${secretId} is disabled;
            it must be enabled, because every apply and every new instance reads it;
            run gcloud secrets versions enable \${coalesce(self.version,
            "<number>")} --secret=${secretId} --project=${projectId} and apply again.
          `,
        },
      ],
    },
  });
}

/** Whether a version is enabled, for a postcondition of the version itself. */
const ENABLED = reference<boolean>("self.enabled", { knownAt: "apply", mayBeNull: false });

/** Trigger that replaces the record of the first version if the number is above 1. */
function afterFirst(version: number): Record<string, string> {
  return Token.asStringMap(exprOf(version).gt(1).choose<object, null>({ version }, null));
}
