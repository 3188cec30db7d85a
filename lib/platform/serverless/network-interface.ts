import { Token, type TerraformResource } from "cdktf";

import { addDynamicBlock } from "../../core/dynamic-block";
import { type NetworkAttachment } from "../network-attachment";

/** Private addresses go through the network, everything else keeps going out directly. */
const EGRESS = "PRIVATE_RANGES_ONLY";

/** Access to an existing network that is known at synth; none otherwise. */
export function networkAccess(attachment: NetworkAttachment | undefined) {
  if (attachment === undefined || Token.isUnresolved(attachment.network)) return undefined;
  const { network, subnetwork } = attachment;
  return { egress: EGRESS, networkInterfaces: [{ network, subnetwork }] };
}

/**
 * Access to a network that is an input of Terraform: the block exists only when the input is given.
 *
 * @param templatePath path of the block that takes `vpc_access`
 */
export function addNetworkAccess(
  resource: TerraformResource,
  templatePath: string,
  attachment: NetworkAttachment | undefined,
): void {
  if (attachment === undefined || !Token.isUnresolved(attachment.network)) return;
  const { network, subnetwork } = attachment;
  addDynamicBlock(resource, templatePath, "vpc_access", {
    forEach: `\${${network} == null ? [] : ["network"]}`,
    content: { egress: EGRESS, network_interfaces: [{ network, subnetwork }] },
  });
}
