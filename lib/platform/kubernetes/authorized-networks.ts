import { type ContainerCluster } from "@cdktf/provider-google/lib/container-cluster";
import { Token, type IResolvable } from "cdktf";

import { addDynamicBlock } from "../../core/dynamic-block";
import { expression } from "../../core/expression";
import { ANYWHERE } from "./contract";

/** Ranges in CIDR notation by a name: a literal map, or an expression that is a map. */
export type AuthorizedNetworks = Readonly<Record<string, string>> | IResolvable;

/**
 * States from where the control plane may be reached; from everywhere when nothing is given.
 *
 * Always a list of ranges: the provider takes the absence of one for no change, so a restriction could not be lifted.
 */
export function addAuthorizedNetworks(cluster: ContainerCluster, networks: AuthorizedNetworks): void {
  addDynamicBlock(cluster, "master_authorized_networks_config", "cidr_blocks", {
    forEach: orEverywhere(networks),
    content: { display_name: "${cidr_blocks.key}", cidr_block: "${cidr_blocks.value}" },
  });
}

function orEverywhere(networks: AuthorizedNetworks): unknown {
  const everywhere = { everywhere: ANYWHERE };
  if (!Token.isUnresolved(networks)) return Object.keys(networks).length === 0 ? everywhere : networks;
  const given = Token.asString(networks);
  return expression(`(length(${given}) == 0 ? tomap(${JSON.stringify(everywhere)}) : ${given})`);
}
