import { SqlDatabaseInstance } from "@cdktf/provider-google/lib/sql-database-instance";
import { SqlUser } from "@cdktf/provider-google/lib/sql-user";
import { dependable, type IResolvable, type ITerraformDependable, TerraformLocal, Token } from "cdktf";
import { Construct } from "constructs";

import { CONTEXT_PROP, type DeploymentContext } from "../../core/deployment-context";
import { eitherOf, type Existing, isExisting, isMade } from "../../core/existing";
import { attributeOf } from "../../core/expr/attributes";
import { addOptionalBlock } from "../../core/expr/blocks";
import {
  allOf,
  type Condition,
  conditionFrom,
  countIf,
  isAlways,
  isNever,
  isSet,
  isUnset,
  namedCondition,
  not,
  partIf,
  present,
} from "../../core/expr/conditions";
import { type Expr, exprOf, hcl, interpolated, namedText } from "../../core/expr/expr";
import { toText } from "../../core/expr/functions";
import { namedValue, settingName } from "../../core/expr/locals";
import { explain } from "../../core/hcl/stack-origin";
import { type WorkloadIdentity } from "../../core/identity";
import { refuseWrong } from "../../core/inputs/inputs";
import { type KnownPropsOf, refuseProps } from "../../core/inputs/known-props";
import { postgresqlName, secretId, sqlInstanceName } from "../../core/names";
import { setNewerAttribute } from "../../core/newer-attribute";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { prose } from "../../core/prose";
import { stateProvidersOf } from "../../core/provider-requirements";
import { GeneratedSecret } from "../../core/secrets/generated-secret";
import { rotationOf } from "../../core/secrets/rotation";
import { TerraformData } from "../../core/terraform-data";
import {
  DATABASE_ADMINISTRATOR,
  DATABASE_ADMINISTRATOR_PASSWORD_SUFFIX,
  DATABASE_MAJOR_VERSION,
  DATABASE_PASSWORD_LENGTH,
  DATABASE_PASSWORD_SUFFIX,
} from "../../idp/contract";
import { databaseClientImage, PUBLIC_IMAGES, referenceTo } from "../../idp/images";
import { type SqlInstance } from "../../idp/parts";
import { addDeniedPeriod, databaseWindow, type Maintenance } from "../maintenance";
import { NETWORK_PROP, type NetworkAttachment } from "../network/network-attachment";
import { backupConfiguration, type BackupProps, backupsAfterDeletion, USUAL_BACKUPS } from "./database-backups";
import { addFlags, type DatabaseFlags, flagBlocks } from "./database-flags";
import { refuseSkippedVersion } from "./database-passwords";
import { DEFAULT_DATABASE_TIER, editionOf, maxConnections } from "./database-size";
import {
  administratorOf,
  attributesOfExisting,
  CLIENT_ROLE,
  connectionTo,
  type DatabaseAttributes,
  type DatabaseValues,
  EXISTING_DATABASE,
  existingDatabase,
  type ExistingDatabaseProps,
  ONLY_EXISTING_INSTANCE,
  type ReadAttributes,
} from "./existing-database";

/** Location, size and backups of the database. */
export interface PostgresqlDatabaseProps extends Maintenance {
  /** Determines the names and the region of the data. Changing the region later replaces the database. */
  readonly context: DeploymentContext;

  /**
   * `ZONAL`, or `REGIONAL` with a standby in another zone at about twice the price. Changing it later restarts the
   * database.
   *
   * @default "ZONAL"
   */
  readonly availability?: "ZONAL" | "REGIONAL" | (string & {});

  /**
   * Limits the right to connect to this database, by an IAM condition; false grants it on all databases of the project.
   *
   * @default true
   */
  readonly conditionalAccess?: boolean | IResolvable;

  /**
   * Refuses deletion of the database, through Terraform or otherwise, and of its secrets.
   *
   * @default true
   */
  readonly deletionProtection?: boolean | IResolvable;

