import { type IResolvable, type ITerraformDependable, Token } from "cdktf";
import { Construct } from "constructs";

import { addApis, type VariantApis } from "./apis";
import { type CommonInputs, type ProgramProps, type VariantProps } from "./common-inputs";
import { guardDestroy } from "./core/deletion-guard";
import { type DeploymentContext, deploymentContext } from "./core/deployment-context";
import {
  checkDeployment,
  comparable,
  type DeploymentFact,
  deploymentFact,
  guardDeployment,
} from "./core/deployment-guard";
import { type Existing, isExistingUsed } from "./core/existing";
import {
  type Condition,
  isAlways,
  isNever,
  isUnset,
  not,
  partIf,
  present,
  stateCondition,
} from "./core/expr/conditions";
import { allOf, anyOf, type Expr, exprOf, hcl, interpolated } from "./core/expr/expr";
import { compact, concat, values as valuesOfMap } from "./core/expr/functions";
import { named } from "./core/expr/locals";
import { inFiles } from "./core/hcl/stack-origin";
import { inputChecksOf, valuesFrom } from "./core/inputs/inputs";
import { memberPaths, unknownNames } from "./core/inputs/known-props";
import { type Problem } from "./core/inputs/problem";
import { type Relation } from "./core/inputs/relations";
import { withAttributes } from "./core/inputs/resource-props";
import { type Input, type PropsOf, type Table } from "./core/inputs/rows";
import { type SettingsOf, settingsOf, type Value, valueAt, type ValuesOf } from "./core/inputs/value";
import { type WarningItems, type WarningRelation, warnUnless } from "./core/inputs/warnings";
import { serviceAccountId } from "./core/names";
import { type ProjectApis } from "./core/project-apis";
import { prose } from "./core/prose";
import { stateProvidersOf } from "./core/provider-requirements";
import { refuseSameDeployment } from "./core/unique-deployments";
import { existingFacts } from "./existing-parts";
import { FOLDER_FILES } from "./folder-files";
import { Blueprints, SIGN_IN_PROBE_BLUEPRINT } from "./idp/blueprints";
import { addReceiverConditions, CheckUp, judgesDrills, type ReceiverConditions } from "./idp/check-up";
import { isPooled } from "./idp/connection-pool";
import { type ContainerSpec } from "./idp/container-spec";
import { type DbInit } from "./idp/db-init";
import { DumpsElsewhere, LockedDumps } from "./idp/dump-copies";
import { DatabaseDump, hasDumpBucket, isDumped } from "./idp/dumps";
import { commonVariables } from "./idp/environment";
import { EventRetention } from "./idp/event-retention";
import { ExistingSecrets } from "./idp/existing-secrets";
import { containerOf } from "./idp/identity-provider-container";
import { IdpImage } from "./idp/idp-image";
import { IdpSecrets } from "./idp/idp-secrets";
import { type ManualJobRunner, type ScheduledJobRunner } from "./idp/job-runner";
import { mailPassword } from "./idp/mail";
import { MediaBucket } from "./idp/media-bucket";
import { RecoveryAccess } from "./idp/recovery-access";
import { type RecoverableDeployment } from "./idp/recovery-scripts";
import { joinedSettings } from "./idp/secret-settings";
import { SignInProbe } from "./idp/sign-in-probe";
import { UpgradeBackup } from "./idp/upgrade-backup";
import { workerCount } from "./idp/worker";
import { DomainSetup, type DomainSetupAddress } from "./platform/domain/domain-setup";
import { listGrants } from "./platform/identity/listed-grants";
import {
  type AccountEmails,
  type ExistingAccount,
  existingAccount,
  ServiceIdentity,
} from "./platform/identity/service-identity";
import { addLandingZone, keyFacts } from "./platform/landing-zone";
import { type NamedSetting, namesInLogs } from "./platform/monitoring/alert";
import { type ClusterInLogs } from "./platform/monitoring/audit-filter";
import { AuditLog } from "./platform/monitoring/audit-log";
import {
  Monitoring,
  type MonitoringProps,
  type WatchedAddress,
  type WatchedReplica,
} from "./platform/monitoring/monitoring";
import { objectivesOf } from "./platform/monitoring/service-levels";
import { type ExistingNetwork, networkProblems, warnOfNetwork } from "./platform/network/network-attachment";
import { type SeparateWorker } from "./platform/parts";
import { BUILDER_PURPOSE, ImageRegistry } from "./platform/registry/image-registry";
import { databaseWarning } from "./platform/sql/database-flags";
import { PostgresqlDatabase } from "./platform/sql/postgresql-database";
import { type Standby } from "./platform/standby";

