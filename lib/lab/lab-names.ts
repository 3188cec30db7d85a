import { type Expr, exprOf, hcl, interpolated } from "../core/expr/expr";
import { DEFAULTS } from "./contract";

/** All name formulas of the lab. The formulas take literals and Terraform expressions. */

export const DEPLOYMENT_ID_PATTERN = "^[a-z0-9]{1,8}$";

/** Bytes of a generated deployment id: 8 hexadecimal digits. */
export const DEPLOYMENT_ID_BYTES = 4;

/**
 * A Windows computer name has at most 15 characters, so Windows truncates the VM's name. With an id of 7 characters the
 * name would end in a hyphen, which is not allowed; with up to 8 it contains the whole id.
 */
export const COMPUTER_NAME_MAX_LENGTH = 15;
export const ILLEGAL_DEPLOYMENT_ID_LENGTH = COMPUTER_NAME_MAX_LENGTH - "assess-".length - "-".length;

/**
 * The zone for the inputs zone and region. A default cannot depend on another input, so the default zone together with
 * any other region means "not given".
 */
export function zoneOrDefault(zone: Expr<string>, region: Expr<string>): Expr<string> {
  const isLeftOut = zone.eq(DEFAULTS.zone).and(region.ne(DEFAULTS.region));
  return isLeftOut.choose(interpolated`${region}-b`, zone);
}

export const labName = (deploymentId: string, rest: string) => `assess-${deploymentId}-${rest}`;
export const vpcName = (deploymentId: string) => labName(deploymentId, "vpc");
export const windowsVmName = (deploymentId: string) => labName(deploymentId, "winvm01");
export const keyBucketName = (deploymentId: string) => labName(deploymentId, "keys");
export const awsUserName = (deploymentId: string) => `assess-discovery-${deploymentId}`;

/** Label of the group `assess-<id>-lab`: the id of the source that the lab uses. */
export const SOURCE_LABEL = "assessment-source";

/** Limits of ids in Migration Center. */
const SOURCE_ID_MAX_LENGTH = 63;
const SOURCE_ID_PATTERN = `^[a-z]([a-z0-9-]{0,${SOURCE_ID_MAX_LENGTH - 2}}[a-z0-9])?$`;

/** Hexadecimal digits that distinguish client names with the same readable part. */
const SOURCE_HASH_LENGTH = 8;
const SOURCE_PREFIX = "source";
const SOURCE_TEXT_MAX_LENGTH = SOURCE_ID_MAX_LENGTH - SOURCE_PREFIX.length - SOURCE_HASH_LENGTH - "--".length;
const MADE_SOURCE_ID_PATTERN = `^${SOURCE_PREFIX}-(.*-)?[0-9a-f]{${SOURCE_HASH_LENGTH}}$`;

/**
 * Id of the discovery source: the client's name if that is a valid id, else `source-<readable part>-<hash>`. A name
 * that looks like the latter also gets a hash, as it could be the id of another name.
 *
 * It depends only on the name, so that a lab that is destroyed and created again finds its source, and two names never
 * share one.
 */
export function discoverySourceId(clientName: string): string {
  const name = exprOf(clientName);
  // Only Terraform calculates the id, because it normalizes and lower-cases text in its own way.
  const words = hcl`replace(${name}, "/[^A-Za-z0-9]+/", "-")`;
  const readable = hcl`trim(substr(trim(lower(${words}), "-"), 0, ${SOURCE_TEXT_MAX_LENGTH}), "-")`;
  const hash = hcl`substr(sha256(${name}), 0, ${SOURCE_HASH_LENGTH})`;
  const made = hcl<string>`join("-", compact([${SOURCE_PREFIX}, ${readable}, ${hash}]))`;
  const isId = name.matches(SOURCE_ID_PATTERN).and(name.matches(MADE_SOURCE_ID_PATTERN).not());
  return isId.choose(name, made).text;
}
