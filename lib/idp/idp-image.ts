import { Fn, type ITerraformDependable, TerraformLocal, Token } from "cdktf";
import { Construct } from "constructs";

import { CONTEXT_PROP, type DeploymentContext, type DeploymentInputs } from "../core/deployment-context";
import { allOf, anyOf, countIf, isNever, isSet, isUnset, present } from "../core/expr/conditions";
import { type Expr, exprOf, hcl, interpolated, literal, namedText } from "../core/expr/expr";
import { captured, element, endsWith, lookup, split, startsWith, toNumber, trimPrefix } from "../core/expr/functions";
import { named, namedValue, settingName } from "../core/expr/locals";
import { type WorkloadIdentity } from "../core/identity";
import { refuseWrong } from "../core/inputs/inputs";
import { type KnownPropsOf, propProblems } from "../core/inputs/known-props";
import { needs } from "../core/inputs/needs";
import { type Problem } from "../core/inputs/problem";
import { type Relation } from "../core/inputs/relations";
import { object, orResource, type PropsOf, text } from "../core/inputs/rows";
import { matching } from "../core/inputs/rules";
import { type ValuesOf } from "../core/inputs/value";
import { addWarnings, type Warning } from "../core/inputs/warnings";
import { imagePrefix, tenantPrefix } from "../core/names";
import { packageFile } from "../core/package-file";
import { addRestLibraries, runsScript } from "../core/project-apis";
import { prose } from "../core/prose";
import { stateProvidersOf } from "../core/provider-requirements";
import { addScript, addStackFile } from "../core/stack-file";
import { TerraformData } from "../core/terraform-data";
import { type BLUEPRINTS, type Blueprints } from "./blueprints";
import { BUILD_ARGUMENTS, LATEST_VERSION, UPSTREAM_IMAGE, UPSTREAM_PREFIX } from "./contract";
import { PUBLIC_IMAGES, referenceTo } from "./images";
import { type ContainerImage, type ImageRepository } from "./parts";
import {
  NEWEST_KNOWN_VERSION,
  OLDEST_VERSION,
  PINNED_VERSION,
  RECOMMENDED_VERSION,
  REFUSED_VERSIONS,
  RELEASE_LINES,
  RELEASES_KNOWN_ON,
  UPGRADE_EDGES,
} from "./releases";

const IMAGE_PATTERN = "^[^\\s/@]+/[^\\s@]+(:[^\\s/@]+|(:[^\\s/@]+)?@sha256:[0-9a-f]{64})$";

/** Files of the folder `image` that are sent to the build, apart from blueprints; same list as in `build-image.sh`. */
export const IMAGE_FILES = ["Dockerfile", "cloud-entrypoint.sh", "connection-pool.sh", "watch-worker.py"];

/** A release, which begins with year and month of its feature release, optionally with the digest of its image. */
const RELEASE_PATTERN = "^([0-9]{4})[.]([1-9]|1[0-2])[.](?:0|[1-9][0-9]*)(?:@sha256:[0-9a-f]{64})?$";
const REFUSED_PATTERN = `^(?:${Object.keys(REFUSED_VERSIONS).join("|").replaceAll(".", "[.]")})(?:@|$)`;
const OLDEST_RELEASE = OLDEST_VERSION.year * 100 + OLDEST_VERSION.feature;

/** Example of a release in messages. */
const EXAMPLE = `for example "${RECOMMENDED_VERSION}"`;