/** A server that answers, for the jobs that look after it. */
interface RunningServer {
  readonly container: ContainerSpec;
  readonly url: string;
  /** Dependencies that wait for the server. */
  readonly serverReady: ITerraformDependable[];
  /** Dependencies that wait for what serves the server's address. */
  readonly addressReady: ITerraformDependable[];
}

/** Jobs that look after a running deployment; undefined if the deployment does not have them. */
interface Operations {
  readonly dump: DatabaseDump | undefined;
  readonly checkUp: CheckUp | undefined;
  readonly eventRetention: EventRetention | undefined;
  readonly signInProbe: SignInProbe | undefined;
  readonly recoveryAccess: RecoveryAccess | undefined;
}

/** Facts of a platform for monitoring. */
export interface MonitoredPlatform extends Pick<MonitoringProps, "namespace" | "platform"> {
  readonly address: Pick<WatchedAddress, "domain" | "isPublic" | "url" | "urlMap">;
  readonly standby?: WatchedReplica;
}

/** Facts of a platform for the audit log. */
interface AuditedPlatform extends Pick<MonitoringProps, "namespace" | "platform"> {
  readonly cluster?: ClusterInLogs;
  /** Purposes of the service accounts that only this platform has. */
  readonly purposes: readonly string[];
}

type EmailsByName = Expr<Readonly<Record<string, string>>>;

/** Names and descriptions of the service accounts, and the members of `existingServiceAccounts` that replace them. */
const ACCOUNTS = {
  Initializer: ["idp-init", "Runs the database initialization of the identity provider", "job"],
  Runtime: ["idp-run", "Runs the identity provider", "service"],
  Dumper: ["idp-dump", "Dumps the database of the identity provider", "dump"],
  Checker: ["idp-check", "Asks the database of the identity provider what stands still", "checkUp"],
  Prober: ["idp-probe", "Tries a sign-in at the identity provider", "signInProbe"],
  Recoverer: ["idp-recover", "Makes a link for an administrator who is locked out", "recovery"],
} as const;

/** Parts of a variant in addition to the shared parts. */
interface Variant<T extends Table> {
  readonly inputs: T;
  readonly relations: readonly Relation<T>[];
  readonly warnings: readonly (WarningRelation<T> | WarningItems<T>)[];
  /** Further inputs that identify a deployment, so that a protected one refuses to change them. */
  readonly deploymentFacts: readonly (keyof T & string)[];
  readonly apis: VariantApis;
  /** Adds a second region that can take over; undefined for a platform without such regions. */
  readonly standbyOf?: (scope: Construct, values: ValuesOf<T>) => Standby | undefined;
}

/** A variant for the shared parts, which know only the inputs of both variants. */
export function variantOf<T extends CommonInputs>(variant: Variant<T>): Variant<CommonInputs> {
  // Relations of a variant also read its own inputs, which are among the values at run time.
  return variant as unknown as Variant<CommonInputs>;
}

/**
 * An identity provider on either platform: its inputs, and the parts that both platforms share. The variants create the
 * other parts, each after those that it uses; `dependsOn` orders them at apply.
 */
export abstract class IdentityProvider extends Construct {
  /** Project, region and naming of the deployment. */
  readonly context: DeploymentContext;

  /** APIs of the project, with a gate for each: `apis.ready("run")`. */
  readonly apis: ProjectApis;

  /** Secret key and bootstrap password. */
  readonly secrets: IdpSecrets;

  /** Repository of the image; undefined if an existing image runs. */
  readonly registry: ImageRegistry | undefined;

  /** Image that runs, built or existing. */
  readonly image: IdpImage;

  /** Bucket of the uploads. */
  readonly media: MediaBucket;

  /** Cloud SQL instance with the database of the application. */
  readonly database: PostgresqlDatabase;

  /** The backup before each rollout of another release. */
  readonly upgradeBackup: UpgradeBackup;

