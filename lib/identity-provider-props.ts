import { Token, type IResolvable } from "cdktf";

import { SECRET_WRITE_VERSION, secretReferenceRule } from "./core/generated-secret";
import { connectionName, DEFAULT_APPLICATION_NAME, DEFAULT_REGION, imagePrefix, tenantPrefix } from "./core/names";
import { TENANT_PLACE_RULES, type TenantPlaceProps } from "./core/place";
import { type Rule } from "./core/rules";
import { BLUEPRINT_RULES, type BlueprintProps, BLUEPRINTS_NEED_BUILD, ownBlueprints } from "./idp/blueprint-props";
import { type EnvironmentOverrides } from "./idp/container-spec";
import { DUMP_RULES, type DumpProps } from "./idp/dump-props";
import { ENVIRONMENT_RULES } from "./idp/environment-rules";
import { APPLICATION_VERSION, BUILD_LOCATION, EXISTING_IMAGE, FOREIGN_IMAGE } from "./idp/image-rules";
import { OPERATIONS_RULES, type OperationsProps } from "./operations-props";
import { SETTINGS_RULES, type SettingsProps } from "./idp/settings-props";
import { FRONT_DOOR_RULES, type DomainProps } from "./platform/edge/front-door-props";
import { type MonitoringSettings } from "./platform/monitoring/monitoring-settings";
import { attachmentRules, type NetworkAttachment } from "./platform/network/network-attachment";
import {
  DATABASE_AVAILABILITY,
  DATABASE_TIER,
  DEFAULT_DATABASE_TIER,
  maxConnections,
} from "./platform/sql/database-size";
import { BACKUP_RULES, type BackupProps, FINAL_BACKUP_DAYS } from "./platform/sql/database-backups";
import { WORKER_RULES, type WorkerProps } from "./worker-props";

/** Props that both variants of the identity provider share. */
export interface IdentityProviderProps
  extends
    BackupProps,
    BlueprintProps,
    DumpProps,
    DomainProps,
    MonitoringSettings,
    OperationsProps,
    SettingsProps,
    TenantPlaceProps,
    WorkerProps {
  /**
   * Release to run: `latest` for the pinned, tested one, or an exact release from 2025.10 on. A newer release builds an
   * image, rolls it out and migrates the database, which cannot be undone.
   *
   * @default "latest"
   */
  readonly applicationVersion?: string;

  /**
   * Makes a backup of the database before another release is rolled out, kept for 30 days. The apply waits for it.
   *
   * @default true
   */
  readonly backupBeforeUpgrade?: boolean | IResolvable;

  /**
   * Initial password of the built-in administrator, as a reference to an ephemeral variable. The application reads it
   * on its first start only.
   *
   * @default - 24 random letters and digits
   */
  readonly bootstrapPassword?: string;

  /**
   * Raise it to write `bootstrapPassword`, or a newly generated password, to Secret Manager.
   *
   * @default 1
   */
  readonly bootstrapPasswordVersion?: number;

  /**
   * Creates a token for the application's API, in Secret Manager. The application reads it on its first start only.
   *
   * @default false
   */
  readonly bootstrapToken?: boolean | IResolvable;

  /**
   * Location of the image's build: `global`, or a region that Cloud Build has. Another one builds nothing again.
   *
   * @default "global"
   */
  readonly buildLocation?: string;

  /**
   * CPUs of one instance: 1, 2, 4 or 8 on Cloud Run, 0.5 to 28 in steps of 0.25 on GKE.
   *
   * @default 2
   */
  readonly containerCpu?: number;

  /**
   * Memory of one instance, in Mi or Gi, shared by the server, a worker beside it and the cache of the media mount.
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
  readonly databaseAvailability?: "ZONAL" | "REGIONAL" | (string & {});

  /**
   * Days to keep the final backup that Cloud SQL makes when the database is deleted. 0 keeps none. Kept backups are
   * billed.
   *
   * @default 30
   */
  readonly databaseFinalBackupDays?: number;

  /**
   * Size of the database, `db-custom-<CPUs>-<memory in MB>`. It limits the connections, and so the instances. Changing
   * it later restarts the database.
   *
   * @default "db-custom-1-3840"
   */
  readonly databaseTier?: string;

  /**
   * Refuses to delete what holds data: the database, the secrets, the media bucket while it has files, and a cluster. Also
   * refuses to change what would replace them: project, region, tenant, application name, and namespace or network.
   *
   * @default true
   */
  readonly deletionProtection?: boolean | IResolvable;

  /**
   * Application settings under their `IDP_…` names; they override the baseline. The state holds them in plain text, so
   * put no passwords here.
   *
   * @default - only the baseline
   */
  readonly environmentVariables?: EnvironmentOverrides;

  /**
   * Image, with its tag or digest, to run instead of building one.
   *
   * @default - an image is built
   */
  readonly existingContainerImage?: string;

  /**
   * Maximum number of instances; each takes 20 database connections, 12 with separate workers, and one for each request
   * in progress.
   *
   * @default 3
   */
  readonly maxInstanceCount?: number;

  /**
   * Minimum number of instances; these always run and are always billed.
   *
   * @default 1
   */
  readonly minInstanceCount?: number;

  /**
   * Existing network with private services access: the database gets a private address on it and no public one. On GKE,
   * the cluster is on it too, and it needs NAT for VMs without public addresses. For a network of the same stack, list
   * the rest of it in `dependsOn`. It cannot be removed later.
   *
   * @default - a public address that only authorized, mutually authenticated proxy connections can use; on GKE, a new
   * network for the cluster
   */
  readonly network?: NetworkAttachment;
}

