import { Token } from "cdktf";
import { type Construct } from "constructs";

import { type Expr, exprOf, hcl, interpolated } from "./expr/expr";
import { each, element, every, includes, isDistinct, jsonOf, split, startsWith } from "./expr/functions";
import { namedValue } from "./expr/locals";
import { refuseWrong } from "./inputs/inputs";
import { type KnownPropsOf, unknownNames } from "./inputs/known-props";
import { nearest } from "./inputs/nearest";
import { type Relation } from "./inputs/relations";
import { type PropsOf, text, textMap, texts } from "./inputs/rows";
import { type ItemRule, matching, type Rule } from "./inputs/rules";
import { sharedList } from "./inputs/shared-table";
import { type WarningRelation } from "./inputs/warnings";
import { commonLabels } from "./labels";
import {
  APPLICATION_NAME_MAX_LENGTH,
  BUCKET_NAME_RESERVED_WORD,
  DEFAULT_APPLICATION_NAME,
  DEFAULT_REGION,
  DEFAULT_TENANT_ID,
  type DeploymentName,
  PROJECT_ID_PATTERN,
  TENANT_ID_MAX_LENGTH,
  tenantPrefix,
} from "./names";
import { prose } from "./prose";

/** Location and name of a deployment, shared by all of its parts. */
export interface DeploymentContext {
  /** Project of all resources. It must exist and have billing enabled. */
  readonly projectId: string;

  /** Region of all resources, for example `us-central1`. */
  readonly region: string;

  /** Components of all names. */
  readonly deployment: DeploymentName;

  /** Labels of all resources that support them; none by default. */
  readonly labels?: Record<string, string>;

  /**
   * Regions in which new secrets are stored.
   *
   * @default - `region`
   */
  readonly secretLocations?: readonly string[];
}

/** The context of a deployment as a prop of a construct. */
export const CONTEXT_PROP = {
  presence: "required",
  members: {
    projectId: "required",
    region: "required",
    deployment: { presence: "required", members: { applicationName: "required", tenantPrefix: "required" } },
    labels: "optional",
    secretLocations: "optional",
  } satisfies KnownPropsOf<DeploymentContext>,
} as const;

export const PROJECT_ID = matching(
  PROJECT_ID_PATTERN,
  prose`
    be the id of a project: 6 to 30 lower-case letters, digits and hyphens that start with a letter; use the id,
    not the name or the number, and look it up with gcloud projects list
  `,
);

const REGION_PATTERN = "^[a-z]+-[a-z]+[0-9]+$";

export const REGION: Rule<string> = {
  ...matching(
    REGION_PATTERN,
    "be the name of a region such as us-central1; for a zone such as us-central1-a, drop the zone letter",
  ),
  mustForLiteral: ({ literal: given }) => {
    if (/^[a-z]+-[a-z]+[0-9]+-[a-z]$/.test(given)) return undefined;
    const near = nearestRegion(given);
    const fix = near === undefined ? "look it up with gcloud compute regions list" : `did you mean ${near}?`;
    return `be the name of a region such as us-central1; ${fix}`;
  },
};

/** The day on which the list of regions below was looked up. */
const REGIONS_KNOWN_ON = "2026-11-29";
const KNOWN_REGIONS = [
  "africa-south1",
  ...numbered("asia-east", 1, 2),
  ...numbered("asia-northeast", 1, 2, 3),
  ...numbered("asia-south", 1, 2),
  ...numbered("asia-southeast", 1, 2, 3),
  ...numbered("australia-southeast", 1, 2),
  "europe-central2",
  ...numbered("europe-north", 1, 2),
  "europe-southwest1",
  ...numbered("europe-west", 1, 2, 3, 4, 6, 8, 9, 10, 12),
  ...numbered("me-central", 1, 2),
  "me-west1",
  ...numbered("northamerica-northeast", 1, 2),
  "northamerica-south1",
  "southamerica-east1",
  "southamerica-west1",
  "us-central1",
  ...numbered("us-east", 1, 4, 5),
  "us-south1",
  ...numbered("us-west", 1, 2, 3, 4),
];
const REGIONS = sharedList("known_regions", KNOWN_REGIONS);

/** Beginnings of region names in other clouds. */
const OTHER_BEGINNINGS: Readonly<Record<string, string>> = {
  ap: "asia",
  ca: "northamerica",
  eu: "europe",
  sa: "southamerica",
};

/**
 * The region that was probably meant. Regions on other continents are never suggested, because data would be stored
 * there.
 */
