import { type TerraformStack } from "cdktf";
import { Construct } from "constructs";

import { InputVariable } from "../../lib/core/input-variable";
import { type NetworkAttachment } from "../../lib/platform/network-attachment";

/** What a platform says about an existing network. */
export interface NetworkInputsProps {
  /** What the network must have, and what giving it changes. */
  readonly network: string;

  /** Why a network alone is not enough; follows "because". */
  readonly togetherReason: string;

  /** What is taken from the subnetwork, and what that asks of it. */
  readonly subnetwork: string;

  /** Who takes addresses from the subnetwork, in the plural. */
  readonly members: string;
}

/** An existing network, for private addresses. */
export class NetworkInputs extends Construct {
  readonly network: NetworkAttachment;

  constructor(stack: TerraformStack, { members, network, subnetwork, togetherReason }: NetworkInputsProps) {
    super(stack, "network-inputs");

    this.network = {
      network: new InputVariable(this, "network", {
        type: "string",
        default: null,
        description: `Existing network, projects/<project>/global/networks/<name>, ${network}`,
        validation: [
          {
            condition:
              '${var.network == null ? true : can(regex("^projects/[^/]+/global/networks/[^/]+$", var.network))}',
            errorMessage:
              "network is ${jsonencode(var.network)}; it must be projects/<project>/global/networks/<name>, because the network may belong to another project; write it in full.",
          },
          {
            condition: "${(var.network == null) == (var.subnetwork == null)}",
            errorMessage: `only one of network and subnetwork is given; they must be given together or not at all, because ${togetherReason}; give both, or remove both.`,
          },
        ],
      }).stringValue,
      subnetwork: new InputVariable(this, "subnetwork", {
        type: "string",
        default: null,
        description: `Subnetwork of that network in the same region, projects/<project>/regions/<region>/subnetworks/<name>, ${subnetwork}`,
        validation: [
          {
            condition:
              '${var.subnetwork == null ? true : can(regex("^projects/[^/]+/regions/${var.region}/subnetworks/[^/]+$", var.subnetwork))}',
            errorMessage: `subnetwork is \${jsonencode(var.subnetwork)}; it must be projects/<project>/regions/\${var.region}/subnetworks/<name>, because ${members} take addresses in their own region only; write it in full.`,
          },
        ],
      }).stringValue,
    };
  }
}
