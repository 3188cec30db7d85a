import { type ResourceTypes } from "../resource-type";
import {
  isValueObject,
  membersOf,
  sameValue,
  textAt,
  Unknown,
  type Value,
  valueAt,
  type ValueObject,
} from "../terraform-value";
import { computeType, nameProblems } from "./google-type";

/** Priority of the rule that decides about all that no other rule matches. */
const DEFAULT_PRIORITY = 2_147_483_647;

const MOST_RANGES = 10;
const MOST_SUBEXPRESSIONS = 5;
const MOST_CHARACTERS = 2048;
const MOST_REQUESTS = { rate_based_ban: 10_000, throttle: 1_000_000 } as const;

const ACTIONS = /^(allow|deny\((403|404|502)\)|rate_based_ban|redirect|throttle)$/;
const RATE_ACTIONS = Object.keys(MOST_REQUESTS);
const EXCEEDED = /^(deny\((403|404|429|502)\)|redirect)$/;

/** First address of a header that visitors send: they can make it up, which the platform does not refuse. */
const FORGEABLE_KEY = "XFF_IP";

/** Preconfigured rule sets, without their version. */
const RULE_SETS =
  /^(cve|generic|java|json-sqli|lfi|methodenforcement|nodejs|php|protocolattack|rce|rfi|scannerdetection|sessionfixation|sqli|xss)-(v33|v422|canary|stable)/;

const rulesOf = (values: ValueObject): readonly Value[] => membersOf(values.rule);
const isDefault = (rule: Value): boolean => priorityOf(rule) === DEFAULT_PRIORITY;

/** Priority of a rule; undefined as long as it is not known. */
function priorityOf(rule: Value): number | undefined {
  const priority = valueAt(rule, "priority");
  return typeof priority === "number" ? priority : undefined;
}

/** Comparisons in an expression: what stands between its operators; brackets do not matter. */
function subexpressions(expression: string): number {
  const withoutText = expression.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, "''");
  return withoutText.split(/&&|\|\|/).length;
}

