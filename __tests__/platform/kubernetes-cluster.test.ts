import { AutopilotCluster, type AutopilotClusterProps } from "../../lib/platform/kubernetes/autopilot-cluster";
import { ClusterNetwork, type ClusterNetworkProps } from "../../lib/platform/kubernetes/cluster-network";
import { NETWORK_RANGES } from "../../lib/platform/kubernetes/contract";
import { ServiceIdentity } from "../../lib/platform/service-identity";
import { InputVariable } from "../../lib/core/input-variable";
import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider";
import { valueAt } from "../stacks/configuration-graph";
import { bareStack, resourceOf, terraformOf, type BareStack } from "../support/synthesis";
import { PLACE } from "./serverless-parts";

const EXISTING = {
  network: "projects/shared/global/networks/main",
  subnetwork: "projects/shared/regions/us-central1/subnetworks/nodes",
};

const input = (stack: BareStack, name: string, type = "string") =>
  new InputVariable(stack, name, { type, default: null, description: "An input." });

const clusterIn = (
  props: (stack: BareStack) => Partial<AutopilotClusterProps> = () => ({}),
  network: (stack: BareStack) => Partial<ClusterNetworkProps> = () => ({}),
) => {
  const stack = bareStack();
  const cluster = new AutopilotCluster(stack, "Cluster", {
    ...PLACE,
    network: new ClusterNetwork(stack, "Network", { ...PLACE, ...network(stack) }),
    ...props(stack),
  });
  const of = (type: string, name: string) => resourceOf(terraformOf(stack), type, name);
  return { stack, cluster, of, resource: () => of("google_container_cluster", "cluster") };
};

/** First and last address of an IPv4 range, as numbers. */
const bounds = (range: string): [number, number] => {
  const [address = "", bits = ""] = range.split("/");
  const first = address.split(".").reduce((number, part) => number * 256 + Number(part), 0);
  return [first, first + 2 ** (32 - Number(bits)) - 1];
};

