import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { type Construct } from "constructs";

import { DeletionGuard } from "../lib/core/deletion-guard";
import { PortableStack } from "../lib/core/portable-stack";
import { ProjectApis } from "../lib/core/project-apis";
import { type StateBackend } from "../lib/core/state-backend";
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
import { identityProviderOutputs } from "./identity-provider-outputs";
import { ApplicationInputs } from "./inputs/application-inputs";
import { DatabaseInputs } from "./inputs/database-inputs";
import { ProjectInputs } from "./inputs/project-inputs";
import { ServerlessInputs } from "./inputs/serverless-inputs";

export interface IdpServerlessStackProps {
  /**
   * Where the state is kept.
   *
   * @default - the file `terraform.tfstate` in the synthesized folder
   */
  readonly backend?: StateBackend;
}

/** The identity provider on Cloud Run, from an empty project in one apply. */
export class IdpServerlessStack extends PortableStack {
  constructor(scope: Construct, id: string, props: IdpServerlessStackProps = {}) {
    super(scope, id, { providers: ["google", "random"], backend: props.backend });
    const { deletionProtection, deployment, labels, projectId, region } = new ProjectInputs(this);
    const application = new ApplicationInputs(this);
    const { availability, network, tier } = new DatabaseInputs(this);
    const serverless = new ServerlessInputs(this);
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
      bootstrapPassword: application.bootstrapPassword,
      bootstrapPasswordVersion: application.bootstrapPasswordVersion,
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
      createWhen: `${application.existingContainerImage} == null`,
    });
    const image = new IdpImage(this, "Image", {
      projectId,
      applicationName: deployment.applicationName,
      applicationVersion: application.version,
      existingImage: application.existingContainerImage,
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
      tier,
      availability,
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
      cpuAlwaysAllocated: serverless.cpuAlwaysAllocated,
      minInstanceCount: serverless.minInstanceCount,
      maxInstanceCount: serverless.maxInstanceCount,
      publicAccess: serverless.publicAccess,
      container: identityProviderContainer(this, {
        image: image.containerImage,
        environment: application.environment,
        platformEnvironment: TRUSTED_PROXIES,
        database: connection,
        secrets,
        media: media.mount,
        resources: serverless.resources,
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

    new DeletionGuard(this, "DeletionGuard", {
      protect: deletionProtection,
      input: "deletion_protection",
      guards: [service.started],
    });

    this.expose(
      identityProviderOutputs({
        url: service.url,
        deployment,
        projectId,
        database,
        image,
        initialization,
        media,
        secrets,
      }),
    );
  }
}
