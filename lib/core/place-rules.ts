import { CheckedEntries } from "./checked-entries";
import { CheckedRelation } from "./checked-relation";
import { CheckedValue, matching } from "./checked-value";
import {
  APPLICATION_NAME_MAX_LENGTH,
  BUCKET_NAME_RESERVED_WORD,
  PROJECT_ID_PATTERN,
  TENANT_ID_MAX_LENGTH,
} from "./names";

/** Rules for places and names, for props and inputs alike. */

export const PROJECT_ID = matching(PROJECT_ID_PATTERN, {
  must: "be the id of a project: 6 to 30 lower-case letters, digits and hyphens that start with a letter",
  remedy: "use the id, not the name or the number",
});

export const REGION = matching("^[a-z]+-[a-z]+[0-9]+$", {
  must: "be the name of a region such as us-central1",
  remedy: "for a zone such as us-central1-a, drop the zone letter",
});

export const TENANT_ID = matching(`^[a-z0-9-]{1,${TENANT_ID_MAX_LENGTH}}$`, {
  must: `be 1 to ${TENANT_ID_MAX_LENGTH} lower-case letters, digits and hyphens`,
  reason: "names that contain the tenant id allow nothing else",
  remedy: "shorten or rewrite it",
});

export const APPLICATION_NAME = matching(`^[a-z]([a-z0-9-]{0,${APPLICATION_NAME_MAX_LENGTH - 2}}[a-z0-9])?$`, {
  must: `be 1 to ${APPLICATION_NAME_MAX_LENGTH} lower-case letters, digits and hyphens that start with a letter and do not end with a hyphen`,
  reason: "it is part of service, job and bucket names",
  remedy: "shorten or rewrite it",
});

/** Both become part of the media bucket's name. */
export const NAMES_TOGETHER = new CheckedRelation<{ applicationName: string; tenantId: string }>({
  accepts: ({ applicationName, tenantId }) => !`${applicationName}${tenantId}`.includes(BUCKET_NAME_RESERVED_WORD),
  condition: ({ applicationName, tenantId }) =>
    `!strcontains(join("", [${applicationName}, ${tenantId}]), "${BUCKET_NAME_RESERVED_WORD}")`,
  problem: (names, shown) =>
    `${names.applicationName} is ${shown.applicationName} and ${names.tenantId} is ${shown.tenantId}; together they must not contain "${BUCKET_NAME_RESERVED_WORD}", because Cloud Storage reserves that word in bucket names; rename one of them`,
});

const LABEL_KEY_PATTERN = "^[a-z][a-z0-9_-]{0,62}$";
const LABEL_VALUE_PATTERN = "^[a-z0-9_-]{0,63}$";

export const LABELS = new CheckedEntries({
  accepts: (key, value) => new RegExp(LABEL_KEY_PATTERN).test(key) && new RegExp(LABEL_VALUE_PATTERN).test(value),
  condition: `can(regex("${LABEL_KEY_PATTERN}", key)) && can(regex("${LABEL_VALUE_PATTERN}", value))`,
  show: "key",
  rule: "keys must be 1 to 63 and values up to 63 lower-case letters, digits, hyphens and underscores, and keys must start with a letter; rewrite them",
  keySchema: { pattern: LABEL_KEY_PATTERN },
  schema: { pattern: LABEL_VALUE_PATTERN },
});

const DOMAIN_PATTERN = "^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.])+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$";
const DOMAIN_MAX_LENGTH = 253;

/** Domain name of an identity provider, for which a certificate is issued. */
export const DOMAIN = new CheckedValue<string>({
  accepts: (domain) => new RegExp(DOMAIN_PATTERN).test(domain) && domain.length <= DOMAIN_MAX_LENGTH,
  condition: (domain) => `can(regex("${DOMAIN_PATTERN}", ${domain})) && length(${domain}) <= ${DOMAIN_MAX_LENGTH}`,
  schema: { pattern: DOMAIN_PATTERN },
  must: `be a full domain name of lower-case letters, digits, hyphens and dots, at most ${DOMAIN_MAX_LENGTH} characters, without a dot at the end`,
  reason: "a certificate is made for exactly this name",
  remedy:
    "use for example login.example.com, and for a name with other letters its form in punycode, such as xn--mller-kva.example",
});