/** Inputs of the image. */
export const IMAGE = {
  /**
   * Release: `latest`, which is the tested one, or an exact release from 2025.10 on. A newer release migrates the
   * database irreversibly.
   */
  applicationVersion: text({
    default: LATEST_VERSION,
    example: RECOMMENDED_VERSION,
    description: prose`
      Release to run: "${LATEST_VERSION}" for the tested ${PINNED_VERSION},
      whose later patches fix vulnerabilities, or an exact release such as ${RECOMMENDED_VERSION},
      from ${OLDEST_VERSION.year}.${OLDEST_VERSION.feature} on, with or without the digest of its image,
      as in ${RECOMMENDED_VERSION}@sha256:<64 digits>. Changing it later builds an image,
      rolls it out and migrates the database, which cannot be undone.
    `,
    must: [
      {
        condition: (version: Expr<string>) => {
          const part = (index: number) => toNumber(captured(version, RELEASE_PATTERN, index));
          const isNewEnough = part(0).times(100).plus(part(1)).ge(OLDEST_RELEASE);
          return version.eq(LATEST_VERSION).or(isNewEnough.tryOr(false));
        },
        must: prose`
          be "${LATEST_VERSION}" or an exact release from ${OLDEST_VERSION.year}.${OLDEST_VERSION.feature} on,
          year.month.patch, also with @sha256: and a digest,
          because older ones need Redis, and rolling tags change without notice; use ${EXAMPLE}
        `,
        schema: { pattern: `^${LATEST_VERSION}$|${RELEASE_PATTERN}` },
      },
      {
        condition: (version: Expr<string>) => version.matches(REFUSED_PATTERN).not(),
        must: `be another release; use ${EXAMPLE}`,
        mustFor: (version: Expr<string>) => {
          const reason = lookup(exprOf(REFUSED_VERSIONS), element(split("@", version), 0), "");
          return interpolated`be another release, because ${reason}; use ${EXAMPLE}`;
        },
        schema: { not: { type: "string", pattern: REFUSED_PATTERN } },
      },
    ],
  }),
  /** Location of the build in Cloud Build; a change does not rebuild the image. */
  build: object(
    {
      /** `global`, the default, or a region of Cloud Build. */
      location: text({
        default: "global",
        description: prose`
          global, or a region that Cloud Build has (https://cloud.google.com/build/docs/locations);
          some projects may use only a few of them
        `,
        schema: { pattern: "^(global|[a-z]+-[a-z]+[0-9]+)$" },
      }),
      /** Private pool, `projects/<project>/locations/<location>/workerPools/<name>`, or its resource. */
      pool: orResource(
        "id",
        ["google_cloudbuild_worker_pool"],
        text({
          default: null,
          description: prose`
            private pool that builds, in its own location,
            projects/<project>/locations/<location>/workerPools/<name>;
            the account of the build needs roles/cloudbuild.workerPoolUser in its project,
            and the pool a way to the public registries or image_mirror, and to packages of Debian
          `,
          schema: { pattern: "^projects/[^/]+/locations/[^/]+/workerPools/[^/]+$" },
        }),
      ),
    },
    {
      default: {},
      description: (members) =>
        `Where Cloud Build builds the image. ${members} Changing it later builds nothing again.`,
    },
  ),
  /** Prefix of all public images, in place of docker.io, gcr.io and ghcr.io. */
  imageMirror: text({
    default: null,
    description: prose`
      Prefix from which all public images are pulled, instead of docker.io, gcr.io and ghcr.io,
      with the rest of their names: a registry that has copies of them,
      such as europe-docker.pkg.dev/my-images/mirror. Changing it later runs the jobs again,
      and rolls out what has an image from it.
    `,
    must: matching(
      "^[a-z0-9][a-z0-9-]*([.][a-z0-9-]+)+(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)+$",
      prose`
        be a host and a path, without scheme, tag and slash at the end, because a name follows it;
        use for example europe-docker.pkg.dev/my-images/mirror
      `,
    ),
  }),
  /** Image with its tag or digest that runs instead of a built one. */
  existingContainerImage: text({
    default: null,
    description: prose`
      Image with its tag or digest to run instead of building one,
      for example one that this stack built in another project. No repository is created then.
      Setting it later deletes the repository of this deployment with all its images,
      so the image must not be one of them; removing it builds a new one.
    `,
    must: {
      condition: (image: Expr<string>) => endsWith(image, ":latest").not().and(image.matches(IMAGE_PATTERN)),
      must: prose`
        be a host, a path and a tag other than latest or a digest, because another image could be rolled out
        unnoticed; use for example us-docker.pkg.dev/my-project/images/idp:${RECOMMENDED_VERSION}
      `,
      schema: { pattern: IMAGE_PATTERN },
    },
  }),
};

export type ImageInputs = typeof IMAGE;

/** Location of the build. */
export interface ImageBuildProps extends PropsOf<ImageInputs["build"]["members"]> {}