  /** Existing secrets with settings of the application; undefined if there are none. */
  readonly existingSecrets: ExistingSecrets | undefined;

  /** Service account of the initialization job. */
  readonly initializer: ServiceIdentity;

  /** Service account of the server. */
  readonly runtime: ServiceIdentity;

  /** Service account of the dump, the only one that can add files to its bucket; undefined without a schedule. */
  readonly dumper: ServiceIdentity | undefined;

  /** Service account of the check-up, which may only read the database; undefined without a check-up. */
  readonly checker: ServiceIdentity | undefined;

  /**
   * Service account of the sign-in probe, which may only read the probe's password and script; undefined without a
   * probe.
   */
  readonly prober: ServiceIdentity | undefined;

  /**
   * Service account of the recovery job, which reads the server's secrets and writes the link; undefined without a
   * recovery job.
   */
  readonly recoverer: ServiceIdentity | undefined;

  /** The job that prepares the database. */
  abstract readonly initialization: DbInit;

  /** Settings of the restore scripts, in the form `NAME=value`. */
  abstract readonly restoreSettings: string;

  /** Command that sends a test mail; undefined, or null at plan, without a mail server. */
  abstract readonly testMailCommand: string | undefined;

  /** URL of the application. */
  abstract readonly url: string;

  /** IP address of the load balancer; null at plan without a load balancer. */
  abstract readonly loadBalancerAddress: string;

  /**
   * Records of the domain, and steps until it works, as expressions of lists; undefined if synthesis knows that there
   * is no domain.
   */
  abstract readonly dns: Readonly<Record<"nextSteps" | "records", string | undefined>>;

  /** Certificate, records and security policy of the domain; undefined if synthesis knows that there is no domain. */
  abstract readonly domainSetup: DomainSetup | undefined;

  /** Uptime check, dashboard and alerts. */
  abstract readonly monitoring: Monitoring;

  /** The audit log; undefined without one. */
  abstract readonly auditLog: AuditLog | undefined;

  /** The check-up of the application's database; undefined if there are no receivers of alerts. */
  abstract readonly checkUp: CheckUp | undefined;

  /** The sign-in probe; undefined without one. */
  abstract readonly signInProbe: SignInProbe | undefined;

  /** Job that sets the retention of events in the application's database; undefined without an audit log. */
  abstract readonly eventRetention: EventRetention | undefined;

  /** Recovery job for a locked-out administrator; undefined without such a job. */
  abstract readonly recoveryAccess: RecoveryAccess | undefined;

  /** Dumps of the database; undefined without a schedule and without kept dumps. */
  abstract readonly dump: DatabaseDump | undefined;

  /** Commands for grants that others must make, as an expression of a list. */
  abstract readonly grantCommands: string;

  /** Separate workers; undefined in the other modes. */
  abstract readonly worker: SeparateWorker | undefined;

  /** Values of the inputs. @internal */
  protected readonly values: ValuesOf<CommonInputs>;

  /** Values of the inputs as props of parts: undefined for null. @internal */
  protected readonly settings: SettingsOf<CommonInputs>;
  protected readonly network: ExistingNetwork | undefined;
  /** Whether parts with data are protected from deletion. */
  protected readonly deletionProtection: boolean | IResolvable;
  /** A second region that can take over; undefined if there is none. @internal */
  protected readonly standby: Standby | undefined;
  private readonly secondRegion: string | undefined;
  private readonly receiverConditions: ReceiverConditions;
  private readonly deploymentFacts: readonly DeploymentFact[];

