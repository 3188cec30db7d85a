import { Token, type IResolvable } from "cdktf";
import { Construct } from "constructs";

import { claimName } from "./core/claimed-names";
import { isSet, isUnset } from "./core/conditional";
import { DEFAULT_REGION, serviceName } from "./core/names";
import { tenantPlace, type DeploymentPlace, type TenantPlaceProps } from "./core/place";
import { ProjectApis, type ApiName } from "./core/project-apis";
import { requireAll, requireProps, type Rule } from "./core/rules";
import { type ContainerSpec, type EnvironmentOverrides, type ProbeSpec } from "./idp/container-spec";
import { RESOURCES } from "./idp/contract";
import { type DbInit } from "./idp/db-init";
import { identityProviderContainer } from "./idp/identity-provider-container";
import { IdpImage } from "./idp/idp-image";
import { IdpSecrets } from "./idp/idp-secrets";
import { MediaBucket } from "./idp/media-bucket";
import { ServiceIdentity } from "./platform/identity/service-identity";
import { attachmentRules, type NetworkAttachment } from "./platform/network/network-attachment";
import { ImageRegistry } from "./platform/registry/image-registry";
import { PostgresqlDatabase } from "./platform/sql/postgresql-database";

/** What an identity provider is told on either platform. */
export interface IdentityProviderProps extends TenantPlaceProps {
  /**
   * Release to run: `latest` for the pinned known-good one, or an exact release from 2025.10 on. A newer one builds an
   * image, rolls it out and migrates the database; there is no way back.
   *
   * @default "latest"
   */
  readonly applicationVersion?: string;

  /**
   * First password of the built-in administrator, as a reference to an ephemeral variable. The application reads it on its
   * first start only.
   *
   * @default - 24 random letters and digits
   */
  readonly bootstrapPassword?: string;

  /**
   * Raising it writes `bootstrapPassword`, or a newly generated one, to the secret store.
   *
   * @default 1
   */
  readonly bootstrapPasswordVersion?: number;

  /**
   * Number of CPUs of one instance; a choice of the platform.
   *
   * @default 2
   */
  readonly containerCpu?: number;

  /**
   * Memory of one instance, with Mi or Gi. Server, worker and the caches of the media mount share it.
   *
   * @default "4Gi"
   */
  readonly containerMemory?: string;

  /**
   * `ZONAL`, or `REGIONAL` with a standby in another zone at about twice the price. Changing it later restarts the
   * database.
   *
   * @default "ZONAL"
   */
  readonly databaseAvailability?: string;

  /**
   * Days for which Cloud SQL keeps a last backup, made as the database is deleted. 0 keeps none. What is kept is billed.
   *
   * @default 30
   */
  readonly databaseFinalBackupDays?: number;

  /**
   * Size of the database, `db-custom-<CPUs>-<memory in MB>`. It decides how many connections there are, and so how many
   * instances fit. Changing it later restarts the database.
   *
   * @default "db-custom-1-3840"
   */
  readonly databaseTier?: string;

  /**
   * Refuses to delete what holds data: database, secrets, the media bucket while it has files, and a cluster.
   *
   * @default true
   */
  readonly deletionProtection?: boolean | IResolvable;

  /**
   * Settings of the application in `IDP_…` names; they win over the baseline. They are in plain text in the state, so
   * passwords do not belong here.
   *
   * @default - the baseline alone
   */
  readonly environmentVariables?: EnvironmentOverrides;

  /**
   * Image with its tag that is run instead of one built here.
   *
   * @default - one is built
   */
  readonly existingContainerImage?: string;

  /**
   * Probe that restarts a hanging instance.
   *
   * @default - GET `/-/health/live/`, 60 s delay, every 30 s, 3 failures
   */
  readonly livenessProbe?: Partial<ProbeSpec>;

  /**
   * Most instances at a time; each takes 20 database connections at its peak.
   *
   * @default 3
   */
  readonly maxInstanceCount?: number;

  /**
   * Instances that always run and are always billed.
   *
   * @default 1
   */
  readonly minInstanceCount?: number;

  /**
   * Existing network with private services access: the database gets a private address on it and no public one. It cannot
   * be taken back later.
   *
   * @default - a public address that only authorized, mutually authenticated proxy connections can use
   */
  readonly network?: NetworkAttachment;

  /**
   * Probe that holds back traffic until migrations are done. Period × failures must not exceed 600 s.
   *
   * @default - GET `/-/health/ready/`, 60 s delay, every 15 s, 40 failures
   */
  readonly startupProbe?: Partial<ProbeSpec>;
}