/** Props that determine the names of a deployment, not yet validated. */
function placeOf({
  applicationName = DEFAULT_APPLICATION_NAME,
  projectId,
  region = DEFAULT_REGION,
  tenantId,
}: IdentityProviderProps) {
  return { projectId, region, deployment: { applicationName, tenantPrefix: tenantPrefix(tenantId, projectId) } };
}

/** Length of the database's connection name; undefined if it is unknown at synth. */
export function connectionNameLength(props: IdentityProviderProps): number | undefined {
  const { deployment, projectId, region } = placeOf(props);
  const name = connectionName(projectId, region, deployment);
  return Token.isUnresolved(name) ? undefined : name.length;
}

/**
 * Connections of the database; undefined for a tier unknown at synth, and for an invalid one, which has its own rule.
 */
export function connectionsOfTier({ databaseTier: tier = DEFAULT_DATABASE_TIER }: IdentityProviderProps) {
  return Token.isUnresolved(tier) || !DATABASE_TIER.accepts(tier) ? undefined : Number(maxConnections(tier));
}

/** Rules for the props of both variants, under the names that the caller uses. */
export const IDENTITY_PROVIDER_RULES: readonly Rule<IdentityProviderProps>[] = [
  ...TENANT_PLACE_RULES,
  ...APPLICATION_VERSION.map((rule) =>
    rule.ruleOn<IdentityProviderProps>("applicationVersion", ({ applicationVersion }) => applicationVersion),
  ),
  secretReferenceRule("bootstrapPassword", ({ bootstrapPassword }) => bootstrapPassword),
  SECRET_WRITE_VERSION.ruleOn("bootstrapPasswordVersion", ({ bootstrapPasswordVersion: version }) => version),
  DATABASE_TIER.ruleOn("databaseTier", ({ databaseTier }) => databaseTier),
  DATABASE_AVAILABILITY.ruleOn("databaseAvailability", ({ databaseAvailability }) => databaseAvailability),
  FINAL_BACKUP_DAYS.ruleOn("databaseFinalBackupDays", ({ databaseFinalBackupDays }) => databaseFinalBackupDays),
  ...ENVIRONMENT_RULES.map((rule) =>
    rule.ruleOn<IdentityProviderProps>("environmentVariables", ({ environmentVariables }) => environmentVariables),
  ),
  BUILD_LOCATION.ruleOn("buildLocation", ({ buildLocation }) => buildLocation),
  EXISTING_IMAGE.ruleOn("existingContainerImage", ({ existingContainerImage }) => existingContainerImage),
  FOREIGN_IMAGE.ruleOn({
    image: ["existingContainerImage", ({ existingContainerImage }) => existingContainerImage],
    ownPrefix: [
      "the deployment's own repository",
      (props) => {
        const { deployment, projectId, region } = placeOf(props);
        return imagePrefix(region, projectId, deployment);
      },
    ],
  }),
  ...BACKUP_RULES,
  ...BLUEPRINT_RULES,
  ...DUMP_RULES,
  BLUEPRINTS_NEED_BUILD.ruleOn({
    image: ["existingContainerImage", ({ existingContainerImage }) => existingContainerImage],
    count: [
      "blueprints and blueprintFiles",
      (props) => (props.blueprints ?? []).length + Object.keys(ownBlueprints(props) ?? {}).length,
    ],
  }),
  ...SETTINGS_RULES,
  ...FRONT_DOOR_RULES,
  ...OPERATIONS_RULES,
  ...WORKER_RULES,
  ...attachmentRules<IdentityProviderProps>(({ region = DEFAULT_REGION }) => region),
];
