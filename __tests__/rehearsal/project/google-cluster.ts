import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

import { type Cloud, type CloudObject, type Need, Refusal } from "./cloud";
import { needApi } from "./needs";
import { type ResourceType } from "./resource-type";
import { textAt, valueAt, type ValueObject, valuesAt } from "./terraform-value";

/** Path of the service account of the nodes that Autopilot creates. */
const NODE_ACCOUNT = "cluster_autoscaling.0.auto_provisioning_defaults.0.service_account";

/** Type of clusters that are managed elsewhere. */
const OTHERS = "cluster";

/** The clusters that run pods: those of the configuration, usually one, or without any that of others. */
export function clustersOf(cloud: Cloud): CloudObject[] {
  const own = cloud.ofType("google_container_cluster");
  return own.length > 0 ? own : cloud.ofType(OTHERS);
}

/** Adds a standard cluster that the configuration does not create; returns what is asked of it. */
export function addOthersCluster(cloud: Cloud, project: string, nodeAccount: string) {
  const id = `projects/${project}/locations/us-central1-a/clusters/shared`;
  const endpoint = endpointOf(id);
  const accounts = { auto_provisioning_defaults: [{ service_account: nodeAccount }] };
  const values = { project, endpoint, cluster_autoscaling: [accounts] };
  cloud.objects.set(`${OTHERS} ${id}`, { type: OTHERS, id, values, writeOnly: {}, needs: [] });
  cloud.others.add(`google_service_account projects/-/serviceAccounts/${nodeAccount}`);
  cloud.identityPools.set(project, `${OTHERS} ${id}`);
  return { endpoint, ca_certificate: AUTHORITY.toString("base64") };
}

/** Service account of a cluster's nodes, which pulls images; empty for the project's default one. */
export function nodeAccountOf({ values }: CloudObject): string {
  return textAt(values, NODE_ACCOUNT);
}

/** The need for a cluster. */
export function needCluster(): Need {
  return { what: "a cluster", isMet: (cloud) => clustersOf(cloud).length > 0 };
}

/** Objects of the cluster that have a load balancer. */
function loadBalancers(cloud: Cloud): CloudObject[] {
  const services = cloud.ofType("kubernetes_service_v1");
  const exposed = services.filter(({ values }) => textAt(values, "spec.0.type") === "LoadBalancer");
  return [...exposed, ...cloud.ofType("kubernetes_ingress_v1")];
}

/** Placeholder for a PEM certificate; there are no TLS connections to the stand-in. */
const AUTHORITY = Buffer.from("-----BEGIN CERTIFICATE-----\nMCowBQYDK2VwAyEA\n-----END CERTIFICATE-----\n");

/** Address of a control plane, different for every cluster. */
function endpointOf(id: string): string {
  const [third = 0, fourth = 0] = createHash("sha256").update(id).digest();
  return `34.121.${third}.${fourth}`;
}

/** Address of a control plane in the network, and its name. */
const privateEndpointOf = (id: string) => endpointOf(id).replace("34.121.", "172.16.");
const nameOf = (id: string) => `gke-${endpointOf(id).replaceAll(".", "")}-1234567890.us-central1.gke.goog`;

const isPrivate = (values: ValueObject) => valueAt(values, "private_cluster_config.0.enable_private_endpoint") === true;

/** Where requests reach a cluster, with the certificate that each place has; a name has a public one. */
function endpointsOf({ id, values }: CloudObject): ReadonlyMap<string, string> {
  const config = "control_plane_endpoints_config.0";
  const isOpen = (path: string) => valueAt(values, `${config}.${path}`);
  const addresses = isPrivate(values) ? [privateEndpointOf(id)] : [textAt(values, "endpoint"), privateEndpointOf(id)];
  return new Map([
    ...(isOpen("ip_endpoints_config.0.enabled") === false
      ? []
      : addresses.map((address) => [address, AUTHORITY.toString()] as const)),
    ...(isOpen("dns_endpoint_config.0.allow_external_traffic") === true ? [[nameOf(id), ""] as const] : []),
  ]);
}

/** An Autopilot cluster. */
export const CLUSTER: ResourceType = {
  api: "container",
  id: "projects/{{project}}/locations/{{location}}/clusters/{{name}}",
  replacedBy: [
    "enable_autopilot",
    "network",
    "subnetwork",
    "ip_allocation_policy",
    "cluster_autoscaling.0.auto_provisioning_defaults.0.boot_disk_kms_key",
  ],
  refs: {
    network: "google_compute_network",
    subnetwork: "google_compute_subnetwork",
    [NODE_ACCOUNT]: "google_service_account",
  },
  needs: () => needApi("compute"),
  protectedBy: { deletion_protection: true },
  computedBlocks: ["master_auth", "workload_identity_config"],
  conflicts: (values) =>
    isPrivate(values) && valueAt(values, "control_plane_endpoints_config.0.ip_endpoints_config.0.enabled") === true
      ? valuesAt(values, "master_authorized_networks_config.0.cidr_blocks.*.cidr_block")
          .filter((range): range is string => typeof range === "string" && !/^(10|172|192\.168)\./.test(range))
          .map(
            (range) =>
              `Error 400: Invalid master authorized networks: network "${range}" is not a reserved network, which is required for private endpoints.`,
          )
      : [],
  computed: (values, { id }) => ({
    endpoint: isPrivate(values) ? privateEndpointOf(id) : endpointOf(id),
    control_plane_endpoints_config: [{ dns_endpoint_config: [{ endpoint: nameOf(id) }] }],
    master_auth: [{ cluster_ca_certificate: AUTHORITY.toString("base64") }],
    workload_identity_config: [{ workload_pool: `${textAt(values, "project")}.svc.id.goog` }],
    operation: null,
  }),
  // The first cluster creates the project's identity pool, which outlives it.
  afterCreate: ({ type, id, values }, cloud) => cloud.identityPools.set(textAt(values, "project"), `${type} ${id}`),
  beforeDestroy: (_prior, _object, cloud) => {
    const [left] = loadBalancers(cloud);
    if (left !== undefined)
      throw new Refusal(`Error 400: the load balancer of ${left.type} ${left.id} would be left behind in the network`);
  },
};

/**
 * Refuses a request with an address, certificate or token other than the cluster's own, as a real cluster would.
 *
 * Without a known address the real provider connects to localhost, as in a plan that replaces the cluster.
 */
export function requireClusterAccess(provider: ValueObject, cloud: Cloud): void {
  const host = textAt(provider, "host");
  if (host === "") throw new Refusal('Get "http://localhost/api": dial tcp [::1]:80: connect: connection refused');
  const clusters = [...cloud.ofType("google_container_cluster"), ...cloud.ofType(OTHERS)];
  const endpoints = clusters.map(endpointsOf).find((each) => each.has(host.replace("https://", "")));
  if (endpoints === undefined) throw new Refusal(`Get "${host}/api": dial tcp: i/o timeout`);
  if (textAt(provider, "cluster_ca_certificate") !== endpoints.get(host.replace("https://", "")))
    throw new Refusal(`Get "${host}/api": tls: x509: certificate signed by unknown authority`);
  if (!cloud.accessTokens.has(textAt(provider, "token"))) throw new Refusal("Unauthorized");
}