  /**
   * Dependencies: `apis.ready("sqladmin", "compute", "secretmanager")`.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Existing database to use instead, on an instance that is managed elsewhere; its attributes may be null at plan.
   *
   * @default - one is created
   */
  readonly existing?: ExistingDatabaseProps | undefined;

  /**
   * Size up to which the disk grows by itself, in GB.
   *
   * @default - no limit
   */
  readonly diskLimitGb?: number;

  /**
   * Cloud SQL's own backups, every night, and their retention.
   *
   * @default - seven backups and seven days of logs, and a final backup for 30 days
   */
  readonly backups?: BackupProps;

  /**
   * Flags of the server, by name; they override the library's own. Some restart the database when they change.
   *
   * @default - `max_connections` by the tier, logging, and `jit` off
   */
  readonly flags?: DatabaseFlags;

  /**
   * Prefix from which the images of clients and proxy are pulled, instead of their public registries.
   *
   * @default - the public registries
   */
  readonly imageMirror?: string;

  /**
   * Existing network on which the database gets a private address, and no public one. It cannot be removed later.
   *
   * @default - a public address that only authorized, mutually authenticated proxy connections can use
   */
  readonly network?: NetworkAttachment;

  /**
   * Full name of a backup plan that others attached to the instance; may be null at plan. The plan then controls
   * backups and logs.
   *
   * @default - Cloud SQL makes backups every night, and keeps logs
   */
  readonly existingBackupPlan?: string | undefined;

  /**
   * Number of the application's password. Raising it by one replaces the password while instances run, with `DbInit`:
   * another login gets the next password, and `DbInit.retire` disables the former login. The number may be null at
   * plan, which means one login.
   *
   * @default - one login, with one password
   */
  readonly passwordVersion?: number;

  /**
   * Keeps a record even while there is no number, so that a plan refuses a first number above 2.
   *
   * @default false
   */
  readonly recordsPasswordVersion?: boolean;

  /**
   * Raising it by one replaces the administrator's password.
   *
   * @default 1
   */
  readonly administratorPasswordVersion?: number;

  /**
   * Stops the instance after an instance in another region has taken over, so that nothing can connect to it.
   *
   * @default false
   */
  readonly stopped?: boolean | IResolvable;

  /**
   * Size, `db-custom-<CPUs>-<memory in MB>`, or of Enterprise Plus, `db-perf-optimized-N-<CPUs>`. It limits the
   * connections. Changing it later restarts the database.
   *
   * @default "db-custom-1-3840"
   */
  readonly tier?: string;

  /**
   * Major version of PostgreSQL: 15, 16 or 17. Raising it upgrades the instance in place; it cannot be lowered.
   *
   * @default 15
   */
  readonly version?: number;
}

const PROPS: KnownPropsOf<PostgresqlDatabaseProps> = {
  context: CONTEXT_PROP,
  administratorPasswordVersion: "optional",
  availability: "optional",
  backups: "optional",
  conditionalAccess: "optional",
  deletionProtection: "optional",
  denyMaintenancePeriod: "optional",
  dependsOn: "optional",
  diskLimitGb: "optional",
  existing: "optional",
  existingBackupPlan: "optional",
  flags: "optional",
  imageMirror: "optional",
  maintenanceWindow: "optional",
  network: NETWORK_PROP,
  passwordVersion: "optional",
  recordsPasswordVersion: "optional",
  stopped: "optional",
  tier: "optional",
  version: "optional",
};

/**
 * A Cloud SQL instance of PostgreSQL with backups that outlive it, point-in-time recovery and automatic storage
 * growth, and its two passwords.
 *
 * Every connection goes through the Cloud SQL proxy, which authenticates the client and encrypts the traffic. `DbInit`,
 * not Terraform, creates the application's role and database, so destroying the instance needs no order among them.
 * Instance and passwords are billed from creation on, even while unused.
 */
