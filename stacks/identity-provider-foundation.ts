import { type ProjectIamMember } from "@cdktf/provider-google/lib/project-iam-member";
import { type TerraformStack } from "cdktf";

import { type DeploymentName } from "../lib/core/names";
import { type ProjectApis } from "../lib/core/project-apis";
import { IdpImage } from "../lib/idp/idp-image";
import { IdpSecrets } from "../lib/idp/idp-secrets";
import { MediaBucket } from "../lib/idp/media-bucket";
import { ImageRegistry } from "../lib/platform/image-registry";
import { type NetworkAttachment } from "../lib/platform/network-attachment";
import { PostgresqlDatabase } from "../lib/platform/postgresql-database";
import { ServiceIdentity } from "../lib/platform/service-identity";
import { type ApplicationInputs } from "./inputs/application-inputs";
import { type DatabaseInputs } from "./inputs/database-inputs";
import { type ProjectInputs } from "./inputs/project-inputs";

export interface IdentityProviderFoundationProps {
  /** Needs `artifactregistry`, `cloudbuild`, `compute`, `iam`, `logging`, `secretmanager`, `sqladmin` and `storage`. */
  readonly apis: ProjectApis;

  readonly application: ApplicationInputs;

  readonly database: DatabaseInputs;

  /** Existing network, if one is given, on which the database gets its address. */
  readonly network: NetworkAttachment;

  readonly project: ProjectInputs;
}

/** Services that only the build of an image uses, on either platform. */
export const BUILD_APIS = ["artifactregistry", "cloudbuild"] as const;

/** What every resource of a deployment is told. */
export interface DeploymentPlace {
  readonly projectId: string;
  readonly region: string;
  readonly deployment: DeploymentName;
  readonly labels: Record<string, string>;
}

/** A service account that may connect to the database; what it connects for must wait for the grant. */
interface DatabaseClient {
  readonly identity: ServiceIdentity;
  readonly mayConnect: ProjectIamMember;
}

/**
 * What an identity provider consists of on either platform, directly in the given stack: secrets, image, media bucket,
 * database, and the accounts of what runs.
 */
export class IdentityProviderFoundation {
  readonly place: DeploymentPlace;
  readonly secrets: IdpSecrets;
  readonly registry: ImageRegistry;
  readonly image: IdpImage;
  readonly media: MediaBucket;
  readonly database: PostgresqlDatabase;

  /** Runs the initialization. */
  readonly initializer: DatabaseClient;

  /** Runs the server. */
  readonly runtime: DatabaseClient;

  constructor(
    private readonly stack: TerraformStack,
    private readonly props: IdentityProviderFoundationProps,
  ) {
    const { apis, application, network, project } = props;
    const { deletionProtection, deployment, labels, projectId, region } = project;
    const secretStore = apis.ready("secretmanager");
    this.place = { projectId, region, deployment, labels };

    this.secrets = new IdpSecrets(stack, "Secrets", {
      ...deployment,
      bootstrapPassword: application.bootstrapPassword,
      bootstrapPasswordVersion: application.bootstrapPasswordVersion,
      deletionProtection,
      labels,
      dependsOn: secretStore,
    });

    this.registry = new ImageRegistry(stack, "Registry", {
      projectId,
      location: region,
      deployment,
      labels,
      apis,
      existingImage: application.existingContainerImage,
    });
    this.image = new IdpImage(stack, "Image", {
      projectId,
      applicationName: deployment.applicationName,
      applicationVersion: application.version,
      existingImage: application.existingContainerImage,
      repository: this.registry,
    });

    this.media = new MediaBucket(stack, "MediaBucket", {
      ...deployment,
      location: region,
      deletionProtection,
      labels,
      dependsOn: apis.ready("storage"),
    });

    this.database = new PostgresqlDatabase(stack, "Database", {
      ...this.place,
      tier: props.database.tier,
      availability: props.database.availability,
      finalBackupDays: props.database.finalBackupDays,
      network,
      deletionProtection,
      dependsOn: apis.ready("sqladmin", "compute"),
      secretsDependOn: secretStore,
    });

    this.initializer = this.databaseClient("Initializer", "idp-init", INITIALIZER_DESCRIPTION);
    this.runtime = this.databaseClient("Runtime", "idp-run", RUNTIME_DESCRIPTION);
  }

  /** How both the application and its initialization reach the database, given where the platform offers it. */
  connectionAt(host: string) {
    const { databaseName: name, password, userName: user } = this.database;
    return { host, name, user, password: password.reference };
  }

  private databaseClient(id: string, purpose: string, description: string): DatabaseClient {
    const identity = new ServiceIdentity(this.stack, id, {
      ...this.place,
      purpose,
      description,
      dependsOn: this.props.apis.ready("iam"),
    });
    return { identity, mayConnect: identity.grantOnProject("ConnectsToDatabase", "roles/cloudsql.client") };
  }
}

const INITIALIZER_DESCRIPTION = "Runs the database initialization of the identity provider";
const RUNTIME_DESCRIPTION = "Runs the identity provider";