describe("ClusterNetwork", () => {
  it("has one subnetwork with ranges for pods and services, and a way out", () => {
    const { of } = clusterIn();
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
    expect(of("google_compute_router_nat", "network_way_out")).toMatchObject({
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

  it("makes nothing in an existing network that is written down", () => {
    const { of, resource } = clusterIn(undefined, () => ({ existing: EXISTING }));
    for (const [type, name] of [
      ["google_compute_network", "network"],
      ["google_compute_subnetwork", "network_nodes"],
      ["google_compute_router", "network_router"],
      ["google_compute_router_nat", "network_way_out"],
    ] as const)
      expect(of(type, name).count).toBe("${(false) ? 1 : 0}");
    expect(resource()).toMatchObject(EXISTING);
    expect(resource()).not.toHaveProperty("ip_allocation_policy");
  });

  it("decides at plan when the network is an input", () => {
    const { of, resource } = clusterIn(undefined, (stack) => ({
      existing: {
        network: input(stack, "network").stringValue,
        subnetwork: input(stack, "subnetwork").stringValue,
      },
    }));
    expect(of("google_compute_network", "network").count).toBe("${(var.network == null) ? 1 : 0}");
    expect(resource()).toMatchObject({
      network: "${(var.network != null ? var.network : one(google_compute_network.network[*].id))}",
      subnetwork: "${(var.subnetwork != null ? var.subnetwork : one(google_compute_subnetwork.network_nodes[*].id))}",
      dynamic: {
        ip_allocation_policy: {
          for_each:
            '${(var.network != null ? (startswith(var.network, join("", ["projects/", "demo-project", "/"])) ? [] : ["named"]) : ["named"])}',
          content: { cluster_secondary_range_name: "pods", services_secondary_range_name: "services" },
        },
      },
    });
  });

  it("leaves the ranges to the platform in its own project, and expects them in a shared network", () => {
    const rangesIn = (network: string) => {
      const existing = { network, subnetwork: EXISTING.subnetwork };
      return valueAt(clusterIn(undefined, () => ({ existing })).resource(), "dynamic.ip_allocation_policy.for_each");
    };
    const text = (network: string) =>
      `\${(startswith("${network}", join("", ["projects/", "demo-project", "/"])) ? [] : ["named"])}`;
    for (const network of [EXISTING.network, "projects/demo-project/global/networks/main"])
      expect(rangesIn(network)).toBe(text(network));
  });

  it("refuses names that the platform refuses", () => {
    const deployment = { tenantPrefix: "demo-abc123", applicationName: `A${"a".repeat(44)}` };
    expect(() => new ClusterNetwork(bareStack(), "Network", { ...PLACE, deployment })).toThrow(
      new Error(
        [
          "test/Network: 2 problems",
          `  - network name A${"a".repeat(44)}-demo-abc123-network is 65 characters, the limit is 63, because the platform takes no longer one; shorten the application name or the tenant id by 2`,
          `  - network name A${"a".repeat(44)}-demo-abc123-network must be lower-case letters, digits and hyphens that start with a letter, because the platform refuses other names; change the application name or the tenant id`,
        ].join("\n"),
      ),
    );
  });
});

describe("AutopilotCluster", () => {
  it("is regional, on the regular channel, with private nodes and a control plane that is reached by its address", () => {
    expect(clusterIn().resource()).toMatchObject({
      project: "demo-project",
      name: "gke-idp-3622fdb935e4",
      location: "us-central1",
      enable_autopilot: true,
      release_channel: { channel: "REGULAR" },
      private_cluster_config: { enable_private_nodes: true, enable_private_endpoint: false },
      ip_allocation_policy: { cluster_secondary_range_name: "pods", services_secondary_range_name: "services" },
      deletion_protection: true,
    });
  });

  it("runs its nodes under an account of their own that may do what nodes must, before it is made", () => {
    const { of, resource } = clusterIn();
    expect(resource()).toMatchObject({
      cluster_autoscaling: {
        auto_provisioning_defaults: { service_account: "${google_service_account.cluster_nodes.email}" },
      },
      depends_on: ["google_project_iam_member.cluster_nodes_runs_nodes"],
    });
    expect(of("google_project_iam_member", "cluster_nodes_runs_nodes").role).toBe(
      "roles/container.defaultNodeServiceAccount",
    );
  });

  it("is reached from everywhere unless ranges are given, and always says so", () => {
    const rangesOf = (authorizedNetworks?: Record<string, string>) =>
      clusterIn(() => ({ authorizedNetworks })).resource().master_authorized_networks_config;
    const blocks = (ranges: Record<string, string>) => ({
      gcp_public_cidrs_access_enabled: false,
      dynamic: {
        cidr_blocks: {
          for_each: ranges,
          content: { display_name: "${cidr_blocks.key}", cidr_block: "${cidr_blocks.value}" },
        },
      },
    });
    expect(rangesOf()).toEqual(blocks({ everywhere: "0.0.0.0/0" }));
    expect(rangesOf({})).toEqual(blocks({ everywhere: "0.0.0.0/0" }));
    expect(rangesOf({ office: "203.0.113.0/24" })).toEqual(blocks({ office: "203.0.113.0/24" }));
  });

  it("lets nobody past the ranges for being a machine of the platform, whoever's it is", () => {
    const { resource } = clusterIn((stack) => ({
      authorizedNetworks: input(stack, "ranges", "map(string)").value as never,
    }));
    expect(resource()).toHaveProperty("master_authorized_networks_config.gcp_public_cidrs_access_enabled", false);
  });

  it("decides at plan when the ranges are an input", () => {
    const { resource } = clusterIn((stack) => ({
      authorizedNetworks: input(stack, "ranges", "map(string)").value as never,
    }));
    expect(resource()).toHaveProperty(
      "master_authorized_networks_config.dynamic.cidr_blocks.for_each",
      '${(length(var.ranges) == 0 ? tomap({"everywhere":"0.0.0.0/0"}) : var.ranges)}',
    );
  });

  it("gives the provider its address, its certificate and a token that is fetched anew each time", () => {
    const { cluster, stack } = clusterIn();
    new KubernetesProvider(stack, "kubernetes", cluster.connection);
    const { ephemeral, provider } = terraformOf(stack);
    expect(provider?.kubernetes).toEqual([
      {
        host: "https://${google_container_cluster.cluster.endpoint}",
        cluster_ca_certificate:
          "${base64decode(google_container_cluster.cluster.master_auth[0].cluster_ca_certificate)}",
        token: "${ephemeral.google_client_config.cluster_caller.access_token}",
        ignore_annotations: ["^autopilot\\.gke\\.io\\/.*", "^cloud\\.google\\.com\\/.*"],
      },
    ]);
    expect(ephemeral?.google_client_config).toEqual({ cluster_caller: {} });
  });

  it("lets the pods of one account act as one service account, as soon as there is a pool of identities", () => {
    const { cluster, of, stack } = clusterIn();
    const identity = new ServiceIdentity(stack, "Runtime", { ...PLACE, purpose: "run", description: "Runs." });
    cluster.letActAs("Runtime", identity, "apps", "idp");
    expect(of("google_service_account_iam_member", "cluster_runtime")).toEqual({
      service_account_id: "${google_service_account.runtime.name}",
      role: "roles/iam.workloadIdentityUser",
      member: "serviceAccount:demo-project.svc.id.goog[apps/idp]",
      depends_on: ["google_container_cluster.cluster"],
    });
  });

  it("tells how to work with it", () => {
    const { cluster, stack } = clusterIn();
    stack.expose({ command: { value: cluster.connectCommand, description: "Command." } });
    expect(terraformOf(stack).output?.command?.value).toBe(
      "gcloud container clusters get-credentials ${google_container_cluster.cluster.name} --location=us-central1 --project=demo-project",
    );
  });
});
