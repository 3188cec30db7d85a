import { type IResolvable } from "cdktf";

import { anyAddressRangeCondition, isAnyAddressRange, prefixLength } from "../../core/address-range";
import { CheckedEntries } from "../../core/checked-entries";
import { CheckedRelation } from "../../core/checked-relation";
import { matching, oneOf, wholeNumber } from "../../core/checked-value";
import { isOn, isWord, not, type OptionalValue } from "../../core/conditional";
import { type Warning } from "../../core/warnings";
import { type Rule } from "../../core/rules";
import { POLICY_NEEDS_DOMAIN } from "./edge-rules";
import { LIMIT_SECONDS, MOST_RANGES, UNEXAMINED_PATHS } from "./protection-rules";

/** Protection of a front door against password guessing, floods of requests and attacks on the application. */
export interface Protection {
  /**
   * Whether there is any.
   *
   * @default true
   */
  readonly enabled?: boolean | IResolvable;

  /**
   * CIDR ranges of administrators, IPv4 or IPv6. No rule applies to them.
   *
   * @default - none
   */
  readonly adminRanges?: readonly string[];

  /**
   * Seconds for which an address with too many sign-in forms is refused further ones.
   *
   * @default 300
   */
  readonly banSeconds?: number;

  /**
   * Requests per minute and address, apart from those that servers and outposts send on behalf of users.
   *
   * @default 600
   */
  readonly requestsPerMinute?: number;

  /**
   * Denies the administration pages, and the parts of the API that change what the server runs, to all addresses but
   * `adminRanges`. The rest of the API stays open, because sign-in pages and outposts use it.
   *
   * @default false
   */
  readonly restrictAdmin?: boolean | IResolvable;

  /**
   * Sign-in forms per minute and address; one sign-in submits two to four. Raise it for offices with one address, and
   * for LDAP and RADIUS outposts, which sign in all their users from one address.
   *
   * @default 60
   */
  readonly signInsPerMinute?: number;

  /**
   * What happens to requests that look like an attack: `off` for nothing, `preview` to mark them in the request log of
   * the load balancer, which must be on, `enforce` to refuse them.
   *
   * @default "preview"
   */
  readonly waf?: "off" | "preview" | "enforce" | (string & {});
}

/** Defaults of a protection. */
export const PROTECTION_DEFAULTS = {
  enabled: true,
  adminRanges: [] as readonly string[],
  banSeconds: 300,
  requestsPerMinute: 600,
  restrictAdmin: false,
  signInsPerMinute: 60,
  waf: "preview",
} as const satisfies Required<Protection>;

/** Words for what happens to requests that look like an attack. */
const WAF_OFF = "off";
const WAF_PREVIEW = "preview";
const WAF_ENFORCE = "enforce";

const { banSeconds, requestsPerMinute, signInsPerMinute } = PROTECTION_DEFAULTS;

/** Limits of Cloud Armor on what its rules count per address. */
const MOST_COUNTED = { beforeBan: 10_000, beforeThrottle: 1_000_000 };

export const SIGN_INS_PER_MINUTE = wholeNumber(
  { from: 1, to: MOST_COUNTED.beforeBan },
  { reason: "Cloud Armor counts no further for a ban", remedy: `use ${signInsPerMinute}` },
);

export const REQUESTS_PER_MINUTE = wholeNumber(
  { from: 1, to: MOST_COUNTED.beforeThrottle },
  { reason: "Cloud Armor counts no further", remedy: `use ${requestsPerMinute}` },
);

export const BAN_SECONDS = wholeNumber(
  { from: LIMIT_SECONDS, to: 3600 },
  {
    reason: "a ban outlasts the counted minute, and addresses change hands",
    remedy: `use ${banSeconds}`,
  },
);

export const WAF = oneOf([WAF_OFF, WAF_PREVIEW, WAF_ENFORCE], {
  remedy: `use ${WAF_PREVIEW}, and ${WAF_ENFORCE} once the log shows no request of your own`,
});

export const ADMIN_RANGES = new CheckedEntries({
  accepts: (_, range) => isAnyAddressRange(range) && prefixLength(range) > 0,
  condition: `${anyAddressRangeCondition("value")} && !endswith(value, "/0")`,
  show: "value",
  rule: "each must be an IPv4 or IPv6 range, but not of all addresses, written with its first address in the shortest form and not IPv4-mapped; use for example 203.0.113.0/24, 2001:db8::/32, or /32 for one address",
});

/** The priorities of the rules leave room for a limited number of ranges. */
export const ADMIN_RANGES_FIT = new CheckedRelation<{ adminRanges: readonly string[] }, "count">({
  accepts: ({ adminRanges }) => adminRanges.length <= MOST_RANGES,
  condition: ({ adminRanges }) => `length(${adminRanges}) <= ${MOST_RANGES}`,
  figures: {
    count: {
      of: ({ adminRanges }) => adminRanges.length,
      expression: ({ adminRanges }) => `length(${adminRanges})`,
    },
  },
  problem: (names, _, { count }) =>
    `${names.adminRanges} has ${count} ranges; it must not have more than ${MOST_RANGES}, because a policy has room for no more; use wider ranges`,
});