/** What a variant adds to the parts that both have. */
export interface Variant {
  /** Services of the project that it needs beside those of all deployments. */
  readonly apis: readonly ApiName[];

  /**
   * Services that it needs only on an existing network.
   *
   * @default - none
   */
  readonly apisOfNetwork?: readonly ApiName[];
}

/**
 * What an identity provider consists of on either platform: secrets, image, media bucket, database, and the accounts of
 * what runs.
 */
export abstract class IdentityProvider extends Construct {
  /** Where it is, and what its names are made of. */
  readonly place: DeploymentPlace;

  readonly apis: ProjectApis;
  readonly secrets: IdpSecrets;
  readonly registry: ImageRegistry;
  readonly image: IdpImage;
  readonly media: MediaBucket;
  readonly database: PostgresqlDatabase;

  /** Runs the initialization. */
  readonly initializer: ServiceIdentity;

  /** Runs the server. */
  readonly runtime: ServiceIdentity;

  /** The job that prepares the database. */
  abstract readonly initialization: DbInit;

  /** Where the application answers. */
  abstract readonly url: string;

  constructor(
    scope: Construct,
    id: string,
    private readonly settings: IdentityProviderProps,
    variant: Variant,
  ) {
    super(scope, id);
    requireProps(this.node.path, settings, { projectId: true, tenantId: true });
    this.place = tenantPlace(this, settings);
    requireAll(this, settings, RULES);
    const { deletionProtection, existingContainerImage: existingImage } = settings;
    const { place } = this;
    claimName(this, `identity provider in ${place.projectId}`, serviceName(place.deployment));

    this.apis = new ProjectApis(this, "Apis", {
      projectId: place.projectId,
      region: place.region,
      apis: [...COMMON_APIS, ...variant.apis].sort(),
    });
    for (const api of BUILD_APIS) this.apis.enable(api, isUnset(existingImage));
    for (const api of variant.apisOfNetwork ?? []) this.apis.enable(api, isSet(settings.network?.network));

    this.secrets = new IdpSecrets(this, "Secrets", {
      place,
      bootstrapPassword: settings.bootstrapPassword,
      bootstrapPasswordVersion: settings.bootstrapPasswordVersion,
      deletionProtection,
      dependsOn: this.apis.ready("secretmanager"),
    });
    this.registry = new ImageRegistry(this, "Registry", { place, apis: this.apis, existingImage });
    this.image = new IdpImage(this, "Image", {
      place,
      applicationVersion: settings.applicationVersion,
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
      availability: settings.databaseAvailability,
      finalBackupDays: settings.databaseFinalBackupDays,
      network: settings.network,
      deletionProtection,
      dependsOn: this.apis.ready("sqladmin", "compute", "secretmanager"),
    });
    this.initializer = this.identity(
      "Initializer",
      "idp-init",
      "Runs the database initialization of the identity provider",
    );
    this.runtime = this.identity("Runtime", "idp-run", "Runs the identity provider");
  }

  /** What runs, once the database is prepared. */
  protected container(initialization: DbInit): ContainerSpec {
    const { containerCpu = RESOURCES.cpu, containerMemory = RESOURCES.memory, environmentVariables } = this.settings;
    return identityProviderContainer(this, {
      image: this.image,
      environment: environmentVariables,
      database: this.database,
      initialization,
      secrets: this.secrets,
      media: this.media,
      resources: { cpu: textOf(containerCpu), memory: containerMemory },
      startupProbe: this.settings.startupProbe,
      livenessProbe: this.settings.livenessProbe,
    });
  }

  private identity(id: string, purpose: string, description: string): ServiceIdentity {
    return new ServiceIdentity(this, id, {
      place: this.place,
      purpose,
      description,
      dependsOn: this.apis.ready("iam"),
    });
  }
}

/** The framework leaves a literal number one. */
function textOf(number: number): string {
  return Token.isUnresolved(number) ? Token.asString(number) : String(number);
}

const COMMON_APIS: readonly ApiName[] = ["iam", "logging", "secretmanager", "sqladmin", "storage"];

/** Services that only the build of an image uses. */
const BUILD_APIS: readonly ApiName[] = ["artifactregistry", "cloudbuild"];

const RULES: readonly Rule<IdentityProviderProps>[] = [
  ...attachmentRules<IdentityProviderProps>(
    "network",
    ({ network }) => network,
    ({ region = DEFAULT_REGION }) => region,
  ),
];
