import { ArtifactRegistryRepository } from "@cdktf/provider-google/lib/artifact-registry-repository";
import { ArtifactRegistryRepositoryIamMember } from "@cdktf/provider-google/lib/artifact-registry-repository-iam-member";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { imagePrefix, serviceName, type DeploymentName } from "../core/names";
import { countWithout, type OptionalValue } from "../core/optional-value";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { type ProjectApis } from "../core/project-apis";
import { requireProps } from "../core/rules";
import { type ImageRepository } from "../idp/idp-image";
import { ServiceIdentity } from "./service-identity";

export interface ImageRegistryProps {
  /** Services of the project; needs `artifactregistry`, `cloudbuild`, `iam` and `logging`. */
  readonly apis: ProjectApis;

  /** What the names are made of. */
  readonly deployment: DeploymentName;

  /** Region of the images, for example `us-central1`. Changing it later makes a new, empty repository. */
  readonly location: string;

  /** Project that it goes into. */
  readonly projectId: string;

  /**
   * Image that is run instead of one built here. Then nothing of this exists; given later, it deletes the repository with
   * every image in it, so the image must not be one of them.
   *
   * @default - none, images are built
   */
  readonly existingImage?: OptionalValue;

  /**
   * Labels of the repository.
   *
   * @default - none
   */
  readonly labels?: Record<string, string>;
}

/**
 * A repository of container images and the service account that builds into it.
 *
 * Stored images are billed; the clean-up keeps the most recent ones and removes the rest. A running service keeps its
 * own copy of its image.
 */
export class ImageRegistry extends Construct implements ImageRepository {
  readonly imagePrefix: string;

  readonly builderEmail: string;

  readonly ready: ITerraformDependable[];

  private readonly repository: ArtifactRegistryRepository;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: ImageRegistryProps,
  ) {
    super(scope, id);
    requireProps(this.node.path, props, { apis: true, deployment: true, location: true, projectId: true });
    const { apis, deployment, location, projectId } = props;
    const repositoryId = serviceName(deployment);
    const count = countWithout(props.existingImage);

    this.repository = new ArtifactRegistryRepository(this, MAIN_CHILD_ID, {
      project: projectId,
      location,
      repositoryId,
      format: "DOCKER",
      description: `Images of ${deployment.applicationName}`,
      // Without this the policies below only report what they would delete.
      cleanupPolicyDryRun: false,
      cleanupPolicies: [
        { id: "keep-recent", action: "KEEP", mostRecentVersions: { keepCount: KEPT_IMAGES } },
        {
          id: "delete-old",
          action: "DELETE",
          condition: { tagState: "ANY", olderThan: `${IMAGE_RETENTION_SECONDS}s` },
        },
      ],
      labels: props.labels,
      count,
      dependsOn: apis.ready("artifactregistry"),
    });

    const builder = new ServiceIdentity(this, "Builder", {
      deployment,
      projectId,
      purpose: "idp-build",
      description: "Builds the container image and pushes it to its repository",
      count,
      dependsOn: apis.ready("iam"),
    });

    const mayPush = new ArtifactRegistryRepositoryIamMember(this, "BuilderPushes", {
      project: projectId,
      location,
      repository: repositoryId,
      role: "roles/artifactregistry.writer",
      member: builder.member,
      count,
      dependsOn: [this.repository, builder.account],
    });

    // A build with its own account may write its log nowhere else.
    const mayLog = builder.grantOnProject("Logs", "roles/logging.logWriter");

    this.imagePrefix = imagePrefix(location, projectId, deployment);
    this.builderEmail = builder.email;
    this.ready = [mayPush, mayLog, ...apis.ready("cloudbuild", "logging")];
  }

  /** Lets one principal pull the images of this repository and no others; `member` as in IAM. */
  grantRead(id: string, member: string): ArtifactRegistryRepositoryIamMember {
    return new ArtifactRegistryRepositoryIamMember(this, id, {
      project: this.props.projectId,
      location: this.props.location,
      repository: serviceName(this.props.deployment),
      role: "roles/artifactregistry.reader",
      member,
      count: countWithout(this.props.existingImage),
      dependsOn: [this.repository],
    });
  }
}

/** Releases to go back to. */
const KEPT_IMAGES = 10;

/** 90 days, longer than two release cycles of the upstream; in seconds, because the registry answers in them. */
const IMAGE_RETENTION_SECONDS = 90 * 24 * 60 * 60;
