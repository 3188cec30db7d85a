import { needApi, needObject, type Need } from "./cloud";
import { type DataSourceKind, type ResourceKind } from "./resource-kind";
import { textAt, valueAt, type ValueObject } from "./terraform-value";

/** A network of the project: one that Terraform made, or one that was there before. */
function needNetwork(id: string): Need {
  return {
    what: `google_compute_network ${id}`,
    isMet: (cloud) => needObject("google_compute_network", id).isMet(cloud) || cloud.othersNetworks.has(id),
  };
}

/** `projects/<project>/<place>/<name>`, as the provider identifies things of this service. */
function identity(values: ValueObject, place: string): string {
  return `projects/${textAt(values, "project")}/${place}/${textAt(values, "name")}`;
}

/** Networks, firewall rules and hosts. */
export const GOOGLE_COMPUTE_KINDS: Readonly<Record<string, ResourceKind>> = {
  google_compute_firewall: {
    replacedBy: ["name", "direction", "params", "project"],
    source: "compute/resource_compute_firewall.go",
    problems: (config) =>
      valueAt(config, "source_ranges.0") === null ? ["without a source a rule lets everybody through"] : [],
    id: (values) => identity(values, "global/firewalls"),
    computed: (_values, { id }) => ({ self_link: `https://www.googleapis.com/compute/v1/${id}` }),
    needs: (values) => [...needApi("compute"), needNetwork(textAt(values, "network"))],
  },

  google_compute_instance: {
    replacedBy: [
      ...["name", "project", "zone", "hostname", "params"],
      ...["boot_disk.0.mode", "boot_disk.0.initialize_params.0.image", "boot_disk.0.initialize_params.0.type"],
    ],
    source: "compute/resource_compute_instance.go",
    id: (values) => identity(values, `zones/${textAt(values, "zone")}/instances`),
    computed: (_values, { id }) => ({
      self_link: `https://www.googleapis.com/compute/v1/${id}`,
      current_status: "RUNNING",
    }),
    needs: (values) => [...needApi("compute"), needNetwork(textAt(values, "network_interface.0.network"))],
  },

  google_compute_network: {
    replacedBy: ["name", "auto_create_subnetworks", "description", "internal_ipv6_range", "network_profile", "project"],
    source: "compute/resource_compute_network.go",
    id: (values) => identity(values, "global/networks"),
    computed: (_values, { id }) => ({ self_link: `https://www.googleapis.com/compute/v1/${id}` }),
    needs: () => needApi("compute"),
  },
};

/** What a look at the networks of a project finds, others' networks included. */
export const GOOGLE_COMPUTE_DATA_SOURCES: Readonly<Record<string, DataSourceKind>> = {
  google_compute_networks: {
    read: (config, cloud, settings) => {
      const id = `projects/${textAt(config, "project") || settings.project}/global/networks`;
      const found = [...cloud.othersNetworks, ...cloud.ofType("google_compute_network").map((network) => network.id)];
      return {
        id,
        self_link: `https://www.googleapis.com/compute/v1/${id}`,
        networks: found
          .filter((network) => network.startsWith(`${id}/`))
          .map((network) => network.slice(id.length + 1)),
      };
    },
  },
};
