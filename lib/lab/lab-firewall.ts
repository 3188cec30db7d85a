import { ComputeFirewall, type ComputeFirewallConfig } from "@cdktf/provider-google/lib/compute-firewall";
import { type IResolvable } from "cdktf";
import { Construct } from "constructs";

import { addOptionalBlock } from "../core/expr/blocks";
import { allOf, type Condition, countIf } from "../core/expr/conditions";
import { type Expr } from "../core/expr/expr";
import { concat, each } from "../core/expr/functions";
import {
  EVERYWHERE,
  FIREWALL_RULES,
  type FirewallRuleName,
  IDENTITY_AWARE_PROXY_RANGE,
  PORTS,
  WINDOWS_TAG,
} from "./contract";
import { type LabContext } from "./lab-foundation";
import { labName } from "./lab-names";

/** Source ranges in CIDR notation by firewall rule, at least one each. */
export interface FirewallSourceRanges extends Readonly<Record<FirewallRuleName, readonly string[]>> {
  /** Source ranges that may reach every port of the VMs. */
  readonly internal: readonly string[];
  /** Source ranges of SSH. */
  readonly ssh: readonly string[];
  /** Source ranges of remote desktop. */
  readonly rdp: readonly string[];
  /** Source ranges of pings. */
  readonly icmp: readonly string[];
  /** Source ranges of web requests to the Windows VM. */
  readonly http: readonly string[];
}

interface LabFirewallProps extends LabContext {
  readonly networkId: string;
  /**
   * Whether the network belongs to the lab, as `true`, `false` or a boolean expression; otherwise the owner of the
   * network makes all rules.
   */
  readonly isOwn: Condition;
  /** Creates the first four rules; the rule for HTTP is created with them or alone. */
  readonly createDefaultRules: boolean | IResolvable;
  /** Whether Cloud Logging gets the connections that the rules allow. */
  readonly logsConnections: Expr<boolean>;
  readonly sourceRanges: FirewallSourceRanges;
}

const RULES: Readonly<Record<FirewallRuleName, Pick<ComputeFirewallConfig, "allow" | "description" | "targetTags">>> = {
  internal: {
    description: "Allows traffic between the VMs of the lab, the scans of the discovery client included",
    allow: [{ protocol: "all" }],
  },
  ssh: { description: "Allows SSH through the identity-aware proxy", allow: [{ protocol: "tcp", ports: [PORTS.ssh] }] },
  rdp: { description: "Allows remote desktop to the Windows VM", allow: [{ protocol: "tcp", ports: [PORTS.rdp] }] },
  icmp: { description: "Allows ping", allow: [{ protocol: "icmp" }] },
  http: {
    description:
      "Allows web requests to the Windows VM; its own access to APIs and sign-in pages does not depend on it",
    allow: [{ protocol: "tcp", ports: [...PORTS.http] }],
    targetTags: [WINDOWS_TAG],
  },
};

/** The ingress rules of a lab. Egress needs no rule. */
export function addLabFirewall(scope: Construct, id: string, props: LabFirewallProps) {
  const self = new Construct(scope, id);
  const addRule = (rule: FirewallRuleName) => {
    const firewall = new ComputeFirewall(self, `allow-${rule}`, {
      ...RULES[rule],
      project: props.projectId,
      // allow-rdp, allow-ssh, …
      name: labName(props.deploymentId, `allow-${rule}`),
      network: props.networkId,
      direction: "INGRESS",
      sourceRanges: [...props.sourceRanges[rule]],
      count: countIf(allOf(props.isOwn, rule === "http" || props.createDefaultRules)),
      dependsOn: props.outlivedBy,
    });
    addOptionalBlock(firewall, "", "log_config", {
      when: props.logsConnections,
      content: { metadata: "INCLUDE_ALL_METADATA" },
    });
    return firewall;
  };
  const rules = FIREWALL_RULES.map((rule) => [rule, addRule(rule)] as const);
  return Object.fromEntries(rules) as Record<FirewallRuleName, ComputeFirewall>;
}

/**
 * Source ranges of allow-rdp: the given ones. Without a public address, the identity-aware proxy replaces "any
 * address".
 */
export function remoteDesktopSources(ranges: Expr<readonly string[]>, hasPublicAddress: Expr<boolean>): string[] {
  const others = each(
    ranges,
    (range) => range,
    (range) => range.ne(EVERYWHERE),
    "range",
  );
  return hasPublicAddress.choose(ranges, concat<string>([IDENTITY_AWARE_PROXY_RANGE], others)).list;
}

/** The given source ranges, and the contract's for the other rules. */
export function sourceRanges(internalTrafficCidr: string, given: Partial<FirewallSourceRanges> = {}) {
  return {
    internal: given.internal ?? [internalTrafficCidr],
    ssh: given.ssh ?? [IDENTITY_AWARE_PROXY_RANGE],
    // As in the contract: the lab is temporary, and participants connect from anywhere.
    rdp: given.rdp ?? [EVERYWHERE],
    icmp: given.icmp ?? [internalTrafficCidr, IDENTITY_AWARE_PROXY_RANGE],
    http: given.http ?? [internalTrafficCidr],
  };
}
