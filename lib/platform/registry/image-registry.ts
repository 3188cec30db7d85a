import {
  ArtifactRegistryRepository,
  type ArtifactRegistryRepositoryConfig,
} from "@cdktf/provider-google/lib/artifact-registry-repository";
import { ArtifactRegistryRepositoryIamMember } from "@cdktf/provider-google/lib/artifact-registry-repository-iam-member";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { CONTEXT_PROP, type DeploymentContext } from "../../core/deployment-context";
import { type Existing, existingOr, isExisting, isMade } from "../../core/existing";
import {
  allOf,
  type Condition,
  countIf,
  isNever,
  isUnset,
  namedCondition,
  partIf,
  present,
} from "../../core/expr/conditions";
import { type Expr, interpolated } from "../../core/expr/expr";
import { element, split } from "../../core/expr/functions";
import { inFileOfExisting } from "../../core/hcl/stack-origin";
import { type GrantedAccount, granteeArguments, Grants, grantTo, type WorkloadIdentity } from "../../core/identity";
import { refuseWrong } from "../../core/inputs/inputs";
import { type KnownPropsOf, refuseProps } from "../../core/inputs/known-props";
import { object, orResource, type PropsOf, type ProviderResource, text } from "../../core/inputs/rows";
import { imagePrefix, serviceName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type ProjectApis } from "../../core/project-apis";
import { prose } from "../../core/prose";
import { stateProvidersOf } from "../../core/provider-requirements";
import { type ImageRepository } from "../../idp/parts";
import { type ExistingAccount, ServiceIdentity } from "../identity/service-identity";

const REPOSITORY = {
  /** Prefix of image names, `<location>-docker.pkg.dev/<project>/<repository>`. */
  imagePrefix: text({ description: "prefix of image names, <location>-docker.pkg.dev/<project>/<repository>" }),
  /** Location of the repository: a region, or `us`, `europe` or `asia`; the prefix begins with it. */
  location: text({ description: "its location, with which the prefix begins" }),
};

/** Attributes that are read from a repository. */
function attributesOfRepository(repository: ProviderResource): RepositoryAttributes {
  const [location, project, id] = ["location", "project", "repository_id"].map((name) =>
    repository.getStringAttribute(name),
  ) as [string, string, string];
  return { imagePrefix: `${location}-docker.pkg.dev/${project}/${id}`, location };
}

const REST_OF_PREFIX = "-docker[.]pkg[.]dev/[a-z0-9.:-]+/[a-z0-9-]+$";

/** Input for an existing repository. */
export const EXISTING_REPOSITORY = {
  /**
   * Existing repository of Docker images, or its resource, to which the image is pushed. The owner of the repository
   * manages its retention.
   */
  existingRepository: orResource(
    "repositoryId",
    { google_artifact_registry_repository: attributesOfRepository },
    object(REPOSITORY, {
      must: {
        condition: (repository: Expr) => {
          const pattern = interpolated`^${repository.member("location")}${REST_OF_PREFIX}`;
          return repository.member("image_prefix").matches(pattern);
        },
        must: prose`
          have the prefix <location>-docker.pkg.dev/<project>/<repository> with its own location, without scheme,
          image and slash at the end, because grants are made there; look it up with
          gcloud artifacts repositories describe, as registryUri
        `,
      },
      description: (members) =>
        prose`
          Existing repository of Docker images in Artifact Registry, into which the image is pushed;
          the accounts of this deployment that push and pull get their roles on it.
          ${members} Setting it later builds the image into it, rolls it out and deletes the repository of this
          deployment; removing it does the reverse.
        `,
    }),
  ),
};

/** Attributes of an existing repository. */
export interface RepositoryAttributes extends PropsOf<typeof REPOSITORY> {}

/** Purpose of the account of the build. */
export const BUILDER_PURPOSE = "idp-build";

export interface ImageRegistryProps {
  /** APIs of the project; needs `artifactregistry`, `cloudbuild`, `iam` and `logging`. */
  readonly apis: ProjectApis;

  /** Determines the names and the region of the images. Changing the region later creates a new, empty repository. */
  readonly context: DeploymentContext;

  /**
   * Existing image that runs instead of a built one; then nothing is created here. Setting it later deletes the
   * repository with all its images, so the image must not be in this repository.
   *
   * @default - images are built
   */
  readonly existingImage?: string;

  /**
   * Existing account that builds and pushes.
   *
   * @default - one is created
   */
  readonly builder?: ExistingAccount | undefined;

  /**
   * Existing repository to use instead; its attributes may be null at plan. Setting it later deletes the created
   * repository with its images.
   *
   * @default - one is created
   */
  readonly existing?: Existing & Partial<RepositoryAttributes>;
}

