export { GeneratedSecret, type GeneratedSecretProps } from "./core/generated-secret";
export { type ReadableSecret } from "./core/stored-secret";
export { type WorkloadIdentity } from "./core/identity";
export { type DeploymentName } from "./core/names";
export { tenantContext, type DeploymentContext, type TenantPlaceProps } from "./core/place";
export { PortableStack, type PortableStackProps, type StackOutput } from "./core/portable-stack";
export { ProjectApis, type ApiName, type ProjectApisProps } from "./core/project-apis";
export { type ProviderName } from "./core/provider-requirements";
export { RulesBrokenError } from "./core/rules-broken-error";
export { type StackFile } from "./core/stack-file";
export { type StateBackend } from "./core/state-backend";
export { Blueprints, type BlueprintFiles, type BlueprintProps } from "./idp/blueprints";
export {
  type ContainerSpec,
  type DatabaseSpec,
  type EnvironmentOverrides,
  type EnvironmentSpec,
  type ProbeSpec,
  type ResourcesSpec,
  type TlsPortSpec,
} from "./idp/container-spec";
export { DbInit, type DbInitProps } from "./idp/db-init";
export { identityProviderContainer, type IdentityProviderContainerProps } from "./idp/identity-provider-container";
export { IdpImage, type IdpImageProps } from "./idp/idp-image";
export { IdpSecrets, type IdpSecretsProps } from "./idp/idp-secrets";
export { MediaBucket, type MediaBucketProps } from "./idp/media-bucket";
export { type JobRunner, type JobSpec, type OneTimeJob, type OneTimeJobSpec } from "./idp/job-runner";
export { type ContainerImage, type ImageRepository, type MediaStore, type SqlInstance } from "./idp/parts";
export { type SecretSettings } from "./idp/secret-settings";
export { type IdentityProvider } from "./identity-provider";
export { ExistingIdentity } from "./platform/identity/existing-identity";
export { ServiceIdentity, type ServiceIdentityProps } from "./platform/identity/service-identity";
export { type ExistingNetwork, type NetworkAttachment } from "./platform/network/network-attachment";
export { ImageRegistry, type ImageRegistryProps } from "./platform/registry/image-registry";
export { ServerlessJobs, type ServerlessJobsProps } from "./platform/serverless/cloud-run-jobs";
export { ServerlessService, type ServerlessServiceProps } from "./platform/serverless/serverless-service";
export { PostgresqlDatabase, type PostgresqlDatabaseProps } from "./platform/sql/postgresql-database";
export { ServerlessIdentityProvider, type ServerlessIdentityProviderProps } from "./serverless-identity-provider";
