import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { claimName } from "./core/claimed-names";
import { allOf, anyOf, isSet, isUnset, isWord } from "./core/conditional";
import { expression, numberText, quoted } from "./core/expression";
import { serviceName } from "./core/names";
import { tenantPlace, type DeploymentPlace } from "./core/place";
import { ProjectApis, type ApiName } from "./core/project-apis";
import { warnOf } from "./core/risks";
import { Blueprints } from "./idp/blueprints";
import { type ContainerSpec } from "./idp/container-spec";
import { MAX_INSTANCE_COUNT, MIN_INSTANCE_COUNT, RESOURCES } from "./idp/contract";
import { DatabaseDump } from "./idp/database-dump";
import { type DbInit } from "./idp/db-init";
import { ExistingSecrets } from "./idp/existing-secrets";
import { identityProviderContainer } from "./idp/identity-provider-container";
import { workerContainer } from "./idp/worker-container";
import { DEFAULT_WORKER_MODE, isSeparate } from "./idp/worker-mode";
import { IdpImage } from "./idp/idp-image";
import { IdpSecrets } from "./idp/idp-secrets";
import { unknownSettingsRisks } from "./idp/known-settings";
import { type ScheduledJobRunner } from "./idp/job-runner";
import { mailSettings, type MailSettings } from "./idp/mail-settings";
import { recoveryMailRisk } from "./idp/recovery-mail";
import { MediaBucket } from "./idp/media-bucket";
import { addRecoveryScripts, type RecoverySettings } from "./idp/recovery-scripts";
import { UpgradeBackup } from "./idp/upgrade-backup";
import { type IdentityProviderProps } from "./identity-provider-props";
import { Edge } from "./platform/edge/edge";
import { isProtected } from "./platform/edge/protection";
import { Monitoring } from "./platform/monitoring/monitoring";
import { type MonitoringProps } from "./platform/monitoring/monitoring-props";
import { ServiceIdentity } from "./platform/identity/service-identity";
import { type SeparateWorker } from "./platform/parts";
import { ImageRegistry } from "./platform/registry/image-registry";
import { PostgresqlDatabase } from "./platform/sql/postgresql-database";
import { workerCountOf, workerResourcesOf } from "./worker-props";

/** What a variant needs beyond the shared parts. */
export interface Variant {
  /** APIs that it needs in addition to the common ones. */
  readonly apis: readonly ApiName[];

  /** How the certificate of a domain is validated where nothing is said. */
  readonly certificateValidation: string;

  /**
   * APIs that it needs only on an existing network or with a domain.
   *
   * @default - none
   */
  readonly apisOnDemand?: readonly ApiName[];

  /**
   * APIs that it needs only for scheduled jobs.
   *
   * @default - none
   */
  readonly apisOfSchedules?: readonly ApiName[];
}

/**
 * The parts of an identity provider on either platform: secrets, image, media bucket, database and service accounts.
 */
export abstract class IdentityProvider extends Construct {
  /** Project, region and naming of the deployment. */
  readonly place: DeploymentPlace;

  readonly apis: ProjectApis;
  readonly secrets: IdpSecrets;
  readonly registry: ImageRegistry;
  readonly image: IdpImage;
  readonly media: MediaBucket;
  readonly database: PostgresqlDatabase;

  /** The backup before the rollout of another release. */
  readonly upgradeBackup: UpgradeBackup;
  /** Existing secrets with settings of the application; undefined if there can be none. */
  readonly existingSecrets: ExistingSecrets | undefined;

  /** What the mail server means for application and platform. */
  protected readonly mail: MailSettings;

  /** Service account of the initialization job. */
  readonly initializer: ServiceIdentity;

  /** Service account of the server. */
  readonly runtime: ServiceIdentity;

  /** Service account of the dump, the only one that can add to its bucket; undefined if there can be no dump. */
  readonly dumper: ServiceIdentity | undefined;

  /** The job that prepares the database. */
  abstract readonly initialization: DbInit;

  /** Settings of the scripts that restore it, as words `NAME=value`. */
  abstract readonly restoreSettings: string;

  /** Command that sends a test mail; undefined without a mail server, or null at plan. */
  abstract readonly testMailCommand: string | undefined;

  /** Workers in a place of their own; undefined if there can be none. With a mode known only at plan, it may be empty. */
  abstract readonly worker: SeparateWorker | undefined;

  /** URL of the application. */
  abstract readonly url: string;