  /** @internal */
  constructor(scope: Construct, id: string, props: VariantProps<CommonInputs>, variant: Variant<CommonInputs>) {
    super(scope, id);
    stateProvidersOf(this);
    const { blueprintFiles, network: asked } = (props as ProgramProps | undefined) ?? {};
    const network = withAttributes(variant.inputs, asked) as ExistingNetwork | undefined;
    const given = { ...props, network: network?.network, subnetwork: network?.subnetwork };
    const others = otherProblems({ ...props, network }, variant.inputs);
    this.values = valuesFrom(
      this,
      variant.inputs,
      given as unknown as PropsOf<CommonInputs>,
      variant.relations,
      others,
    );
    this.network = network;
    const { values } = this;
    const settings = settingsOf<CommonInputs>(values);
    this.settings = settings;
    this.deletionProtection = values.deletionProtection.flag;
    this.standby = variant.standbyOf?.(this, values);
    refuseSameDeployment(this, this.settings);
    this.context = deploymentContext(this, {
      applicationName: values.applicationName.text,
      labels: values.labels.map,
      projectId: values.projectId.text,
      region: values.region.text,
      secretLocations: this.secretLocations(),
      tenantId: values.tenantId.text,
    });
    if (network !== undefined) warnOfNetwork(this, network, this.context.region);
    this.deploymentFacts = this.comparableFacts(variant.deploymentFacts);
    warnUnless(this, "InputsHaveEffect", variant.warnings, values);

    this.receiverConditions = addReceiverConditions(this, values);
    const { isCheckedUp } = this.receiverConditions;
    this.apis = addApis(this, variant.apis, { network, context: this.context, isCheckedUp, settings, values });
    this.secrets = this.addSecrets();
    this.registry = this.addRegistry();
    this.image = this.addImage(this.addBlueprints(props, blueprintFiles));
    this.secondRegion = this.regionOfBuckets();
    this.media = this.addMediaBucket();
    this.database = this.addDatabase();
    this.upgradeBackup = this.addUpgradeBackup();
    this.initializer = this.addAccount("Initializer");
    this.existingSecrets = this.addExistingSecrets();
    this.runtime = this.addAccount("Runtime");
    this.dumper = this.addAccountIf(isDumped(values), "Dumper");
    this.checker = this.addAccountIf(this.receiverConditions.isCheckedUp, "Checker");
    this.prober = this.addAccountIf(values.signInProbe.isSet(), "Prober");
    this.recoverer = this.addAccountIf(values.recoveryAccess.isSet(), "Recoverer");
  }

  /** Runner of scheduled jobs that run as the identity. @internal */
  protected abstract scheduledJobs(identity: ServiceIdentity): ScheduledJobRunner;

  /** Runner of manual jobs that run as the identity. @internal */
  protected abstract manualJobs(identity: ServiceIdentity): ManualJobRunner;

  /** The facts that identify the deployment, as far as a plan can compare them. @param others inputs of the variant */
  private comparableFacts(others: readonly string[]): DeploymentFact[] {
    const values = this.values as Readonly<Record<string, Value>>;
    const named = ["projectId", "region", "tenantId", "applicationName", ...others].map((prop) => {
      const input = values[prop] as Value<Input<string>>;
      return { prop, value: deploymentFact(input, input.setting as string | undefined) };
    });
    return comparable(this, [...named, ...existingFacts(this.values), ...keyFacts(this.values)]);
  }

  /** Props of an existing part, with the input `own_parts`. */
  protected partOf<T extends Existing>(given: T | undefined): (Existing & T) | undefined {
    return given && { ...given, own: this.settings.ownParts };
  }

  /** One of the existing accounts. */
  protected accountOf(name: keyof AccountEmails): ExistingAccount | undefined {
    return existingAccount(this.settings.existingServiceAccounts, name, this.settings.ownParts);
  }

  /** Shipped blueprints to apply: the chosen ones, and the one of the sign-in probe. */
  private get shippedBlueprints(): readonly string[] | undefined {
    const { blueprints, signInProbe } = this.values;
    const isProbed = signInProbe.isSet();
    if (isNever(isProbed)) return this.settings.blueprints;
    return concat<string>(blueprints, isProbed.choose<readonly string[]>([SIGN_IN_PROBE_BLUEPRINT], [])).list;
  }

  /** Second region of buckets; undefined, or null at plan, if there is none. */
  private regionOfBuckets(): string | undefined {
    const { standby } = this;
    if (standby === undefined) return undefined;
    const second = standby.hasDualRegionBuckets.choose<string, null>(standby.region, null);
    return named(this, "SecondRegion", second).text;
  }

  /** Regions of new secrets: the given ones; by default, all regions of the deployment. */
  private secretLocations(): readonly string[] | undefined {
    const { standby, values } = this;
    if (standby === undefined) return this.settings.secretLocations;
    const [one, other] = [exprOf(values.region.text), standby.region];
    const both = standby.condition.choose<readonly unknown[]>([one, other], [one]) as Expr<readonly string[]>;
    const given = values.secretLocations as Expr<readonly string[] | null>;
    return named(this, "SecretLocations", given.coalesce(both)).list;
  }

