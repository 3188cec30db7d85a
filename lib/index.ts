export { CheckBlock, type CheckAssertion } from "./core/check-block";
export { DeletionGuard, type DeletionGuardProps } from "./core/deletion-guard";
export { EphemeralResource, type EphemeralResourceProps } from "./core/ephemeral-resource";
export { GeneratedSecret, type GeneratedSecretProps, type SecretReference } from "./core/generated-secret";
export { InputVariable, type InputVariableProps } from "./core/input-variable";
export { tenantPrefix, type DeploymentName } from "./core/names";
export { PortableStack, type PortableStackProps, type StackOutput } from "./core/portable-stack";
export { ProjectApis, type ApiName, type ProjectApisProps } from "./core/project-apis";
export { RulesBrokenError } from "./core/rules";
export { type StateBackend } from "./core/state-backend";
export {
  type BucketMountSpec,
  type ContainerSpec,
  type EnvironmentOverrides,
  type EnvironmentSpec,
  type ProbeSpec,
  type ResourcesSpec,
} from "./idp/container-spec";
export { DbInit, type DbInitProps } from "./idp/db-init";
export {
  identityProviderContainer,
  type DatabaseConnection,
  type IdentityProviderContainerProps,
} from "./idp/identity-provider-container";
export { IdpImage, type IdpImageProps, type ImageRepository } from "./idp/idp-image";
export { IdpSecrets, type IdpSecretName, type IdpSecretsProps } from "./idp/idp-secrets";
export { trustedProxies } from "./idp/trusted-proxies";
export {
  type InitializationJob,
  type InitializationJobPlatform,
  type InitializationJobSpec,
} from "./idp/initialization-job";
export { MediaBucket, type MediaBucketProps } from "./idp/media-bucket";
export { ImageRegistry, type ImageRegistryProps } from "./platform/image-registry";
export { type NetworkAttachment } from "./platform/network-attachment";
export { PostgresqlDatabase, type PostgresqlDatabaseProps } from "./platform/postgresql-database";
export { TRUSTED_PROXIES } from "./platform/serverless/contract";
export { ServerlessJobs, type ServerlessJobsProps } from "./platform/serverless/serverless-jobs";
export { ServerlessService, type ServerlessServiceProps } from "./platform/serverless/serverless-service";
export { socketFolder } from "./platform/serverless/socket-folder";
export { ServiceIdentity, type ServiceIdentityProps } from "./platform/service-identity";
