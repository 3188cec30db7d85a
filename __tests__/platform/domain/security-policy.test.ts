import { SecurityPolicy, type SecurityPolicyProps } from "../../../lib/platform/domain/security-policy";
import { CONTEXT } from "../../support/stand-in-parts";
import { bareStack, terraformOf, warningsOf } from "../../support/synthesis";
import { type Protection, valueOf } from "./cloud-armor";

const DOMAIN = "login.example.com";

interface Rule {
  readonly priority: number;
  readonly match: { readonly config?: { readonly src_ip_ranges: readonly string[] } };
}

/** A policy of literals, and what Terraform would read of it. */
const policyOf = ({
  protection,
  ...props
}: Omit<Partial<SecurityPolicyProps>, "protection"> & { protection?: Protection }) => {
  const stack = bareStack();
  new SecurityPolicy(stack, "Policy", { context: CONTEXT, ...props, protection: valueOf(stack, protection) });
  const policies = terraformOf(stack).resource?.google_compute_security_policy;
  return { isMade: policies !== undefined, rules: policies?.policy?.rule as readonly Rule[], stack };
};

const protectedBy = (protection: Protection) => policyOf({ domain: DOMAIN, protection });

describe("SecurityPolicy", () => {
  it.each<[string, Parameters<typeof policyOf>[0], boolean]>([
    ["a domain and a protection", { domain: DOMAIN, protection: {} }, true],
    ["no domain", {}, false],
    ["no protection", { domain: DOMAIN }, false],
    ["an existing policy", { domain: DOMAIN, existing: "projects/security/global/securityPolicies/company" }, false],
  ])("exists as requested: %s", (_, props, isMade) => {
    expect(policyOf(props).isMade).toBe(isMade);
  });

  it("gives a thousand and one ranges as many rules as they need, below the next rule", () => {
    const sizes = [...Array<number>(100).fill(10), 1];
    const adminRanges = Array.from({ length: 1001 }, (_, index) => `10.${index >> 8}.${index & 255}.0/24`);
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
