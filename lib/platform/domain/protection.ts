import { isAnyAddressRange } from "../../core/address-range";
import { allOf, type Expr, exprOf, type Operand } from "../../core/expr/expr";
import { endsWith, max } from "../../core/expr/functions";
import { needs } from "../../core/inputs/needs";
import { type Relation } from "../../core/inputs/relations";
import { choice, flag, number, object, orResource, type PropsOf, text, texts } from "../../core/inputs/rows";
import { isWhole, matching } from "../../core/inputs/rules";
import { type ValuesOf } from "../../core/inputs/value";
import { type Warning, type WarningRelation } from "../../core/inputs/warnings";
import { prose } from "../../core/prose";
import { type DomainInputs } from "./domain";
import { LIMIT_SECONDS, MAX_RANGES, UNEXAMINED_PATHS } from "./protection-rules";

/** Words of `waf`: the action for requests that look like an attack. */
const WAF_OFF = "off";
const WAF_PREVIEW = "preview";
const WAF_ENFORCE = "enforce";

/**
 * Limits that an office with one address does not exceed: 60 people who sign in within the same minute submit up to
 * four forms each, and send about twenty requests each apart from files.
 */
const OFFICE = { people: 60, formsEach: 4, requestsEach: 20 } as const;
const SIGN_INS_PER_MINUTE = OFFICE.people * OFFICE.formsEach;
const REQUESTS_PER_MINUTE = OFFICE.people * OFFICE.requestsEach;

/**
 * Cloud Armor's limits on counted requests per address, and limits of a ban: it must be longer than the counted minute,
 * but not too long, because addresses are reassigned.
 */
const MOST = { beforeBan: 10_000, beforeThrottle: 1_000_000, banSeconds: 3600 } as const;

/**
 * Inputs for the security policy of a domain's load balancer, against password guessing, floods of requests and attacks
 * on the application.
 *
 * @param detached effect of the removal of an existing policy, as a sentence
 */
export function protectionInputs(detached: string) {
  return {
    /** Rules of Cloud Armor for the load balancer of the domain; `{}` turns them on with defaults. */
    protection: object(
      {
        /** Sign-in forms per minute and address, 240 by default: up to four forms each by 60 people in an office. */
        signInsPerMinute: number({
          default: SIGN_INS_PER_MINUTE,
          description: prose`
            sign-in forms per minute and address, two to four per sign-in,
            so ${OFFICE.people} people may sign in within the same minute
          `,
          schema: { multipleOf: 1, minimum: 1, maximum: MOST.beforeBan },
        }),
        /** Seconds for which further sign-in forms are refused from an address that sent too many, 300 by default. */
        banSeconds: number({
          default: 300,
          description: "seconds for which an address that exceeds this is refused further forms",
          schema: { multipleOf: 1, minimum: LIMIT_SECONDS, maximum: MOST.banSeconds },
        }),
        /** Requests per minute and address, 1200 by default, apart from files, health checks, servers and outposts. */
        requestsPerMinute: number({
          default: REQUESTS_PER_MINUTE,
          description: prose`
            requests per minute and address, about ${OFFICE.requestsEach} for each of ${OFFICE.people} people,
            not counting files, health checks and what servers and outposts send for users, which nothing limits
          `,
          schema: { multipleOf: 1, minimum: 1, maximum: MOST.beforeThrottle },
        }),
        /** Only marks requests above these limits in the request log of the load balancer. */
        previewLimits: flag({
          default: false,
          description: "only marks requests above these limits in the request log",
        }),
        /**
         * CIDR ranges of offices, outposts and servers of applications, IPv4 or IPv6, without limits; password guessing
         * from these ranges is not slowed.
         */
        trustedRanges: ranges(
          prose`
            CIDR ranges of offices, outposts and servers of applications, to which no limit applies,
            so that nothing slows the guessing of passwords from there
          `,
        ),
        /** CIDR ranges of administrators, IPv4 or IPv6. No rule applies to them. */
        adminRanges: ranges("CIDR ranges of administrators, to which no rule applies"),
        /**
         * Restricts the administration pages, and the API that changes the server's code and configuration, to
         * `adminRanges`.
         */
        restrictAdmin: flag({
          default: false,
          description: prose`
            allows the administration pages, and the parts of the API that change what the server runs,
            only from admin_ranges
          `,
        }),
        /**
         * Action for requests that look like attacks: `off`; `preview`, the default, which only logs them; or
         * `enforce`.
         */
        waf: choice([WAF_OFF, WAF_PREVIEW, WAF_ENFORCE], {
          default: WAF_PREVIEW,
          description: prose`
            what happens to requests that look like an attack: off to do nothing,
            preview to mark them in the request log, enforce to refuse them
          `,
          fix: `use ${WAF_PREVIEW}, and ${WAF_ENFORCE} once the log shows no request of your own`,
        }),
      },
      {
        description: (members) =>
          prose`
            Cloud Armor rules for the load balancer of domain; {} is enough. ${members} [[Null for no rules.]]
            Changing it later takes effect within minutes.
          `,
      },
    ),
    /**
     * Existing security policy instead of `protection`: `projects/<project>/global/securityPolicies/<name>`, or its
     * resource.
     */
    existingSecurityPolicy: orResource(
      "id",
      ["google_compute_security_policy"],
      text({
        default: null,
        description: prose`
          Existing Cloud Armor policy for the load balancer of domain,
          projects/<project>/global/securityPolicies/<name>, instead of protection.
          Changing it later takes effect within minutes. ${detached}
        `,
        must: matching(
          "^projects/[a-z][a-z0-9.:-]*[a-z0-9]/global/securityPolicies/[a-z]([a-z0-9-]{0,61}[a-z0-9])?$",
          prose`
            be projects/<project>/global/securityPolicies/<name>, because a global load balancer accepts no regional
            policy; write it in full
          `,
        ),
      }),
    ),
  };
}

