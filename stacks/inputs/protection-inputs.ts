import { POLICY_NEEDS_DOMAIN } from "../../lib/platform/edge/edge-rules";
import {
  ADMIN_RANGES,
  ADMIN_RANGES_FIT,
  ADMIN_RANGES_GIVEN,
  BAN_SECONDS,
  EXISTING_SECURITY_POLICY,
  ONE_SECURITY_POLICY,
  PROTECTION_DEFAULTS,
  REQUESTS_PER_MINUTE,
  SIGN_INS_PER_MINUTE,
  WAF,
} from "../../lib/platform/edge/protection";
import { type Input } from "./input-table";
import { memberExpression, memberSentences } from "./object-type";

const PROTECTION = {
  members: {
    sign_ins_per_minute: {
      type: "number",
      default: PROTECTION_DEFAULTS.signInsPerMinute,
      must: SIGN_INS_PER_MINUTE,
      description:
        "sign-in forms per minute and address, two to four per sign-in; raise it for offices and for LDAP or RADIUS outposts, which send all sign-ins from one address",
    },
    ban_seconds: {
      type: "number",
      default: PROTECTION_DEFAULTS.banSeconds,
      must: BAN_SECONDS,
      description: "seconds for which an address that exceeds this is refused further forms",
    },
    requests_per_minute: {
      type: "number",
      default: PROTECTION_DEFAULTS.requestsPerMinute,
      must: REQUESTS_PER_MINUTE,
      description: "requests per minute and address, not counting those that servers and outposts send for users",
    },
    admin_ranges: {
      type: "list(string)",
      default: PROTECTION_DEFAULTS.adminRanges,
      must: [ADMIN_RANGES],
      description: "CIDR ranges of administrators, to which no rule applies",
    },
    restrict_admin: {
      type: "bool",
      default: PROTECTION_DEFAULTS.restrictAdmin,
      description:
        "allows the administration pages, and the parts of the API that change what the server runs, only from admin_ranges",
    },
    waf: {
      type: "string",
      default: PROTECTION_DEFAULTS.waf,
      must: WAF,
      description:
        "what happens to requests that look like an attack: off to do nothing, preview to mark them in the request log, whose share of requests is request_log_sample_rate, enforce to refuse them",
    },
  },
} as const satisfies Input["type"];

const ADMIN = {
  names: { adminRanges: "protection.admin_ranges", restrictAdmin: "protection.restrict_admin" },
  values: {
    adminRanges: memberExpression("protection", PROTECTION, "admin_ranges"),
    restrictAdmin: memberExpression("protection", PROTECTION, "restrict_admin"),
  },
};

/**
 * Inputs for the security policy of a domain's load balancer.
 *
 * @param detached what removing an existing policy does, as a sentence
 */
export function protectionInputs(detached: string) {
  return {
    protection: {
      type: PROTECTION,
      default: null,
      description: `Cloud Armor rules for the load balancer of domain; {} is enough. ${memberSentences(PROTECTION)} Null for no rules. Changing it later takes effect within minutes.`,
      together: [
        ADMIN_RANGES_FIT.validationOf(ADMIN.names, ADMIN.values),
        ADMIN_RANGES_GIVEN.validationOf(ADMIN.names, ADMIN.values),
        POLICY_NEEDS_DOMAIN.validationOf({ domain: "domain", given: "protection" }),
      ],
    },
    existing_security_policy: {
      type: "string",
      default: null,
      description: `Existing Cloud Armor policy for the load balancer of domain, projects/<project>/global/securityPolicies/<name>, instead of protection. Changing it later takes effect within minutes. ${detached}`,
      must: EXISTING_SECURITY_POLICY,
      together: [
        ONE_SECURITY_POLICY.validationOf({ existing: "existing_security_policy", protection: "protection" }),
        POLICY_NEEDS_DOMAIN.validationOf({ domain: "domain", given: "existing_security_policy" }),
      ],
    },
  } as const satisfies Record<string, Input>;
}
