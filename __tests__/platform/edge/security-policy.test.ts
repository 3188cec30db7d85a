import { TerraformOutput } from "cdktf";

import { SecurityPolicy, type SecurityPolicyProps } from "../../../lib/platform/edge/security-policy";
import { PROTECTION_RULES } from "../../../lib/platform/edge/protection-rules";
import { type Protection } from "../../../lib/platform/edge/protection";
import { PLACE } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf, warningsOf, type Block } from "../../support/synthesis";

const DOMAIN = "login.example.com";
const EXISTING = "projects/security/global/securityPolicies/company";
const NEVER = "${(false) ? 1 : 0}";

interface Rule {
  readonly priority: number;
  readonly preview: boolean;
  readonly match: { readonly config?: { readonly src_ip_ranges: readonly string[] } };
  readonly rate_limit_options?: Block;
}

/** A policy of literals, and what Terraform would read of it. */
const policyOf = (props: Partial<SecurityPolicyProps>) => {
  const stack = bareStack();
  const policy = new SecurityPolicy(stack, "Policy", { place: PLACE, ...props });
  new TerraformOutput(stack, "id", { value: policy.policyId, staticId: true });
  const terraform = terraformOf(stack);
  const block = resourceOf(terraform, "google_compute_security_policy", "policy");
  return { block, id: terraform.output?.id?.value, policy, rules: block.rule as readonly Rule[], stack, terraform };
};

const protectedBy = (protection: Protection) => policyOf({ domain: DOMAIN, protection });

const prioritiesOf = (ids: readonly string[]) =>
  PROTECTION_RULES.filter(({ id }) => ids.includes(id)).map(({ priority }) => priority);

const CONTENT = ["sqli", "xss", "lfi", "rce", "scannerdetection", "protocolattack"];
const ALWAYS = ["sign-ins", "requests", "default"];

describe("SecurityPolicy", () => {
  it.each<[string, Partial<SecurityPolicyProps>, unknown]>([
    ["a domain and a protection", { domain: DOMAIN, protection: {} }, undefined],
    ["no domain", {}, NEVER],
    ["a domain alone", { domain: DOMAIN }, NEVER],
    ["a protection that is switched off", { domain: DOMAIN, protection: { enabled: false } }, NEVER],
    ["an existing policy", { domain: DOMAIN, existing: EXISTING }, NEVER],
  ])("exists as requested: %s", (_, props, count) => {
    expect(policyOf(props).block.count).toEqual(count);
  });

  it.each<[string, Protection, readonly string[]]>([
    ["by default", {}, [...CONTENT, ...ALWAYS]],
    ["without rules about content", { waf: "off" }, ALWAYS],
    [
      "with everything",
      { adminRanges: ["203.0.113.0/24"], restrictAdmin: true, waf: "enforce" },
      ["admin-ranges", "administration", "administration-code", ...CONTENT, ...ALWAYS],
    ],
    ["with ranges alone", { adminRanges: ["203.0.113.0/24"], waf: "off" }, ["admin-ranges", ...ALWAYS]],
    ["with undefined for what has a default", { waf: undefined, restrictAdmin: undefined }, [...CONTENT, ...ALWAYS]],
  ])("has the rules of its settings: %s", (_, protection, ids) => {
    expect(protectedBy(protection).rules.map(({ priority }) => priority)).toEqual(prioritiesOf(ids));
  });

  it.each([
    [1, [1]],
    [10, [10]],
    [11, [10, 1]],
    [1000, Array<number>(100).fill(10)],
  ])("gives %i ranges as many rules as they need, below the next rule", (count, sizes) => {
    const adminRanges = Array.from({ length: count }, (_, index) => `10.${index >> 8}.${index & 255}.0/24`);
    const ranges = protectedBy({ adminRanges }).rules.filter(({ priority }) => priority < 2000);
    expect(ranges.map(({ priority }) => priority)).toEqual(sizes.map((_, index) => 1000 + index));
    expect(ranges.map(({ match }) => match.config?.src_ip_ranges.length)).toEqual(sizes);
    expect(ranges.flatMap(({ match }) => match.config?.src_ip_ranges ?? [])).toEqual(adminRanges);
  });

  it("warns at synth of the paths that enforced rules pass over", () => {
    expect(warningsOf(protectedBy({ waf: "preview" }).stack)).toEqual([]);
    expect(warningsOf(protectedBy({ waf: "enforce" }).stack)).toEqual([
      'protection.waf is "enforce"; the rules skip /api/v3/, /application/saml/, /source/saml/, /source/scim/, because passwords, expressions and SAML messages there look like attacks; keep the application up to date, and restrict the administration to known ranges',
    ]);
  });
});
