import {
  ComputeSecurityPolicy,
  type ComputeSecurityPolicyRule,
  computeSecurityPolicyRuleToTerraform,
} from "@cdktf/provider-google/lib/compute-security-policy";
import { Fn, type ITerraformDependable, Token } from "cdktf";
import { Construct } from "constructs";

import { attributeOf } from "../../core/expr/attributes";
import { addDynamicBlock, type DynamicBlock } from "../../core/expr/blocks";
import { allOf, countIf, isAlways, isNever, isSet, listIf, partIf, present } from "../../core/expr/conditions";
import { exprOf, hcl } from "../../core/expr/expr";
import { expression } from "../../core/expr/terraform-text";
import { type SettingsOf, settingsOf, type ValuesOf } from "../../core/inputs/value";
import { addWarnings } from "../../core/inputs/warnings";
import { type DeploymentName, partName } from "../../core/names";
import { setNewerAttribute } from "../../core/newer-attribute";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type PartProps } from "../parts";
import { type ProtectionInputs, unexaminedPathsRisk, wafSwitches } from "./protection";
import { LIMIT_SECONDS, PROTECTION_RULES, type ProtectionRule, RANGES_PER_RULE } from "./protection-rules";

export interface SecurityPolicyProps extends PartProps {
  /** Domain of the load balancer with the policy; without a domain, there is no policy. */
  readonly domain?: string;
  /** Existing policy that replaces the rules here: `projects/<project>/global/securityPolicies/<name>`. */
  readonly existing?: string;
  readonly protection: ValuesOf<ProtectionInputs>["protection"];
}

/** The security policy of a load balancer: a new one with the rules of a protection, an existing one, or none. */
export class SecurityPolicy extends Construct {
  /** Id of the policy, as a Terraform value; null without a policy. */
  readonly policyId: string;
  readonly ready: ITerraformDependable[];

  /** Created only with a domain and a protection. */
  readonly policy: ComputeSecurityPolicy | undefined;

  /** @internal */
  constructor(scope: Construct, id: string, props: SecurityPolicyProps) {
    super(scope, id);

    const { dependsOn, domain, existing, context, protection } = props;
    const settings = settingsOf(protection.at) as Settings;
    const name = securityPolicyName(context.deployment);
    addWarnings(this, "ContentIsExamined", [unexaminedPathsRisk(settings.waf)]);

    const isProtected = allOf(isSet(domain), protection.isSet());
    this.policy = partIf(isProtected, () => {
      const blocks = PROTECTION_RULES.flatMap((rule) => blocksOf(rule, settings));
      const policy = new ComputeSecurityPolicy(this, MAIN_CHILD_ID, {
        project: context.projectId,
        name,
        type: "CLOUD_ARMOR",
        // Names the matched part of a request in the log, because the reason for a refusal would be unknown otherwise.
        advancedOptionsConfig: { logLevel: "VERBOSE" },
        rule: blocks.filter(({ forEach }) => forEach === undefined).map(({ rule }) => rule),
        count: countIf(isProtected),
        dependsOn,
        // Created before its predecessor is destroyed, because the load balancer must first be detached from the old
        // policy. A replacement always has another name.
        lifecycle: { createBeforeDestroy: true },
      });
      const repeated = blocks
        .filter(({ forEach }) => forEach !== undefined)
        .map(({ forEach, rule }) => ({
          forEach,
          content: computeSecurityPolicyRuleToTerraform(rule) as DynamicBlock["content"],
        }));
      addDynamicBlock(policy, "", "rule", ...repeated);
      if (context.labels !== undefined) setNewerAttribute(policy, "labels", context.labels);
      return policy;
    });
    this.policyId = exprOf(existing ?? null).ifNull(attributeOf(this.policy, "id")).text;
    this.ready = present(this.policy);
  }
}

export function securityPolicyName(deployment: DeploymentName): string {
  return partName(deployment, "protection");
}

/** A protection with all values, each a literal or known only to Terraform. */
type Settings = Required<SettingsOf<ProtectionInputs["protection"]["members"]>>;

/** A rule of the policy; with a collection, it is repeated for its elements. */
interface RuleBlock {
  readonly rule: ComputeSecurityPolicyRule;
  readonly forEach?: unknown;
}

function blocksOf(row: ProtectionRule, settings: Settings): RuleBlock[] {
  const { action, match, onlyWith, priority, title } = row;
  const common = { action, priority, description: title, preview: false };
  if (onlyWith === "adminRanges" || onlyWith === "trustedRanges") return rangeBlocks(common, settings[onlyWith]);
  const waf = wafSwitches(settings.waf);
  const rule = {
    ...common,
    ...(onlyWith === "waf" && { preview: waf.isPreview.flag }),
    ...(row.limit !== undefined && { preview: settings.previewLimits }),
    match: typeof match === "string" ? fromRanges(["*"]) : { expr: match },
    rateLimitOptions: limitOf(row, settings),
  };
  const switches = { restrictAdmin: settings.restrictAdmin, waf: waf.isOn };
  const condition = onlyWith === undefined ? true : switches[onlyWith];
  if (isNever(condition)) return [];
  return [isAlways(condition) ? { rule } : { rule, forEach: listIf(condition, true) }];
}

/** The rules for a list of ranges, with at most `RANGES_PER_RULE` each. */
function rangeBlocks(common: Omit<ComputeSecurityPolicyRule, "match">, allowed: Settings["adminRanges"]): RuleBlock[] {
  const { priority: first } = common;
  if (Token.isUnresolved(allowed)) {
    const priority = hcl<number>`${first} + rule.key`.number;
    const match = fromRanges(Token.asList(expression("rule.value")));
    return [{ rule: { ...common, priority, match }, forEach: Fn.chunklist(allowed as string[], RANGES_PER_RULE) }];
  }
  return Array.from({ length: Math.ceil(allowed.length / RANGES_PER_RULE) }, (_, index) => {
    const ranges = allowed.slice(index * RANGES_PER_RULE, (index + 1) * RANGES_PER_RULE);
    return { rule: { ...common, priority: first + index, match: fromRanges(ranges) } };
  });
}

function fromRanges(srcIpRanges: string[]): ComputeSecurityPolicyRule["match"] {
  return { versionedExpr: "SRC_IPS_V1", config: { srcIpRanges } };
}

function limitOf({ action, limit }: ProtectionRule, settings: Settings): ComputeSecurityPolicyRule["rateLimitOptions"] {
  if (limit === undefined) return undefined;
  return {
    conformAction: "allow",
    exceedAction: "deny(429)",
    // Counted by the address that connects to the load balancer, because a header could be forged.
    enforceOnKey: "IP",
    rateLimitThreshold: { count: settings[limit], intervalSec: LIMIT_SECONDS },
    banDurationSec: action === "rate_based_ban" ? settings.banSeconds : undefined,
  };
}
