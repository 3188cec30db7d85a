import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider";
import { type Construct } from "constructs";

import { expression } from "../../lib/core/expression";
import { type ReadableSecret } from "../../lib/core/generated-secret";
import { type WorkloadIdentity } from "../../lib/core/identity";
import { Value } from "../../lib/core/inputs";
import { packageFile } from "../../lib/core/package-file";
import { type DeploymentContext } from "../../lib/core/place";
import { addStackFile } from "../../lib/core/stack-file";
import { type ContainerSpec } from "../../lib/idp/container-spec";
import {
  identityProviderContainer,
  type IdentityProviderContainerProps,
} from "../../lib/idp/identity-provider-container";
import { publicImage } from "../../lib/idp/idp-image";
import { type OneTimeJobSpec } from "../../lib/idp/job-runner";
import { type ImageRepository, type MediaStore, type SqlInstance } from "../../lib/idp/parts";
import { GEOIP } from "../../lib/platform/kubernetes/geoip";
import { WorkloadNamespace, type WorkloadNamespaceProps } from "../../lib/platform/kubernetes/workload-namespace";
import { bareStack, type BareStack } from "./synthesis";

/** Parts that a construct needs but a test ignores: they grant nothing and create nothing. */

export const PLACE: DeploymentContext = {
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

const standInSecret = (secretId: string, version = "1"): ReadableSecret => ({
  secretId,
  version,
  identity: `${secretId}/${version}`,
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
  hasPrivateAddress: "false",
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

export const STAND_IN_CLUSTER: WorkloadNamespaceProps["cluster"] = {
  nodes: standInIdentity("Nodes"),
  ready: [],
  grantActAs: () => [],
};

export const STAND_IN_WORKLOAD = {
  place: PLACE,
  address: { address: "192.0.2.1", url: "https://192.0.2.1" },
  geoip: new Value(GEOIP.geoip, null, () => "null", "geoip", String),
  minInstanceCount: 1,
  maxInstanceCount: 3,
};

export const standInContainer = (overrides: Partial<ContainerSpec> = {}): ContainerSpec => ({
  image: publicImage("registry/idp:1"),
  environment: { baseline: {}, overrides: {}, required: {} },
  secretEnvironment: {},
  ...overrides,
});

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

/** A job with its own script in the folder of the scope's stack. */
export const standInJob = (scope: Construct, overrides: Partial<OneTimeJobSpec> = {}): OneTimeJobSpec => ({
  name: "prepare",
  container: standInContainer(),
  script: addStackFile(scope, packageFile("lib/idp/scripts/dump-database.sh"), "scripts/prepare.sh"),
  scriptName: "prepare.sh",
  timeoutSeconds: 120,
  maxRetries: 1,
  rerunWhenChanged: { script: "hash", names: "a b" },
  ...overrides,
});

/** A stack with a kubernetes provider, and a namespace in it. */
export const namespaceIn = (stack: BareStack = bareStack(), props: Partial<WorkloadNamespaceProps> = {}) => {
  new KubernetesProvider(stack, "kubernetes", { host: "https://cluster" });
  const none = { outboundPorts: "[]", outlivedBy: [] };
  return new WorkloadNamespace(stack, "Namespace", {
    ...{ ...none, place: PLACE, cluster: STAND_IN_CLUSTER, name: "apps" },
    ...props,
  });
};
