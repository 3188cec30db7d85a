import { type Cloud, type Need, needApi, needObject } from "./cloud";
import { computeId } from "./google-references";
import { type ResourceKind } from "./resource-kind";
import { membersOf, textAt, type Value, type ValueObject } from "./terraform-value";

/** What a self link begins with. */
export const COMPUTE = "https://www.googleapis.com/compute/v1/";

/** Addresses that the platform would choose: of blocks that are kept for documentation. */
const REGIONAL_ADDRESS = "203.0.113.20";
const GLOBAL_ADDRESS = "203.0.113.30";

/** One kind of resource of the Compute API, whose identity is its path. */
function compute(
  source: string,
  path: (values: ValueObject) => string,
  further: Partial<ResourceKind> & Pick<ResourceKind, "replacedBy">,
): ResourceKind {
  const id = (values: ValueObject): string =>
    `projects/${textAt(values, "project")}/${path(values)}/${textAt(values, "name")}`;
  return {
    source,
    id,
    ...further,
    computed: (values, context) => ({
      self_link: COMPUTE + context.id,
      region: values.region ?? null,
      ...further.computed?.(values, context),
    }),
    needs: (values, cloud) => [...needApi("compute"), ...(further.needs?.(values, cloud) ?? [])],
  };
}

const inRegion =
  (collection: string) =>
  (values: ValueObject): string =>
    `regions/${textAt(values, "region")}/${collection}`;

/** The need for a network of this project, which Terraform made or which was there before; those of others exist already. */
export function needNetwork(reference: string, project: string): Need[] {
  const id = computeId(reference, project, "global/networks");
  if (!id.startsWith(`projects/${project}/`)) return [];
  const own = needObject("google_compute_network", id);
  return [{ ...own, isMet: (cloud) => own.isMet(cloud) || cloud.othersNetworks.has(id) }];
}

/** The same for a subnetwork. */
export function needSubnetwork(reference: string, project: string, region: string): Need[] {
  const id = computeId(reference, project, `regions/${region}/subnetworks`);
  return id.startsWith(`projects/${project}/`) ? [needObject("google_compute_subnetwork", id)] : [];
}

/** Something of a network that is known by its name alone, within the project. */
function needNamed(type: string, name: string): Need {
  return {
    what: `${type} named ${name}`,
    isMet: (cloud: Cloud) =>
      cloud.ofType(type).some(({ values }) => textAt(values, "name") === name) ||
      (cloud.othersExist && !cloud.makes(type, (id) => id.endsWith(`/${name}`))),
  };
}

/** Names of the secondary ranges of a subnetwork. */
export function rangeNames(subnetwork: Value): string[] {
  return membersOf(textAt(subnetwork, "name") === "" ? null : (subnetwork as ValueObject).secondary_ip_range).map(
    (range) => textAt(range, "range_name"),
  );
}

/** Networks of the google provider and what is in them. */
export const GOOGLE_NETWORK_KINDS: Readonly<Record<string, ResourceKind>> = {
  google_compute_network: compute("compute/resource_compute_network.go", () => "global/networks", {
    replacedBy: [
      ...["project", "name", "auto_create_subnetworks", "description", "internal_ipv6_range", "network_profile"],
      "params",
    ],
    computed: () => ({ routing_mode: "REGIONAL", mtu: 0, gateway_ipv4: "", internal_ipv6_range: "" }),
  }),

  google_compute_subnetwork: compute("compute/resource_compute_subnetwork.go", inRegion("subnetworks"), {
    replacedBy: ["project", "name", "region", "network", "description", "purpose"],
    computed: () => ({ gateway_address: "10.0.0.1", purpose: "PRIVATE", stack_type: "IPV4_ONLY" }),
    needs: (values) => needNetwork(textAt(values, "network"), textAt(values, "project")),
  }),

  google_compute_router: compute("compute/resource_compute_router.go", inRegion("routers"), {
    replacedBy: ["project", "name", "region", "network"],
    needs: (values) => needNetwork(textAt(values, "network"), textAt(values, "project")),
  }),

  google_compute_router_nat: {
    ...compute("compute/resource_compute_router_nat.go", inRegion("routers"), {
      replacedBy: ["project", "name", "region", "router", "endpoint_types"],
      needs: (values) => [needNamed("google_compute_router", textAt(values, "router"))],
    }),
    id: (values) => ["project", "region", "router", "name"].map((attribute) => textAt(values, attribute)).join("/"),
  },

  google_compute_address: compute("compute/resource_compute_address.go", inRegion("addresses"), {
    replacedBy: ["project", "name", "region", "address", "address_type", "network_tier", "purpose", "subnetwork"],
    computed: () => ({ address: REGIONAL_ADDRESS, network_tier: "PREMIUM", users: [] }),
  }),

  google_compute_global_address: compute("compute/resource_compute_global_address.go", () => "global/addresses", {
    replacedBy: ["project", "name", "address", "address_type", "ip_version", "network", "purpose"],
    computed: () => ({ address: GLOBAL_ADDRESS }),
  }),

  google_compute_managed_ssl_certificate: compute(
    "compute/resource_compute_managed_ssl_certificate.go",
    () => "global/sslCertificates",
    {
      replacedBy: ["project", "name", "type", "managed", "description"],
      computed: (values) => ({
        certificate_id: 1,
        subject_alternative_names: membersOf(
          ((values.managed as readonly Value[] | null)?.[0] as ValueObject | undefined)?.domains,
        ),
      }),
    },
  ),
};
