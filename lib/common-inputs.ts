import {
  DEPLOYMENT_RELATIONS,
  DEPLOYMENT_WARNINGS,
  type DeploymentInputs,
  deploymentInputs,
} from "./core/deployment-context";
import { NETWORK_RELATIONS, type NetworkInputs, networkInputs } from "./core/inputs/network-inputs";
import { type Relation } from "./core/inputs/relations";
import { flag, type PropsOf, type ResourceWith } from "./core/inputs/rows";
import { type WarningItems, type WarningRelation } from "./core/inputs/warnings";
import { prose } from "./core/prose";
import { EXISTING_PARTS, EXISTING_RELATIONS } from "./existing-parts";
import { BLUEPRINT_WARNINGS, type BlueprintProps, BLUEPRINTS } from "./idp/blueprints";
import { CHECK_UP, CHECK_UP_WARNINGS, type CheckUpProps } from "./idp/check-up";
import { CONNECTION_POOL, type ConnectionPoolInputs, POOL_WARNINGS } from "./idp/connection-pool";
import { DATABASE_RIGHTS, type DatabaseRights } from "./idp/db-init";
import { DUMP_RELATIONS, DUMP_WARNINGS, type DumpProps, DUMPS } from "./idp/dumps";
import { ENVIRONMENT, ENVIRONMENT_RELATIONS, type EnvironmentInputs } from "./idp/environment";
import { COOKIE_WARNINGS, ENVIRONMENT_WARNINGS } from "./idp/environment-warnings";
import { IMAGE, IMAGE_RELATIONS, type ImageBuildProps, type ImageInputs } from "./idp/idp-image";
import { SECRET_RELATIONS, type SecretKeys, type SecretKeyVersions, SECRETS } from "./idp/idp-secrets";
import { MAIL, MAIL_RELATIONS, type SmtpProps } from "./idp/mail";
import { type BucketAttributes, SOFT_DELETE } from "./idp/media-bucket";
import { PROBE_RELATIONS, type ProbeProps, PROBES } from "./idp/probes";
import { RECOVERY_ACCESS, type RecoveryAccessProps } from "./idp/recovery-access";
import { type SecretReference } from "./idp/secret-reference";
import { SIGN_IN_PROBE, SIGN_IN_PROBE_RELATIONS, type SignInProbeProps } from "./idp/sign-in-probe";
import { UPGRADE_BACKUPS } from "./idp/upgrade-backup";
import { WORKER_WARNINGS, type WorkerInputs, type WorkerProps } from "./idp/worker";
import {
  type DnsZoneProps,
  DOMAIN_RELATIONS,
  DOMAIN_WARNINGS,
  type DomainInputs,
  type DomainOptions,
} from "./platform/domain/domain";
import {
  PROTECTION_RELATIONS,
  PROTECTION_WARNINGS,
  type ProtectionInputs,
  type ProtectionProps,
} from "./platform/domain/protection";
import { type AccountEmails } from "./platform/identity/service-identity";
import { INSTANCE_WARNINGS, type InstanceInputs } from "./platform/instances";
import { type KmsKeys, LANDING_ZONE_RELATIONS, landingZoneInputs } from "./platform/landing-zone";
import {
  type DenyMaintenancePeriod,
  MAINTENANCE_RELATIONS,
  maintenanceInputs,
  type MaintenanceWindow,
} from "./platform/maintenance";
import { AUDIT_LOG, AUDIT_LOG_RELATIONS, type AuditLogProps } from "./platform/monitoring/audit-log";
import {
  type AlertProps,
  MONITORING_WARNINGS,
  type MonitoringInputs,
  type NotificationChannels,
  type SecretReadLogProps,
} from "./platform/monitoring/monitoring-settings";
import { type ServiceLevelProps } from "./platform/monitoring/service-levels";
import { type NetworkProps } from "./platform/network/network-attachment";
import { type RepositoryAttributes } from "./platform/registry/image-registry";
import { BACKUP_RELATIONS, type BackupProps, BACKUPS } from "./platform/sql/database-backups";
import { DATABASE_SERVER } from "./platform/sql/database-flags";
import { DATABASE_PASSWORDS, type DatabasePasswordVersions } from "./platform/sql/database-passwords";
import { DATABASE_SIZE, type DatabaseInputs } from "./platform/sql/database-size";
import { BACKUP_PLAN_RELATIONS, BACKUP_PLAN_WARNINGS, EXISTING_BACKUP_PLAN } from "./platform/sql/existing-backup-plan";
import { type DatabaseAttributes } from "./platform/sql/existing-database";

