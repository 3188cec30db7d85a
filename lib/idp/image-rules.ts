import { type Construct } from "constructs";

import { CheckedRelation } from "../core/checked-relation";
import { CheckedValue, matching } from "../core/checked-value";
import { type OptionalValue } from "../core/conditional";
import { settingName } from "../core/expression";
import { type Warning } from "../core/warnings";
import { LATEST_VERSION } from "./contract";
import {
  NEWEST_KNOWN_VERSION,
  OLDEST_VERSION,
  PINNED_VERSION,
  RECOMMENDED_VERSION,
  REFUSED_VERSIONS,
  RELEASE_LINES,
  RELEASES_KNOWN_ON,
} from "./releases";

const IMAGE_PATTERN = "^[^\\s/@]+/[^\\s@]+(:[^\\s/@]+|(:[^\\s/@]+)?@sha256:[0-9a-f]{64})$";

/** Rule for an image that is used instead of one built here. */
export const EXISTING_IMAGE = new CheckedValue<string>({
  accepts: (image) => !image.endsWith(":latest") && new RegExp(IMAGE_PATTERN).test(image),
  condition: (image) => `!endswith(${image}, ":latest") && can(regex(${JSON.stringify(IMAGE_PATTERN)}, ${image}))`,
  must: "be a host, a path and a tag other than latest or a digest",
  reason: "another image could be rolled out unnoticed",
  remedy: `use for example us-docker.pkg.dev/my-project/images/idp:${RECOMMENDED_VERSION}`,
  schema: { pattern: IMAGE_PATTERN },
});

/** An existing image must not be in the deployment's own repository. */
export const FOREIGN_IMAGE = new CheckedRelation<{ image: string | undefined; ownPrefix: string }>({
  accepts: ({ image, ownPrefix }) => image?.startsWith(`${ownPrefix}/`) !== true,
  condition: ({ image, ownPrefix }) => `${image} == null ? true : !startswith(${image}, ${ownPrefix})`,
  problem: (names, shown) =>
    `${names.image} is ${shown.image}; it must not begin with ${names.ownPrefix}, because that repository belongs to this deployment and is deleted, with the image, once an existing image is set; copy the image into another repository first, or remove it`,
});

/** Rule for the place of a build. */
export const BUILD_LOCATION = matching("^(global|[a-z]+-[a-z]+[0-9]+)$", {
  must: "be global or the name of a region such as us-central1",
  remedy: "use a region that https://cloud.google.com/build/docs/locations lists",
});

/** Rule for the image of the upstream server. */
export const UPSTREAM_IMAGE_NAME = matching("^[^:@]+(:[0-9]+/[^:@]+)*$", {
  must: "have no tag and no digest",
  reason: "the application's version determines the tag",
  remedy: "remove them",
});

/** A feature release is named after its month. */
const RELEASE_PATTERN = "^([0-9]{4})[.]([1-9]|1[0-2])[.](?:0|[1-9][0-9]*)$";
const OLDEST_RELEASE = OLDEST_VERSION.year * 100 + OLDEST_VERSION.feature;

/** Rules for the release of the identity provider. */
export const APPLICATION_VERSION: readonly CheckedValue<string>[] = [
  new CheckedValue<string>({
    accepts: (version) => {
      if (version === LATEST_VERSION) return true;
      const [, year, feature] = new RegExp(RELEASE_PATTERN).exec(version) ?? [];
      return Number(year) * 100 + Number(feature) >= OLDEST_RELEASE;
    },
    condition: (version) => {
      const part = (index: number) => `tonumber(regex("${RELEASE_PATTERN}", ${version})[${index}])`;
      return `${version} == "${LATEST_VERSION}" || try(${part(0)} * 100 + ${part(1)} >= ${OLDEST_RELEASE}, false)`;
    },
    must: `be "${LATEST_VERSION}" or an exact release from ${OLDEST_VERSION.year}.${OLDEST_VERSION.feature} on, year.month.patch`,
    reason: "older ones need Redis, and rolling tags change without notice",
    remedy: `use for example "${RECOMMENDED_VERSION}"`,
    schema: { pattern: `^${LATEST_VERSION}$|${RELEASE_PATTERN}` },
  }),
  ...Object.entries(REFUSED_VERSIONS).map(
    ([refused, reason]) =>
      new CheckedValue<string>({
        accepts: (version) => version !== refused,
        condition: (version) => `${version} != "${refused}"`,
        must: "be another release",
        reason,
        remedy: `use for example "${RECOMMENDED_VERSION}" or "${NEWEST_KNOWN_VERSION}"`,
        schema: { not: { enum: [refused] } },
      }),
  ),
];

/** Warns of a release that may not exist, and of one with known holes. */
export function releaseRisks(scope: Construct, version: string, existingImage: OptionalValue): Warning[] {
  const isBuilt = existingImage === undefined ? "" : `${existingImage} != null || `;
  const exact = `(${version} == "${LATEST_VERSION}" ? "${PINNED_VERSION}" : ${version})`;
  const rank = `try(sum([for place, part in split(".", ${exact}) : tonumber(part) * pow(${PLACE}, 2 - place)]), 0)`;
  const known = rankOf(version === LATEST_VERSION ? PINNED_VERSION : version);
  const newest = rankOf(NEWEST_KNOWN_VERSION);
  const safe = RELEASE_LINES.map(({ leastSafe }) => rankOf(leastSafe));
  const called = `${settingName(scope, version, "applicationVersion")} is "${version}"`;
  return [
    {
      value: version,
      ok: known <= newest,
      condition: `${isBuilt}${rank} <= ${newest}`,
      message: `${called}; it is newer than ${NEWEST_KNOWN_VERSION}, the newest known release, so it is untested, and a release that does not exist fails only when its image is built; compare it with the releases of the upstream image`,
    },
    {
      value: version,
      ok: known > newest || safe.some((least) => known >= least && lineOf(known) === lineOf(least)),
      condition: `${isBuilt}${rank} > ${newest} || anytrue([for least in ${JSON.stringify(safe)} : ${rank} >= least && floor(${rank} / ${PLACE}) == floor(least / ${PLACE})])`,
      message: `${called}; it lacks security fixes, as known on ${RELEASES_KNOWN_ON}, and ${LATEST_VERSION} is ${PINNED_VERSION}; set it to ${RELEASE_LINES.map(({ newest: patched }) => `"${patched}"`).join(" or, in a later line, ")}`,
    },
  ];
}

/** More than the feature releases of a year and the patches of a feature release. */
const PLACE = 1000;

const lineOf = (rank: number) => Math.floor(rank / PLACE);

/** A number that orders releases. */
function rankOf(version: string): number {
  return version.split(".").reduce((rank, part) => rank * PLACE + Number(part), 0);
}
