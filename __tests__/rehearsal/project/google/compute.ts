import { type Cloud, type Need } from "../cloud";
import { type DataSourceType, type ResourceTypes } from "../resource-type";
import { membersOf, textAt, Unknown, type Value, type ValueObject } from "../terraform-value";
import { COMPUTE, computeType } from "./google-type";
import { needNetwork, needOwnNetwork, needSubnetwork } from "./network";
import { computeId, regionOf } from "./references";

/** An ingress rule must have one of these. */
const SOURCES = ["source_ranges", "source_tags", "source_service_accounts"];

function isGiven(value: Value | undefined): boolean {
  return value instanceof Unknown || membersOf(value).length > 0;
}

/** The network and the subnetwork of an interface; each follows from the other. */
function placeOf(part: Value, values: ValueObject, cloud: Cloud): Readonly<Record<"network" | "subnetwork", string>> {
  const project = textAt(values, "project");
  const subnetworks = `regions/${regionOf(textAt(values, "zone"))}/subnetworks`;
  const network = computeId(textAt(part, "network"), project, "global/networks");
  const subnetwork = computeId(textAt(part, "subnetwork"), project, subnetworks);
  if (subnetwork === "") {
    const ofNetwork = `projects/${project}/${subnetworks}/${network.split("/").at(-1) ?? ""}`;
    return { network: COMPUTE + network, subnetwork: COMPUTE + ofNetwork };
  }
  const { values: found = {} } = cloud.find("google_compute_subnetwork", subnetwork) ?? {};
  const own = computeId(textAt(found, "network"), project, "global/networks");
  return { network: COMPUTE + (network || own), subnetwork: COMPUTE + subnetwork };
}

/** A network in auto mode creates subnetworks of its own name; any other subnetwork must exist. */
function interfaceNeeds(part: Value, values: ValueObject): Need[] {
  const project = textAt(values, "project");
  const [network, subnetwork] = ["network", "subnetwork"].map((attribute) => textAt(part, attribute));
  const isOfNetwork = subnetwork === "" || subnetwork?.split("/").at(-1) === network?.split("/").at(-1);
  return isOfNetwork
    ? needNetwork(network ?? "", project)
    : needSubnetwork(subnetwork ?? "", project, regionOf(textAt(values, "zone")));
}

/** Firewall rules and VMs. */
export const COMPUTE_TYPES: ResourceTypes = {
  google_compute_firewall: computeType({
    path: "global/firewalls/{{name}}",
    replacedBy: ["name", "direction", "params", "project"],
    source: "resource_compute_firewall.go",
    problems: (config) =>
      config.direction instanceof Unknown ||
      config.direction === "EGRESS" ||
      SOURCES.some((name) => isGiven(config[name]))
        ? []
        : ["a rule without a source allows any address"],
    needs: needOwnNetwork,
  }),

  google_compute_instance: computeType({
    path: "zones/{{zone}}/instances/{{name}}",
    replacedBy: [
      ...["name", "project", "zone", "hostname", "params"],
      ...["boot_disk.0.mode", "boot_disk.0.initialize_params.0.image", "boot_disk.0.initialize_params.0.type"],
    ],
    source: "resource_compute_instance.go",
    computed: (values, { cloud }) => ({
      current_status: "RUNNING",
      network_interface: membersOf(values.network_interface).map((part) => placeOf(part, values, cloud)),
    }),
    needs: (values) => membersOf(values.network_interface).flatMap((part) => interfaceNeeds(part, values)),
  }),
};

/** Data sources of the google provider, which also find existing networks. */
export const GOOGLE_DATA_SOURCES: Readonly<Record<string, DataSourceType>> = {
  google_compute_networks: {
    read: (config, cloud, settings) => {
      const id = `projects/${textAt(config, "project") || settings.project}/global/networks`;
      const found = [...cloud.othersNetworks, ...cloud.ofType("google_compute_network").map((network) => network.id)];
      return {
        id,
        self_link: COMPUTE + id,
        networks: found
          .filter((network) => network.startsWith(`${id}/`))
          .map((network) => network.slice(id.length + 1)),
      };
    },
  },
};