/** A list of address ranges, possibly long. */
function ranges(description: string) {
  return texts({
    default: [],
    description,
    must: {
      each: (_, range: Expr<string>) => isAnyAddressRange(range).and(endsWith(range, "/0").not()),
      shows: "value",
      message: prose`
        each must be an IPv4 or IPv6 range, but not of all addresses,
        written with its first address in the shortest form and not IPv4-mapped; use for example 203.0.113.0/24,
        2001:db8::/32, or /32 for one address
      `,
    },
  });
}

export type ProtectionInputs = ReturnType<typeof protectionInputs>;

/** Rules of Cloud Armor. */
export interface ProtectionProps extends PropsOf<ProtectionInputs["protection"]["members"]> {}

type Inputs = DomainInputs & ProtectionInputs;

const NO_BALANCER = "without one, there is no load balancer to protect";

export const PROTECTION_RELATIONS: readonly Relation<Inputs>[] = [
  {
    host: "protection",
    holds: ({ protection: { at } }) =>
      allOf(
        isWhole(at.signInsPerMinute, 1, MOST.beforeBan),
        isWhole(at.requestsPerMinute, 1, MOST.beforeThrottle),
        isWhole(at.banSeconds, LIMIT_SECONDS, MOST.banSeconds),
      ),
    message: ({ protection: { at } }) =>
      prose`
        ${at.signInsPerMinute.name} is ${at.signInsPerMinute.shown},
        ${at.requestsPerMinute.name} ${at.requestsPerMinute.shown}
        and ${at.banSeconds.name} ${at.banSeconds.shown};
        they must be whole numbers from 1 to ${MOST.beforeBan}, from 1 to ${MOST.beforeThrottle}
        and from ${LIMIT_SECONDS} to ${MOST.banSeconds},
        because Cloud Armor counts no further, and addresses change hands;
        use ${SIGN_INS_PER_MINUTE}, ${REQUESTS_PER_MINUTE} and 300
      `,
  },
  {
    host: "protection",
    holds: ({ protection: { at } }) => {
      const mostRanges = max(at.adminRanges.length(), at.trustedRanges.length());
      const hasAdministrators = at.restrictAdmin.not().or(at.adminRanges.length().gt(0));
      return mostRanges.le(MAX_RANGES).and(hasAdministrators);
    },
    message: ({ protection: { at } }) =>
      prose`
        ${at.adminRanges.name} has ${at.adminRanges.length().text} ranges,
        ${at.trustedRanges.name} ${at.trustedRanges.length().text},
        and ${at.restrictAdmin.name} is ${at.restrictAdmin.shown};
        there must be a range to restrict the administration to, because everybody would be locked out,
        and no more than ${MAX_RANGES}, because a policy has no room for more;
        set the ranges of the administrators, use wider ones, or set ${at.restrictAdmin.name} to false
      `,
  },
  needs("protection", { with: ["domain"], because: NO_BALANCER }),
  needs("existingSecurityPolicy", { with: ["domain"], because: NO_BALANCER }),
  needs("existingSecurityPolicy", { without: ["protection"], because: "a load balancer has one policy" }),
];

/** Whether the rules about content exist, and whether they only log. */
export function wafSwitches(waf: string): Readonly<Record<"isOn" | "isPreview", Expr<boolean>>> {
  return { isOn: exprOf(waf).ne(WAF_OFF), isPreview: exprOf(waf).eq(WAF_PREVIEW) };
}

/** Whether a rule only marks requests in the log. */
const hasPreview = ({ protection: { at } }: ValuesOf<ProtectionInputs>) => at.waf.eq(WAF_PREVIEW).or(at.previewLimits);

/**
 * Share of the requests that the load balancer logs: all requests if a rule is in preview, because its effect is
 * visible only in the log.
 */
export const requestLogRate = (v: ValuesOf<Inputs>): Expr<number> =>
  v.domainOptions.at.requestLogSampleRate.coalesce(v.protection.isNull().choose(0, hasPreview(v).choose(1, 0)));

export const PROTECTION_WARNINGS: readonly WarningRelation<Inputs>[] = [
  {
    localId: "PreviewedRulesAreLogged",
    holds: (v) =>
      v.protection.isNull().or(
        v.domainOptions.at.requestLogSampleRate.isNullOr((rate) => rate.gt(0)),
        hasPreview(v).not(),
      ),
    message: ({
      domainOptions: {
        at: { requestLogSampleRate: rate },
      },
      protection,
    }) =>
      prose`
        ${rate.name} is 0 and ${protection.name} has rules in preview; they mark requests in that log alone,
        so nothing shows what they would refuse; leave ${rate.name} out to log all requests
      `,
  },
];

/** Warns of paths that the enforced rules about content do not examine. */
export function unexaminedPathsRisk(waf: Operand<string>): Warning {
  const paths = UNEXAMINED_PATHS.join(", ");
  return {
    localId: "ContentIsNotEnforced",
    condition: exprOf(waf).ne(WAF_ENFORCE),
    message: prose`
      protection.waf is "${WAF_ENFORCE}"; the rules skip ${paths}, because passwords,
      expressions and SAML messages there look like attacks; keep the application up to date,
      and restrict the administration to known ranges
    `,
  };
}