/** Variant-specific words in the descriptions of shared inputs. */
interface VariantWords {
  /** Further parts that are protected from deletion, ending with a comma and a space; empty if there are none. */
  readonly alsoProtected: string;
  /** Inputs that cannot change while the deployment is protected, in a list. */
  readonly unchangeable: string;
  /** Labels that a change affects, starting with a semicolon and a space; empty for none. */
  readonly changedLabels: string;
  readonly network: Parameters<typeof networkInputs>[0];
  /** Resource that runs the application. */
  readonly runner: Parameters<typeof landingZoneInputs>[0];
}

/** Written out, because the compiler drops the comments of rows from the type of a spread table. */
type SharedInputs = DeploymentInputs &
  ImageInputs &
  typeof SECRETS &
  typeof BLUEPRINTS &
  EnvironmentInputs &
  typeof MAIL &
  DatabaseInputs &
  typeof DATABASE_SERVER &
  typeof DATABASE_PASSWORDS &
  typeof DATABASE_RIGHTS &
  ConnectionPoolInputs &
  ReturnType<typeof maintenanceInputs> &
  typeof BACKUPS &
  typeof EXISTING_BACKUP_PLAN &
  typeof UPGRADE_BACKUPS &
  typeof DUMPS &
  typeof SOFT_DELETE &
  typeof CHECK_UP &
  typeof RECOVERY_ACCESS &
  typeof SIGN_IN_PROBE &
  typeof AUDIT_LOG &
  typeof PROBES &
  NetworkInputs &
  typeof EXISTING_PARTS &
  ReturnType<typeof landingZoneInputs> &
  ReturnType<typeof protectedInputs>;

/** Inputs of both variants with words and rules that do not depend on the platform's sizes. */
export function commonInputs({ changedLabels, network, runner, ...words }: VariantWords): SharedInputs {
  return {
    ...deploymentInputs(changedLabels),
    ...IMAGE,
    ...SECRETS,
    ...BLUEPRINTS,
    ...ENVIRONMENT,
    ...MAIL,
    ...DATABASE_SIZE,
    ...DATABASE_SERVER,
    ...DATABASE_PASSWORDS,
    ...DATABASE_RIGHTS,
    ...CONNECTION_POOL,
    ...maintenanceInputs(runner),
    ...BACKUPS,
    ...EXISTING_BACKUP_PLAN,
    ...UPGRADE_BACKUPS,
    ...DUMPS,
    ...SOFT_DELETE,
    ...CHECK_UP,
    ...RECOVERY_ACCESS,
    ...SIGN_IN_PROBE,
    ...AUDIT_LOG,
    ...PROBES,
    ...networkInputs(network),
    ...EXISTING_PARTS,
    ...landingZoneInputs(runner),
    ...protectedInputs(words),
  };
}

function protectedInputs({ alsoProtected, unchangeable }: Pick<VariantWords, "alsoProtected" | "unchangeable">) {
  return {
    /**
     * Refuses the deletion of parts with data, and changes that would replace them, such as another project, region or
     * name.
     */
    deletionProtection: flag({
      default: true,
      description: prose`
        Refuses to delete what holds data: ${alsoProtected}database, secrets,
        and the media bucket while it has files; and to change ${unchangeable}. Changing it later is safe;
        apply false before a destroy.
      `,
    }),
  };
}

/** Inputs of both variants. */
export type CommonInputs = DomainInputs &
  InstanceInputs &
  MonitoringInputs &
  ProtectionInputs &
  SharedInputs &
  WorkerInputs;

