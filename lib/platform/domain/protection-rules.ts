import { prose } from "../../core/prose";
import { PATHS } from "../../idp/public-paths";

/**
 * The rules of the protection, in the order in which Cloud Armor evaluates them.
 *
 * Cloud Armor applies the first rule that matches and evaluates no other. A rule with a limit matches even if the limit
 * is not exceeded, and then allows the request. Therefore rules that deny come before rules with limits. A rule in
 * preview is only logged.
 *
 * A priority belongs to one rule and is never reused, because the provider updates rules by priority, and a rule that
 * changes from ranges to an expression might keep both.
 */
export interface ProtectionRule {
  /** Name of the rule in this table and in tests. */
  readonly id: string;
  /** Position; for a rule that occurs several times, the first position. */
  readonly priority: number;
  /** Action for a request that matches; `throttle` and ban deny the request only above their limit. */
  readonly action: "allow" | "deny(403)" | "rate_based_ban" | "throttle";
  /** Requests that match: an expression of Cloud Armor's rules language, every request, or requests from the ranges. */
  readonly match: { readonly expression: string } | RangesSetting | "everything";
  /** Setting that decides whether the rule exists. */
  readonly onlyWith?: RangesSetting | "restrictAdmin" | "waf";
  /** Setting with the number of requests per minute and address. */
  readonly limit?: "requestsPerMinute" | "signInsPerMinute";
  /** Description in the policy, at most 64 characters. */
  readonly title: string;
}

/** Settings with address ranges that a rule allows. */
export type RangesSetting = "adminRanges" | "trustedRanges";

/** Period of every limit; Cloud Armor accepts only certain periods. */
export const LIMIT_SECONDS = 60;

/** Maximum number of ranges in a rule of Cloud Armor. */
export const RANGES_PER_RULE = 10;

/** Maximum number of ranges, because there are 100 priorities between the rule of trusted ranges and the next one. */
export const MAX_RANGES = 100 * RANGES_PER_RULE;

/**
 * Paths that the rules about content skip, because their legitimate requests look like attacks: passwords with quotes,
 * Python in expressions, HTML in mails, XML as base64, filters.
 */
export const UNEXAMINED_PATHS = [PATHS.api, PATHS.samlProvider, PATHS.samlSource, PATHS.scimSource] as const;

const notUnder = (path: string) => `!request.path.startsWith('${path}')`;

/** The path is decoded first, like in the application; otherwise one percent-encoded letter would evade the rule. */
const beginsDecoded = (path: string) => `request.path.urlDecode().startsWith('${path}')`;

/** The lowest sensitivity of the preconfigured rules, because higher ones refuse many ordinary inputs. */
const evaluates = (signatures: string) => `evaluatePreconfiguredWaf('${signatures}-v33-stable', {'sensitivity': 1})`;

/**
 * A rule about the content of requests, by default except on the paths above.
 *
 * The rule about remote files (`rfi`) is not used: it looks for URLs in parameters, and every sign-in has a URL in
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
  // Prevents a stolen session from changing the server's code and configuration. The rest of the API stays open,
  // because sign-in pages and outposts need it.
  administrationRule("administration", 2000, PATHS.administration, "Deny the administration to all others"),
  // These endpoints accept code too. They have a separate rule, because one rule can contain only five paths.
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
  // Matches only user agents and no inputs, so this rule skips no path.
  contentRule("scannerdetection", 3040, "Deny security scanners", []),
  // If two servers parse a request differently, it can contain a hidden second request that the first server would have
  // refused.
  contentRule("protocolattack", 3050, "Deny attacks on the protocol"),
  // Exempt from limits, because offices, outposts and servers send the requests of many people from one address. The
  // rules above apply to them too.
  rangesRule("trusted-ranges", 3900, "trustedRanges", "Do not limit the trusted ranges"),
  // Slows the guessing of passwords and codes. Only forms are counted and banned, so pages, tokens and sessions of the
  // same address keep working.
  {
    id: "sign-ins",
    priority: 4000,
    action: "rate_based_ban",
    match: { expression: `request.method == 'POST' && ${beginsDecoded(PATHS.flowExecutor)}` },
    limit: "signInsPerMinute",
    title: "Ban addresses that submit too many sign-in forms",
  },
  // Excludes paths with `..`, because the application resolves them to other paths.
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
  // Prevents one client from using all instances. Requests that servers send for many users are exempt; keys and
  // discovery documents are not, because relying parties cache them.
  {
    id: "requests",
    priority: 5000,
    action: "throttle",
    match: { expression: PATHS.serverToServer.map(notUnder).join(" && ") },
    limit: "requestsPerMinute",
    title: "Throttle addresses that send too many requests",
  },
  // Written explicitly, because the provider would not show the removal of all other rules if no rule were left.
  { id: "default", priority: 2_147_483_647, action: "allow", match: "everything", title: "Allow the rest" },
];