export const IMAGE_RELATIONS: readonly Relation<ImageInputs & DeploymentInputs & typeof BLUEPRINTS>[] = [
  needs("existingContainerImage", {
    without: ["blueprints"],
    because: "only an image that is built here can contain them",
    remedy: ({ blueprints }) => `copy them to /blueprints in that image, and remove ${blueprints.name} here`,
  }),
  {
    // An existing image must not be in the deployment's own repository.
    host: "existingContainerImage",
    holds: (v) => v.existingContainerImage.isNullOr((image) => startsWith(image, ownImages(v)).not()),
    message: (v) =>
      prose`
        ${v.existingContainerImage.name} is ${v.existingContainerImage.shown};
        it must not begin with ${ownImages(v)},
        because that repository belongs to this deployment and is deleted, with the image,
        once an existing image is set; copy the image into another repository first, or remove it
      `,
  },
];

/** Prefix of the deployment's own images. */
function ownImages({ applicationName, projectId, region, tenantId }: ValuesOf<DeploymentInputs>): string {
  const prefix = tenantPrefix(tenantId.text, projectId.text);
  const deployment = { applicationName: applicationName.text, tenantPrefix: prefix };
  return `${imagePrefix(region.text, projectId.text, deployment)}/`;
}

export interface IdpImageProps {
  /** Determines the project of the build and the name of the image, the application's name. */
  readonly context: DeploymentContext;

  /**
   * Release of the identity provider: `latest`, or an exact release (year.month.patch) from 2025.10 on, optionally with
   * the digest of its image, `<release>@sha256:…`. Upgrade one feature release at a time and never downgrade.
   *
   * @default "latest", which builds the pinned known-good release
   */
  readonly applicationVersion?: string;

  /** Blueprints that become part of the image, for the application's worker to apply; none by default. */
  readonly blueprints?: Blueprints;

  /**
   * Location of the build: `global`, or a region of Cloud Build. A change does not rebuild the image.
   *
   * @default "global"
   */
  readonly buildLocation?: string;

  /**
   * Private pool that runs the build, in the location of the pool.
   *
   * @default - the pool of Cloud Build
   */
  readonly buildPool?: string;

  /**
   * An existing image with its tag that runs instead; an expression that is null at plan means none.
   *
   * @default - built
   */
  readonly existingImage?: string;

  /**
   * Repository to which the image is pushed, and the account that builds it; required without `existingImage`.
   *
   * @default - none
   */
  readonly repository?: ImageRepository;

  /**
   * Prefix that replaces the hosts of public registries for all images that the build pulls.
   *
   * @default - the public registries
   */
  readonly imageMirror?: string;

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

const REPOSITORY_MISSING: Problem = {
  path: "repository",
  text: prose`
    repository is missing; it is required, because a built image must be pushed somewhere; set it,
    or set existingImage to an existing image
  `,
  isMissing: true,
};

const PROPS: KnownPropsOf<IdpImageProps> = {
  context: CONTEXT_PROP,
  applicationVersion: "optional",
  blueprints: "optional",
  buildLocation: "optional",
  buildPool: "optional",
  existingImage: "optional",
  imageMirror: "optional",
  repository: "optional",
  upstreamImage: "optional",
  upstreamPrefix: "optional",
};

/**
 * The identity provider's container image: the upstream's, with an entrypoint adapted to the cloud.
 *
 * Cloud Build builds it at apply from the files in `image/` of the synthesized folder, which are part of the request.
 * The tag contains the release and a hash of the sources. Therefore only another release, or an edit of these files or
 * of a blueprint, builds and rolls out a new image. A tag that is already in the repository is not built again.
 */
export class IdpImage extends Construct implements ContainerImage {
  readonly containerImage: string;

  /** The version that is rolled out: the exact release, or the existing image. */
  readonly release: string;
  readonly ready: ITerraformDependable[];

  /** The built image; undefined for an existing image. @internal */
  readonly builtImage: string | undefined;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: IdpImageProps,
  ) {
    super(scope, id);
    stateProvidersOf(this);
    this.refuseWrongProps();
    const { applicationVersion = LATEST_VERSION, existingImage, repository } = props;
    if (repository === undefined || isGiven(existingImage)) {
      this.containerImage = this.release = existingImage ?? "";
      this.ready = [];
      return;
    }
    const tag = named(this, "BaseTag", exactVersion(applicationVersion));
    const version = namedValue(this, "Release", releaseOf(tag).text);
    this.addRisks(applicationVersion, version);
    this.builtImage = this.addReference(repository, version, trimPrefix(tag, version));
    const build = this.addBuild(repository, this.builtImage, tag);
    this.containerImage = this.orExisting(this.builtImage);
    this.release = this.orExisting(version);
    this.ready = [build];
  }

