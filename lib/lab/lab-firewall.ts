import { ComputeFirewall, type ComputeFirewallAllow } from "@cdktf/provider-google/lib/compute-firewall";
import { type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { conditionOf, countWhen } from "../core/expression";
import { EVERYWHERE, HTTP_PORTS, IDENTITY_AWARE_PROXY_RANGE, RDP_PORT, SSH_PORT, WINDOWS_TAG } from "./contract";
import { labName } from "./lab-names";

/** Where connections may come from, by firewall rule: ranges in CIDR notation, at least one each. */
export interface FirewallSourceRanges {
  readonly internal: readonly string[];
  readonly ssh: readonly string[];
  readonly rdp: readonly string[];
  readonly icmp: readonly string[];
  readonly http: readonly string[];
}

export interface LabFirewallProps {
  /** Part of the rules' names. */
  readonly deploymentId: string;

  /** Project that they go into. */
  readonly projectId: string;

  /** Network that they are on. */
  readonly networkId: string;

  /**
   * Things that must exist first, besides the network.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /** Creates the first four rules; the one for HTTP is created always. */
  readonly createDefaultRules: boolean | IResolvable;

  readonly sourceRanges: FirewallSourceRanges;
}

/** What may reach the hosts of a lab. Whatever they reach themselves needs no rule. */
export class LabFirewall extends Construct {
  /** Expression: whether the first four rules are created here. */
  readonly hasDefaultRules: string;

  /** Expression: the ranges from which remote desktop is let through by a rule that is created here. */
  readonly rdpSources: string;

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
      description: "Lets the hosts of the lab reach each other; the discovery client scans its targets by this rule",
      sourceRanges: sourceRanges.internal,
      allow: [{ protocol: "all" }],
    });
    this.allow("ssh", {
      ...defaultRule,
      description: "Lets people reach a host by SSH through the identity-aware proxy",
      sourceRanges: sourceRanges.ssh,
      allow: [{ protocol: "tcp", ports: [SSH_PORT] }],
    });
    const rdp = this.allow("rdp", {
      ...defaultRule,
      description: "Lets people reach the Windows host by remote desktop",
      sourceRanges: sourceRanges.rdp,
      allow: [{ protocol: "tcp", ports: [RDP_PORT] }],
    });
    this.allow("icmp", {
      ...defaultRule,
      description: "Lets people see whether a host answers",
      sourceRanges: sourceRanges.icmp,
      allow: [{ protocol: "icmp" }],
    });
    this.allow("http", {
      create: true,
      description:
        "Lets web requests reach the Windows host; its own way out to APIs and sign-in pages does not depend on it",
      sourceRanges: sourceRanges.http,
      allow: [{ protocol: "tcp", ports: [...HTTP_PORTS] }],
      targetTags: [WINDOWS_TAG],
    });

    this.hasDefaultRules = `length(${internal.fqn}[*]) > 0`;
    this.rdpSources = `flatten(${rdp.fqn}[*].source_ranges)`;
  }

  private allow(what: keyof FirewallSourceRanges, rule: FirewallRule): ComputeFirewall {
    const { dependsOn, deploymentId, networkId, projectId } = this.props;
    return new ComputeFirewall(this, `allow-${what}`, {
      project: projectId,
      name: labName(deploymentId, `allow-${what}`),
      network: networkId,
      direction: "INGRESS",
      description: rule.description,
      allow: rule.allow,
      sourceRanges: [...rule.sourceRanges],
      targetTags: rule.targetTags,
      count: countWhen(conditionOf(rule.create)),
      dependsOn,
    });
  }
}

/** What one rule lets through, and from where. */
interface FirewallRule {
  readonly create: boolean | IResolvable;
  readonly description: string;
  readonly sourceRanges: readonly string[];
  readonly allow: ComputeFirewallAllow[];
  readonly targetTags?: string[];
}

/** Who may reach what: as given, and otherwise as the contract has it. */
export function sourceRanges(
  internalTrafficCidr: string,
  given: Partial<FirewallSourceRanges> = {},
): FirewallSourceRanges {
  const isGiven = (entry: readonly [string, readonly string[] | undefined]) => entry[1] !== undefined;
  return {
    internal: [internalTrafficCidr],
    ssh: [IDENTITY_AWARE_PROXY_RANGE],
    // The contract: the lab is thrown away, and participants come from anywhere.
    rdp: [EVERYWHERE],
    icmp: [internalTrafficCidr, IDENTITY_AWARE_PROXY_RANGE],
    http: [internalTrafficCidr],
    ...Object.fromEntries(Object.entries(given).filter(isGiven)),
  };
}