  private addSecrets(): IdpSecrets {
    const { context, settings } = this;
    const { existingSecrets } = settings;
    return new IdpSecrets(this, "Secrets", {
      context,
      secretLocations: context.secretLocations,
      blueprints: settings.blueprints,
      signInProbe: this.values.signInProbe.isSet(),
      bootstrapPassword: settings.bootstrapPassword,
      bootstrapToken: settings.bootstrapToken,
      deletionProtection: this.deletionProtection,
      secretKeyVersion: settings.secretKey?.version,
      existing: existingSecrets && {
        secretKey: this.partOf(existingSecrets.secretKey),
        bootstrapPassword: this.partOf(existingSecrets.bootstrapPassword),
      },
      dependsOn: this.apis.ready("secretmanager"),
    });
  }

  private addRegistry(): ImageRegistry | undefined {
    const { apis, context, settings } = this;
    const { existingContainerImage: existingImage } = settings;
    return partIf(
      isUnset(existingImage),
      () =>
        new ImageRegistry(this, "Registry", {
          apis,
          builder: this.accountOf("build"),
          existing: this.partOf(settings.existingRepository),
          existingImage,
          context,
        }),
    );
  }

  /**
   * Undefined if no blueprints are given, because even an empty set would change the image's tag and rebuild the image.
   */
  private addBlueprints(
    props: VariantProps<CommonInputs>,
    blueprintFiles: ProgramProps["blueprintFiles"],
  ): Blueprints | undefined {
    const namesShipped = (props as { blueprints?: unknown }).blueprints !== undefined;
    const isProbed = !isNever(this.values.signInProbe.isSet());
    if (!namesShipped && !isProbed && Object.keys(blueprintFiles ?? {}).length === 0) return undefined;
    return new Blueprints(this, "Blueprints", { blueprints: this.shippedBlueprints, blueprintFiles });
  }

  private addImage(blueprints: Blueprints | undefined): IdpImage {
    const { context, registry, settings } = this;
    return new IdpImage(this, "Image", {
      blueprints,
      context,
      existingImage: settings.existingContainerImage,
      repository: registry,
      applicationVersion: settings.applicationVersion,
      buildLocation: settings.build?.location,
      buildPool: settings.build?.pool,
      imageMirror: settings.imageMirror,
    });
  }

  private addMediaBucket(): MediaBucket {
    const { apis, context, settings } = this;
    return new MediaBucket(this, "MediaBucket", {
      deletionProtection: this.deletionProtection,
      context,
      existing: this.partOf(settings.existingBucket),
      softDeleteDays: settings.softDeleteDays,
      secondRegion: this.secondRegion,
      turboReplication: this.standby?.hasTurboReplication.flag,
      dependsOn: apis.ready("storage"),
    });
  }

  private addDatabase(): PostgresqlDatabase {
    const { apis, network, context, settings, values } = this;
    return new PostgresqlDatabase(this, "Database", {
      deletionProtection: this.deletionProtection,
      network,
      context,
      administratorPasswordVersion: settings.databasePasswords?.administratorVersion,
      backups: settings.backups,
      denyMaintenancePeriod: settings.denyMaintenancePeriod,
      imageMirror: settings.imageMirror,
      maintenanceWindow: settings.maintenanceWindow,
      conditionalAccess: settings.databaseRights?.conditionalAccess,
      existing: this.partOf(settings.existingDatabase),
      existingBackupPlan: settings.existingBackupPlan,
      tier: settings.databaseTier,
      passwordVersion: settings.databasePasswords?.version,
      recordsPasswordVersion: values.databasePasswords.at.version.isLeftOut,
      diskLimitGb: settings.databaseDiskLimitGb,
      flags: settings.databaseFlags,
      version: settings.databaseVersion,
      availability: settings.databaseAvailability,
      stopped: this.standby?.isPromoted.flag,
      dependsOn: apis.ready("sqladmin", "compute", "secretmanager"),
    });
  }

  private addUpgradeBackup(): UpgradeBackup {
    const { database, image, context, settings } = this;
    return new UpgradeBackup(this, "UpgradeBackup", {
      database,
      projectId: context.projectId,
      release: image.release,
      enabled: settings.backupBeforeUpgrade,
    });
  }