  private refuseWrongProps(): void {
    const given = (this.props as Partial<IdpImageProps> | undefined) ?? {};
    const isNowhere = given.repository === undefined && given.existingImage === undefined;
    const problems = [...propProblems(given, PROPS), ...(isNowhere ? [REPOSITORY_MISSING] : [])];
    refuseWrong(this, IMAGE, given, ["applicationVersion"], problems);
  }

  /**
   * Warns of risks of the release, and of blueprints that an existing image ignores. @param exact the release that runs
   */
  private addRisks(applicationVersion: string, exact: string): void {
    const { blueprints, existingImage } = this.props;
    const unusedFiles = blueprints && {
      localId: "BlueprintFilesAreUsed",
      condition: anyOf(isUnset(existingImage), blueprints.count.eq(0)),
      message: prose`
        ${blueprints.folder}/ has files and an existing image is given; they are not applied,
        because only an image that is built here can contain them; copy them to /blueprints in that image
      `,
    };
    const risks = releaseRisks(this, applicationVersion, exact, existingImage);
    addWarnings(this, "KnownRelease", [...risks, ...present(unusedFiles)]);
  }

  /** The built image; release and sources determine its tag. @param digest digest of the base image, or empty */
  private addReference(repository: ImageRepository, version: string, digest: Expr<string>): string {
    const { blueprints, context, upstreamImage = UPSTREAM_IMAGE, upstreamPrefix = UPSTREAM_PREFIX } = this.props;
    const files = IMAGE_FILES.map((name) => `image/${name}`);
    const hashes = files.map((file) => addStackFile(this, packageFile(file), file).sha256);
    // Without the mirror, so that a change of the mirror does not rebuild the image.
    const base = interpolated`${upstreamImage}${digest}`.text;
    const parts = [...hashes, PUBLIC_IMAGES.tools, base, upstreamPrefix];
    // Without blueprints, the text must be the same as in earlier releases of the library. Otherwise every image would
    // be rebuilt.
    const content = Fn.join(
      ":",
      blueprints === undefined ? parts : Token.asList(Fn.concat([parts, blueprints.hashes.list])),
    );
    // Long enough to distinguish any two edits, short enough to read aloud.
    const hash = Fn.substr(Fn.sha256(namedText("image_content", content)), 0, 12);
    const builtTag = `${version}-${hash}`;
    const reference = `${repository.imagePrefix}/${context.deployment.applicationName}:${builtTag}`;
    return new TerraformLocal(this, "Reference", reference).asString;
  }

  private addBuild(repository: ImageRepository, builtImage: string, tag: Expr<string>): TerraformData {
    const { applicationVersion = LATEST_VERSION, blueprints, context, existingImage, ...props } = this.props;
    const { upstreamImage = UPSTREAM_IMAGE, upstreamPrefix = UPSTREAM_PREFIX } = props;
    addRestLibraries(this);
    const script = addScript(this, "lib/idp/scripts/build-image.sh");
    return new TerraformData(this, "Build", {
      triggersReplace: { image: builtImage },
      provisioners: runsScript(script, {
        PROJECT_ID: context.projectId,
        BUILD_LOCATION: props.buildLocation ?? "global",
        ...(props.buildPool !== undefined && { BUILD_POOL: exprOf(props.buildPool).ifNull("").text }),
        BUILD_SERVICE_ACCOUNT: repository.builderEmail,
        IMAGE: builtImage,
        IMAGE_DIRECTORY: "${path.module}/image",
        BUILDER_IMAGE: referenceTo(PUBLIC_IMAGES.builder, props.imageMirror),
        [BUILD_ARGUMENTS.toolsImage]: referenceTo(PUBLIC_IMAGES.tools, props.imageMirror),
        [BUILD_ARGUMENTS.upstreamImage]: referenceTo(upstreamImage, props.imageMirror),
        [BUILD_ARGUMENTS.upstreamPrefix]: upstreamPrefix,
        [BUILD_ARGUMENTS.version]: tag.text,
        [BUILD_ARGUMENTS.platformVersion]: applicationVersion,
        UPGRADE_EDGES: JSON.stringify(UPGRADE_EDGES),
        ...(blueprints && {
          BLUEPRINTS: blueprints.paths,
          BLUEPRINTS_DIRECTORY: `\${path.module}/${blueprints.folder}`,
        }),
      }),
      count: countIf(isUnset(existingImage)),
      dependsOn: repository.ready,
      ...(blueprints && { lifecycle: { precondition: [...blueprints.conditions] } }),
    });
  }

