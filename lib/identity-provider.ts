import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { stateProvidersOf } from "./core/provider-requirements";
import { isSet } from "./core/conditional";
import { DeletionGuard } from "./core/deletion-guard";
import { numberText } from "./core/expression";
import { checkIdentity, comparable, guardIdentity, type IdentityPart } from "./core/identity-guard";
import { DEFAULT_APPLICATION_NAME } from "./core/names";
import { tenantContext, type DeploymentContext } from "./core/place";
import { type ProjectApis } from "./core/project-apis";
import { addWarnings } from "./core/warnings";
import { customBlueprints } from "./idp/blueprints";
import { type ContainerSpec } from "./idp/container-spec";
import { RESOURCES } from "./idp/contract";
import { DatabaseDump } from "./idp/database-dump";
import { type DbInit } from "./idp/db-init";
import { type ExistingSecrets } from "./idp/existing-secrets";
import { identityProviderContainer } from "./idp/identity-provider-container";
import { IdpImage } from "./idp/idp-image";
import { IdpSecrets } from "./idp/idp-secrets";
import { initialSettingsRisk } from "./idp/initial-settings";
import { type ScheduledJobRunner } from "./idp/job-runner";
import { type MailSettings } from "./idp/mail-settings";
import { MediaBucket } from "./idp/media-bucket";
import { UpgradeBackup } from "./idp/upgrade-backup";
import { deploymentApis, type VariantApis } from "./deployment-apis";
import { deploymentSettings } from "./deployment-settings";
import { deploymentMonitoring, type MonitoredPlatform } from "./deployment-monitoring";
import { type IdentityProviderProps } from "./identity-provider-props";
import { DomainSetup } from "./platform/edge/edge";
import { type Monitoring } from "./platform/monitoring/monitoring";
import { ServiceIdentity } from "./platform/identity/service-identity";
import { type SeparateWorker } from "./platform/parts";
import { ImageRegistry } from "./platform/registry/image-registry";
import { warnOfNetwork } from "./platform/network/network-attachment";
import { PostgresqlDatabase } from "./platform/sql/postgresql-database";

/** What a variant needs in addition to the shared parts. */
export interface Variant extends VariantApis {
  /** Default validation of a domain's certificate. */
  readonly certificateValidation: string;

  /** What else makes a deployment what it is. */
  readonly identity: readonly IdentityPart[];
}

/**
 * The parts of an identity provider on either platform: secrets, image, media bucket, database and service accounts.
 */
export abstract class IdentityProvider extends Construct {
  /** Project, region and naming of the deployment. */
  readonly place: DeploymentContext;

  /** APIs of the project, with a gate for each: `apis.ready("run")`. */
  readonly apis: ProjectApis;

  /** Secret key and bootstrap password. */
  readonly secrets: IdpSecrets;

  /** Repository of the image. */
  readonly registry: ImageRegistry;

  /** Image that runs, built or existing. */
  readonly image: IdpImage;

  /** Bucket of the uploads. */
  readonly media: MediaBucket;

  /** Cloud SQL instance with the database of the application. */
  readonly database: PostgresqlDatabase;

  /** The backup before each rollout of another release. */
  readonly upgradeBackup: UpgradeBackup;

  /** Existing secrets with settings of the application; undefined if there can be none. */
  readonly existingSecrets: ExistingSecrets | undefined;

  /** What the mail server adds to application and platform. */
  protected readonly mail: MailSettings;

  /** Service account of the initialization job. */
  readonly initializer: ServiceIdentity;

  /** Service account of the server. */
  readonly runtime: ServiceIdentity;

  /** Service account of the dump, the only one that can add files to its bucket; undefined if there can be no dump. */
  readonly dumper: ServiceIdentity | undefined;

  /** The job that prepares the database. */
  abstract readonly initialization: DbInit;

  /** Settings of the restore scripts, as words `NAME=value`. */
  abstract readonly restoreSettings: string;

