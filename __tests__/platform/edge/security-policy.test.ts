import { TerraformOutput } from "cdktf";

import { SecurityPolicy, type SecurityPolicyProps } from "../../../lib/platform/edge/security-policy";
import { PROTECTION_RULES } from "../../../lib/platform/edge/protection-rules";
import { type Protection } from "../../../lib/platform/edge/protection";
import { TerraformData } from "../../../lib/core/terraform-data";
import { declareInputs } from "../../../stacks/inputs/input-table";
import { protectionInputs } from "../../../stacks/inputs/protection-inputs";
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

/** The same with the inputs of a stack, known at plan alone. */
const policyOfInputs = () => {
  const stack = bareStack();
  const { domain, existingSecurityPolicy, protection } = declareInputs(stack, {
    ...protectionInputs(""),
    domain: { type: "string", default: null, description: "Name that visitors use." },
  });
  const policy = new SecurityPolicy(stack, "Policy", {
    place: PLACE,
    domain,
    existing: existingSecurityPolicy,
    protection,
  });
  new TerraformOutput(stack, "id", { value: policy.policyId, staticId: true });
  const terraform = terraformOf(stack);
  return { block: resourceOf(terraform, "google_compute_security_policy", "policy"), id: terraform.output?.id?.value };
};

const prioritiesOf = (ids: readonly string[]) =>
  PROTECTION_RULES.filter(({ id }) => ids.includes(id)).map(({ priority }) => priority);

const CONTENT = ["sqli", "xss", "lfi", "rce", "scannerdetection", "protocolattack"];
const ALWAYS = ["sign-ins", "requests", "default"];

describe("SecurityPolicy", () => {
  it("is a policy for backends, with the deployment's name and labels", () => {
    const { block } = policyOf({
      domain: DOMAIN,
      protection: {},
      place: { ...PLACE, labels: { team: "identity" } },
    });
    expect(block).toMatchObject({
      project: "demo-project",
      name: "idp-demo-abc123-protection",
      type: "CLOUD_ARMOR",
      labels: { team: "identity" },
    });
    expect(block).not.toHaveProperty("count");
    expect(block).not.toHaveProperty("dynamic");
  });

  it.each<[string, Partial<SecurityPolicyProps>, unknown]>([
    ["a domain and a protection", { domain: DOMAIN, protection: {} }, undefined],
    ["no domain", {}, NEVER],
    ["a domain alone", { domain: DOMAIN }, NEVER],
    ["a protection that is switched off", { domain: DOMAIN, protection: { enabled: false } }, NEVER],
    ["an existing policy", { domain: DOMAIN, existing: EXISTING }, NEVER],
  ])("exists as requested: %s", (_, props, count) => {
    expect(policyOf(props).block.count).toEqual(count);
  });

  it.each<[string, Partial<SecurityPolicyProps>, unknown]>([
    ["its own", { domain: DOMAIN, protection: {} }, "${one(google_compute_security_policy.policy[*].id)}"],
    ["an existing one", { domain: DOMAIN, existing: EXISTING }, EXISTING],
    ["none, which is null", { domain: DOMAIN }, "${one(google_compute_security_policy.policy[*].id)}"],
  ])("says which policy a load balancer gets: %s", (_, props, id) => {
    expect(policyOf(props).id).toBe(id);
  });

  it("leaves to Terraform what inputs decide", () => {
    const { block, id } = policyOfInputs();
    expect(block.count).toBe("${((var.domain != null) && (var.protection != null)) ? 1 : 0}");
    expect(id).toBe(
      "${(var.existing_security_policy != null ? var.existing_security_policy : one(google_compute_security_policy.policy[*].id))}",
    );
    expect((block.rule as Rule[]).map(({ priority }) => priority)).toEqual(prioritiesOf(ALWAYS));
    const { rule: repeated } = block.dynamic as { rule: { for_each: string; content: Rule }[] };
    expect(repeated.map(({ content, for_each }) => [content.priority, content.preview, for_each])).toEqual([
      ["${1000 + rule.key}", false, "${chunklist(try(var.protection.admin_ranges, []), 10)}"],
      ...[2000, 2010].map((priority) => [
        priority,
        false,
        "${(try(var.protection.restrict_admin, false) ? [true] : [])}",
      ]),
      ...prioritiesOf(CONTENT).map((priority) => [
        priority,
        '${try(var.protection.waf, "preview") == "preview"}',
        '${(!(try(var.protection.waf, "preview") == "off") ? [true] : [])}',
      ]),
    ]);
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
    ["preview", true],
    ["enforce", false],
  ])("with %s, only logs attacks: %s", (waf, preview) => {
    const { rules } = protectedBy({ waf });
    const previews = new Map(rules.map((rule) => [rule.priority, rule.preview]));
    expect(prioritiesOf(CONTENT).map((priority) => previews.get(priority))).toEqual(CONTENT.map(() => preview));
    expect(prioritiesOf(ALWAYS).map((priority) => previews.get(priority))).toEqual([false, false, false]);
  });

  it("counts per connecting address, and bans only for sign-ins", () => {
    const { rules } = protectedBy({ banSeconds: 600, requestsPerMinute: 900, signInsPerMinute: 30 });
    const limit = { conform_action: "allow", exceed_action: "deny(429)", enforce_on_key: "IP" };
    expect(rules.flatMap(({ rate_limit_options: options }) => options ?? [])).toEqual([
      { ...limit, ban_duration_sec: 600, rate_limit_threshold: { count: 30, interval_sec: 60 } },
      { ...limit, rate_limit_threshold: { count: 900, interval_sec: 60 } },
    ]);
  });

  it("writes the default rule out", () => {
    expect(protectedBy({}).rules.at(-1)).toMatchObject({
      action: "allow",
      priority: 2147483647,
      match: { versioned_expr: "SRC_IPS_V1", config: { src_ip_ranges: ["*"] } },
    });
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

  it("waits for what it is told, and can be waited for", () => {
    const stack = bareStack();
    const api = new TerraformData(stack, "Api", {});
    const policy = new SecurityPolicy(stack, "Policy", { place: PLACE, dependsOn: [api] });
    expect(resourceOf(terraformOf(stack), "google_compute_security_policy", "policy").depends_on).toEqual([
      "terraform_data.api",
    ]);
    expect(policy.ready).toEqual([policy.policy]);
  });

  it("warns at synth of the paths that enforced rules pass over", () => {
    expect(warningsOf(protectedBy({ waf: "preview" }).stack)).toEqual([]);
    expect(warningsOf(protectedBy({ waf: "enforce" }).stack)).toEqual([
      'protection.waf is "enforce"; the rules skip /api/v3/, /application/saml/, /source/saml/, /source/scim/, because passwords, expressions and SAML messages there look like attacks; keep the application up to date, and restrict the administration to known ranges',
    ]);
  });
});
