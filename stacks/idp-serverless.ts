import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { type Construct } from "constructs";

import { PortableStack } from "../lib/core/portable-stack";
import { ProjectApis } from "../lib/core/project-apis";
import { type StateBackend } from "../lib/core/state-backend";
import { ADMINISTRATOR_NAME, DB_INIT_JOB, MEDIA_BUCKET_SUFFIX } from "../lib/idp/contract";
import { DbInit } from "../lib/idp/db-init";
import { identityProviderContainer } from "../lib/idp/identity-provider-container";
import { IdpImage } from "../lib/idp/idp-image";
import { IdpSecrets } from "../lib/idp/idp-secrets";
import { MediaBucket } from "../lib/idp/media-bucket";
import { ImageRegistry } from "../lib/platform/image-registry";
import { PostgresqlDatabase } from "../lib/platform/postgresql-database";
import { TRUSTED_PROXIES } from "../lib/platform/serverless/contract";
import { ServerlessJobs } from "../lib/platform/serverless/serverless-jobs";
import { ServerlessService } from "../lib/platform/serverless/serverless-service";
import { socketFolder } from "../lib/platform/serverless/socket-folder";
import { ServiceIdentity } from "../lib/platform/service-identity";
import { ServerlessInputs } from "./serverless-inputs";

export interface IdpServerlessStackProps {
  /** Where the state is kept. */
  readonly backend?: StateBackend;
}

/** The identity provider on Cloud Run, from an empty project in one apply. */
export class IdpServerlessStack extends PortableStack {
  constructor(scope: Construct, id: string, props: IdpServerlessStackProps = {}) {
    super(scope, id, { providers: ["google", "random"], backend: props.backend });
    const input = new ServerlessInputs(this);
    const { deletionProtection, deployment, labels, network, projectId, region } = input;
    new GoogleProvider(this, "google", { project: projectId, region });

    const apis = new ProjectApis(this, "Apis", {
      projectId,
      region,
      apis: ["artifactregistry", "cloudbuild", "iam", "logging", "run", "secretmanager", "sqladmin", "storage"],
    });
    apis.enable("compute", `${network.network} != null`);
    const common = { projectId, region, deployment, labels };
    const secretStore = apis.ready("secretmanager");

    const secrets = new IdpSecrets(this, "Secrets", {
      ...deployment,
      bootstrapPassword: input.bootstrapPassword,
      bootstrapPasswordVersion: input.bootstrapPasswordVersion,
      deletionProtection,
      labels,
      dependsOn: secretStore,
    });

    const registry = new ImageRegistry(this, "Registry", {
      projectId,
      location: region,
      deployment,
      labels,
      apis,
      createWhen: `${input.existingContainerImage} == null`,
    });
    const image = new IdpImage(this, "Image", {
      projectId,
      applicationName: deployment.applicationName,
      applicationVersion: input.applicationVersion,
      existingImage: input.existingContainerImage,
      repository: registry,
    });

    const media = new MediaBucket(this, "MediaBucket", {
      ...deployment,
      location: region,
      deletionProtection,
      labels,
      dependsOn: apis.ready("storage"),
    });

    const database = new PostgresqlDatabase(this, "Database", {
      ...common,
      tier: input.databaseTier,
      availability: input.databaseAvailability,
      network,
      deletionProtection,
      dependsOn: apis.ready("sqladmin", "compute"),
      secretsDependOn: secretStore,
    });
    const connection = {
      host: socketFolder(database),
      name: database.databaseName,
      user: database.userName,
      password: database.password.reference,
    };

    const initializer = new ServiceIdentity(this, "Initializer", {
      ...common,
      purpose: "idp-init",
      description: "Runs the database initialization of the identity provider",
      dependsOn: apis.ready("iam"),
    });
    const jobs = new ServerlessJobs({
      ...common,
      database,
      network,
      identity: initializer,
      dependsOn: [
        initializer.grantOnProject("ConnectsToDatabase", "roles/cloudsql.client"),
        database.password.grantAccess("Initializer", initializer.member),
        database.administratorPassword.grantAccess("Initializer", initializer.member),
        ...apis.ready("run"),
      ],
      secretsDependOn: secretStore,
    });
    const initialization = new DbInit(this, "DbInit", {
      database: connection,
      administratorPassword: database.administratorPassword.reference,
      platform: jobs,
    });

    const runtime = new ServiceIdentity(this, "Runtime", {
      ...common,
      purpose: "idp-run",
      description: "Runs the identity provider",
      dependsOn: apis.ready("iam"),
    });
    const service = new ServerlessService(this, "Service", {
      ...common,
      database,
      network,
      serviceAccountEmail: runtime.email,
      cpuAlwaysAllocated: input.cpuAlwaysAllocated,
      minInstanceCount: input.minInstanceCount,
      maxInstanceCount: input.maxInstanceCount,
      publicAccess: input.publicAccess,
      container: identityProviderContainer(this, {
        image: image.containerImage,
        environment: input.environment,
        platformEnvironment: TRUSTED_PROXIES,
        database: connection,
        secrets,
        media: media.mount,
        resources: input.resources,
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
    });

    this.expose({
      service_url: { value: service.url, description: "Address of the identity provider" },
      container_image: { value: image.containerImage, description: "Image that runs, with its tag" },
      initialization_jobs: {
        value: { [DB_INIT_JOB]: initialization.jobName },
        description: "Names of the jobs that prepared the database",
      },
      storage_buckets: {
        value: { [MEDIA_BUCKET_SUFFIX]: media.bucketName },
        description: "Names of the buckets; storage holds uploaded files",
      },
      database_password_secret: {
        value: database.password.secretId,
        description: "Name of the secret with the password of the application's database role",
      },
      secret_key_secret: {
        value: secrets.secretKey.secretId,
        description: "Name of the secret with the application's secret key; keep it for the life of the deployment",
      },
      bootstrap_password_secret: {
        value: secrets.bootstrapPassword.secretId,
        description: "Name of the secret with the administrator's first password",
      },
      database_instance_name: { value: database.instanceName, description: "Name of the database instance" },
      database_name: { value: database.databaseName, description: "Name of the application's database" },
      database_user: { value: database.userName, description: "Name of the application's database role" },
      tenant_prefix: {
        value: deployment.tenantPrefix,
        description: "Part of every name: tenant and a hash of the project",
      },
      first_sign_in: {
        value: {
          address: service.url,
          user_name: ADMINISTRATOR_NAME,
          password_command: `gcloud secrets versions access ${secrets.bootstrapPassword.version} --secret=${secrets.bootstrapPassword.secretId} --project=${projectId}`,
        },
        description: "Where to sign in first, as whom, and the command that prints the password",
      },
    });
  }
}
