import { type Construct } from "constructs";

import { CheckedValue } from "../core/checked-value";
import { type OptionalValue } from "../core/conditional";
import { calledIn } from "../core/expression";
import { type Risk } from "../core/risks";
import { LATEST_VERSION, NEWEST_KNOWN_VERSION, OLDEST_VERSION, PINNED_VERSION, REFUSED_VERSION } from "./contract";

const RELEASE_PATTERN = "^([0-9]{4})[.]([0-9]{1,2})[.][0-9]+$";
const OLDEST_RELEASE = OLDEST_VERSION.year * 100 + OLDEST_VERSION.feature;

/** Release of the identity provider. */
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
    must: `be "${LATEST_VERSION}" or an exact release from ${OLDEST_VERSION.year}.${OLDEST_VERSION.feature} on`,
    reason: "older ones need a Redis and rolling tags change without notice",
    remedy: `use for example "${PINNED_VERSION}"`,
  }),
  new CheckedValue<string>({
    accepts: (version) => version !== REFUSED_VERSION,
    condition: (version) => `${version} != "${REFUSED_VERSION}"`,
    must: "be another release",
    reason: "behind a load balancer this one takes the load balancer for every client",
    remedy: `use for example "${NEWEST_KNOWN_VERSION}"`,
  }),
];

/** A release that may not exist; no error, because releases appear more often than this package. */
export function unknownReleaseRisk(scope: Construct, version: string, existingImage: OptionalValue): Risk {
  const isBuilt = existingImage === undefined ? "" : `${existingImage} != null || `;
  const rank = `try(sum([for place, part in split(".", ${version}) : tonumber(part) * pow(${PLACE}, 2 - place)]), 0)`;
  return {
    value: version,
    isAvoided: version === LATEST_VERSION || rankOf(version) <= rankOf(NEWEST_KNOWN_VERSION),
    condition: `${isBuilt}${rank} <= ${rankOf(NEWEST_KNOWN_VERSION)}`,
    message: `${calledIn(scope, version, "applicationVersion")} is "${version}"; it should be a release up to ${NEWEST_KNOWN_VERSION}, the newest that was known here, because one that does not exist fails only as its image is built and a newer one is untested; compare it with the releases of the upstream image`,
  };
}

/** More than there are features in a year and patches of a feature. */
const PLACE = 1000;

/** Releases in order. */
function rankOf(version: string): number {
  return version.split(".").reduce((rank, part) => rank * PLACE + Number(part), 0);
}