/** Relations of these inputs, apart from those about the platform's sizes. */
export const COMMON_RELATIONS: readonly Relation<CommonInputs>[] = [
  ...DEPLOYMENT_RELATIONS,
  ...IMAGE_RELATIONS,
  ...SECRET_RELATIONS,
  ...ENVIRONMENT_RELATIONS,
  ...MAIL_RELATIONS,
  ...BACKUP_RELATIONS,
  ...BACKUP_PLAN_RELATIONS,
  ...MAINTENANCE_RELATIONS,
  ...DUMP_RELATIONS,
  ...SIGN_IN_PROBE_RELATIONS,
  ...AUDIT_LOG_RELATIONS,
  ...PROBE_RELATIONS,
  ...NETWORK_RELATIONS,
  ...EXISTING_RELATIONS,
  ...LANDING_ZONE_RELATIONS,
  ...DOMAIN_RELATIONS,
  ...PROTECTION_RELATIONS,
];

/** Warnings about valid inputs that have no effect or do harm. */
export const COMMON_WARNINGS: readonly (WarningRelation<CommonInputs> | WarningItems<CommonInputs>)[] = [
  ...DEPLOYMENT_WARNINGS,
  ...ENVIRONMENT_WARNINGS,
  ...BLUEPRINT_WARNINGS,
  ...POOL_WARNINGS,
  ...INSTANCE_WARNINGS,
  ...WORKER_WARNINGS,
  ...DOMAIN_WARNINGS,
  ...PROTECTION_WARNINGS,
  ...BACKUP_PLAN_WARNINGS,
  ...COOKIE_WARNINGS,
  ...MONITORING_WARNINGS,
  ...CHECK_UP_WARNINGS,
  ...DUMP_WARNINGS,
];

/** Props of both variants that are not inputs. */
export interface ProgramProps extends Pick<BlueprintProps, "blueprintFiles"> {
  /**
   * Existing network with private services access: the database gets a private address on it and no public one. On GKE,
   * the cluster uses the network too, and the network must have NAT for VMs without public addresses. For a network of
   * the same stack, list its other resources in `dependsOn`. The network cannot be removed later.
   *
   * @default - a public address that only authorized, mutually authenticated proxy connections can use; on GKE, a new
   *   network for the cluster
   */
  readonly network?: NetworkProps;
}

/** Names of the types of props that are objects. */
export interface CommonObjects {
  readonly alerts: Readonly<Record<string, AlertProps>>;
  readonly auditLog: AuditLogProps;
  readonly backups: BackupProps;
  readonly build: ImageBuildProps;
  readonly checkUp: CheckUpProps;
  readonly databasePasswords: DatabasePasswordVersions;
  readonly databaseRights: DatabaseRights;
  readonly denyMaintenancePeriod: DenyMaintenancePeriod;
  readonly dnsZone: DnsZoneProps;
  readonly domainOptions: DomainOptions;
  readonly dumps: DumpProps;
  readonly existingBucket: BucketAttributes;
  readonly existingDatabase: DatabaseAttributes;
  readonly existingRepository: RepositoryAttributes;
  readonly existingSecrets: SecretKeys;
  readonly existingServiceAccounts: AccountEmails;
  readonly kmsKeys: KmsKeys;
  readonly livenessProbe: ProbeProps;
  readonly maintenanceWindow: MaintenanceWindow;
  readonly notificationChannels: NotificationChannels;
  readonly protection: ProtectionProps;
  readonly recoveryAccess: RecoveryAccessProps;
  readonly secretKey: SecretKeyVersions;
  readonly secretReadLog: SecretReadLogProps;
  readonly secretEnvironmentVariables: Readonly<Record<string, ResourceWith<"secretData"> | SecretReference>>;
  readonly slo: ServiceLevelProps;
  readonly signInProbe: SignInProbeProps;
  readonly smtp: SmtpProps;
  readonly startupProbe: ProbeProps;
  readonly worker: WorkerProps;
}

/** Props of a variant. `Objects` has names for the types of its own objects too. */
export type VariantProps<T extends CommonInputs, Objects = CommonObjects> = Omit<
  PropsOf<T, Objects>,
  "network" | "subnetwork"
> &
  ProgramProps;
