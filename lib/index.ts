export { DeletionGuard, type DeletionGuardProps } from "./core/deletion-guard";
export { GeneratedSecret, type GeneratedSecretProps, type ReadableSecret } from "./core/generated-secret";
export { type WorkloadIdentity } from "./core/identity";
export { InputVariable, type InputVariableProps } from "./core/input-variable";
export { tenantPrefix, type DeploymentName } from "./core/names";
export { tenantContext, type DeploymentContext, type TenantPlaceProps } from "./core/place";
export { PortableStack, type PortableStackProps, type StackOutput } from "./core/portable-stack";
export { ProjectApis, type ApiName, type ProjectApisProps } from "./core/project-apis";
export { RulesBrokenError } from "./core/rules";
export { type ProviderName } from "./core/provider-requirements";
export { type StackFile } from "./core/stack-file";
export { type StateBackend } from "./core/state-backend";
export { Blueprints, type BlueprintsProps } from "./idp/blueprints";
export { type BlueprintFiles, type BlueprintProps } from "./idp/blueprint-props";
export {
  type ContainerSpec,
  type DatabaseSpec,
  type EnvironmentOverrides,
  type EnvironmentSpec,
  type ProbeSpec,
  type ResourcesSpec,
  type TlsPortSpec,
} from "./idp/container-spec";
export { DatabaseDump, type DatabaseDumpProps } from "./idp/database-dump";
export { DbInit, type DbInitProps } from "./idp/db-init";
export {
  identityProviderContainer,
  trustedProxies,
  type IdentityProviderContainerProps,
} from "./idp/identity-provider-container";
export { DumpBucket, type DumpBucketProps } from "./idp/dump-bucket";
export { type DumpProps } from "./idp/dump-props";
export { IdpImage, publicImage, type IdpImageProps } from "./idp/idp-image";
export { IdpSecrets, type IdpSecretsProps } from "./idp/idp-secrets";
export { mailSettings, type MailSettings } from "./idp/mail-settings";
export { MediaBucket, type MediaBucketProps } from "./idp/media-bucket";
export {
  type JobRunner,
  type JobSpec,
  type OneTimeJob,
  type OneTimeJobSpec,
  type ScheduledJob,
  type ScheduledJobRunner,
  type ScheduledJobSpec,
} from "./idp/job-runner";
export { type ContainerImage, type ImageRepository, type MediaStore, type SqlInstance } from "./idp/parts";
export { type SecretSettings } from "./idp/secret-settings";
export { type PasswordSecret, type Smtp } from "./idp/smtp";
export { UpgradeBackup, type UpgradeBackupProps } from "./idp/upgrade-backup";
export { type IdentityProvider } from "./identity-provider";
export { type IdentityProviderProps } from "./identity-provider-props";
export { DnsCertificate, type DnsCertificateProps } from "./platform/edge/dns-certificate";
export { type DnsZone } from "./platform/edge/edge-rules";
export { DnsRecords, type DnsRecordsProps } from "./platform/edge/dns-records";
export { DomainAddress, type DomainAddressProps } from "./platform/edge/domain-address";
export { DomainSetup, type DomainSetupProps } from "./platform/edge/edge";
export { type DomainProps } from "./platform/edge/front-door-props";
export { type Protection } from "./platform/edge/protection";
export { SecurityPolicy, type SecurityPolicyProps } from "./platform/edge/security-policy";
export { ExistingIdentity } from "./platform/identity/existing-identity";
export { ServiceIdentity, type ServiceIdentityProps } from "./platform/identity/service-identity";
export { AlertPolicies, type AlertPoliciesProps } from "./platform/monitoring/alert-policies";
export { Dashboard, type DashboardProps } from "./platform/monitoring/dashboard";
export { Monitoring } from "./platform/monitoring/monitoring";
export { type MonitoringProps } from "./platform/monitoring/monitoring-props";
export { type AlertSettings, type MonitoringSettings } from "./platform/monitoring/monitoring-settings";
export { SecretAudit, type SecretAuditProps } from "./platform/monitoring/secret-audit";
export { UptimeCheck, type UptimeCheckProps } from "./platform/monitoring/uptime-check";
export { type NetworkAttachment } from "./platform/network/network-attachment";
export { type CertificateMap, type FrontDoor, type LoadBalancerAddress, type SeparateWorker } from "./platform/parts";
export { ImageRegistry, type ImageRegistryProps } from "./platform/registry/image-registry";
export { OnDemandJob, type OnDemandJobProps } from "./platform/serverless/on-demand-job";
export { ServerlessLoadBalancer, type ServerlessLoadBalancerProps } from "./platform/serverless/serverless-front-door";
export { type ServerlessJob } from "./platform/serverless/serverless-job";
export { ServerlessJobs, type ServerlessJobsProps } from "./platform/serverless/serverless-jobs";
export { type ServerlessScheduledJob } from "./platform/serverless/serverless-scheduled-job";
export { ServerlessService, type ServerlessServiceProps } from "./platform/serverless/serverless-service";
export { ServerlessWorkerPool, type ServerlessWorkerPoolProps } from "./platform/serverless/serverless-worker-pool";
export { PostgresqlDatabase, type PostgresqlDatabaseProps } from "./platform/sql/postgresql-database";
export { workerContainer } from "./idp/worker-container";
export { type WorkerOptions } from "./idp/worker-mode";
export { type WorkerProps } from "./worker-props";
export { ServerlessIdentityProvider } from "./serverless-identity-provider";
export { type ServerlessIdentityProviderProps } from "./serverless-identity-provider-props";
