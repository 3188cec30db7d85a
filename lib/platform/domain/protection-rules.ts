import { prose } from "../../core/prose";
import { PATHS } from "../../idp/public-paths";

/**
 * The rules of the protection, in the order in which Cloud Armor evaluates them.
 *
 * Cloud Armor applies the first rule that matches and evaluates no other; a limit that is not exceeded is such a match,
 * and allows. So rules that deny come before rules that count. A rule in preview is only logged.
 *
 * A priority belongs to its rule and is never reused: the provider updates rules by priority, and one that changes from
 * ranges to an expression might keep both.
 */
export interface ProtectionRule {
  /** Name of the rule in this table and in tests. */
  readonly id: string;
  /** Position; the first one of a rule that occurs several times. */
  readonly priority: number;
  /** What happens to a request that matches; `throttle` and ban deny it only above their limit. */
  readonly action: "allow" | "deny(403)" | "rate_based_ban" | "throttle";
  /** Requests that it matches: an expression of Cloud Armor's rules language, every request, or those of the ranges. */
  readonly match: { readonly expression: string } | RangesSetting | "everything";
  /** Setting that decides whether the rule exists. */
  readonly onlyWith?: RangesSetting | "restrictAdmin" | "waf";
  /** Setting with the number of requests per minute and address. */
  readonly limit?: "requestsPerMinute" | "signInsPerMinute";
  /** Description in the policy, at most 64 characters. */
  readonly title: string;
}

/** Settings with address ranges, which their rule allows. */
export type RangesSetting = "adminRanges" | "trustedRanges";

/** Period of every limit, which Cloud Armor takes from a list of its own. */
export const LIMIT_SECONDS = 60;

/** Maximum number of ranges in a rule of Cloud Armor. */
export const RANGES_PER_RULE = 10;

/** Number of ranges that fit: 100 rules have room between the first range rule and the next rule. */
export const MOST_RANGES = 100 * RANGES_PER_RULE;

/**
 * Paths that the rules about content skip, because legitimate requests there look like attacks: passwords with quotes,
 * Python in expressions, HTML in mails, XML as base64, filters.
 */
export const UNEXAMINED_PATHS = [PATHS.api, PATHS.samlProvider, PATHS.samlSource, PATHS.scimSource] as const;

const notUnder = (path: string) => `!request.path.startsWith('${path}')`;

/** Decoded first, as the application does; otherwise one percent-encoded letter would evade the rule. */
const beginsDecoded = (path: string) => `request.path.urlDecode().startsWith('${path}')`;

/** At the lowest sensitivity of the preconfigured rules: higher ones refuse much of what people type. */
const evaluates = (signatures: string) => `evaluatePreconfiguredWaf('${signatures}-v33-stable', {'sensitivity': 1})`;

/**
 * A rule about the content of requests, by default except on the paths above.
 *
 * There is none about remote files (`rfi`): it looks for URLs in parameters, and every sign-in has one in
 * `redirect_uri`.
 */
function contentRule(
  id: string,
  priority: number,
  title: string,
  unexamined: readonly string[] = UNEXAMINED_PATHS,
): ProtectionRule {
  const match = { expression: [evaluates(id), ...unexamined.map(notUnder)].join(" && ") };
  return { id, priority, action: "deny(403)", match, onlyWith: "waf", title };
}

/** A rule that allows the ranges of a setting before any later rule can deny them. */
function rangesRule(id: string, priority: number, ranges: RangesSetting, title: string): ProtectionRule {
  return { id, priority, action: "allow", match: ranges, onlyWith: ranges, title };
}

/** A rule that denies paths of the administration. */
function administrationRule(id: string, priority: number, paths: readonly string[], title: string): ProtectionRule {
  const match = { expression: paths.map(beginsDecoded).join(" || ") };
  return { id, priority, action: "deny(403)", match, onlyWith: "restrictAdmin", title };
}

export const PROTECTION_RULES: readonly ProtectionRule[] = [
  // Comes first, so that no other rule locks administrators out.
  rangesRule("admin-ranges", 1000, "adminRanges", "Allow the administrators' ranges"),
  // A stolen session cannot change what the server runs. The rest of the API stays open, because sign-in pages and
  // outposts need it.
  administrationRule("administration", 2000, PATHS.administration, "Deny the administration to all others"),
  // These endpoints accept code too. They have a rule of their own, because a rule has room for five paths.
  administrationRule(
    "administration-code",
    2010,
    PATHS.administrationCode,
    "Deny imported flows and prompts with code to all others",
  ),
  // A second line of defence: the application itself escapes values in its queries.
  contentRule("sqli", 3000, "Deny SQL injection"),
  // URLs and pages of a sign-in contain parameters of relying parties.
  contentRule("xss", 3010, "Deny cross-site scripting"),
  // Static files and uploads are served by their paths.
  contentRule("lfi", 3020, "Deny access to local files"),
  // Probes for known vulnerabilities of other software arrive within hours.
  contentRule("rce", 3030, "Deny execution of commands"),
  // Matches only user agents, not what people type, so this rule skips no path.
  contentRule("scannerdetection", 3040, "Deny security scanners", []),
  // A request that two servers parse differently can smuggle in another that the first would have refused.
  contentRule("protocolattack", 3050, "Deny attacks on the protocol"),
  // Offices, outposts and servers send the requests of many people from one address. The rules above hold for them too.
  rangesRule("trusted-ranges", 3900, "trustedRanges", "Do not limit the trusted ranges"),
  // Slows the guessing of passwords and codes. Only forms are counted and banned: pages, tokens and sessions of the
  // same address keep working.
  {
    id: "sign-ins",
    priority: 4000,
    action: "rate_based_ban",
    match: { expression: `request.method == 'POST' && ${beginsDecoded(PATHS.flowExecutor)}` },
    limit: "signInsPerMinute",
    title: "Ban addresses that submit too many sign-in forms",
  },
  // A path that leaves its folder again is another one for the application.
  {
    id: "files",
    priority: 4900,
    action: "allow",
    match: {
      expression: prose`
        (${PATHS.files.map((path) => `request.path.startsWith('${path}')`).join(" || ")}) &&
        !request.path.urlDecode().contains('..')
      `,
    },
    title: "Do not limit files and health checks",
  },
  // Keeps one client from using all instances. Requests that servers send for many users are exempt; keys and discovery
  // documents are not, because relying parties cache them.
  {
    id: "requests",
    priority: 5000,
    action: "throttle",
    match: { expression: PATHS.serverToServer.map(notUnder).join(" && ") },
    limit: "requestsPerMinute",
    title: "Throttle addresses that send too many requests",
  },
  // Explicit, because without any rule the provider would not show the removal of the others.
  { id: "default", priority: 2_147_483_647, action: "allow", match: "everything", title: "Allow the rest" },
];
