import {
  DbInit,
  identityProviderContainer,
  type IdentityProviderContainerProps,
  IdpImage,
  type IdpImageProps,
  IdpSecrets,
  type IdpSecretsProps,
  ImageRegistry,
  InputVariable,
  MediaBucket,
  PostgresqlDatabase,
  type PostgresqlDatabaseProps,
  ProjectApis,
  ServerlessJobs,
  ServerlessService,
  type ServerlessServiceProps,
  ServiceIdentity,
  socketFolder,
  tenantPrefix,
} from "../../lib";
import { bareStack, terraformOf, type BareStack, type Terraform } from "../support/synthesis";

/** What somebody who composes the constructs with literals may say. */
interface LiteralDeployment {
  readonly applicationName?: string;
  readonly tenantId?: string;
  readonly region?: string;
  readonly labels?: Record<string, string>;
  readonly deletionProtection?: boolean;
  readonly secrets?: (stack: BareStack) => Partial<IdpSecretsProps>;
  readonly image?: Partial<IdpImageProps>;
  readonly database?: Partial<PostgresqlDatabaseProps>;
  readonly container?: Partial<IdentityProviderContainerProps>;
  readonly service?: Partial<ServerlessServiceProps>;
}

const PROJECT_ID = "demo-project";

const SCENARIOS: Readonly<Record<string, LiteralDeployment>> = {
  "everything-overridden": {
    applicationName: "login",
    tenantId: "acme",
    region: "europe-west1",
    labels: { cost: "shared" },
    deletionProtection: false,
    secrets: (stack) => ({
      bootstrapPassword: new InputVariable(stack, "first_password", {
        type: "string",
        description: "First password of the administrator.",
        ephemeral: true,
        sensitive: true,
      }).stringValue,
      bootstrapPasswordVersion: 2,
    }),
    image: {
      applicationVersion: "2025.12.1",
      buildLocation: "europe-west1",
      upstreamImage: "registry.example.com/mirror/server",
      upstreamPrefix: "UPSTREAM_",
    },
    database: { tier: "db-custom-4-15360", availability: "REGIONAL" },
    container: {
      environment: { IDP_LOG_LEVEL: "debug", IDP_GREETING: 'say "${hello}"\n%{and} $5' },
      resources: { cpu: "4", memory: "8Gi" },
      startupProbe: { initialDelaySeconds: 240, periodSeconds: 10, failureThreshold: 24, timeoutSeconds: 5 },
      livenessProbe: { periodSeconds: 60 },
    },
    service: { cpuAlwaysAllocated: false, minInstanceCount: 2, maxInstanceCount: 8, publicAccess: false },
  },
  "private-network": {
    database: {
      network: {
        network: "projects/shared/global/networks/main",
        subnetwork: "projects/shared/regions/us-central1/subnetworks/services",
      },
    },
  },
  "existing-image": { image: { existingImage: "us-docker.pkg.dev/other-project/images/idp:2026.5.4-abc" } },
};

/** The configuration of every scenario, by its name. */
export function literalDeployments(): Record<string, Terraform> {
  return Object.fromEntries(
    Object.entries(SCENARIOS).map(([name, deployment]) => [name, terraformOf(stackOf(deployment))]),
  );
}

function stackOf(given: LiteralDeployment): BareStack {
  const stack = bareStack();
  const { applicationName = "idp", tenantId = "demo", region = "us-central1", deletionProtection, labels } = given;
  const projectId = PROJECT_ID;
  const deployment = { tenantPrefix: tenantPrefix(tenantId, projectId), applicationName };
  const common = { projectId, region, deployment, labels };
  const network = given.database?.network;

  const apis = new ProjectApis(stack, "Apis", {
    projectId,
    region,
    apis: ["artifactregistry", "cloudbuild", "iam", "logging", "run", "secretmanager", "sqladmin", "storage"],
  });
  const secretStore = apis.ready("secretmanager");
  const secrets = new IdpSecrets(stack, "Secrets", {
    ...deployment,
    deletionProtection,
    labels,
    dependsOn: secretStore,
    ...given.secrets?.(stack),
  });
  const repository =
    given.image?.existingImage === undefined
      ? new ImageRegistry(stack, "Registry", { apis, deployment, projectId, labels, location: region })
      : { imagePrefix: "none", builderEmail: "none", ready: [] };
  const image = new IdpImage(stack, "Image", { projectId, applicationName, repository, ...given.image });
  const media = new MediaBucket(stack, "MediaBucket", {
    ...deployment,
    location: region,
    deletionProtection,
    labels,
    dependsOn: apis.ready("storage"),
  });
  const database = new PostgresqlDatabase(stack, "Database", {
    ...common,
    deletionProtection,
    dependsOn: apis.ready("sqladmin"),
    secretsDependOn: secretStore,
    ...given.database,
  });
  const connection = {
    host: socketFolder(database),
    name: database.databaseName,
    user: database.userName,
    password: database.password.reference,
  };

  const initializer = new ServiceIdentity(stack, "Initializer", {
    ...common,
    purpose: "idp-init",
    description: "Prepares the database",
    dependsOn: apis.ready("iam"),
  });
  const initialization = new DbInit(stack, "DbInit", {
    database: connection,
    administratorPassword: database.administratorPassword.reference,
    platform: new ServerlessJobs({
      ...common,
      database,
      network,
      identity: initializer,
      secretsDependOn: secretStore,
      dependsOn: [
        initializer.grantOnProject("ConnectsToDatabase", "roles/cloudsql.client"),
        database.password.grantAccess("Initializer", initializer.member),
        database.administratorPassword.grantAccess("Initializer", initializer.member),
        ...apis.ready("run"),
      ],
    }),
  });

  const runtime = new ServiceIdentity(stack, "Runtime", {
    ...common,
    purpose: "idp-run",
    description: "Runs the identity provider",
    dependsOn: apis.ready("iam"),
  });
  new ServerlessService(stack, "Service", {
    ...common,
    database,
    network,
    serviceAccountEmail: runtime.email,
    container: identityProviderContainer(stack, {
      image: image.containerImage,
      database: connection,
      secrets,
      media: media.mount,
      resources: { cpu: "2", memory: "4Gi" },
      ...given.container,
    }),
    dependsOn: [
      runtime.grantOnProject("ConnectsToDatabase", "roles/cloudsql.client"),
      secrets.grantAccess("Runtime", "secretKey", runtime.member),
      secrets.grantAccess("Runtime", "bootstrapPassword", runtime.member),
      database.password.grantAccess("Runtime", runtime.member),
      media.grantReadWrite("Runtime", runtime.member),
      ...image.ready,
      initialization.completed,
    ],
    ...given.service,
  });
  return stack;
}