  /** Command that sends a test mail; undefined without a mail server, or null at plan. */
  abstract readonly testMailCommand: string | undefined;

  /** Separate workers; undefined if there can be none. With a mode known only at plan, it may be empty. */
  abstract readonly worker: SeparateWorker | undefined;

  /** URL of the application. */
  abstract readonly url: string;

  /** IP address of the load balancer; undefined without one, or null at plan. */
  abstract readonly loadBalancerAddress: string | undefined;

  /** Certificate, records and security policy of the domain; undefined if there can be none. */
  abstract readonly edge: DomainSetup | undefined;

  /** Uptime check, dashboard and alerts. */
  abstract readonly monitoring: Monitoring;

  /** Dumps of the database; undefined if there can be none. */
  abstract readonly dump: DatabaseDump | undefined;

  private readonly identityParts: readonly IdentityPart[];

  constructor(
    scope: Construct,
    id: string,
    private readonly settings: IdentityProviderProps,
    private readonly variant: Variant,
  ) {
    super(scope, id);
    stateProvidersOf(this);
    this.place = tenantContext(this, settings);
    const { bootstrapPassword, bootstrapPasswordVersion, bootstrapToken } = settings;
    const { deletionProtection, existingContainerImage: existingImage, network } = settings;
    const { backupLocation, backupRetentionCount, transactionLogDays } = settings;
    const { place } = this;
    if (network !== undefined) warnOfNetwork(this, network, place.region);

    this.identityParts = comparable(this, [
      { prop: "projectId", value: place.projectId },
      { prop: "region", value: place.region },
      { prop: "tenantId", value: settings.tenantId },
      { prop: "applicationName", value: settings.applicationName ?? DEFAULT_APPLICATION_NAME },
      ...variant.identity,
    ]);
    this.apis = deploymentApis(this, place, settings, variant, this.certificateValidation);
    addWarnings(this, "InitialSettings", [initialSettingsRisk(this, settings.environmentVariables ?? {})]);

    this.secrets = new IdpSecrets(this, "Secrets", {
      ...{ bootstrapPassword, bootstrapPasswordVersion, bootstrapToken, deletionProtection, place },
      dependsOn: this.apis.ready("secretmanager"),
    });
    this.registry = new ImageRegistry(this, "Registry", { place, apis: this.apis, existingImage });
    this.image = new IdpImage(this, "Image", {
      place,
      applicationVersion: settings.applicationVersion,
      blueprints: customBlueprints(this, settings),
      buildLocation: settings.buildLocation,
      existingImage,
      repository: this.registry,
    });
    this.media = new MediaBucket(this, "MediaBucket", {
      place,
      deletionProtection,
      dependsOn: this.apis.ready("storage"),
    });
    this.database = new PostgresqlDatabase(this, "Database", {
      ...{ backupLocation, backupRetentionCount, deletionProtection, network, place, transactionLogDays },
      tier: settings.databaseTier,
      flags: settings.databaseFlags,
      version: settings.databaseVersion,
      availability: settings.databaseAvailability,
      finalBackupDays: settings.databaseFinalBackupDays,
      dependsOn: this.apis.ready("sqladmin", "compute", "secretmanager"),
    });
    this.upgradeBackup = new UpgradeBackup(this, "UpgradeBackup", {
      database: this.database,
      projectId: place.projectId,
      release: this.image.release,
      enabled: settings.backupBeforeUpgrade,
    });
    this.initializer = this.identity(
      "Initializer",
      "idp-init",
      "Runs the database initialization of the identity provider",
    );
    ({ mail: this.mail, existingSecrets: this.existingSecrets } = deploymentSettings(this, settings, this));
    this.runtime = this.identity("Runtime", "idp-run", "Runs the identity provider");
    if (settings.dumpSchedule !== undefined || settings.keepDumps !== undefined) {
      const scheduled = isSet(settings.dumpSchedule);
      this.dumper = this.identity("Dumper", "idp-dump", "Dumps the database of the identity provider", scheduled);
    }
  }

