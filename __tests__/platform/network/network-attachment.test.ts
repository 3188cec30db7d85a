import { ComputeNetwork } from "@cdktf/provider-google/lib/compute-network";
import { ComputeRouter } from "@cdktf/provider-google/lib/compute-router";
import { ComputeRouterNat } from "@cdktf/provider-google/lib/compute-router-nat";
import { ComputeSubnetwork } from "@cdktf/provider-google/lib/compute-subnetwork";
import { DataGoogleComputeSubnetwork } from "@cdktf/provider-google/lib/data-google-compute-subnetwork";
import { ServiceNetworkingConnection } from "@cdktf/provider-google/lib/service-networking-connection";
import { type TerraformStack } from "cdktf";

import { type ServerlessIdentityProviderProps } from "../../../lib";
import { KubernetesIdentityProvider } from "../../../lib/kubernetes-identity-provider";
import { type ExistingNetwork } from "../../../lib/platform/network/network-attachment";
import { ServerlessIdentityProvider } from "../../../lib/serverless-identity-provider";
import { ConfigurationGraph } from "../../stacks/configuration-graph";
import { bareStack, terraformOf, warningsOf } from "../../support/synthesis";

const REGION = "us-central1";

/** A network of the stack itself. */
const networkOf = (stack: TerraformStack): Required<ExistingNetwork> => {
  const { id: network } = new ComputeNetwork(stack, "vpc", { name: "vpc" });
  const subnetwork = new ComputeSubnetwork(stack, "subnetwork", {
    name: "services",
    network,
    region: REGION,
    ipCidrRange: "10.0.0.0/24",
  });
  const servicesAccess = new ServiceNetworkingConnection(stack, "services_access", {
    network,
    service: "servicenetworking.googleapis.com",
    reservedPeeringRanges: ["services"],
  });
  const router = new ComputeRouter(stack, "router", { name: "router", network, region: REGION });
  const nat = new ComputeRouterNat(stack, "nat", {
    name: "nat",
    router: router.name,
    region: REGION,
    sourceSubnetworkIpRangesToNat: "ALL_SUBNETWORKS_ALL_IP_RANGES",
  });
  return {
    network,
    subnetwork: subnetwork.id,
    dependsOn: [servicesAccess, nat],
  };
};

/** What the network consists of, by address. */
const CONSISTS_OF = ["google_compute_router_nat.nat", "google_service_networking_connection.services_access"];
const NETWORK = ["google_compute_network.vpc", "google_compute_subnetwork.subnetwork"];

/** Every part that there can be. */
const PROPS: Omit<ServerlessIdentityProviderProps, "network"> = {
  projectId: "demo-project",
  region: REGION,
  tenantId: "acme",
  dumps: { schedule: "0 3 * * *" },
  domain: "sign-in.example.com",
  smtp: { host: "smtp.example.com", from: "sign-in@example.com" },
  workerMode: "separate",
};

const VARIANTS = [{ Variant: ServerlessIdentityProvider }, { Variant: KubernetesIdentityProvider }];

const graphOf = (
  Variant: (typeof VARIANTS)[number]["Variant"],
  network: (stack: TerraformStack) => ExistingNetwork,
) => {
  const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
  new Variant(stack, "Idp", { ...PROPS, network: network(stack) });
  return new ConfigurationGraph(terraformOf(stack));
};

describe.each(VARIANTS)("A network of the same stack, of $Variant.name,", ({ Variant }) => {
  const graph = graphOf(Variant, networkOf);
  const ofNetwork = (element: string) => /\.(vpc|subnetwork|router|nat|services_access)$/.test(element);

  it("is complete before anything is created in it, and until everything in it is deleted", () => {
    const users = graph.elements.filter(
      (element) =>
        !ofNetwork(element) &&
        !element.startsWith("local.") &&
        graph.namedBy(element).some((named) => NETWORK.includes(named)),
    );
    expect(users.length).toBeGreaterThan(1);
    const pods = graph.elements.filter((element) => element.startsWith("kubernetes_"));
    // Each says so itself, so that the parts also do without the others.
    for (const user of users) expect([user, graph.namedBy(user)]).toEqual([user, expect.arrayContaining(CONSISTS_OF)]);
    for (const pod of pods) expect([pod, graph.startsAfter(pod)]).toEqual([pod, expect.arrayContaining(CONSISTS_OF)]);
  });
});

describe("A network that a synthesis looks at", () => {
  const warned = (change: (given: Required<ExistingNetwork>, stack: TerraformStack) => ExistingNetwork) => {
    const stack = bareStack();
    const given = networkOf(stack);
    new ServerlessIdentityProvider(stack, "Idp", {
      ...PROPS,
      applicationVersion: "2026.8.6",
      network: change(given, stack),
    });
    return warningsOf(stack);
  };
  const subnetworkIn = (stack: TerraformStack, region: string) =>
    new DataGoogleComputeSubnetwork(stack, "existing", { name: "services", region }).id;

  it("is warned of if it is one of the same stack without the rest of it", () => {
    expect(warned(({ network, subnetwork }) => ({ network, subnetwork }))).toEqual([
      "network.network is test/vpc of the same stack, and network.dependsOn is missing; without it, the database and the instances may start before private services access and NAT, and a destroy may delete these first; list them, or set [] if there are none",
    ]);
  });

  it("is warned of if its subnetwork, made or looked up in the same stack, is in another region", () => {
    expect(warned((given, stack) => ({ ...given, subnetwork: subnetworkIn(stack, "europe-west1") }))).toEqual([
      'network.subnetwork is test/existing in region "europe-west1", but region is "us-central1"; addresses are taken from the same region only, so the apply would fail; use a subnetwork there',
    ]);
    expect(warned((given, stack) => ({ ...given, subnetwork: subnetworkIn(stack, REGION) }))).toEqual([]);
    expect(warned((given) => given)).toEqual([]);
  });
});
