import { ComputeFirewall, type ComputeFirewallAllow } from "@cdktf/provider-google/lib/compute-firewall";
import { type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { isOn, countIf } from "../core/conditional";
import {
  EVERYWHERE,
  HTTP_PORTS,
  IDENTITY_AWARE_PROXY_RANGE,
  RDP_PORT,
  SSH_PORT,
  WINDOWS_TAG,
  type FirewallRuleName,
} from "./contract";
import { labName } from "./lab-names";

/** Source ranges in CIDR notation by firewall rule, at least one each. */
export type FirewallSourceRanges = Readonly<Record<FirewallRuleName, readonly string[]>>;

export interface LabFirewallProps {
  /** Part of the rules' names. */
  readonly deploymentId: string;

  /** Project of the rules. */
  readonly projectId: string;

  /** Network of the rules. */
  readonly networkId: string;

  /** What must be destroyed after the rules. */
  readonly outlivedBy: ITerraformDependable[];

  /** Creates the first four rules; the one for HTTP is always created. */
  readonly createDefaultRules: boolean | IResolvable;

  readonly sourceRanges: FirewallSourceRanges;
}

/** The ingress rules of a lab. Egress needs no rule. */
export class LabFirewall extends Construct {
  /** Expression: whether the first four rules are created here. */
  readonly hasDefaultRules: string;

  /** Expression: source ranges of the remote desktop rule; empty if it is not created here. */
  readonly rdpSources: string;

  readonly rules: Readonly<Record<FirewallRuleName, ComputeFirewall>>;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: LabFirewallProps,
  ) {
    super(scope, id);
    const { createDefaultRules, sourceRanges } = props;
    const defaultRule = { create: createDefaultRules };

    const internal = this.allow("internal", {
      ...defaultRule,
      description: "Allows traffic between the VMs of the lab, the scans of the discovery client included",
      sourceRanges: sourceRanges.internal,
      allow: [{ protocol: "all" }],
    });
    const ssh = this.allow("ssh", {
      ...defaultRule,
      description: "Allows SSH through the identity-aware proxy",
      sourceRanges: sourceRanges.ssh,
      allow: [{ protocol: "tcp", ports: [SSH_PORT] }],
    });
    const rdp = this.allow("rdp", {
      ...defaultRule,
      description: "Allows remote desktop to the Windows VM",
      sourceRanges: sourceRanges.rdp,
      allow: [{ protocol: "tcp", ports: [RDP_PORT] }],
    });
    const icmp = this.allow("icmp", {
      ...defaultRule,
      description: "Allows ping",
      sourceRanges: sourceRanges.icmp,
      allow: [{ protocol: "icmp" }],
    });
    const http = this.allow("http", {
      create: true,
      description:
        "Allows web requests to the Windows VM; its own access to APIs and sign-in pages does not depend on it",
      sourceRanges: sourceRanges.http,
      allow: [{ protocol: "tcp", ports: [...HTTP_PORTS] }],
      targetTags: [WINDOWS_TAG],
    });

    this.rules = { internal, ssh, rdp, icmp, http };
    this.hasDefaultRules = `length(${internal.fqn}[*]) > 0`;
    this.rdpSources = `flatten(${rdp.fqn}[*].source_ranges)`;
  }

  private allow(what: FirewallRuleName, rule: FirewallRule): ComputeFirewall {
    const { deploymentId, networkId, outlivedBy, projectId } = this.props;
    return new ComputeFirewall(this, `allow-${what}`, {
      project: projectId,
      name: labName(deploymentId, `allow-${what}`),
      network: networkId,
      direction: "INGRESS",
      description: rule.description,
      allow: rule.allow,
      sourceRanges: [...rule.sourceRanges],
      targetTags: rule.targetTags,
      count: countIf(isOn(rule.create)),
      dependsOn: outlivedBy,
    });
  }
}

/** What one rule allows, and from where. */
interface FirewallRule {
  readonly create: boolean | IResolvable;
  readonly description: string;
  readonly sourceRanges: readonly string[];
  readonly allow: ComputeFirewallAllow[];
  readonly targetTags?: string[];
}

/** The given source ranges, and those of the contract for the other rules. */
export function sourceRanges(
  internalTrafficCidr: string,
  given: Partial<FirewallSourceRanges> = {},
): FirewallSourceRanges {
  return {
    internal: given.internal ?? [internalTrafficCidr],
    ssh: given.ssh ?? [IDENTITY_AWARE_PROXY_RANGE],
    // As in the contract: the lab is temporary, and participants connect from anywhere.
    rdp: given.rdp ?? [EVERYWHERE],
    icmp: given.icmp ?? [internalTrafficCidr, IDENTITY_AWARE_PROXY_RANGE],
    http: given.http ?? [internalTrafficCidr],
  };
}
