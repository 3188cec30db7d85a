import { ComputeFirewall } from "@cdktf/provider-google/lib/compute-firewall";

import { InputVariable } from "../../../lib/core/input-variable";
import { ClusterNetwork, type ClusterNetworkProps } from "../../../lib/platform/network/cluster-network";
import { NETWORK_RANGES } from "../../../lib/platform/network/cluster-network";
import { PLACE } from "../../support/stand-in-parts";
import { addressesOf, bareStack, resourceOf, terraformOf, type BareStack } from "../../support/synthesis";

/** First and last address of an IPv4 range, as numbers. */
const bounds = (range: string): [number, number] => {
  const [address = "", bits = ""] = range.split("/");
  const first = address.split(".").reduce((number, part) => number * 256 + Number(part), 0);
  return [first, first + 2 ** (32 - Number(bits)) - 1];
};

const networkIn = (existing: (stack: BareStack) => ClusterNetworkProps["existing"] = () => undefined) => {
  const stack = bareStack();
  const network = new ClusterNetwork(stack, "Network", { place: PLACE, existing: existing(stack) });
  stack.addOutputs({
    network: { value: network.network, description: "Network." },
    subnetwork: { value: network.subnetwork, description: "Subnetwork." },
    hasNamedRanges: { value: network.hasNamedRanges, description: "Ranges." },
  });
  const terraform = terraformOf(stack);
  const told = Object.fromEntries(Object.entries(terraform.output ?? {}).map(([name, { value }]) => [name, value]));
  return { network, told, of: (type: string, name: string) => resourceOf(terraform, type, name) };
};

const input = (stack: BareStack, name: string) =>
  new InputVariable(stack, name, { type: "string", default: null, description: "An input." }).stringValue;

const EXISTING = {
  network: "projects/shared/global/networks/main",
  subnetwork: "projects/shared/regions/us-central1/subnetworks/nodes",
};

const OWN_PARTS = [
  ["google_compute_network", "network"],
  ["google_compute_subnetwork", "network_nodes"],
  ["google_compute_router", "network_router"],
  ["google_compute_router_nat", "network_nat"],
] as const;

const OF_THIS_PROJECT = (network: string) => `startswith(${network}, join("", ["projects/", "demo-project", "/"]))`;

describe("ClusterNetwork", () => {
  it("has one subnetwork with ranges for pods and services, and NAT", () => {
    const { of } = networkIn();
    expect(of("google_compute_network", "network")).toMatchObject({
      name: "idp-demo-abc123-network",
      auto_create_subnetworks: false,
    });
    expect(of("google_compute_subnetwork", "network_nodes")).toMatchObject({
      region: "us-central1",
      ip_cidr_range: NETWORK_RANGES.nodes,
      private_ip_google_access: true,
      secondary_ip_range: [
        { range_name: "pods", ip_cidr_range: NETWORK_RANGES.pods },
        { range_name: "services", ip_cidr_range: NETWORK_RANGES.services },
      ],
    });
    expect(of("google_compute_router_nat", "network_nat")).toMatchObject({
      router: "${one(google_compute_router.network_router[*].name)}",
      nat_ip_allocate_option: "AUTO_ONLY",
      source_subnetwork_ip_ranges_to_nat: "ALL_SUBNETWORKS_ALL_IP_RANGES",
      depends_on: ["google_compute_subnetwork.network_nodes"],
    });
  });

  it("has ranges that start at their first address and do not overlap", () => {
    const ranges = Object.values(NETWORK_RANGES).map(bounds);
    for (const [index, [first, last]] of ranges.entries()) {
      expect(first % (last - first + 1)).toBe(0);
      for (const [otherFirst, otherLast] of ranges.slice(index + 1))
        expect(last < otherFirst || otherLast < first).toBe(true);
    }
  });

  it.each([
    ["always when it is the only one", () => undefined, undefined],
    ["never when one is written down", () => EXISTING, "${(false) ? 1 : 0}"],
    [
      "only without one when that is an input",
      (stack: BareStack) => ({ network: input(stack, "network"), subnetwork: input(stack, "subnetwork") }),
      "${(var.network == null) ? 1 : 0}",
    ],
  ])("exists %s", (_, existing, count) => {
    const { of } = networkIn(existing);
    for (const [type, name] of OWN_PARTS) expect(of(type, name).count).toBe(count);
  });

  it.each([
    [
      "its own, which has named ranges",
      () => undefined,
      {
        network: "${one(google_compute_network.network[*].id)}",
        subnetwork: "${one(google_compute_subnetwork.network_nodes[*].id)}",
        hasNamedRanges: "true",
      },
    ],
    [
      "an existing one, which must have them when it is another project's",
      () => EXISTING,
      { ...EXISTING, hasNamedRanges: `\${!${OF_THIS_PROJECT(JSON.stringify(EXISTING.network))}}` },
    ],
    [
      "one of the two, as Terraform finds an input",
      (stack: BareStack) => ({ network: input(stack, "network"), subnetwork: input(stack, "subnetwork") }),
      {
        network: "${(var.network != null ? var.network : one(google_compute_network.network[*].id))}",
        subnetwork: "${(var.subnetwork != null ? var.subnetwork : one(google_compute_subnetwork.network_nodes[*].id))}",
        hasNamedRanges: `\${(var.network != null ? !${OF_THIS_PROJECT("var.network")} : true)}`,
      },
    ],
  ])("offers %s", (_, existing, expected) => {
    expect(networkIn(existing).told).toEqual(expected);
  });

  it("is ready once its NAT exists", () => {
    expect(addressesOf(networkIn().network.ready)).toEqual(["google_compute_router_nat.network_nat"]);
  });

  it("is ready with what an existing one must have, which must also exist before a cluster in it", () => {
    const existing = (stack: BareStack) => ({
      ...EXISTING,
      dependsOn: [new ComputeFirewall(stack, "Rule", { name: "rule", network: EXISTING.network })],
    });
    const { network } = networkIn(existing);
    expect(addressesOf(network.ready)).toEqual([
      "google_compute_router_nat.network_nat",
      "google_compute_firewall.rule",
    ]);
    expect(addressesOf(network.dependsOn)).toEqual(["google_compute_firewall.rule"]);
    expect(networkIn().network.dependsOn).toEqual([]);
  });
});
