import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider";
import { TerraformLocal } from "cdktf";

import { InputVariable } from "../../../lib/core/input-variable";
import { ExistingIdentity } from "../../../lib/platform/identity/existing-identity";
import { AutopilotCluster, type AutopilotClusterProps } from "../../../lib/platform/kubernetes/autopilot-cluster";
import { type Network } from "../../../lib/platform/parts";
import { valueAt } from "../../stacks/configuration-graph";
import { PLACE, standInIdentity } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf, type BareStack } from "../../support/synthesis";

const NETWORK: Network = { network: "network", subnetwork: "subnetwork", hasNamedRanges: "true", ready: [] };

const clusterIn = (props: (stack: BareStack) => Partial<AutopilotClusterProps> = () => ({})) => {
  const stack = bareStack();
  const cluster = new AutopilotCluster(stack, "Cluster", { place: PLACE, network: NETWORK, ...props(stack) });
  const of = (type: string, name: string) => resourceOf(terraformOf(stack), type, name);
  return { stack, cluster, of, resource: () => of("google_container_cluster", "cluster") };
};

const rangesInput = (stack: BareStack) =>
  new InputVariable(stack, "ranges", { type: "map(string)", default: null, description: "Ranges." }).value as never;

describe("AutopilotCluster", () => {
  it("is regional, on the regular channel, with private nodes and a control plane that is reached by its address", () => {
    expect(clusterIn().resource()).toMatchObject({
      project: "demo-project",
      name: "gke-idp-3622fdb935e4",
      location: "us-central1",
      enable_autopilot: true,
      release_channel: { channel: "REGULAR" },
      private_cluster_config: { enable_private_nodes: true, enable_private_endpoint: false },
      network: "network",
      subnetwork: "subnetwork",
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

  it("is reachable from everywhere unless ranges are given, and always says so", () => {
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

  it("does not let Google Cloud addresses bypass the ranges", () => {
    const { resource } = clusterIn((stack) => ({
      authorizedNetworks: rangesInput(stack),
    }));
    expect(resource()).toHaveProperty("master_authorized_networks_config.gcp_public_cidrs_access_enabled", false);
  });

  it("decides at plan when the ranges are an input", () => {
    const { resource } = clusterIn((stack) => ({
      authorizedNetworks: rangesInput(stack),
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
    const { cluster, of } = clusterIn();
    const identity = standInIdentity("Runtime");
    cluster.grantActAs(identity, "apps", "idp");
    expect(of("google_service_account_iam_member", "cluster_runtime")).toEqual({
      service_account_id: `projects/demo-project/serviceAccounts/${identity.email}`,
      role: "roles/iam.workloadIdentityUser",
      member: "serviceAccount:demo-project.svc.id.goog[apps/idp]",
      depends_on: ["google_container_cluster.cluster"],
    });
  });

  it("lets several accounts of pods act as one service account, and none as one that is managed elsewhere", () => {
    const { cluster, stack } = clusterIn();
    const runtime = standInIdentity("Runtime");
    for (const [namespace, account] of [
      ["apps", "idp"],
      ["apps", "idp-worker"],
    ] as const)
      cluster.grantActAs(runtime, namespace, account);
    const existing = new ExistingIdentity("runner@demo-project.iam.gserviceaccount.com");
    expect(cluster.grantActAs(existing, "apps", "idp")).toEqual([]);
    const members = Object.values(terraformOf(stack).resource?.google_service_account_iam_member ?? {});
    expect(members.map(({ member }) => member)).toEqual([
      "serviceAccount:demo-project.svc.id.goog[apps/idp]",
      "serviceAccount:demo-project.svc.id.goog[apps/idp-worker]",
    ]);
  });

  it.each([
    ["true", '${["named"]}'],
    ["var.shared", '${(var.shared ? ["named"] : [])}'],
  ])("takes the named ranges of a network that has them: %s", (hasNamedRanges, forEach) => {
    const { resource } = clusterIn(() => ({ network: { ...NETWORK, hasNamedRanges } }));
    expect(valueAt(resource(), "dynamic.ip_allocation_policy")).toEqual({
      for_each: forEach,
      content: { cluster_secondary_range_name: "pods", services_secondary_range_name: "services" },
    });
  });

  it("is ready for pods once it exists and its network has NAT", () => {
    const { cluster } = clusterIn((stack) => ({
      network: { ...NETWORK, ready: [new TerraformLocal(stack, "Nat", "there")] },
    }));
    expect(cluster.ready).toHaveLength(2);
    expect(cluster.ready[0]).toBe(cluster.cluster);
  });

  it("returns the command that sets up kubectl", () => {
    const { cluster, stack } = clusterIn();
    stack.addOutputs({ command: { value: cluster.connectCommand, description: "Command." } });
    expect(terraformOf(stack).output?.command?.value).toBe(
      "gcloud container clusters get-credentials ${google_container_cluster.cluster.name} --location=us-central1 --project=demo-project",
    );
  });
});