export class PostgresqlDatabase extends Construct implements SqlInstance {
  readonly instanceName: string;
  readonly clientImage: string;
  readonly proxyImage: string;
  readonly connectionName: string;
  readonly projectId: string;
  readonly instanceOwner: string | undefined;
  readonly databaseName: string;
  readonly userName: string;
  readonly ownerName: string;
  readonly otherLogin: SqlInstance["otherLogin"];
  readonly administratorName: string;

  /** Connections that the server accepts. */
  readonly connectionLimit: string;
  readonly password: GeneratedSecret;

  /** Password of the `postgres` login. */
  readonly administratorPassword: GeneratedSecret;
  readonly hasPrivateAddress: Condition;

  /** Backups that remain after a deletion, and their retention. */
  readonly backupsAfterDestroy: string;
  readonly ready: ITerraformDependable[];

  /** The instance itself, for overrides; undefined if an existing one is used. */
  readonly instance: SqlDatabaseInstance | undefined;

  /** The `postgres` login of that instance, for overrides. */
  readonly administrator: SqlUser | undefined;

  /**
   * A database on an instance that is managed elsewhere; nothing but grants is created.
   *
   * @param hasPrivateAddress whether it is reached by its private address
   */
  static fromAttributes(
    scope: Construct,
    id: string,
    { hasPrivateAddress = false, ...attributes }: DatabaseAttributes & { readonly hasPrivateAddress?: boolean },
  ): SqlInstance {
    const given = { existingDatabase: attributes };
    const values = refuseWrong(scope, EXISTING_DATABASE, given, ["existingDatabase"]);
    return existingDatabase(scope, id, values.existingDatabase as DatabaseValues, hasPrivateAddress);
  }

  /** Whether the instance is created here. */
  private readonly isMade: Condition;

  /** Attributes of the existing database; undefined if there is none. */
  private readonly existingAttributes: Partial<ReadAttributes> | undefined;

  constructor(
    scope: Construct,
    id: string,
    /** Props as given, for the standby database. @internal */
    readonly props: PostgresqlDatabaseProps,
  ) {
    super(scope, id);
    stateProvidersOf(this);
    refuseProps(this, props, PROPS);

    const { context, existing, imageMirror, passwordVersion, version = DATABASE_MAJOR_VERSION } = props;
    this.existingAttributes = existing && attributesOfExisting(this, existing);
    this.isMade = namedCondition(this, "IsMade", isMade(existing));
    this.password = this.addPassword();
    this.administratorPassword = this.addAdministratorPassword();

    this.clientImage = namedValue(this, "ClientImage", databaseClientImage(version, imageMirror));
    this.proxyImage = namedText("database_proxy_image", referenceTo(PUBLIC_IMAGES.databaseProxy, imageMirror));
    this.connectionLimit = maxConnections(exprOf(props.tier ?? DEFAULT_DATABASE_TIER)).text;
    this.hasPrivateAddress = isSet(props.network?.network);
    const backups = backupsOf(props);
    this.instance = partIf(this.isMade, () => this.addInstance(backups));
    this.administrator = partIf(this.isMade, () => this.addAdministrator());
    this.ready = present<ITerraformDependable>(this.instance, this.administrator);

    const name = new TerraformLocal(this, "Name", postgresqlName(context.deployment)).asString;
    const logins = passwordVersion === undefined ? undefined : loginsOf(name, passwordVersion);
    const used = eitherOf<ReadAttributes>(this, existing, this.existingAttributes, {
      administratorName: DATABASE_ADMINISTRATOR,
      backupsAfterDestroy: new TerraformLocal(this, "OwnBackupsAfterDestroy", backups.remains).asString,
      connectionName: attributeOf(this.instance, "connection_name").text,
      databaseName: name,
      instanceName: attributeOf(this.instance, "name").text,
      instanceOwner: "deployment",
      otherLogin: logins?.other.name ?? "",
      ownerName: name,
      projectId: context.projectId,
      userName: logins?.current ?? name,
    });
    this.administratorName = used.administratorName;
    this.backupsAfterDestroy = used.backupsAfterDestroy;
    this.connectionName = used.connectionName;
    this.databaseName = used.databaseName;
    this.instanceName = used.instanceName;
    this.instanceOwner = existing && used.instanceOwner;
    this.ownerName = used.ownerName;
    this.projectId = used.projectId;
    this.userName = used.userName;
    this.otherLogin = logins && { ...logins.other, name: used.otherLogin };
  }

