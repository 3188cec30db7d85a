import { type TerraformStack } from "cdktf";
import { type Construct } from "constructs";

import { type DeploymentContext } from "../../lib/core/deployment-context";
import { expression } from "../../lib/core/expr/terraform-text";
import { type WorkloadIdentity } from "../../lib/core/identity";
import { type ApiName, ProjectApis } from "../../lib/core/project-apis";
import { type ReadableSecret } from "../../lib/core/secrets/stored-secret";
import { type ContainerSpec } from "../../lib/idp/container-spec";
import {
  identityProviderContainer,
  type IdentityProviderContainerProps,
} from "../../lib/idp/identity-provider-container";
import { publicImage } from "../../lib/idp/idp-image";
import { type ImageRepository, type MediaStore, type SqlInstance } from "../../lib/idp/parts";
import { type MonitoringProps } from "../../lib/platform/monitoring/monitoring";

/** Parts that a construct needs but a test ignores: they grant nothing and create nothing. */

export const CONTEXT: DeploymentContext = {
  projectId: "demo-project",
  region: "us-central1",
  deployment: { tenantPrefix: "demo-abc123", applicationName: "idp" },
};

export const standInIdentity = (name = "Runner", overrides: Partial<WorkloadIdentity> = {}): WorkloadIdentity => ({
  name,
  email: `${name.toLowerCase()}@demo-project.iam.gserviceaccount.com`,
  member: `serviceAccount:${name.toLowerCase()}@demo-project.iam.gserviceaccount.com`,
  grantable: true,
  ready: [],
  grantOnProject: () => [],
  ...overrides,
});

/** Enabled APIs of the context's project. */
export const apisIn = (stack: TerraformStack, ...apis: readonly ApiName[]): ProjectApis =>
  new ProjectApis(stack, "Apis", { projectId: CONTEXT.projectId, region: CONTEXT.region, apis });

const standInSecret = (secretId: string, version = "1"): ReadableSecret => ({
  secretId,
  version,
  revision: `${secretId}/${version}`,
  ephemeralValue: expression(`ephemeral.stored.${secretId}`),
  ready: [],
  grantAccess: () => [],
});

export const standInDatabase = (overrides: Partial<SqlInstance> = {}): SqlInstance => ({
  instanceName: "sql-demo",
  connectionName: "demo-project:us-central1:sql-demo",
  databaseName: "demo_idp",
  userName: "demo_role",
  password: standInSecret("password", "7"),
  administratorPassword: standInSecret("administrator", "4"),
  hasPrivateAddress: false,
  ready: [],
  grantConnect: () => [],
  ...overrides,
});

const STAND_IN_MEDIA: MediaStore = {
  name: "storage",
  bucketName: "bucket",
  mountPath: "/media",
  mountOptions: ["uid=1000"],
  ready: [],
  grantReadWrite: () => [],
};

export const STAND_IN_REPOSITORY: ImageRepository = {
  imagePrefix: "us-central1-docker.pkg.dev/demo-project/images",
  builderEmail: "builder@demo-project.iam.gserviceaccount.com",
  ready: [],
  grantPull: () => [],
};

/** The identity provider's container, with stand-ins for its parts. */
export const standInIdentityProvider = (
  scope: Construct,
  overrides: Partial<IdentityProviderContainerProps> = {},
): ContainerSpec =>
  identityProviderContainer(scope, {
    database: standInDatabase(),
    image: publicImage("registry/idp:1"),
    initialization: { ready: [] },
    media: STAND_IN_MEDIA,
    secrets: { secretKey: standInSecret("key"), bootstrapPassword: standInSecret("first", "2") },
    resources: { cpu: "2", memory: "4Gi" },
    ...overrides,
  });

/** Facts for monitoring of a deployment on Cloud Run with a server alone. */
export const STAND_IN_SERVER = {
  nameOf: String,
  platform: "serverless",
  address: { protection: false, url: "https://idp-1a2b3c.a.run.app" },
  database: { id: "demo-project:sql-demo", hasOwnBackups: true, isOwn: true, maxConnections: "100" },
  instances: { connectionPool: false, maxCount: 3, minCount: 1, workerCount: "1", workerMode: "in-container" },
  jobs: {
    checkUp: undefined,
    dump: undefined,
    eventRetention: undefined,
    recoveryAccess: undefined,
    restoreDrill: false,
    signInProbe: undefined,
  },
} as const satisfies Partial<MonitoringProps>;