const PROPS: KnownPropsOf<ImageRegistryProps> = {
  context: CONTEXT_PROP,
  apis: "required",
  builder: "optional",
  existing: "optional",
  existingImage: "optional",
};

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

  /** The repository itself, for overrides; undefined if an existing one is used. */
  readonly repository: ArtifactRegistryRepository | undefined;

  /** Accounts that build. @internal */
  readonly builders: readonly GrantedAccount[];

  private readonly grants = new Grants(this);

  private readonly existing: ImageRepository | undefined;

  /** Whether the repository exists. */
  private readonly condition: Condition;

  /** An existing repository, and the account that pushes to it; only grants are created. */
  static fromAttributes(
    scope: Construct,
    id: string,
    { builderEmail, ...attributes }: RepositoryAttributes & Pick<ImageRepository, "builderEmail">,
  ): ImageRepository {
    refuseWrong(scope, EXISTING_REPOSITORY, { existingRepository: attributes }, ["existingRepository"]);
    return existingRepository(scope, id, attributes.imagePrefix, builderEmail);
  }

  constructor(
    scope: Construct,
    id: string,
    private readonly props: ImageRegistryProps,
  ) {
    super(scope, id);
    stateProvidersOf(this);
    refuseProps(this, props, PROPS);
    const { apis, existing, context } = props;
    const { deployment, projectId: project, region: location } = context;
    const isUsed = isUnset(props.existingImage);
    this.condition = namedCondition(this, "IsMade", allOf(isUsed, isMade(existing)));
    const count = countIf(this.condition);

    this.repository = partIf(this.condition, () =>
      addRepository(this, context, { count, dependsOn: apis.ready("artifactregistry") }),
    );
    const builder = new ServiceIdentity(this, "Builder", {
      context,
      purpose: BUILDER_PURPOSE,
      description: "Builds the container image and pushes it to its repository",
      condition: isUsed,
      existing: props.builder,
      dependsOn: apis.ready("iam"),
    });
    const made = imagePrefix(location, project, deployment);
    this.imagePrefix = existingOr(this, "ImagePrefix", existing, existing?.imagePrefix, made);
    this.builders = builder.granted;
    const { builders } = this;
    if (existing?.imagePrefix !== undefined) {
      const attributes = [existing.imagePrefix, builder.email, builders, allOf(isUsed, isExisting(existing))] as const;
      this.existing = existingRepository(scope, `Existing${id}`, ...attributes);
    }
    const mayPush = this.needed(builders).map((each) => this.grant(`${each.name}Pushes`, "writer", each));
    // A build under a custom service account can log only to Cloud Logging.
    const mayLog = builder.grantOnProject("Logs", "roles/logging.logWriter");

    this.builderEmail = builder.email;
    this.ready = [...mayPush, ...(this.existing?.ready ?? []), ...mayLog, ...apis.ready("cloudbuild", "logging")];
  }

  grantPull(identity: WorkloadIdentity): ITerraformDependable[] {
    return [
      ...this.grants.to(identity, (id, account) => this.grant(id, "reader", account), this.condition),
      ...(this.existing?.grantPull(identity) ?? []),
    ];
  }

  /** The accounts that can get grants on this repository, under the condition that it exists. */
  private needed(accounts: readonly GrantedAccount[]): readonly GrantedAccount[] {
    return accounts.filter(({ condition = true }) => !isNever(allOf(this.condition, condition)));
  }

  private grant(id: string, role: Role, account: GrantedAccount) {
    const { deployment, projectId: project, region: location } = this.props.context;
    const grant = new ArtifactRegistryRepositoryIamMember(this, id, {
      project,
      location,
      repository: serviceName(deployment),
      role: `roles/artifactregistry.${role}`,
      ...granteeArguments(account, this.condition, ...present(this.repository)),
    });
    return grantTo(account, grant);
  }
}

/** Adds a repository with the deployment's name. */
export function addRepository(
  scope: Construct,
  { deployment, labels, projectId: project, region: location }: DeploymentContext,
  own: Pick<ArtifactRegistryRepositoryConfig, "count" | "dependsOn">,
): ArtifactRegistryRepository {
  return new ArtifactRegistryRepository(scope, MAIN_CHILD_ID, {
    project,
    location,
    labels,
    repositoryId: serviceName(deployment),
    format: "DOCKER",
    description: `Images of ${deployment.applicationName}`,
    // Otherwise the policies below only report what they would delete.
    cleanupPolicyDryRun: false,
    cleanupPolicies: [
      // The most recent images stay, regardless of their age.
      { id: "keep-recent", action: "KEEP", mostRecentVersions: { keepCount: 10 } },
      // 90 days, longer than two upstream release cycles; in seconds, because the registry returns seconds.
      { id: "delete-old", action: "DELETE", condition: { tagState: "ANY", olderThan: `${90 * 24 * 60 * 60}s` } },
    ],
    ...own,
  });
}

/**
 * A repository that is managed elsewhere; accounts that push or pull are granted their roles on it.
 *
 * @param condition condition under which the repository is used
 */
function existingRepository(
  scope: Construct,
  id: string,
  imagePrefix: string,
  builderEmail: string,
  builders: readonly GrantedAccount[] = [
    { name: "Builder", email: builderEmail, member: `serviceAccount:${builderEmail}`, ready: [] },
  ],
  condition: Condition = true,
): ImageRepository {
  const self = new Construct(scope, id);
  stateProvidersOf(self);
  inFileOfExisting(self, "parts");
  const part = (separator: string, index: number) => element(split(separator, imagePrefix), index).text;
  const named = { project: part("/", 1), location: part("-docker.pkg.dev", 0), repository: part("/", 2) };
  const grant = (id: string, role: Role, account: GrantedAccount) =>
    new ArtifactRegistryRepositoryIamMember(self, id, {
      ...named,
      role: `roles/artifactregistry.${role}`,
      ...granteeArguments(account, condition),
    });
  const grants = new Grants(self);
  return {
    builderEmail,
    imagePrefix,
    ready: builders
      .filter((builder) => !isNever(allOf(condition, builder.condition ?? true)))
      .map((builder) => grant(`${builder.name}Pushes`, "writer", builder)),
    grantPull: (identity) => grants.to(identity, (id, account) => grant(id, "reader", account), condition),
  };
}

type Role = "reader" | "writer";