function nearestRegion(given: string): string | undefined {
  const [beginning = "", ...others] = given.toLowerCase().split("-");
  const continents = [...new Set(KNOWN_REGIONS.map((region) => region.split("-")[0] ?? ""))];
  const continent = OTHER_BEGINNINGS[beginning] ?? nearest(beginning, continents);
  if (continent === undefined) return undefined;
  const name = [continent, ...others].join("-");
  return nearest(
    name,
    KNOWN_REGIONS.filter((region) => region.startsWith(`${continent}-`)),
  );
}

function numbered(area: string, ...numbers: readonly number[]): string[] {
  return numbers.map((number) => `${area}${number}`);
}

/**
 * Known regions on the same continent, as one line. Lists all of them, because a plan cannot compute the nearest name.
 */
function regionsBeginningAs(region: Expr<string>): Expr<string> {
  const beginning = interpolated`${element(split("-", region), 0)}-`;
  const alike = each(
    REGIONS,
    (name) => name,
    (name) => startsWith(name, beginning),
    "name",
  );
  // `coalesce` skips empty strings.
  return hcl`coalesce(${alike.joinedBy(", ")}, "none")`;
}

/** The project of the examples; users of the library do not own it. */
const EXAMPLE_PROJECT = "my-project";

/** Warnings about projects and regions that are probably a mistake. */
export const DEPLOYMENT_WARNINGS: readonly WarningRelation<Pick<DeploymentInputs, "projectId" | "region">>[] = [
  {
    localId: "ProjectIsNotThatOfExamples",
    holds: ({ projectId }) => projectId.ne(EXAMPLE_PROJECT),
    message: ({ projectId }) =>
      prose`
        ${projectId.name} is ${projectId.shown}, the project of the examples; nothing can be created there,
        because it is not yours; set it to the id of your project
      `,
  },
  {
    localId: "RegionIsKnown",
    holds: ({ region }) => REGIONS.contains(region),
    message: ({ region }) => {
      const near = region.isLiteral ? nearestRegion(region.literal) : undefined;
      const hint = region.isLiteral ? "" : `known there: ${regionsBeginningAs(region).text};`;
      return [
        `${region.name} is ${region.shown}; it is none of the regions known on ${REGIONS_KNOWN_ON}, and an apply fails`,
        "in one that does not exist;",
        near === undefined ? hint : `did you mean ${near}? Otherwise`,
        "look it up with gcloud compute regions list, and correct it if it is a mistake",
      ]
        .filter((part) => part !== "")
        .join(" ");
    },
  },
];

export const TENANT_ID = matching(
  `^[a-z0-9-]{1,${TENANT_ID_MAX_LENGTH}}$`,
  prose`
    be 1 to ${TENANT_ID_MAX_LENGTH} lower-case letters, digits and hyphens,
    because names that contain the tenant id allow nothing else; shorten or rewrite it
  `,
);

const LABEL_KEY = "^[a-z][a-z0-9_-]{0,62}$";
const LABEL_VALUE = "^[a-z0-9_-]{0,63}$";

export const LABELS: ItemRule<string> = {
  each: (key, value) => key.matches(LABEL_KEY).and(value.matches(LABEL_VALUE)),
  shows: (key, value) => interpolated`${key} = ${jsonOf(value)}`,
  message: prose`
    keys must be 1 to 63 and values up to 63 lower-case letters, digits, hyphens and underscores,
    and keys must start with a letter; rewrite them
  `,
  keySchema: { pattern: LABEL_KEY },
  schema: { pattern: LABEL_VALUE },
};

/**
 * Inputs of a deployment's context. @param changedLabels end of a description, after a semicolon, about changed labels;
 * or empty
 */
