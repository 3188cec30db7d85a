import { anyAddressRange } from "../../core/address-range";
import { matching, whole } from "../../core/checks";
import { isWord, not } from "../../core/conditional";
import { choice, flag, number, object, text, texts, type Relation } from "../../core/inputs";
import { type Warning } from "../../core/warnings";
import { needsDomain, type DomainInputs } from "./domain";
import { LIMIT_SECONDS, MOST_RANGES, UNEXAMINED_PATHS } from "./protection-rules";

/** Words for what happens to requests that look like an attack. */
const WAF_OFF = "off";
const WAF_PREVIEW = "preview";
const WAF_ENFORCE = "enforce";

/** Limits of Cloud Armor on what its rules count per address; a ban outlasts the counted minute, and addresses change hands. */
const MOST = { beforeBan: 10_000, beforeThrottle: 1_000_000, banSeconds: 3600 } as const;

/**
 * Inputs for the security policy of a domain's load balancer, against password guessing, floods of requests and attacks
 * on the application.
 *
 * @param detached what removing an existing policy does, as a sentence
 */
export function protectionInputs(detached: string) {
  return {
    /** Rules of Cloud Armor for the load balancer of the domain; `{}` is enough. */
    protection: object(
      {
        /**
         * Sign-in forms per minute and address, 60 by default; one sign-in submits two to four. Raise it for offices with
         * one address, and for LDAP and RADIUS outposts, which sign in all their users from one address.
         */
        signInsPerMinute: number({
          default: 60,
          description:
            "sign-in forms per minute and address, two to four per sign-in; raise it for offices and for LDAP or RADIUS outposts, which send all sign-ins from one address",
          schema: { multipleOf: 1, minimum: 1, maximum: MOST.beforeBan },
        }),
        /** Seconds for which an address with too many sign-in forms is refused further ones, 300 by default. */
        banSeconds: number({
          default: 300,
          description: "seconds for which an address that exceeds this is refused further forms",
          schema: { multipleOf: 1, minimum: LIMIT_SECONDS, maximum: MOST.banSeconds },
        }),
        /** Requests per minute and address, 600 by default, apart from those that servers and outposts send on behalf of users. */
        requestsPerMinute: number({
          default: 600,
          description: "requests per minute and address, not counting those that servers and outposts send for users",
          schema: { multipleOf: 1, minimum: 1, maximum: MOST.beforeThrottle },
        }),
        /** CIDR ranges of administrators, IPv4 or IPv6. No rule applies to them. */
        adminRanges: texts({
          default: [],
          description: "CIDR ranges of administrators, to which no rule applies",
          must: [
            {
              each: `${anyAddressRange("value")} && !endswith(value, "/0")`,
              shows: "value",
              says: "each must be an IPv4 or IPv6 range, but not of all addresses, written with its first address in the shortest form and not IPv4-mapped; use for example 203.0.113.0/24, 2001:db8::/32, or /32 for one address",
            },
          ],
        }),
        /**
         * Denies the administration pages, and the parts of the API that change what the server runs, to all addresses but
         * `adminRanges`. The rest of the API stays open, because sign-in pages and outposts use it.
         */
        restrictAdmin: flag({
          default: false,
          description:
            "allows the administration pages, and the parts of the API that change what the server runs, only from admin_ranges",
        }),
        /**
         * What happens to requests that look like an attack: `off` for nothing, `preview`, the default, to mark them in
         * the request log of the load balancer, which must be on, `enforce` to refuse them.
         */
        waf: choice(
          [WAF_OFF, WAF_PREVIEW, WAF_ENFORCE],
          `; use ${WAF_PREVIEW}, and ${WAF_ENFORCE} once the log shows no request of your own`,
          {
            default: WAF_PREVIEW,
            description:
              "what happens to requests that look like an attack: off to do nothing, preview to mark them in the request log, whose share of requests is request_log_sample_rate, enforce to refuse them",
          },
        ),
      },
      {
        description: (members) =>
          `Cloud Armor rules for the load balancer of domain; {} is enough. ${members} Null for no rules. Changing it later takes effect within minutes.`,
      },
    ),
    /** Existing security policy instead of `protection`: `projects/<project>/global/securityPolicies/<name>`. */
    existingSecurityPolicy: text({
      default: null,
      description: `Existing Cloud Armor policy for the load balancer of domain, projects/<project>/global/securityPolicies/<name>, instead of protection. Changing it later takes effect within minutes. ${detached}`,
      must: [
        matching(
          "^projects/[a-z][a-z0-9.:-]*[a-z0-9]/global/securityPolicies/[a-z]([a-z0-9-]{0,61}[a-z0-9])?$",
          "be projects/<project>/global/securityPolicies/<name>, because a global load balancer accepts no regional policy; write it in full",
        ),
      ],
    }),
  };
}

export type ProtectionInputs = ReturnType<typeof protectionInputs>;
type Inputs = DomainInputs & ProtectionInputs;

const NO_BALANCER = "without it there is no load balancer to protect";

export const PROTECTION_RELATIONS: readonly Relation<Inputs>[] = [
  {
    of: "protection",
    holds: ({ protection: { at } }) =>
      [
        [at.signInsPerMinute, 1, MOST.beforeBan] as const,
        [at.requestsPerMinute, 1, MOST.beforeThrottle] as const,
        [at.banSeconds, LIMIT_SECONDS, MOST.banSeconds] as const,
      ]
        .map(([value, from, to]) => whole(from, to, "").condition(String(value)))
        .join(" && "),
    says: ({ protection: { at } }) =>
      `${at.signInsPerMinute.name} is ${at.signInsPerMinute.shown}, ${at.requestsPerMinute.name} ${at.requestsPerMinute.shown} and ${at.banSeconds.name} ${at.banSeconds.shown}; they must be whole numbers from 1 to ${MOST.beforeBan}, from 1 to ${MOST.beforeThrottle} and from ${LIMIT_SECONDS} to ${MOST.banSeconds}, because Cloud Armor counts no further, and addresses change hands; use 60, 600 and 300`,
  },
  {
    of: "protection",
    holds: ({ protection: { at } }) =>
      `length(${at.adminRanges}) <= ${MOST_RANGES} && (!${at.restrictAdmin} || length(${at.adminRanges}) > 0)`,
    says: ({ protection: { at } }) =>
      `${at.adminRanges.name} has \${length(${at.adminRanges})} ranges and ${at.restrictAdmin.name} is ${at.restrictAdmin.shown}; there must be a range to restrict the administration to, because everybody would be locked out, and no more than ${MOST_RANGES}, because a policy has no room for more; set the ranges of the administrators, use wider ones, or set ${at.restrictAdmin.name} to false`,
  },
  needsDomain<Inputs>("protection", NO_BALANCER),
  {
    of: "existingSecurityPolicy",
    holds: (v) => `${v.existingSecurityPolicy} == null || (${v.domain} != null && ${v.protection} == null)`,
    says: ({ domain, existingSecurityPolicy: existing, protection }) =>
      `${existing.name} is given without ${domain.name}, or with ${protection.name}; it needs a domain, because ${NO_BALANCER}, and no ${protection.name}, because a load balancer has one policy; set the domain, and remove one of the two`,
  },
];

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