  /** IP address of the load balancer; undefined without one, or null at plan. */
  abstract readonly loadBalancerAddress: string | undefined;

  /** Certificate, records and security policy of the domain; undefined if there can be none. */
  abstract readonly edge: Edge | undefined;

  /** Uptime check, dashboard and alerts. */
  abstract readonly monitoring: Monitoring;

  /** Dumps of the database; undefined if there can be none. */
  abstract readonly dump: DatabaseDump | undefined;

  constructor(
    scope: Construct,
    id: string,
    private readonly settings: IdentityProviderProps,
    private readonly variant: Variant,
  ) {
    super(scope, id);
    this.place = tenantPlace(this, settings);
    const { deletionProtection, existingContainerImage: existingImage } = settings;
    const { place } = this;
    claimName(this, `identity provider in ${place.projectId}`, serviceName(place.deployment));

    this.apis = new ProjectApis(this, "Apis", {
      projectId: place.projectId,
      region: place.region,
      apis: [...COMMON_APIS, ...variant.apis].sort(),
    });
    for (const api of BUILD_APIS) this.apis.enable(api, isUnset(existingImage));
    const { dnsZone, domain, environmentVariables = {}, network } = settings;
    const { secretEnvironmentVariables = {} } = settings;
    warnOf(this, "SettingsAreKnown", unknownSettingsRisks(this, { environmentVariables, secretEnvironmentVariables }));
    for (const api of variant.apisOnDemand ?? []) this.apis.enable(api, anyOf(isSet(network?.network), isSet(domain)));
    const byDns = allOf(isSet(domain), isWord(this.certificateValidation, "dns"));
    if (domain !== undefined) this.apis.enable("certificatemanager", byDns);
    if (dnsZone !== undefined) this.apis.enable("dns", isSet(dnsZone.name));

    this.secrets = new IdpSecrets(this, "Secrets", {
      place,
      bootstrapPassword: settings.bootstrapPassword,
      bootstrapPasswordVersion: settings.bootstrapPasswordVersion,
      bootstrapToken: settings.bootstrapToken,
      deletionProtection,
      dependsOn: this.apis.ready("secretmanager"),
    });
    this.registry = new ImageRegistry(this, "Registry", { place, apis: this.apis, existingImage });
    this.image = new IdpImage(this, "Image", {
      place,
      applicationVersion: settings.applicationVersion,
      blueprints: this.blueprintsOf(settings),
      existingImage,
      repository: this.registry,
    });
    this.media = new MediaBucket(this, "MediaBucket", {
      place,
      deletionProtection,
      dependsOn: this.apis.ready("storage"),
    });
    this.database = new PostgresqlDatabase(this, "Database", {
      place,
      tier: settings.databaseTier,
      flags: settings.databaseFlags,
      version: settings.databaseVersion,
      availability: settings.databaseAvailability,
      backupLocation: settings.backupLocation,
      backupRetentionCount: settings.backupRetentionCount,
      finalBackupDays: settings.databaseFinalBackupDays,
      transactionLogDays: settings.transactionLogDays,
      network: settings.network,
      deletionProtection,
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
    this.mail = mailSettings(settings.smtp);
    const { blueprints = [] } = settings;
    warnOf(this, "RecoveryHasMail", [
      recoveryMailRisk(this, { blueprints, environment: environmentVariables, mail: this.mail }),
    ]);
    const references = [settings.secretEnvironmentVariables, this.mail.password].filter((given) => given !== undefined);
    if (references.length > 0) {
      this.existingSecrets = new ExistingSecrets(this, "ExistingSecrets", {
        projectId: place.projectId,
        references,
        dependsOn: this.apis.ready("secretmanager"),
      });
    }
    this.runtime = this.identity("Runtime", "idp-run", "Runs the identity provider");
    const { dumpSchedule, keepDumps } = settings;
    if (dumpSchedule !== undefined || keepDumps !== undefined) {
      const condition = isSet(dumpSchedule);
      for (const api of variant.apisOfSchedules ?? []) this.apis.enable(api, condition);
      this.dumper = this.identity("Dumper", "idp-dump", "Dumps the database of the identity provider", condition);
    }
  }

  /** Container to run once the database is prepared. */
  protected container(initialization: DbInit): ContainerSpec {
    const { containerCpu = RESOURCES.cpu, containerMemory = RESOURCES.memory, environmentVariables } = this.settings;
    return identityProviderContainer(this, {
      image: this.image,
      environment: environmentVariables,
      logLevel: this.settings.logLevel,
      mail: this.mail,
      secretSettings: [...(this.existingSecrets ? [this.existingSecrets] : []), ...this.secrets.settings],
      database: this.database,
      initialization: { ready: [...initialization.ready, ...this.upgradeBackup.ready] },
      secrets: this.secrets,
      media: this.media,
      resources: { cpu: numberText(containerCpu), memory: containerMemory },
      startupProbe: this.settings.startupProbe,
      livenessProbe: this.settings.livenessProbe,
      workerMode: this.settings.workerMode,
      workerProcesses: this.settings.workerProcesses,
      workerThreads: this.settings.workerThreads,
    });
  }

  /** Container of a worker in a place of its own. */
  protected workerContainer(server: ContainerSpec): ContainerSpec {
    return workerContainer(server, this.settings, workerResourcesOf(this.settings));
  }

  /** Whether the worker has a place of its own, as the functions of `core/conditional` return it. */
  protected get hasSeparateWorker(): string {
    return isSeparate(this.settings.workerMode ?? DEFAULT_WORKER_MODE);
  }

  /** Adds the scripts that restore this deployment, and returns their settings. */
  protected recoveryScripts(initialization: DbInit, jobs: RecoverySettings["jobs"]): string {
    return addRecoveryScripts(this, {
      projectId: this.place.projectId,
      instanceName: this.database.instanceName,
      databaseName: this.database.databaseName,
      initializationJob: initialization.jobName,
      administratorSecret: this.database.administratorPassword.secretId,
      mediaBucket: this.media.bucketName,
      jobs,
    });
  }

  /**
   * The scheduled dump; undefined if there can be none.
   *
   * @param runnerAs the platform's jobs as an account
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
  protected edgeOf(domain: string, ipAddress: string, dependsOn: ITerraformDependable[] = []): Edge {
    return new Edge(this, "Edge", {
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

  /** What notices that sign-in does not work. */
  protected monitoringOf(
    variant: Pick<MonitoringProps, "isPublic" | "namespace" | "platform" | "url" | "urlMap">,
    dump: DatabaseDump | undefined,
  ): Monitoring {
    const { alertEmails, alerts, auditSecretAccess, dashboard, domain } = this.settings;
    const { maxInstanceCount = MAX_INSTANCE_COUNT, minInstanceCount = MIN_INSTANCE_COUNT } = this.settings;
    const { notificationChannels, secretReaders, uptimeCheck } = this.settings;
    return new Monitoring(this, "Monitoring", {
      ...variant,
      ...{ alertEmails, alerts, auditSecretAccess, dashboard, notificationChannels, secretReaders, uptimeCheck },
      place: this.place,
      domain,
      identities: [this.initializer, this.runtime, ...(this.dumper === undefined ? [] : [this.dumper])],
      dump: dump && {
        jobName: dump.jobName,
        bucketName: dump.bucket.bucketName,
        condition: dump.condition,
        isDaily: dump.isDaily,
      },
      maxConnections: this.database.connectionLimit,
      maxInstanceCount,
      minInstanceCount,
      protection: isProtected(this.settings.protection),
      workerCount: workerCountOf(this.settings),
      workerMode: this.settings.workerMode,
      apis: this.apis,
    });
  }

  protected get certificateValidation(): string {
    return this.settings.certificateValidation ?? this.variant.certificateValidation;
  }

  /** A command that exists only with a mail server. */
  protected ifMail(command: string): string | undefined {
    const { isOn } = this.mail;
    if (isOn === "false") return undefined;
    return isOn === "true" ? command : expression(`(${isOn} ? ${quoted(command)} : null)`);
  }

  /** An image without blueprints must stay the same, so that nothing is built again. */
  private blueprintsOf({ blueprintFiles = {}, blueprints }: IdentityProviderProps): Blueprints | undefined {
    if (blueprints === undefined && Object.keys(blueprintFiles).length === 0) return undefined;
    return new Blueprints(this, "Blueprints", { blueprints, blueprintFiles });
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

const COMMON_APIS: readonly ApiName[] = ["iam", "logging", "monitoring", "secretmanager", "sqladmin", "storage"];

/** APIs needed only to build an image. */
const BUILD_APIS: readonly ApiName[] = ["artifactregistry", "cloudbuild"];
