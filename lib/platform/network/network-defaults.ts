/** Facts of networks, each with its reason. */

/** Ranges of the network that a deployment makes for itself; nothing else is in it. */
export const NETWORK_RANGES = {
  nodes: "10.0.0.0/22",
  pods: "10.4.0.0/17",
  services: "10.8.0.0/20",
} as const;

/** Names of the ranges in the subnetwork. */
export const RANGE_NAMES = { pods: "pods", services: "services" } as const;

/** Ports of the address translation per node: every connection to the same database takes one. */
export const NAT_PORTS_PER_NODE = 256;