  private addExistingSecrets(): ExistingSecrets | undefined {
    const { apis, context, values } = this;
    const hasMailPassword = allOf(values.smtp.isSet(), values.smtp.at.passwordSecret.isSet());
    const condition = anyOf(hasMailPassword, values.secretEnvironmentVariables.length().gt(0));
    // The grants of existing secrets use `for_each`, so `settled-folder.ts` needs their condition.
    stateCondition(this, condition);
    return partIf(
      condition,
      () =>
        new ExistingSecrets(this, "ExistingSecrets", {
          projectId: context.projectId,
          references: [values.secretEnvironmentVariables, mailPassword(values.smtp)],
          dependsOn: apis.ready("secretmanager"),
        }),
    );
  }

  private addAccountIf(condition: Condition, id: keyof typeof ACCOUNTS): ServiceIdentity | undefined {
    return partIf(condition, () => this.addAccount(id, condition));
  }

  /** @param condition if left out, the account always exists */
  private addAccount(id: keyof typeof ACCOUNTS, condition?: Condition): ServiceIdentity {
    const { apis, context } = this;
    const [purpose, description, member] = ACCOUNTS[id];
    return new ServiceIdentity(this, id, {
      condition: isAlways(condition) ? undefined : condition,
      dependsOn: apis.ready("iam"),
      description,
      existing: this.accountOf(member),
      context,
      purpose,
    });
  }

  /** Facts of the deployment for the restore scripts. @internal */
  protected recoverable(initialization: DbInit): RecoverableDeployment {
    const { context, database, media, secrets, values } = this;
    return {
      backupPlan: values.existingBackupPlan,
      context,
      database,
      dumps: values,
      initialization,
      media,
      secretKey: secrets.secretKey,
    };
  }

  /** Container of the server; it starts after the database is prepared. */
  protected container(initialization: DbInit, connectionPool: Readonly<Record<string, string>>): ContainerSpec {
    const { database, existingSecrets, image, media, secrets, values } = this;
    const container = containerOf(
      {
        connectionPool,
        database,
        image,
        media,
        secrets,
        secretSettings: joinedSettings(this, "SecretReferences", present(...secrets.settings, existingSecrets)),
        initialization: { ready: [...initialization.ready, ...this.upgradeBackup.ready] },
        resources: { cpu: values.containerCpu.text, memory: values.containerMemory.text },
      },
      values,
    );
    const common = commonVariables(this, "ApplicationEnvironment", container.environment);
    return { ...container, environment: { ...container.environment, common } };
  }

  /** Dump, check-up, retention of events, sign-in probe and recovery job. @internal */
  protected addOperations({ addressReady, container, serverReady, url }: RunningServer): Operations {
    return {
      dump: this.addDump(serverReady),
      checkUp: this.addCheckUp(serverReady),
      eventRetention: this.addEventRetention(serverReady),
      // The probe calls the address as users do.
      signInProbe: this.addSignInProbe(url, [...serverReady, ...addressReady]),
      recoveryAccess: this.addRecoveryAccess(url, container, serverReady),
    };
  }

  /** The scheduled dump, as a job of the platform with a separate identity; the first dump waits for `dependsOn`. */
  private addDump(dependsOn: ITerraformDependable[]): DatabaseDump | undefined {
    const { apis, database, dumper, context, deletionProtection, values } = this;
    const runner = dumper && this.scheduledJobs(dumper);
    return partIf(hasDumpBucket(values), () => {
      const { copyBucket, lockDays, retentionDays } = values.dumps.at;
      const { secondRegion } = this;
      const locked = new LockedDumps(this, "DumpLock", {
        context,
        deletionProtection,
        lockDays,
        retentionDays,
        secondRegion,
        softDeleteDays: values.softDeleteDays.number,
        dependsOn: apis.ready("storage"),
      });
      const elsewhere = new DumpsElsewhere(this, "DumpCopy", copyBucket);
      return new DatabaseDump(this, "Dump", {
        apis,
        database,
        deletionProtection,
        dependsOn,
        elsewhere,
        inputs: values,
        context,
        locked,
        runner,
        secondRegion,
      });
    });
  }

