import { UNKNOWN } from "../terraform-value";
import { policyOf } from "./front-door-fixture";
import { Project } from "./project-fixture";

const TYPE = "google_compute_security_policy";

let project: Project;

beforeEach(() => {
  project = new Project();
});

const ranges = (...list: readonly string[]) => [{ versioned_expr: "SRC_IPS_V1", config: [{ src_ip_ranges: list }] }];
const expression = (text: string) => [{ expr: [{ expression: text }] }];
const many = (count: number) => Array.from({ length: count }, (_none, index) => `192.0.2.${index}/32`);
const RATE = {
  conform_action: "allow",
  exceed_action: "deny(429)",
  enforce_on_key: "IP",
  rate_limit_threshold: [{ count: 60, interval_sec: 60 }],
};
const rule = (args: object) => ({ action: "deny(403)", priority: 100, match: ranges("192.0.2.0/24"), ...args });
const throttle = (args: object) => rule({ action: "throttle", rate_limit_options: [{ ...RATE, ...args }] });
const comparisons = (count: number) => Array.from({ length: count }, () => "request.path == '/a && /b'").join(" && ");

describe("A security policy", () => {
  it.each([
    ["ten ranges", rule({ match: ranges(...many(10)) })],
    ["five comparisons", rule({ match: expression(comparisons(5)) })],
    ["a throttle", throttle({})],
    ["a ban", rule({ action: "rate_based_ban", rate_limit_options: [{ ...RATE, ban_duration_sec: 300 }] })],
    ["a rule set", rule({ match: expression("evaluatePreconfiguredWaf('sqli-v33-stable', {'sensitivity': 1})") })],
    ["what is not known yet", { ...rule({}), match: UNKNOWN }],
  ])("has %s", (_what, given) => {
    expect(project.problems(TYPE, policyOf(given))).toEqual([]);
  });

  it.each([
    ["two rules of one priority", rule({ priority: 2_147_483_647, match: ranges("*") }), "two rules have the priority"],
    ["eleven ranges", rule({ match: ranges(...many(11)) }), "a rule has 1 to 10 ranges, this has 11"],
    ["no range", rule({ match: ranges() }), "a rule has 1 to 10 ranges, this has 0"],
    ["six comparisons", rule({ match: expression(comparisons(6)) }), "at most 5 sub-expressions, this has 6"],
    ["a long expression", rule({ match: expression(`'${"a".repeat(2048)}' == ''`) }), "at most 2048 characters"],
    [
      "ranges and an expression",
      rule({ match: [{ ...ranges("*")[0], ...expression("true")[0] }] }),
      "or an expression",
    ],
    ["ranges of no version", rule({ match: [{ config: [{ src_ip_ranges: ["*"] }] }] }), "versioned_expr SRC_IPS_V1"],
    [
      "an unknown rule set",
      rule({ match: expression("evaluatePreconfiguredWaf('sql-v33-stable')") }),
      "no rule set sql",
    ],
    ["an unknown action", rule({ action: "deny(401)" }), "deny(401) is no action"],
    ["a throttle without a rate", rule({ action: "throttle" }), "throttle needs rate_limit_options"],
    ["a rate that denies", rule({ rate_limit_options: [RATE] }), "deny(403) has no rate_limit_options"],
    ["a ban without an end", { ...throttle({}), action: "rate_based_ban" }, "needs ban_duration_sec"],
    ["a throttle that bans", throttle({ ban_duration_sec: 300 }), "throttle has no ban_duration_sec"],
    ["a key that can be made up", throttle({ enforce_on_key: "XFF_IP" }), "can make up the key XFF_IP"],
    ["an answer of success to excess", throttle({ exceed_action: "allow" }), "allow is no answer to excess"],
    [
      "a ban after more than the platform counts",
      rule({
        action: "rate_based_ban",
        rate_limit_options: [
          { ...RATE, ban_duration_sec: 300, rate_limit_threshold: [{ count: 10_001, interval_sec: 60 }] },
        ],
      }),
      "rate_based_ban counts 1 to 10000 requests",
    ],
  ])("has not %s", (_what, given, refusal) => {
    expect(project.problems(TYPE, policyOf(given)).join("; ")).toContain(refusal);
    expect(() => project.apply(TYPE, policyOf(given))).toThrow(refusal);
  });

  it("has a default rule, which matches everything", () => {
    const none = { name: "door", rule: [rule({})] };
    expect(project.problems(TYPE, none)).toEqual(["there is no default rule, of the priority 2147483647"]);
    const some = { name: "door", rule: [rule({ action: "allow", priority: 2_147_483_647 })] };
    expect(project.problems(TYPE, some)).toEqual(["rule 2147483647: the default rule matches everything"]);
    expect(project.problems(TYPE, { name: "door", rule: UNKNOWN })).toEqual([]);
  });

  it("changes the rules of its priorities in place", () => {
    const made = project.apply(TYPE, policyOf(rule({})));
    const loosened = policyOf(rule({ preview: true, action: "deny(404)" }), { ...throttle({}), priority: 200 });
    expect(project.replacedBy(TYPE, loosened, made)).toEqual([]);
    expect(project.apply(TYPE, loosened, made).rule).toHaveLength(3);
  });

  it("does not turn ranges into an expression, nor a ban into a throttle", () => {
    const ban = rule({ action: "rate_based_ban", rate_limit_options: [{ ...RATE, ban_duration_sec: 300 }] });
    const made = project.apply(TYPE, policyOf(ban));
    expect(() => project.apply(TYPE, policyOf(throttle({})), made)).toThrow("a ban cannot become a throttle");
    expect(() => project.apply(TYPE, policyOf(rule({ match: expression("true") })), made)).toThrow(
      "give it another priority",
    );
  });
});
