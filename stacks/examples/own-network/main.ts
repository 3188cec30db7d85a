import { ComputeGlobalAddress } from "@cdktf/provider-google/lib/compute-global-address";
import { ComputeNetwork } from "@cdktf/provider-google/lib/compute-network";
import { ComputeRouter } from "@cdktf/provider-google/lib/compute-router";
import { ComputeRouterNat } from "@cdktf/provider-google/lib/compute-router-nat";
import { ComputeSubnetwork } from "@cdktf/provider-google/lib/compute-subnetwork";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { ServiceNetworkingConnection } from "@cdktf/provider-google/lib/service-networking-connection";
import { App, TerraformOutput } from "cdktf";
import { PortableStack } from "cdktf-idp-stacks";
import { KubernetesIdentityProvider } from "cdktf-idp-stacks/kubernetes";

const region = "europe-west1";

const app = new App();
const stack = new PortableStack(app, "sign-in-with-network", { providers: ["google", "kubernetes", "random"] });
new GoogleProvider(stack, "google", { project: "my-project", region });

const { id: network } = new ComputeNetwork(stack, "Vpc", { name: "sign-in", autoCreateSubnetworks: false });
const subnetwork = new ComputeSubnetwork(stack, "Nodes", {
  name: "sign-in-nodes",
  network,
  region,
  ipCidrRange: "10.0.0.0/22",
  privateIpGoogleAccess: true,
});

// Private services access: the database gets its address from this range.
const range = new ComputeGlobalAddress(stack, "ServicesRange", {
  name: "sign-in-services",
  network,
  addressType: "INTERNAL",
  purpose: "VPC_PEERING",
  prefixLength: 20,
});
const servicesAccess = new ServiceNetworkingConnection(stack, "ServicesAccess", {
  network,
  service: "servicenetworking.googleapis.com",
  reservedPeeringRanges: [range.name],
  // Google keeps its side for days after the database is deleted. If a destroy then finds the network in use, delete it
  // with gcloud compute networks peerings delete servicenetworking-googleapis-com --network=sign-in, and destroy again.
  deletionPolicy: "ABANDON",
});

// Nodes have no public addresses, and some images come from elsewhere.
const router = new ComputeRouter(stack, "Router", { name: "sign-in", network, region });
const nat = new ComputeRouterNat(stack, "Nat", {
  name: "sign-in",
  router: router.name,
  region,
  natIpAllocateOption: "AUTO_ONLY",
  sourceSubnetworkIpRangesToNat: "ALL_SUBNETWORKS_ALL_IP_RANGES",
  // NAT translates the ranges of the subnetwork, so it must be deleted before them.
  dependsOn: [subnetwork],
});

const identityProvider = new KubernetesIdentityProvider(stack, "IdentityProvider", {
  projectId: "my-project",
  region,
  tenantId: "acme",
  // For a new deployment. If left out, an older release with known vulnerabilities runs.
  applicationVersion: "2026.8.7",
  databaseVersion: 17,
  // Database, cluster and pods are created after these, and deleted before them.
  network: { network, subnetwork: subnetwork.id, dependsOn: [servicesAccess, nat] },
  // For a trial, as in the first example.
  deletionProtection: false,
});
new TerraformOutput(stack, "address", { value: identityProvider.url });
app.synth();