  /** The check-up, as a job of the platform with a separate identity. */
  private addCheckUp(dependsOn: ITerraformDependable[]): CheckUp | undefined {
    const { checker, database, values } = this;
    if (checker === undefined) return undefined;
    const condition = this.receiverConditions.isCheckedUp;
    const runner = this.scheduledJobs(checker);
    return new CheckUp(this, "CheckUp", { condition, database, dependsOn, inputs: values, runner });
  }

  /** The job that sets the retention of events, with the identity of the server. */
  private addEventRetention(dependsOn: ITerraformDependable[]): EventRetention | undefined {
    const { database, runtime, values } = this;
    const condition = values.auditLog.isSet();
    return partIf(condition, () => {
      const { eventDays: days } = values.auditLog.at;
      return new EventRetention(this, "EventRetention", {
        condition,
        database,
        days,
        dependsOn,
        // Runs under the server's account, because the job needs the application's password and the server reads it
        // anyway.
        runner: this.scheduledJobs(runtime),
      });
    });
  }

  /** The sign-in probe, as a job of the platform with a separate identity. */
  private addSignInProbe(url: string, dependsOn: ITerraformDependable[]): SignInProbe | undefined {
    const { image, prober, secrets, values } = this;
    const { signInProbePassword: password } = secrets;
    if (prober === undefined || password === undefined) return undefined;
    const condition = values.signInProbe.isSet();
    const runner = this.scheduledJobs(prober);
    return new SignInProbe(this, "SignInProbe", { condition, image, inputs: values, password, runner, url, dependsOn });
  }

  /** The recovery job, as a job of the platform with a separate identity. @param container container of the server */
  private addRecoveryAccess(
    url: string,
    container: ContainerSpec,
    dependsOn: ITerraformDependable[],
  ): RecoveryAccess | undefined {
    const { apis, existingSecrets, recoverer, context, values } = this;
    if (recoverer === undefined) return undefined;
    return new RecoveryAccess(this, "RecoveryAccess", {
      condition: values.recoveryAccess.isSet(),
      // Only secrets of the caller's variables, because tokens and secrets of blueprints are for the server alone.
      container: { ...container, secretSettings: present(existingSecrets) },
      context,
      identity: recoverer,
      inputs: values,
      runner: this.manualJobs(recoverer),
      url,
      secretsReady: apis.ready("secretmanager"),
      dependsOn,
    });
  }

  /** Certificate, records and security policy of a domain, on either platform. @internal */
  protected addDomainSetup(
    domain: string,
    address: DomainSetupAddress,
    dependsOn: ITerraformDependable[] = [],
  ): DomainSetup {
    const { apis, context, settings, values } = this;
    return new DomainSetup(this, "Edge", {
      address,
      apis,
      dependsOn,
      domain,
      context,
      validation: values.certificateValidation.text,
      zone: settings.dnsZone,
      protection: values.protection,
      existingSecurityPolicy: settings.existingSecurityPolicy,
    });
  }

  /** Uptime check, dashboard and alerts. @internal */
  protected addMonitoring(
    { address, namespace, platform, standby }: MonitoredPlatform,
    { dump, ...jobs }: Operations,
  ): Monitoring {
    const { apis, checker, dumper, initializer, context, prober, recoverer, runtime, settings, values } = this;
    return new Monitoring(this, "Monitoring", {
      apis,
      context,
      platform,
      namespace,
      alertEmails: settings.alertEmails,
      alerts: settings.alerts,
      dashboard: settings.dashboard,
      notificationChannels: settings.notificationChannels,
      secretReadLog: settings.secretReadLog,
      uptimeCheck: settings.uptimeCheck,
      nameOf: (setting: NamedSetting) => valueAt(values, setting).name,
      hasReceivers: this.receiverConditions.hasReceivers,
      objectives: objectivesOf(values),
      address: {
        ...address,
        certificateValidation: values.certificateValidation.text,
        protection: values.protection.isSet(),
      },
      instances: {
        maxCount: values.maxInstanceCount.number,
        minCount: values.minInstanceCount.number,
        connectionPool: isPooled(values),
        workerCount: workerCount(values).text,
        workerMode: values.workerMode.text,
      },
      database: this.watchedDatabase(standby),
      jobs: { ...jobs, dump: dump?.watched, restoreDrill: judgesDrills(values) },
      identities: present(initializer, runtime, dumper, checker, prober, recoverer),
    });
  }

