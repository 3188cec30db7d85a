import { type IResolvable, type TerraformStack } from "cdktf";
import { Construct } from "constructs";

import { InputVariable } from "../../lib/core/input-variable";
import { INTERNAL_RANGE_LEAST_PREFIX } from "../../lib/lab/address-range";
import { AUTO_MODE_RANGE, EVERYWHERE, RDP_SOURCE_EXAMPLE } from "../../lib/lab/contract";
import { vpcName } from "../../lib/lab/lab-names";

/** Group of the deployment form. */
const GROUP = "[2 Network]";

/** What a lab is connected to, and what may reach it. */
export class LabNetworkInputs extends Construct {
  readonly createVpc: IResolvable;
  readonly createDefaultFirewallRules: IResolvable;
  readonly internalTrafficCidr: string;
  readonly rdpSourceRanges: string[];

  constructor(stack: TerraformStack) {
    super(stack, "lab-network-inputs");

    this.createVpc = new InputVariable(this, "create_vpc", {
      type: "bool",
      default: true,
      description: `${GROUP} Creates the network ${vpcName("<id>")}. False takes the network of that name, which must exist in the project, and needs deployment_id; the Compute Engine API must be on before, because the plan asks it for the network. It must be in auto mode: hosts are put on it without a subnetwork, which a custom-mode network refuses. Not to be changed later: a network that hosts are on can be neither given away nor taken over.`,
      validation: [
        {
          condition: "${var.create_vpc || var.deployment_id != null}",
          errorMessage: `create_vpc is false and deployment_id is not given; the existing network must be called ${vpcName("<id>")}, because nobody can know a random id before; give the id in the network's name as deployment_id, or set create_vpc to true.`,
        },
      ],
    }).booleanValue;

    this.createDefaultFirewallRules = new InputVariable(this, "create_default_firewall_rules", {
      type: "bool",
      default: true,
      description: `${GROUP} Creates allow-internal, allow-ssh, allow-rdp and allow-icmp together; allow-http is created always. Set it to false when the target network has such rules already. allow-rdp is open to everybody, because a lab is thrown away, unless rdp_source_ranges says otherwise; allow-ssh to the identity-aware proxy only. Changing it later is safe.`,
    }).booleanValue;

    this.internalTrafficCidr = new InputVariable(this, "internal_traffic_cidr", {
      type: "string",
      default: AUTO_MODE_RANGE,
      description: `${GROUP} Source range of allow-internal, from which every protocol is let through; ${AUTO_MODE_RANGE} is the range of auto-mode networks. Changing it later is safe.`,
      validation: [
        {
          condition: `\${${isRange("var.internal_traffic_cidr")}}`,
          errorMessage: `internal_traffic_cidr is "\${var.internal_traffic_cidr}"; it must be an IPv4 range such as ${AUTO_MODE_RANGE} that begins with its first address, because firewall rules take nothing else; correct it.`,
        },
        {
          condition: `\${try(tonumber(split("/", var.internal_traffic_cidr)[1]) >= ${INTERNAL_RANGE_LEAST_PREFIX}, true)}`,
          errorMessage: `internal_traffic_cidr is "\${var.internal_traffic_cidr}"; it must be /${INTERNAL_RANGE_LEAST_PREFIX} or smaller, because every protocol is let through from there and the Windows host has a public address; use the range of the network, ${AUTO_MODE_RANGE}.`,
        },
      ],
    }).stringValue;

    this.rdpSourceRanges = new InputVariable(this, "rdp_source_ranges", {
      type: "list(string)",
      default: [EVERYWHERE],
      description: `${GROUP} Source ranges of allow-rdp, at least one. The default is everybody, because those who take part in a lab come from anywhere; a plan warns of it. Changing it later is safe.`,
      validation: [
        {
          condition: `\${length(var.rdp_source_ranges) > 0 && alltrue([for range in var.rdp_source_ranges : ${isRange("range")}])}`,
          errorMessage: `rdp_source_ranges is \${jsonencode(var.rdp_source_ranges)}; it must have at least one IPv4 range, each beginning with its first address, because a firewall rule without a source lets everybody through; give one, for example ${RDP_SOURCE_EXAMPLE}.`,
        },
      ],
    }).listValue;
  }
}

/** Condition: an IPv4 range that begins with its first address. */
function isRange(text: string): string {
  return `can(regex("^[0-9.]+/[0-9]+$", ${text})) && try(cidrsubnet(${text}, 0, 0) == ${text}, false)`;
}