/** Restricting the administration to no range would lock all administrators out. */
export const ADMIN_RANGES_GIVEN = new CheckedRelation<{ adminRanges: readonly string[]; restrictAdmin: unknown }>({
  accepts: ({ adminRanges, restrictAdmin }) => restrictAdmin !== true || adminRanges.length > 0,
  condition: ({ adminRanges, restrictAdmin }) => `!${restrictAdmin} || length(${adminRanges}) > 0`,
  problem: (names) =>
    `${names.restrictAdmin} is true and ${names.adminRanges} is empty; there must be a range, because everybody would be locked out of the administration; set the ranges of the administrators, or set ${names.restrictAdmin} to false`,
});

/** Existing policy of the organization, instead of the rules here. */
export const EXISTING_SECURITY_POLICY = matching(
  "^projects/[a-z][a-z0-9.:-]*[a-z0-9]/global/securityPolicies/[a-z]([a-z0-9-]{0,61}[a-z0-9])?$",
  {
    must: "be projects/<project>/global/securityPolicies/<name>",
    reason: "a global load balancer accepts no regional policy",
    remedy: "write it in full",
  },
);

/** A backend has one policy. */
export const ONE_SECURITY_POLICY = new CheckedRelation<{ existing: unknown; protection: unknown }>({
  accepts: ({ existing, protection }) => existing === undefined || protection === undefined,
  condition: ({ existing, protection }) => `${existing} == null || ${protection} == null`,
  problem: (names) =>
    `${names.protection} and ${names.existing} are both given; only one can be, because a load balancer has one policy; remove one of them`,
});

/** Props of a front door that its security policy depends on. */
interface PolicyProps {
  readonly domain?: string;
  readonly existingSecurityPolicy?: string;
  readonly protection?: Protection;
}

/** Name of a prop, and how to get it from the props. */
type Source<Value> = readonly [name: string, valueOf: (props: PolicyProps) => Value];

const domain: Source<OptionalValue> = ["domain", (props) => props.domain];
const existing: Source<OptionalValue> = ["existingSecurityPolicy", (props) => props.existingSecurityPolicy];
const given: Source<unknown> = ["protection", ({ protection }) => presenceOf(protection)];
const adminRanges: Source<readonly string[]> = [
  "protection.adminRanges",
  ({ protection }) => protection?.adminRanges ?? PROTECTION_DEFAULTS.adminRanges,
];

function member<Name extends keyof Protection>(name: Name): Source<Protection[Name]> {
  return [`protection.${name}`, ({ protection }) => protection?.[name]];
}

export const POLICY_RULES: readonly Rule<PolicyProps>[] = [
  SIGN_INS_PER_MINUTE.ruleOn(...member("signInsPerMinute")),
  BAN_SECONDS.ruleOn(...member("banSeconds")),
  REQUESTS_PER_MINUTE.ruleOn(...member("requestsPerMinute")),
  WAF.ruleOn(...member("waf")),
  ADMIN_RANGES.ruleOn(...adminRanges),
  ADMIN_RANGES_FIT.ruleOn({ adminRanges }),
  ADMIN_RANGES_GIVEN.ruleOn({ adminRanges, restrictAdmin: member("restrictAdmin") }),
  EXISTING_SECURITY_POLICY.ruleOn(...existing),
  ONE_SECURITY_POLICY.ruleOn({ existing, protection: given }),
  POLICY_NEEDS_DOMAIN.ruleOn({ domain, given }),
  POLICY_NEEDS_DOMAIN.ruleOn({ domain, given: existing }),
];

/** Undefined for no protection, like an optional value; known only to Terraform if the switch is. */
function presenceOf(protection: Protection | undefined): unknown {
  const presence = isProtected(protection);
  return presence === "false" ? undefined : presence;
}

/** Whether there is a protection, as a string: `true`, `false` or a boolean expression. */
export function isProtected(protection: Protection | undefined): string {
  return isOn(protection === undefined ? false : (protection.enabled ?? PROTECTION_DEFAULTS.enabled));
}

/** Whether the rules about content exist, and whether they only log. */
export function wafSwitches(waf: string): { readonly isOn: string; readonly isPreview: string } {
  return { isOn: not(isWord(waf, WAF_OFF)), isPreview: isWord(waf, WAF_PREVIEW) };
}

/** Warns of what the rules about content do not examine, once they are enforced. */
export function unexaminedPathsRisk(waf: string): Warning {
  const paths = UNEXAMINED_PATHS.join(", ");
  return {
    value: waf,
    ok: waf !== WAF_ENFORCE,
    condition: `${waf} != "${WAF_ENFORCE}"`,
    message: `protection.waf is "${WAF_ENFORCE}"; the rules skip ${paths}, because passwords, expressions and SAML messages there look like attacks; keep the application up to date, and restrict the administration to known ranges`,
  };
}