  /** Allows an identity to connect through the proxy. The role can be granted only on a project, with a condition. */
  grantConnect(identity: WorkloadIdentity): ITerraformDependable[] {
    const { conditionalAccess = true, existing, context } = this.props;
    const name = sqlInstanceName(context.deployment);
    const own = connectionTo(context.projectId, name, conditionalAccess, "only_own_instance");
    const condition = allOf(this.isMade, not(this.props.stopped ?? false));
    const grants = identity.grantOnProject("ConnectsToDatabase", CLIENT_ROLE, { ...own, condition });
    const { instanceName, projectId } = this.existingAttributes ?? {};
    if (instanceName === undefined || projectId === undefined) return grants;
    const foreign = connectionTo(projectId, instanceName, conditionalAccess, ONLY_EXISTING_INSTANCE);
    const limits = { condition: isExisting(existing), isForExisting: true };
    const others = identity.grantOnProject("ConnectsToExistingDatabase", CLIENT_ROLE, { ...foreign, ...limits });
    return [...grants, ...others];
  }

  /** The password of the application's login, or of the two alternating logins. */
  private addPassword(): GeneratedSecret {
    const { context, dependsOn = [], existing, passwordVersion, recordsPasswordVersion = false } = this.props;
    const isRecorded = passwordVersion !== undefined || recordsPasswordVersion;
    const versionChecks = isRecorded ? [refuseSkippedVersion(this, passwordVersion)] : [];
    return new GeneratedSecret(this, "Password", {
      ...this.commonSecretProps(),
      secretId: secretId(context.deployment, DATABASE_PASSWORD_SUFFIX),
      rotation: passwordVersion,
      existing: existing && { ...existing.passwordSecret, ...existenceOf(existing) },
      // The secret depends on the record, so a refused destroy leaves the record too.
      dependsOn: [...dependsOn, ...versionChecks],
    });
  }

  private addAdministratorPassword(): GeneratedSecret {
    const { administratorPasswordVersion, context, dependsOn, existing } = this.props;
    return new GeneratedSecret(this, "AdministratorPassword", {
      ...this.commonSecretProps(),
      secretId: secretId(context.deployment, DATABASE_ADMINISTRATOR_PASSWORD_SUFFIX),
      writeVersion: administratorPasswordVersion,
      existing: existing && { ...administratorOf(existing), ...existenceOf(existing) },
      dependsOn,
    });
  }

  private commonSecretProps() {
    const { context, deletionProtection = true } = this.props;
    const { labels, projectId, region, secretLocations = [region] } = context;
    return { length: DATABASE_PASSWORD_LENGTH, deletionProtection, labels, projectId, secretLocations };
  }