function expressionProblems(expression: string): string[] {
  const sets = [...expression.matchAll(/evaluatePreconfigured(?:Waf|Expr)\(\s*['"]([^'"]*)['"]/g)].map(
    ([, name = ""]) => name,
  );
  const parts = subexpressions(expression);
  return [
    ...(parts > MOST_SUBEXPRESSIONS
      ? [`an expression has at most ${MOST_SUBEXPRESSIONS} sub-expressions, this has ${parts}: ${expression}`]
      : []),
    ...(expression.length > MOST_CHARACTERS ? [`an expression has at most ${MOST_CHARACTERS} characters`] : []),
    ...sets.filter((name) => !RULE_SETS.test(name)).map((name) => `there is no rule set ${name}`),
  ];
}

function matchProblems(match: Value): string[] {
  const ranges = valueAt(match, "config.0.src_ip_ranges");
  const expression = valueAt(match, "expr.0.expression");
  if ((ranges === null) === (expression === null)) return ["a rule matches ranges or an expression"];
  if (typeof expression === "string") return expressionProblems(expression);
  const { length } = membersOf(ranges);
  return [
    ...(length === 0 || length > MOST_RANGES ? [`a rule has 1 to ${MOST_RANGES} ranges, this has ${length}`] : []),
    ...(textAt(match, "versioned_expr") === "SRC_IPS_V1" ? [] : ["a rule of ranges has versioned_expr SRC_IPS_V1"]),
  ];
}

function rateProblems(rule: Value, action: keyof typeof MOST_REQUESTS): string[] {
  const options = valueAt(rule, "rate_limit_options.0");
  if (options === null) return [`${action} needs rate_limit_options`];
  const count = valueAt(options, "rate_limit_threshold.0.count");
  const most = MOST_REQUESTS[action];
  const ban = valueAt(options, "ban_duration_sec");
  const key = valueAt(options, "enforce_on_key");
  return [
    ...(typeof count === "number" && (count < 1 || count > most) ? [`${action} counts 1 to ${most} requests`] : []),
    ...(textAt(options, "conform_action") === "allow" ? [] : ["what conforms to a rate is allowed"]),
    ...(EXCEEDED.test(textAt(options, "exceed_action"))
      ? []
      : [`${textAt(options, "exceed_action")} is no answer to excess`]),
    ...(key === FORGEABLE_KEY ? [`a visitor can make up the key ${FORGEABLE_KEY}`] : []),
    ...(action === "rate_based_ban" && ban === null ? ["rate_based_ban needs ban_duration_sec"] : []),
    ...(action === "throttle" && ban !== null ? ["throttle has no ban_duration_sec"] : []),
  ];
}

function isRate(action: string): action is keyof typeof MOST_REQUESTS {
  return RATE_ACTIONS.includes(action);
}

function hasUnknown(value: Value): boolean {
  return value instanceof Unknown || membersOf(value).some(hasUnknown);
}

function ruleProblems(rule: Value): string[] {
  const action = valueAt(rule, "action");
  if (!isValueObject(rule) || typeof action !== "string" || hasUnknown(rule)) return [];
  const problems = [
    ...(ACTIONS.test(action) ? [] : [`${action} is no action`]),
    ...matchProblems(valueAt(rule, "match.0")),
    ...(isRate(action) ? rateProblems(rule, action) : []),
    ...(!isRate(action) && membersOf(rule.rate_limit_options).length > 0
      ? [`${action} has no rate_limit_options`]
      : []),
    ...(isDefault(rule) && !sameValue(valueAt(rule, "match.0.config.0.src_ip_ranges"), ["*"])
      ? ["the default rule matches everything"]
      : []),
  ];
  return problems.map((problem) => `rule ${priorityOf(rule)}: ${problem}`);
}

/** Problems of rules as far as these are known. */
function policyProblems(values: ValueObject): string[] {
  if (values.rule instanceof Unknown) return [];
  const rules = rulesOf(values);
  const priorities = rules.flatMap((rule) => priorityOf(rule) ?? []);
  const isKnown = priorities.length === rules.length;
  const twice = priorities.filter((priority, index) => priorities.indexOf(priority) !== index);
  return [
    ...twice.map((priority) => `two rules have the priority ${priority}`),
    // Without any rule in the configuration, the provider keeps those that are there, and a plan shows nothing.
    ...(isKnown && !rules.some(isDefault) ? [`there is no default rule, of the priority ${DEFAULT_PRIORITY}`] : []),
    ...rules.flatMap(ruleProblems),
  ];
}

const isExpression = (rule: Value): boolean => textAt(rule, "match.0.expr.0.expression") !== "";

/** Changes of a rule in place whose result is not known, or that the platform refuses. */
function changeProblems(before: ValueObject, values: ValueObject): string[] {
  return rulesOf(values).flatMap((rule) => {
    const priority = priorityOf(rule);
    const old = rulesOf(before).find((candidate) => priorityOf(candidate) === priority);
    if (old === undefined) return [];
    return [
      ...(isExpression(rule) === isExpression(old)
        ? []
        : [`rule ${priority}: whether ranges give way to an expression is not known; give it another priority`]),
      ...(textAt(old, "action") === "rate_based_ban" && textAt(rule, "action") === "throttle"
        ? [`rule ${priority}: a ban cannot become a throttle`]
        : []),
    ];
  });
}

/** Rules that decide about requests before a backend service gets them. */
export const SECURITY_POLICY_TYPES: ResourceTypes = {
  google_compute_security_policy: computeType({
    path: "global/securityPolicies/{{name}}",
    replacedBy: ["project", "name", "type"],
    source: "resource_compute_security_policy.go",
    problems: policyProblems,
    invalid: nameProblems,
    conflicts: (values, { before }) => [
      ...policyProblems(values),
      ...(before === null ? [] : changeProblems(before, values)),
    ],
    computed: () => ({ type: "CLOUD_ARMOR" }),
    defaults: { preview: false },
  }),
};