  private watchedDatabase(standby: WatchedReplica | undefined): MonitoringProps["database"] {
    const { database, settings, values } = this;
    return {
      id: hcl`replace(${database.connectionName}, "/:[^:]+:([^:]+)$/", ":$1")`.text,
      diskLimitGb: settings.databaseDiskLimitGb,
      maxConnections: database.connectionLimit,
      hasOwnBackups: values.existingBackupPlan.isNull(),
      isOwn: not(isExistingUsed(this.partOf(settings.existingDatabase))),
      standby,
    };
  }

  /** The audit log; undefined without one. @internal */
  protected addAuditLog({ cluster, namespace, platform, purposes }: AuditedPlatform): AuditLog | undefined {
    const { apis, context, deletionProtection, values } = this;
    const { deployment } = context;
    const ofAll = [...Object.values(ACCOUNTS).map(([purpose]) => purpose), BUILDER_PURPOSE];
    const { existingServiceAccounts: given } = values;
    const names = {
      ...namesInLogs(deployment, platform, namespace),
      accountIds: [...ofAll, ...purposes].map((purpose) => serviceAccountId(deployment, purpose)),
      givenAccounts: given.isNull().choose<readonly string[]>([], compact(valuesOfMap(given as Expr as EmailsByName))),
      cluster,
    };
    return partIf(
      values.auditLog.isSet(),
      () =>
        new AuditLog(this, "AuditLog", { apis, context, deletionProtection, input: values.auditLog, names, platform }),
    );
  }

  /** Applies an organization's keys and policies to the parts, all of which must exist by now. @internal */
  protected applyLandingZone(): void {
    addLandingZone(this, this.values, this.apis);
  }

  /** Lists grants that others must make, as an expression of a list of commands. @internal */
  protected listGrantCommands(): string {
    return listGrants(this, this.values.grantRoles.flag);
  }

  /**
   * Refuses a destroy, and a change of the facts that identify the deployment, before anything is deleted.
   *
   * @param initialization job that disables the former login after everything runs
   * @param dependsOn the last resources to be created
   */
  protected complete(initialization: DbInit, dependsOn: ITerraformDependable[]): void {
    const { database, deletionProtection: protect, deploymentFacts, values } = this;
    const { check, since } = checkDeployment(this, deploymentFacts, protect, database.ready);
    warnUnless(this, "DatabaseVersionLasts", [databaseWarning(since)], values);
    const last = [...dependsOn, ...initialization.retire(this, dependsOn), ...inputChecksOf(this), check];
    const guard = guardDeployment(this, deploymentFacts, { protect, dependsOn: last });
    guardDestroy(this, "DeletionGuard", { protect, dependsOn: [guard] }, { remains: this.remainsAfterDestroy() });
    inFiles(this, FOLDER_FILES);
  }

  /** Backups that remain after a destroy, as a sentence without a full stop. */
  private remainsAfterDestroy(): string {
    const { database, standby } = this;
    const remains = database.backupsAfterDestroy;
    if (standby === undefined || isNever(standby.isPromoted)) return remains;
    const ofBoth = interpolated`${remains}, and no backup of the database in ${standby.region}, which is in use`;
    return named(this, "BackupsAfterDestroy", standby.isPromoted.choose<string>(ofBoth, remains)).text;
  }
}

const NETWORK_AS_REFERENCE: Problem = {
  path: "network",
  text: prose`
    network is a reference; it must be an object with network and subnetwork, because its parts are
    looked at one by one; pass both references in one
  `,
};

/** Problems of props that are not inputs, and of unknown names. */
function otherProblems(props: unknown, inputs: Table): Problem[] {
  const given = (props ?? {}) as Partial<Pick<ProgramProps, "network">>;
  const names = [...Object.keys(inputs).filter((name) => name !== "subnetwork"), "blueprintFiles", "network"];
  const unknown = unknownNames(given, names, { inside: memberPaths(inputs) });
  const { network } = given;
  const ofNetwork = Token.isUnresolved(network) ? [NETWORK_AS_REFERENCE] : networkProblems(network, inputs);
  return [...unknown, ...ofNetwork];
}
