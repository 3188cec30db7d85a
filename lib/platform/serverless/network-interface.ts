import { Token, type TerraformResource } from "cdktf";

import { type NetworkAttachment } from "../network-attachment";

/**
 * Lets a service or job reach private addresses of an existing network; everything else keeps going out directly.
 *
 * @param templatePath path of the block that takes `vpc_access`
 */
export function attachNetwork(
  resource: TerraformResource,
  templatePath: string,
  attachment: NetworkAttachment | undefined,
): void {
  if (attachment === undefined) return;
  const { network, subnetwork } = attachment;
  const access = { egress: "PRIVATE_RANGES_ONLY", network_interfaces: [{ network, subnetwork }] };
  if (Token.isUnresolved(network)) {
    // The choice is an input: the block exists only when a network is given.
    const forEach = `\${${network} == null ? [] : ["network"]}`;
    resource.addOverride(`${templatePath}.dynamic.vpc_access`, { for_each: forEach, content: access });
  } else {
    resource.addOverride(`${templatePath}.vpc_access`, access);
  }
}
