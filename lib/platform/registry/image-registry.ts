import { ArtifactRegistryRepository } from "@cdktf/provider-google/lib/artifact-registry-repository";
import { ArtifactRegistryRepositoryIamMember } from "@cdktf/provider-google/lib/artifact-registry-repository-iam-member";
import { type ITerraformDependable, type TerraformCount } from "cdktf";
import { Construct } from "constructs";

import { Grants, type WorkloadIdentity } from "../../core/identity";
import { imagePrefix, serviceName } from "../../core/names";
import { type DeploymentContext } from "../../core/place";
import { stateProvidersOf } from "../../core/provider-requirements";
import { allOf, countIf, isUnset } from "../../core/conditional";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type ProjectApis } from "../../core/project-apis";
import { type ImageRepository } from "../../idp/parts";
import { ServiceIdentity } from "../identity/service-identity";

export interface ImageRegistryProps {
  /** APIs of the project; needs `artifactregistry`, `cloudbuild`, `iam` and `logging`. */
  readonly apis: ProjectApis;

  /** Determines the names and the region of the images. Changing the region later creates a new, empty repository. */
  readonly place: DeploymentContext;

  /**
   * Image to run instead of building one; nothing is created here then. Setting it later deletes the repository with
   * every image in it, so the image must not be one of them.
   *
   * @default - images are built
   */
  readonly existingImage?: string;
}

/**
 * A repository for container images, and the service account that builds and pushes them.
 *
 * Stored images are billed; cleanup policies delete old ones, except the most recent. A Cloud Run service keeps its own
 * copy of its image.
 */
export class ImageRegistry extends Construct implements ImageRepository {
  readonly imagePrefix: string;

  readonly builderEmail: string;

  readonly ready: ITerraformDependable[];

  /** The repository itself, for overrides. */
  readonly repository: ArtifactRegistryRepository;

  private readonly grants = new Grants(this);

  constructor(
    scope: Construct,
    id: string,
    private readonly props: ImageRegistryProps,
  ) {
    super(scope, id);
    stateProvidersOf(this);
    const { apis, place } = props;
    const { deployment, labels, projectId: project, region: location } = place;
    const count = countIf(isUnset(props.existingImage));

    this.repository = new ArtifactRegistryRepository(this, MAIN_CHILD_ID, {
      ...{ project, location, labels, count },
      repositoryId: serviceName(deployment),
      format: "DOCKER",
      description: `Images of ${deployment.applicationName}`,
      // Otherwise the policies below only report what they would delete.
      cleanupPolicyDryRun: false,
      cleanupPolicies: [
        // The most recent images stay whatever their age.
        { id: "keep-recent", action: "KEEP", mostRecentVersions: { keepCount: 10 } },
        {
          id: "delete-old",
          action: "DELETE",
          condition: { tagState: "ANY", olderThan: `${IMAGE_RETENTION_SECONDS}s` },
        },
      ],
      dependsOn: apis.ready("artifactregistry"),
    });
    const builder = new ServiceIdentity(this, "Builder", {
      place,
      purpose: "idp-build",
      description: "Builds the container image and pushes it to its repository",
      condition: isUnset(props.existingImage),
      dependsOn: apis.ready("iam"),
    });
    const mayPush = this.grant("BuilderPushes", "writer", builder, count);
    // A build under a service account of its own can log only to Cloud Logging.
    const mayLog = builder.grantOnProject("Logs", "roles/logging.logWriter");

    this.imagePrefix = imagePrefix(location, project, deployment);
    this.builderEmail = builder.email;
    this.ready = [mayPush, ...mayLog, ...apis.ready("cloudbuild", "logging")];
  }

  grantPull(identity: WorkloadIdentity): ITerraformDependable[] {
    const count = countIf(allOf(isUnset(this.props.existingImage), identity.condition ?? "true"));
    return this.grants.to(identity, (id) => this.grant(id, "reader", identity, count));
  }

  private grant(id: string, role: "reader" | "writer", identity: WorkloadIdentity, count: TerraformCount | undefined) {
    const { deployment, projectId, region } = this.props.place;
    return new ArtifactRegistryRepositoryIamMember(this, id, {
      project: projectId,
      location: region,
      repository: serviceName(deployment),
      role: `roles/artifactregistry.${role}`,
      member: identity.member,
      count,
      dependsOn: [this.repository, ...identity.ready],
    });
  }
}

/** 90 days, longer than two upstream release cycles; in seconds, because the registry returns seconds. */
const IMAGE_RETENTION_SECONDS = 90 * 24 * 60 * 60;
