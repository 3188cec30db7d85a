import { type Cloud, type Need, Refusal } from "../cloud";
import { needObject } from "../needs";
import { type ResourceTypes } from "../resource-type";
import { membersOf, textAt, type Value, valueAt, type ValueObject } from "../terraform-value";
import { computeType, googleType } from "./google-type";
import { computeId } from "./references";

/** Addresses to assign, from blocks reserved for documentation. */
const REGIONAL_ADDRESS = "203.0.113.20";
const GLOBAL_ADDRESSES = Array.from({ length: 20 }, (_none, index) => `203.0.113.${index + 30}`);

function freeGlobalAddress(cloud: Cloud): string {
  const taken = cloud.ofType("google_compute_global_address").map(({ values }) => textAt(values, "address"));
  const free = GLOBAL_ADDRESSES.find((address) => !taken.includes(address));
  if (free === undefined) throw new Refusal("Error 403: Quota 'STATIC_ADDRESSES' exceeded");
  return free;
}

/** The need for a network of this project, from Terraform or existing before; networks of other projects exist. */
export function needNetwork(reference: string, project: string): Need[] {
  const id = computeId(reference, project, "global/networks");
  if (!id.startsWith(`projects/${project}/`)) return [];
  const own = needObject("google_compute_network", id);
  return [{ ...own, isMet: (cloud) => own.isMet(cloud) || cloud.othersNetworks.has(id) }];
}

/** The need for the network that an argument names. */
export function needOwnNetwork(values: ValueObject): Need[] {
  return needNetwork(textAt(values, "network"), textAt(values, "project"));
}

/** The need for a subnetwork. */
export function needSubnetwork(reference: string, project: string, region: string): Need[] {
  const id = computeId(reference, project, `regions/${region}/subnetworks`);
  return id.startsWith(`projects/${project}/`) ? [needObject("google_compute_subnetwork", id)] : [];
}

/** The need for private services access, from which a database gets its address; networks of others have it. */
export function needServicesAccess(reference: string, project: string): Need[] {
  const id = (network: string) => computeId(network, project, "global/networks");
  const network = id(reference);
  return [
    {
      what: `private services access in ${network}`,
      isMet: (cloud) =>
        cloud.find("google_compute_network", network) === undefined ||
        cloud
          .ofType("google_service_networking_connection")
          .some(({ values }) => id(textAt(values, "network")) === network),
    },
  ];
}

/** The need for a resource of the project that is known only by its name. */
function needNamed(type: string, name: string): Need {
  return {
    what: `${type} named ${name}`,
    isMet: (cloud: Cloud) =>
      cloud.ofType(type).some(({ values }) => textAt(values, "name") === name) ||
      (cloud.externalResourcesExist && !cloud.makes(type, (id) => id.endsWith(`/${name}`))),
  };
}

/** Names of the secondary ranges of a subnetwork. */
export function rangeNames(subnetwork: Value): string[] {
  return membersOf(valueAt(subnetwork, "secondary_ip_range")).map((range) => textAt(range, "range_name"));
}

/** Networks and their parts. */
export const NETWORK_TYPES: ResourceTypes = {
  google_compute_network: computeType({
    path: "global/networks/{{name}}",
    replacedBy: [
      ...["project", "name", "auto_create_subnetworks", "description", "internal_ipv6_range", "network_profile"],
      "params",
    ],
    source: "resource_compute_network.go",
    computed: () => ({ routing_mode: "REGIONAL", mtu: 0, gateway_ipv4: "", internal_ipv6_range: "" }),
  }),

  google_compute_subnetwork: computeType({
    path: "regions/{{region}}/subnetworks/{{name}}",
    replacedBy: ["project", "name", "region", "network", "description", "purpose"],
    source: "resource_compute_subnetwork.go",
    computed: () => ({ gateway_address: "10.0.0.1", purpose: "PRIVATE", stack_type: "IPV4_ONLY" }),
    needs: needOwnNetwork,
  }),

  google_compute_router: computeType({
    path: "regions/{{region}}/routers/{{name}}",
    replacedBy: ["project", "name", "region", "network"],
    source: "resource_compute_router.go",
    needs: needOwnNetwork,
  }),

  google_compute_router_nat: googleType({
    api: "compute",
    id: "{{project}}/{{region}}/{{router}}/{{name}}",
    replacedBy: ["project", "name", "region", "router", "endpoint_types"],
    source: "compute/resource_compute_router_nat.go",
    computed: ({ region = null }) => ({ region }),
    needs: (values) => [needNamed("google_compute_router", textAt(values, "router"))],
  }),

  google_compute_address: computeType({
    path: "regions/{{region}}/addresses/{{name}}",
    replacedBy: ["project", "name", "region", "address", "address_type", "network_tier", "purpose", "subnetwork"],
    source: "resource_compute_address.go",
    computed: () => ({ address: REGIONAL_ADDRESS, network_tier: "PREMIUM", users: [] }),
  }),

  google_compute_global_address: computeType({
    path: "global/addresses/{{name}}",
    replacedBy: [
      ...["project", "name", "address", "address_type", "description", "ip_version", "network", "prefix_length"],
      "purpose",
    ],
    source: "resource_compute_global_address.go",
    computed: (_values, { cloud }) => ({ address: freeGlobalAddress(cloud) }),
    needs: (values) => (textAt(values, "network") === "" ? [] : needOwnNetwork(values)),
  }),

  google_service_networking_connection: googleType({
    api: "servicenetworking",
    id: (values) => ["network", "service"].map((name) => encodeURIComponent(textAt(values, name))).join(":"),
    replacedBy: ["network", "service"],
    source: "servicenetworking/resource_service_networking_connection.go",
    computed: () => ({ peering: "servicenetworking-googleapis-com" }),
    needs: (values) => [
      ...needNetwork(textAt(values, "network"), textAt(values, "network").split("/")[1] ?? ""),
      ...membersOf(values.reserved_peering_ranges).map((range) =>
        needNamed("google_compute_global_address", typeof range === "string" ? range : ""),
      ),
    ],
  }),
};
