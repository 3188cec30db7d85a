import { type OptionalValue } from "../core/optional-value";
import { type Risk } from "../core/risks";
import { LATEST_VERSION, NEWEST_KNOWN_VERSION, OLDEST_VERSION, PINNED_VERSION, REFUSED_VERSION } from "./contract";

/** Which releases there are to choose from, as every message states it. */
export const SUPPORTED_RELEASE_RULE = `it must be "${LATEST_VERSION}" or an exact release from ${OLDEST_VERSION.year}.${OLDEST_VERSION.feature} on, because older ones need a Redis and rolling tags change without notice; use for example "${PINNED_VERSION}"`;

/** Why one release is refused, as every message states it. */
export const REFUSED_RELEASE_RULE = `it must be another release, because behind a load balancer this one takes the load balancer for every visitor; use for example "${NEWEST_KNOWN_VERSION}"`;

/** True for `latest` and for an exact release that keeps everything in PostgreSQL. */
export function isSupportedVersion(version: string): boolean {
  if (version === LATEST_VERSION) return true;
  const [, year, feature] = /^(\d{4})\.(\d{1,2})\.\d+$/.exec(version) ?? [];
  if (year === undefined || feature === undefined) return false;
  return (
    Number(year) > OLDEST_VERSION.year ||
    (Number(year) === OLDEST_VERSION.year && Number(feature) >= OLDEST_VERSION.feature)
  );
}

export function isRefusedVersion(version: string): boolean {
  return version === REFUSED_VERSION;
}

/** A release that may not exist; no error, because releases appear more often than this package. */
export function unknownReleaseRisk(version: string, existingImage: OptionalValue): Risk {
  const isBuilt = existingImage === undefined ? "" : `${existingImage} != null || `;
  const rank = `try(sum([for place, part in split(".", ${version}) : tonumber(part) * pow(${PLACE}, 2 - place)]), 0)`;
  return {
    value: version,
    isAvoided: version === LATEST_VERSION || rankOf(version) <= rankOf(NEWEST_KNOWN_VERSION),
    condition: `${isBuilt}${rank} <= ${rankOf(NEWEST_KNOWN_VERSION)}`,
    message: `application_version is "${version}"; it should be a release up to ${NEWEST_KNOWN_VERSION}, the newest that was known here, because one that does not exist fails only as its image is built and a newer one is untested; compare it with the releases of the upstream image`,
  };
}

/** More than there are features in a year and patches of a feature. */
const PLACE = 1000;

/** Releases in order. */
function rankOf(version: string): number {
  return version.split(".").reduce((rank, part) => rank * PLACE + Number(part), 0);
}