  private addInstance(backups: ReturnType<typeof backupsOf>): SqlDatabaseInstance {
    const { context, deletionProtection = true, dependsOn = [], network, stopped = false } = this.props;
    const hasOwnBackups = exprOf<string | null>(this.props.existingBackupPlan ?? null).isNull();
    const activation = conditionFrom(stopped).choose<string | null>("NEVER", null);
    const instance = new SqlDatabaseInstance(this, MAIN_CHILD_ID, {
      count: countIf(this.isMade),
      project: context.projectId,
      name: sqlInstanceName(context.deployment),
      region: context.region,
      databaseVersion: databaseVersionOf(this.props),
      deletionProtection,
      settings: {
        ...serverSettings(this.props, this.connectionLimit),
        availabilityType: this.props.availability ?? "ZONAL",
        activationPolicy: isNever(stopped) ? undefined : activation.text,
        retainBackupsOnDelete: Token.asAny(backups.isKept),
        maintenanceWindow: databaseWindow(this.props),
      },
      lifecycle: {
        // Ignored, because the provider would change the login without a password if the state contains these
        // arguments.
        ignoreChanges: ["root_password_wo", "root_password_wo_version"],
        postcondition: [
          ...this.refusalOfAttachedPlan(hasOwnBackups),
          ...keptByOverrides(conditionFrom(deletionProtection), hasOwnBackups),
        ],
      },
      // If another deployment has the names, the apply fails at the secret, before anything is billed.
      dependsOn: [...this.administratorPassword.ready, ...(network?.dependsOn ?? []), ...dependsOn],
    });
    addFlags(instance, this.connectionLimit, this.props.flags);
    // Left out instead of switched off, so that the provider keeps the settings of the backup plan. Cloud SQL refuses
    // every change of these.
    addOptionalBlock(instance, "settings", "backup_configuration", {
      when: hasOwnBackups,
      content: backupConfiguration(this.props.backups),
    });
    setNewerAttribute(instance, "settings.final_backup_config.enabled", backups.isKept);
    setNewerAttribute(instance, "settings.final_backup_config.retention_days", backups.retentionDays);
    addDeniedPeriod(instance, this.props);
    return instance;
  }

  /**
   * Refuses a backup plan that was attached elsewhere; without this check, an update would fail later with Cloud SQL's
   * own error.
   */
  private refusalOfAttachedPlan(hasOwnBackups: Expr<boolean>) {
    if (isNever(hasOwnBackups)) return [];
    const { context, existingBackupPlan } = this.props;
    const input = settingName(this, existingBackupPlan, "existingBackupPlan");
    const isAttached = hcl<boolean>`contains(self.settings[0].backup_configuration[*].backup_tier, "ENHANCED")`;
    return [
      {
        condition: hasOwnBackups.not().or(isAttached.not()).text,
        errorMessage: prose`
          a backup plan of Backup and DR is attached to ${sqlInstanceName(context.deployment)} and ${input} is not
          given; it must be, because Cloud SQL refuses every update of such an instance that tells its backups;
          set ${input} to the plan: guides/backups-that-stay.md#a-backup-plan-of-your-organization.
        `,
      },
    ];
  }

  private addAdministrator(): SqlUser {
    const count = countIf(this.isMade);
    const sent = new TerraformData(this, "AdministratorVersion", {
      // Also replaced with the instance, because a recreated instance of the same name has no password.
      triggersReplace: {
        instance: attributeOf(this.instance, "connection_name").text,
        password_version: this.administratorPassword.revision,
      },
      count,
    });
    explain(
      sent,
      prose`
        The provider would record a refused update of a password as done.
        So another password replaces this record, and with it the login; creating that again sets its password,
        also after a failure.
      `,
    );
    return new SqlUser(this, "Administrator", {
      count,
      project: this.props.context.projectId,
      instance: attributeOf(this.instance, "name").text,
      name: DATABASE_ADMINISTRATOR,
      passwordWo: this.administratorPassword.ownValue,
      passwordWoVersion: 1,
      deletionPolicy: "ABANDON",
      dependsOn: [sent],
      lifecycle: { replaceTriggeredBy: [dependable(sent)] },
    });
  }
}

/** Version of the server, as Cloud SQL names it. */
export function databaseVersionOf({ version = DATABASE_MAJOR_VERSION }: PostgresqlDatabaseProps): string {
  return `POSTGRES_${exprOf(version).text}`;
}

