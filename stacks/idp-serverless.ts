import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { type Construct } from "constructs";

import { DeletionGuard } from "../lib/core/deletion-guard";
import { isGiven, isMissing } from "../lib/core/optional-value";
import { PortableStack } from "../lib/core/portable-stack";
import { ProjectApis } from "../lib/core/project-apis";
import { type StateBackend } from "../lib/core/state-backend";
import { DbInit } from "../lib/idp/db-init";
import { identityProviderContainer } from "../lib/idp/identity-provider-container";
import { ServerlessJobs } from "../lib/platform/serverless/serverless-jobs";
import { ServerlessService } from "../lib/platform/serverless/serverless-service";
import { socketFolder } from "../lib/platform/serverless/socket-folder";
import { BUILD_APIS, IdentityProviderFoundation } from "./identity-provider-foundation";
import { identityProviderOutputs } from "./identity-provider-outputs";
import { ApplicationInputs } from "./inputs/application-inputs";
import { DatabaseInputs } from "./inputs/database-inputs";
import { InstanceInputs } from "./inputs/instance-inputs";
import { NetworkInputs } from "./inputs/network-inputs";
import { ProjectInputs } from "./inputs/project-inputs";
import { SERVICE_INSTANCES, SERVICE_NETWORK, ServerlessInputs, SOCKET_PATH_FITS } from "./inputs/serverless-inputs";

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
    const project = new ProjectInputs(this, { namesFit: [SOCKET_PATH_FITS] });
    const application = new ApplicationInputs(this);
    const databaseInputs = new DatabaseInputs(this);
    const { network } = new NetworkInputs(this, SERVICE_NETWORK);
    const instances = new InstanceInputs(this, SERVICE_INSTANCES);
    const { cpuAlwaysAllocated, publicAccess } = new ServerlessInputs(this);
    const { deletionProtection, projectId, region } = project;
    new GoogleProvider(this, "google", { project: projectId, region });

    const apis = new ProjectApis(this, "Apis", {
      projectId,
      region,
      // What the containers write is read there, whoever built their image.
      apis: ["iam", "logging", "run", "secretmanager", "sqladmin", "storage"],
    });
    for (const api of BUILD_APIS) apis.enable(api, isMissing(application.existingContainerImage));
    apis.enable("compute", isGiven(network.network));

    const foundation = new IdentityProviderFoundation(this, {
      apis,
      application,
      database: databaseInputs,
      network,
      project,
    });
    const { database, image, initializer, media, place, runtime, secrets } = foundation;
    const connection = foundation.connectionAt(socketFolder(database));

    const initialization = new DbInit(this, "DbInit", {
      database: connection,
      administratorPassword: database.administratorPassword.reference,
      platform: new ServerlessJobs({
        ...place,
        database,
        network,
        identity: initializer.identity,
        dependsOn: [
          initializer.mayConnect,
          database.password.grantAccess("Initializer", initializer.identity.member),
          database.administratorPassword.grantAccess("Initializer", initializer.identity.member),
          ...apis.ready("run"),
        ],
        secretsDependOn: apis.ready("secretmanager"),
      }),
    });

    const service = new ServerlessService(this, "Service", {
      ...place,
      database,
      network,
      serviceAccountEmail: runtime.identity.email,
      cpuAlwaysAllocated,
      minInstanceCount: instances.minInstanceCount,
      maxInstanceCount: instances.maxInstanceCount,
      publicAccess,
      container: identityProviderContainer(this, {
        image: image.containerImage,
        environment: application.environment,
        database: connection,
        secrets,
        media: media.mount,
        resources: instances.resources,
      }),
      dependsOn: [
        runtime.mayConnect,
        secrets.grantAccess("Runtime", "secretKey", runtime.identity.member),
        secrets.grantAccess("Runtime", "bootstrapPassword", runtime.identity.member),
        database.password.grantAccess("Runtime", runtime.identity.member),
        media.grantReadWrite("Runtime", runtime.identity.member),
        ...image.ready,
        initialization.completed,
      ],
    });

    new DeletionGuard(this, "DeletionGuard", {
      protect: deletionProtection,
      input: "deletion_protection",
      guards: [service.started],
    });

    this.expose(identityProviderOutputs(foundation, initialization, service.url));
  }
}