  /** Container to run once the database is prepared. */
  protected container(initialization: DbInit): ContainerSpec {
    const { containerCpu = RESOURCES.cpu, containerMemory = RESOURCES.memory, environmentVariables } = this.settings;
    const { livenessProbe, logLevel, startupProbe, workerMode, workerProcesses, workerThreads } = this.settings;
    const { database, image, mail, media, secrets } = this;
    return identityProviderContainer(this, {
      ...{ database, image, mail, media, secrets },
      ...{ livenessProbe, logLevel, startupProbe, workerMode, workerProcesses, workerThreads },
      environment: environmentVariables,
      secretSettings: [...(this.existingSecrets ? [this.existingSecrets] : []), ...secrets.settings],
      initialization: { ready: [...initialization.ready, ...this.upgradeBackup.ready] },
      resources: { cpu: numberText(containerCpu), memory: containerMemory },
    });
  }

  /**
   * The scheduled dump; undefined if there can be none.
   *
   * @param runnerAs returns the platform's jobs for a service account
   * @param dependsOn what the first dump waits for
   */
  protected dumpOf(
    runnerAs: (identity: ServiceIdentity) => ScheduledJobRunner,
    dependsOn: ITerraformDependable[],
  ): DatabaseDump | undefined {
    if (this.dumper === undefined) return undefined;
    const { deletionProtection, dumpAtApply, dumpRetentionDays, dumpSchedule, dumpStorageClass, keepDumps } =
      this.settings;
    return new DatabaseDump(this, "Dump", {
      ...{ deletionProtection, dumpAtApply, dumpRetentionDays, dumpSchedule, dumpStorageClass, keepDumps },
      place: this.place,
      database: this.database,
      runner: runnerAs(this.dumper),
      dependsOn,
      apis: this.apis,
    });
  }

  /** What a domain needs on either platform. */
  protected edgeOf(domain: string, ipAddress: string, dependsOn: ITerraformDependable[] = []): DomainSetup {
    return new DomainSetup(this, "Edge", {
      apis: this.apis,
      domain,
      ipAddress,
      dependsOn,
      place: this.place,
      validation: this.certificateValidation,
      zone: this.settings.dnsZone,
      protection: this.settings.protection,
      existingSecurityPolicy: this.settings.existingSecurityPolicy,
    });
  }

  /** Uptime check, dashboard and alerts. */
  protected monitoringOf(platform: MonitoredPlatform, dump: DatabaseDump | undefined): Monitoring {
    const { apis, database, initializer, place, runtime } = this;
    const identities = [initializer, runtime, ...(this.dumper === undefined ? [] : [this.dumper])];
    return deploymentMonitoring(this, this.settings, { ...platform, apis, database, dump, identities, place });
  }

  /**
   * Refuses a destroy, and a change of what the deployment is, before anything is deleted.
   *
   * @param dependsOn the last resources to be created
   */
  protected guard(dependsOn: ITerraformDependable[]): void {
    const { deletionProtection: protect = true } = this.settings;
    const check = checkIdentity(this, this.identityParts, protect, this.database.ready);
    const guard = guardIdentity(this, this.identityParts, { dependsOn: [...dependsOn, check], protect });
    new DeletionGuard(this, "DeletionGuard", {
      protect,
      remains: this.database.backupsAfterDestroy,
      dependsOn: [...dependsOn, guard],
    });
  }

  protected get certificateValidation(): string {
    return this.settings.certificateValidation ?? this.variant.certificateValidation;
  }

  private identity(id: string, purpose: string, description: string, condition?: string): ServiceIdentity {
    return new ServiceIdentity(this, id, {
      place: this.place,
      purpose,
      description,
      condition,
      dependsOn: this.apis.ready("iam"),
    });
  }
}
