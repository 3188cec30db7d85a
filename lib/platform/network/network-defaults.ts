/** Facts of networks, each with its reason. */

/** Ranges of the network that a deployment makes for itself; nothing else is in it. */
export const NETWORK_RANGES = {
  nodes: "10.0.0.0/22",
  pods: "10.4.0.0/17",
  services: "10.8.0.0/20",
} as const;

/** Names of the ranges in the subnetwork. */
export const RANGE_NAMES = { pods: "pods", services: "services" } as const;

/** Form of the platform's names. */
export const PLATFORM_NAME = {
  pattern: /^[a-z]([a-z0-9-]*[a-z0-9])?$/,
  form: "lower-case letters, digits and hyphens that start with a letter",
  formReason: "the platform refuses other names",
} as const;

/** Ports of the address translation per node: every connection to the same database takes one. */
export const NAT_PORTS_PER_NODE = 256;
