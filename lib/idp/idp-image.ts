import { Fn, TerraformLocal, Token, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { countIfSet, countIfUnset } from "../core/conditional";
import { expression } from "../core/expression";
import { type WorkloadIdentity } from "../core/identity";
import { packageFile } from "../core/package-file";
import { type DeploymentContext, PLACE_RULES } from "../core/place";
import { addRestLibraries, shellCommand } from "../core/project-apis";
import { addWarnings } from "../core/warnings";
import { requireProps, type Rule } from "../core/rules";
import { addScript, addStackFile } from "../core/stack-file";
import { TerraformData } from "../core/terraform-data";
import { type Blueprints } from "./blueprints";
import { BUILD_ARGUMENTS, LATEST_VERSION, UPSTREAM_IMAGE, UPSTREAM_PREFIX } from "./contract";
import {
  APPLICATION_VERSION,
  BUILD_LOCATION,
  EXISTING_IMAGE,
  FOREIGN_IMAGE,
  releaseRisks,
  UPSTREAM_IMAGE_NAME,
} from "./image-rules";
import { type ContainerImage, type ImageRepository } from "./parts";
import { PINNED_VERSION } from "./releases";

export interface IdpImageProps {
  /** Determines the project of the build, and the name of the image, which is that of the application. */
  readonly place: DeploymentContext;

  /**
   * Release of the identity provider: `latest`, or an exact one, year.month.patch, from 2025.10 on. Upgrade one
   * feature release at a time and never downgrade.
   *
   * @default "latest", which builds the pinned known-good release
   */
  readonly applicationVersion?: string;

  /**
   * Blueprints that become part of the image, for the application's worker to apply.
   *
   * @default - none
   */
  readonly blueprints?: Blueprints;

  /**
   * Location of the build: `global`, or a region that Cloud Build has. Another one builds nothing again.
   *
   * @default "global"
   */
  readonly buildLocation?: string;

  /**
   * An existing image with its tag; nothing is built then. An expression that is null at plan means none.
   *
   * @default - built
   */
  readonly existingImage?: string;

  /**
   * Where the image is pushed, and the service account that builds it. Required unless `existingImage` is a literal.
   *
   * @default - none, nothing is built
   */
  readonly repository?: ImageRepository;

  /**
   * Image of the upstream server, without a tag.
   *
   * @default "ghcr.io/goauthentik/server"
   */
  readonly upstreamImage?: string;

  /**
   * Prefix of the upstream's own environment variables.
   *
   * @default "AUTHENTIK_"
   */
  readonly upstreamPrefix?: string;
}

/**
 * The identity provider's container image: the upstream's, with an entrypoint adapted to the cloud.
 *
 * Cloud Build builds it at apply from the files in `image/` of the synthesized folder, which are part of the request.
 * The tag contains the release and a hash of the sources, so only another release or an edit of these files or of a
 * blueprint builds and rolls out a new image. A tag that is already in the repository is not built again.
 */
export class IdpImage extends Construct implements ContainerImage {
  readonly containerImage: string;

  /** What is rolled out: the exact release, or the existing image. */
  readonly release: string;

  readonly ready: ITerraformDependable[];

  constructor(
    scope: Construct,
    id: string,
    private readonly props: IdpImageProps,
  ) {
    super(scope, id);
    requireProps(this, props, ["place"], RULES);

    const { existingImage, place, repository } = props;
    if (repository === undefined || isLiteral(existingImage)) {
      this.containerImage = this.release = existingImage ?? "";
      this.ready = [];
      return;
    }

    const { applicationVersion = LATEST_VERSION, blueprints } = props;
    addWarnings(this, "KnownRelease", releaseRisks(this, applicationVersion, existingImage));
    const version = exactVersion(applicationVersion);
    const upstreamImage = props.upstreamImage ?? UPSTREAM_IMAGE;
    const upstreamPrefix = props.upstreamPrefix ?? UPSTREAM_PREFIX;
    const files = IMAGE_FILES.map((file) => addStackFile(this, packageFile(`image/${file}`), `image/${file}`));
    const parts = [...files.map((file) => file.sha256), upstreamImage, upstreamPrefix];
    // Without blueprints the text must not change, or every image would be built again.
    const content = Fn.join(
      ":",
      blueprints === undefined ? parts : Token.asList(Fn.concat([parts, Token.asList(expression(blueprints.hashes))])),
    );
    const tag = `${version}-${Fn.substr(Fn.sha256(content), 0, CONTENT_HASH_LENGTH)}`;
    const builtImage = new TerraformLocal(
      this,
      "Reference",
      `${repository.imagePrefix}/${place.deployment.applicationName}:${tag}`,
    ).asString;

    addRestLibraries(this);
    for (const library of ["build-request.sh", "build-run.sh"]) addScript(this, `lib/idp/scripts/${library}`);
    const script = addScript(this, "lib/idp/scripts/build-image.sh");
    const build = new TerraformData(this, "Build", {
      triggersReplace: { image: builtImage },
      provisioners: [
        {
          type: "local-exec",
          command: shellCommand(script),
          environment: {
            PROJECT_ID: place.projectId,
            BUILD_LOCATION: props.buildLocation ?? "global",
            BUILD_SERVICE_ACCOUNT: repository.builderEmail,
            IMAGE: builtImage,
            IMAGE_DIRECTORY: "${path.module}/image",
            [BUILD_ARGUMENTS.upstreamImage]: upstreamImage,
            [BUILD_ARGUMENTS.upstreamPrefix]: upstreamPrefix,
            [BUILD_ARGUMENTS.version]: version,
            [BUILD_ARGUMENTS.platformVersion]: applicationVersion,
            ...(blueprints && {
              BLUEPRINTS: blueprints.paths,
              BLUEPRINTS_DIRECTORY: `\${path.module}/${blueprints.folder}`,
            }),
          },
        },
      ],
      count: countIfUnset(existingImage),
      dependsOn: repository.ready,
      ...(blueprints && { lifecycle: { precondition: [...blueprints.conditions] } }),
    });

    const orExisting = (built: string): string =>
      existingImage === undefined ? built : Token.asString(Fn.coalesce([existingImage, built]));
    this.containerImage = orExisting(builtImage);
    this.release = orExisting(version);
    this.ready = [build];
  }

  /** An existing image may be in any repository of the project. */
  grantPull(identity: WorkloadIdentity): ITerraformDependable[] {
    const { existingImage, repository } = this.props;
    return [
      ...(repository === undefined || isLiteral(existingImage) ? [] : repository.grantPull(identity)),
      ...(existingImage === undefined
        ? []
        : identity.grantOnProject("PullsImages", "roles/artifactregistry.reader", countIfSet(existingImage))),
    ];
  }
}

/** An image that can be pulled without authentication. */
export function publicImage(containerImage: string): ContainerImage {
  return { containerImage, ready: [], grantPull: () => [] };
}

/** The files of the image, in the order in which they are hashed. */
const IMAGE_FILES = ["Dockerfile", "cloud-entrypoint.sh"] as const;

/** Long enough to distinguish any two edits, short enough to read aloud. */
const CONTENT_HASH_LENGTH = 12;

function exactVersion(version: string): string {
  if (!Token.isUnresolved(version)) return version === LATEST_VERSION ? PINNED_VERSION : version;
  return expression(`(${version} == "${LATEST_VERSION}" ? "${PINNED_VERSION}" : ${version})`);
}

function isLiteral(image: string | undefined): boolean {
  return image !== undefined && !Token.isUnresolved(image);
}

const RULES: readonly Rule<IdpImageProps>[] = [
  ...PLACE_RULES,
  {
    holds: ({ existingImage, repository }) => repository !== undefined || isLiteral(existingImage),
    message: () =>
      "repository is missing; it is required, because a built image must be pushed somewhere; set it, or set existingImage to an existing image",
  },
  ...APPLICATION_VERSION.map((rule) =>
    rule.ruleOn<IdpImageProps>("applicationVersion", ({ applicationVersion }) => applicationVersion),
  ),
  BUILD_LOCATION.ruleOn("buildLocation", ({ buildLocation }) => buildLocation),
  EXISTING_IMAGE.ruleOn("existingImage", ({ existingImage }) => existingImage),
  FOREIGN_IMAGE.ruleOn({
    image: ["existingImage", ({ existingImage }) => existingImage],
    ownPrefix: ["the deployment's own repository", ({ repository }) => repository?.imagePrefix ?? ""],
  }),
  UPSTREAM_IMAGE_NAME.ruleOn("upstreamImage", ({ upstreamImage }) => upstreamImage),
];