  /** The existing image if one is given, otherwise the built one. */
  private orExisting(built: string): string {
    const { existingImage } = this.props;
    return existingImage === undefined ? built : Token.asString(Fn.coalesce([existingImage, built]));
  }

  /** Grants access to the repository of the built image, or of the project's repositories for an existing image. */
  grantPull(identity: WorkloadIdentity): ITerraformDependable[] {
    const { existingImage, repository } = this.props;
    return [
      ...(repository === undefined || isGiven(existingImage) ? [] : repository.grantPull(identity)),
      ...(existingImage === undefined
        ? []
        : identity.grantOnProject("PullsImages", "roles/artifactregistry.reader", { condition: isSet(existingImage) })),
    ];
  }
}

/** An image that can be pulled without authentication. */
export function publicImage(containerImage: string): ContainerImage {
  return { containerImage, ready: [], grantPull: () => [] };
}

/** Tag of the base image, with a digest if one is given. */
function exactVersion(version: string): Expr<string> {
  return exprOf(version).eq(LATEST_VERSION).choose(PINNED_VERSION, version);
}

const releaseOf = (tag: Expr<string>) => element(split("@", tag), 0);

/** Whether synthesis knows that an image is given. */
const isGiven = (image: string | undefined) => isNever(isUnset(image));

/** Warnings about releases that may not exist or have known vulnerabilities. @param exact the release that runs */
function releaseRisks(scope: Construct, version: string, exact: string, existingImage: string | undefined): Warning[] {
  const rank = Token.isUnresolved(version)
    ? named(scope, "ReleaseRank", hcl<number>`try(sum([for place, part in split(".", ${exact}) : ${DIGITS}]), 0)`)
    : literal(rankOf(exact));
  return risksOfRank(
    rank,
    `${settingName(scope, version, "applicationVersion")} is "${version}"`,
    isSet(existingImage),
  );
}

/** Risks of the release in the settings of a deployment; none for an existing image without a release. */
export function releaseRisksOf({
  applicationVersion: version,
  existingContainerImage: existing,
}: ValuesOf<ImageInputs>): readonly Warning[] {
  if (!version.isLiteral || version.literal === LATEST_VERSION) return [];
  const [release = ""] = version.literal.split("@");
  return risksOfRank(literal(rankOf(release)), `${version.name} is ${version.shown}`, existing.isSet());
}

/** @param hasImage whether an existing image runs */
function risksOfRank(rank: Expr<number>, releaseIs: string, hasImage: Expr<boolean>): Warning[] {
  const newest = rankOf(NEWEST_KNOWN_VERSION);
  const line = rank.dividedBy(PLACE).floor();
  const isSafe = RELEASE_LINES.map(({ leastSafe }) => {
    const least = rankOf(leastSafe);
    return allOf(rank.ge(least), line.eq(lineOf(least)));
  });
  return [
    {
      localId: "ReleaseExists",
      condition: anyOf(hasImage, rank.le(newest)),
      message: prose`
        ${releaseIs}; it is newer than ${NEWEST_KNOWN_VERSION}, the newest known release, so its migration, settings,
        health routes and image are untested, and a release that does not exist fails only when its image is
        built; read its release notes first
      `,
    },
    {
      localId: "ReleaseIsSafe",
      condition: anyOf(hasImage, rank.gt(newest), ...isSafe),
      message: [
        `${releaseIs}; it lacks security fixes, as known on ${RELEASES_KNOWN_ON},`,
        `and ${LATEST_VERSION} is ${PINNED_VERSION}; set it to`,
        RELEASE_LINES.map(({ newest: patched }) => `"${patched}"`).join(" or, in a later line, "),
      ].join(" "),
    },
  ];
}

/** Greater than the number of feature releases in a year, and of patches of a feature release. */
const PLACE = 1000;

/** Contribution of one part of a release to its rank, in HCL. */
const DIGITS = hcl<number>`tonumber(part) * pow(${PLACE}, 2 - place)`;

/** Rank of a release: a later release has a greater one. */
const rankOf = (version: string) => version.split(".").reduce((rank, part) => rank * PLACE + Number(part), 0);
const lineOf = (rank: number) => Math.floor(rank / PLACE);