export function deploymentInputs(changedLabels: string) {
  return {
    /**
     * Project of all resources, given by its id, not by its name or number. Another project means another deployment.
     */
    projectId: text({
      example: EXAMPLE_PROJECT,
      description: prose`
        Project to deploy into; it must exist and have billing. Changing it later replaces the deployment with
        an empty one.
      `,
      must: PROJECT_ID,
    }),
    /** Region of all parts. Changing it later replaces the database and the media bucket with empty ones. */
    region: text({
      default: DEFAULT_REGION,
      description: "Region of all resources. Changing it later replaces database and media bucket with empty ones.",
      must: REGION,
    }),
    /**
     * Regions where new secrets are stored, by default the region of the deployment; existing secrets are not moved.
     */
    secretLocations: texts({
      default: null,
      description: prose`
        Regions in which new secrets are stored, each with a copy that is billed[[; null for region]].
        Changing it later moves no secret.
      `,
      must: {
        condition: (regions: Expr<readonly string[]>) => {
          const areRegions = every(regions, (region) => REGION.condition(region), "region");
          return regions.length().gt(0).and(areRegions, isDistinct(regions));
        },
        must: prose`
          have at least one region such as us-central1, and each only once,
          because Secret Manager stores a copy in each;
          correct it, or leave it out for the region of the deployment
        `,
        schema: { items: REGION.schema, minItems: 1, uniqueItems: true },
      },
    }),
    /** Tenant, 1 to 20 letters, digits and hyphens, part of every name. Another one is a new, empty deployment. */
    tenantId: text({
      default: DEFAULT_TENANT_ID,
      description: prose`
        Tenant that owns this deployment: 1 to ${TENANT_ID_MAX_LENGTH} lower-case letters, digits and hyphens,
        part of every name. Changing it later replaces the deployment with an empty one.
      `,
      must: TENANT_ID,
    }),
    /**
     * Labels on all resources that support them, in addition to `application` and `tenant`. A change rolls out new
     * instances.
     */
    labels: textMap({
      default: {},
      description: prose`
        Labels on all resources that support them, in addition to application and tenant${changedLabels}.
        A change rolls out new instances.
      `,
      must: LABELS,
    }),
    /** Name of the application, 1 to 18 characters, part of every name. Another one is a new, empty deployment. */
    applicationName: text({
      default: DEFAULT_APPLICATION_NAME,
      description: prose`
        Name of the application, part of every name: 1 to ${APPLICATION_NAME_MAX_LENGTH} lower-case letters,
        digits and hyphens, starting with a letter. Changing it later replaces the deployment with an empty one.
      `,
      must: matching(
        `^[a-z]([a-z0-9-]{0,${APPLICATION_NAME_MAX_LENGTH - 2}}[a-z0-9])?$`,
        prose`
          be 1 to ${APPLICATION_NAME_MAX_LENGTH} lower-case letters,
          digits and hyphens that start with a letter and do not end with a hyphen, because it is part of service,
          job and bucket names; shorten or rewrite it
        `,
      ),
    }),
  };
}

export type DeploymentInputs = ReturnType<typeof deploymentInputs>;
export interface DeploymentContextProps extends PropsOf<DeploymentInputs> {}

export const DEPLOYMENT_RELATIONS: readonly Relation<DeploymentInputs>[] = [
  {
    // Application and tenant become part of the media bucket's name.
    host: "applicationName",
    holds: ({ applicationName, tenantId }) => {
      const partOfName = interpolated`${applicationName}${tenantId}`;
      return includes(partOfName, BUCKET_NAME_RESERVED_WORD).not();
    },
    message: ({ applicationName, tenantId }) =>
      prose`
        ${applicationName.name} is ${applicationName.shown} and ${tenantId.name} is ${tenantId.shown};
        together they must not contain "${BUCKET_NAME_RESERVED_WORD}",
        because Cloud Storage reserves that word in bucket names; rename one of them
      `,
  },
];

/**
 * The context of a deployment whose names contain the tenant and a hash of the project, so that they are unique.
 *
 * Creates only locals in the scope, for values known only to Terraform.
 *
 * @throws RulesBrokenError naming the scope if a prop breaks a rule
 */
export function deploymentContext(scope: Construct, props: DeploymentContextProps): DeploymentContext {
  const names = Object.keys(deploymentInputs("")) as (keyof DeploymentInputs)[];
  refuseWrong(scope, deploymentInputs(""), props, names, unknownNames((props as object | undefined) ?? {}, names));
  const { applicationName = DEFAULT_APPLICATION_NAME, labels, projectId, secretLocations } = props;
  const { region = DEFAULT_REGION, tenantId = DEFAULT_TENANT_ID } = props;

  // Locals keep plans and messages short.
  const prefix = tenantPrefix(tenantId, projectId);
  return {
    projectId,
    region,
    deployment: { applicationName, tenantPrefix: namedValue(scope, "tenant_prefix", prefix) },
    labels: commonLabels(scope, { application: applicationName, tenant: tenantId }, labels),
    secretLocations: Token.isUnresolved(secretLocations)
      ? exprOf<readonly string[] | null>(secretLocations as unknown as readonly string[]).coalesce([region]).list
      : secretLocations,
  };
}
