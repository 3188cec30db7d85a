export { type DeploymentContext, deploymentContext, type DeploymentContextProps } from "./core/deployment-context";
export { type Existing, type OwnPart } from "./core/existing";
export { type Condition } from "./core/expr/conditions";
export { type Blocks } from "./core/hcl/hcl-body";
export { type HclBlocks } from "./core/hcl/stack-origin";
export { type GrantedAccount, type GrantLimits, type WorkloadIdentity } from "./core/identity";
export { type ProviderResource, type ResourceWith } from "./core/inputs/rows";
export { RulesBrokenError } from "./core/inputs/rules-broken-error";
export { warningsOf } from "./core/inputs/warnings";
export { type DeploymentName } from "./core/names";
export { PortableStack, type PortableStackProps, type StackOutput } from "./core/portable-stack";
export { type ApiName, ProjectApis, type ProjectApisProps } from "./core/project-apis";
export { type ProviderName } from "./core/provider-requirements";
export { type SecretAttributes } from "./core/secrets/existing-secret";
export { GeneratedSecret, type GeneratedSecretProps } from "./core/secrets/generated-secret";
export { type ReadableSecret } from "./core/secrets/stored-secret";
export { type StackFile } from "./core/stack-file";
export { type StateBackend } from "./core/state-backend";
export { type IdentityProvider } from "./identity-provider";
export { type BlueprintFiles, type BlueprintProps, Blueprints } from "./idp/blueprints";
export { type CheckUp, type CheckUpLimits, type CheckUpProps } from "./idp/check-up";
export {
  type CommonVariables,
  type ContainerSpec,
  type DatabaseSpec,
  type EnvironmentOverrides,
  type EnvironmentSpec,
  type ProbeSpec,
  type ResourcesSpec,
  type TlsPortSpec,
} from "./idp/container-spec";
export { type DatabaseRights, DbInit, type DbInitProps } from "./idp/db-init";
export { type DumpCopies, type DumpsElsewhere, type LockedDumps } from "./idp/dump-copies";
export { type DatabaseDump, type DumpBucket, type DumpProps } from "./idp/dumps";
export { type EventRetention } from "./idp/event-retention";
export { type ExistingSecrets } from "./idp/existing-secrets";
export { identityProviderContainer, type IdentityProviderContainerProps } from "./idp/identity-provider-container";
export { IdpImage, type IdpImageProps, type ImageBuildProps } from "./idp/idp-image";
export {
  type ExistingSecretKey,
  IdpSecrets,
  type IdpSecretsProps,
  type SecretKeys,
  type SecretKeyVersions,
} from "./idp/idp-secrets";
export {
  type JobRunner,
  type JobSpec,
  type ManualJob,
  type ManualJobRunner,
  type ManualJobSpec,
  type OneTimeJob,
  type OneTimeJobSpec,
  type ScheduledJob,
  type ScheduledJobRunner,
  type ScheduledJobSpec,
} from "./idp/job-runner";
export { type SmtpProps } from "./idp/mail";
export { type BucketAttributes, type BucketFolder, MediaBucket, type MediaBucketProps } from "./idp/media-bucket";
export { type ContainerImage, type ImageRepository, type MediaStore, type SqlInstance } from "./idp/parts";
export { type ProbeProps } from "./idp/probes";
export { type RecoveryAccess, type RecoveryAccessProps } from "./idp/recovery-access";
export { type SecretReference } from "./idp/secret-reference";
export { type SecretSettings } from "./idp/secret-settings";
export { type SignInProbe, type SignInProbeProps } from "./idp/sign-in-probe";
export { type UpgradeBackup } from "./idp/upgrade-backup";
export { type WorkerProps, type WorkerSize } from "./idp/worker";
export { type DnsZoneProps, type DomainOptions } from "./platform/domain/domain";
export { type DomainAddress, type LoadBalancerAddress } from "./platform/domain/domain-address";
export { type DnsCertificate, type DomainSetup } from "./platform/domain/domain-setup";
export { type Ipv6Address } from "./platform/domain/ipv6";
export { type ProtectionProps } from "./platform/domain/protection";
export { type SecurityPolicy } from "./platform/domain/security-policy";
export { ExistingIdentity } from "./platform/identity/existing-identity";
export {
  type AccountEmails,
  type ExistingAccount,
  ServiceIdentity,
  type ServiceIdentityProps,
} from "./platform/identity/service-identity";
export { type KmsKeys } from "./platform/landing-zone";
export {
  type DeniedSettings,
  type DenyMaintenancePeriod,
  type MaintenanceWindow,
  type WindowSettings,
} from "./platform/maintenance";
export { type AlertPolicies } from "./platform/monitoring/alert-policies";
export { type AuditLog, type AuditLogProps } from "./platform/monitoring/audit-log";
export { type Monitoring } from "./platform/monitoring/monitoring";
export {
  type AlertProps,
  type NotificationChannels,
  type SecretReadLogProps,
} from "./platform/monitoring/monitoring-settings";
export { type ServiceLevelProps, type ServiceLevels } from "./platform/monitoring/service-levels";
export { type ExistingNetwork, type NetworkAttachment, type NetworkProps } from "./platform/network/network-attachment";
export { type SeparateWorker } from "./platform/parts";
export { ImageRegistry, type ImageRegistryProps, type RepositoryAttributes } from "./platform/registry/image-registry";
export {
  type CommandJobSpec,
  type OnCloudRun,
  ServerlessJobs,
  type ServerlessJobsProps,
} from "./platform/serverless/cloud-run-jobs";
export { type InternalLoadBalancer } from "./platform/serverless/internal-load-balancer";
export { type ServerlessLoadBalancer } from "./platform/serverless/serverless-load-balancer";
export {
  ServerlessService,
  type ServerlessServiceProps,
  type ServerlessWorkerPool,
} from "./platform/serverless/serverless-service";
export { type StandbyProps } from "./platform/serverless/standby-inputs";
export { type StandbyService } from "./platform/serverless/standby-service";
export { type BackupProps } from "./platform/sql/database-backups";
export { type DatabaseFlags } from "./platform/sql/database-flags";
export { type DatabasePasswordVersions } from "./platform/sql/database-passwords";
export {
  type DatabaseAdministrator,
  type DatabaseAttributes,
  type ExistingDatabaseProps,
} from "./platform/sql/existing-database";
export { PostgresqlDatabase, type PostgresqlDatabaseProps } from "./platform/sql/postgresql-database";
export { type StandbyDatabase } from "./platform/sql/standby-database";
export { ServerlessIdentityProvider, type ServerlessIdentityProviderProps } from "./serverless-identity-provider";