/** Settings that also apply to a replica of the instance. */
export function serverSettings(props: PostgresqlDatabaseProps, connectionLimit: string) {
  const { context, deletionProtection = true, diskLimitGb, flags, network, tier = DEFAULT_DATABASE_TIER } = props;
  return {
    edition: editionOf(exprOf(tier)).text,
    tier,
    diskType: "PD_SSD",
    // No disk size, because an apply would try to shrink a disk that has grown, and would replace the instance.
    diskAutoresize: true,
    diskAutoresizeLimit: diskLimitGb,
    deletionProtectionEnabled: deletionProtection,
    connectorEnforcement: "REQUIRED",
    userLabels: context.labels,
    databaseFlags: flagBlocks(connectionLimit, flags),
    // Only the proxy can connect; with an existing network, through a private address on it and no public one.
    ipConfiguration: {
      ipv4Enabled: isUnset(network?.network).flag,
      privateNetwork: network?.network,
      sslMode: "ENCRYPTED_ONLY",
      // Cloud Run's built-in connection trusts the instance's own certificate authority.
      serverCaMode: "GOOGLE_MANAGED_INTERNAL_CA",
    },
    insightsConfig: { queryInsightsEnabled: true },
  };
}

/** Two alternating logins: the owner, and a second login that acts as the owner. */
function loginsOf(owner: string, version: number) {
  const { isEven } = rotationOf(version);
  const second = interpolated`${owner}_b`;
  const given = exprOf(version);
  return {
    current: isEven.choose(second, owner).text,
    other: {
      name: given.isNull().choose("", isEven.choose(owner, second)).text,
      passwordVersion: given.isNull().choose("", toText(given)).text,
      condition: given.isSet(),
    },
  };
}

/** Backups that remain after a deletion of the instance. */
function backupsOf({ backups = {}, context, existingBackupPlan }: PostgresqlDatabaseProps) {
  const { finalDays = USUAL_BACKUPS.finalDays, retentionCount = USUAL_BACKUPS.retentionCount } = backups;
  return backupsAfterDeletion(
    sqlInstanceName(context.deployment),
    finalDays,
    retentionCount,
    exprOf<string | null>(existingBackupPlan ?? null),
  );
}

/** An existing secret is used exactly if its database is. */
const existenceOf = ({ enabled = true, own }: Existing): Existing => ({ enabled, ...(own !== undefined && { own }) });

/**
 * Postconditions for settings that an override file in the folder could remove unnoticed: a nested block in an override
 * replaces the whole original block, but not these conditions. One condition for each setting, because Terraform knows
 * some of the attributes only after the plan.
 */
function keptByOverrides(isWanted: Expr<boolean>, hasOwnBackups: Expr<boolean>) {
  // Point-in-time recovery requires backups, so this condition covers both.
  const keepsLogs = hcl`self.settings[0].backup_configuration[*].point_in_time_recovery_enabled`;
  const keepsBackups = hcl<boolean>`contains(${keepsLogs}, true)`;
  const isProtected = hcl<boolean>`coalesce(self.settings[0].deletion_protection_enabled, false)`;
  const isEncrypted = hcl<string>`self.settings[0].ip_configuration[0].ssl_mode`.eq("ENCRYPTED_ONLY");
  const isProxied = hcl<string>`self.settings[0].connector_enforcement`.eq("REQUIRED");
  const kept: readonly { readonly what: string; readonly holds: Expr<boolean>; readonly hint?: string }[] = [
    { what: "deletion protection", holds: isWanted.not().or(isProtected) },
    {
      what: "backups or point-in-time recovery",
      holds: hasOwnBackups.not().or(keepsBackups),
      hint: "If your organization has attached a backup plan: guides/backups-that-stay.md.",
    },
    { what: "the flags of the server", holds: hcl<readonly unknown[]>`self.settings[0].database_flags`.length().gt(0) },
    { what: "TLS or the proxy", holds: isEncrypted.and(isProxied).tryOr(false) },
  ];
  return kept
    .filter(({ holds }) => !isAlways(holds))
    .map(({ hint, holds, what }) => ({
      condition: holds.text,
      errorMessage: [
        `The database is without ${what} after an override; it must keep that, because its data would be`,
        "lost or exposed, and Terraform replaces a nested block as a whole; repeat the whole block",
        "settings in it, and change there what you want to change.",
        ...present(hint),
      ].join(" "),
    }));
}
