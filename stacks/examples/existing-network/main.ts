import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { App, TerraformOutput } from "cdktf";
import { PortableStack } from "cdktf-idp-stacks";
import { KubernetesIdentityProvider } from "cdktf-idp-stacks/kubernetes";

const app = new App();
const stack = new PortableStack(app, "sign-in-on-kubernetes", { providers: ["google", "kubernetes", "random"] });
new GoogleProvider(stack, "google", { project: "my-project", region: "europe-west1" });

const identityProvider = new KubernetesIdentityProvider(stack, "IdentityProvider", {
  projectId: "my-project",
  region: "europe-west1",
  tenantId: "acme",
  // For a new deployment. If left out, an older release with known vulnerabilities runs.
  applicationVersion: "2026.8.7",
  databaseVersion: 17,
  domain: "sign-in.example.com",
  // The network of another project, with private services access and NAT. Without it, a network is created.
  network: {
    network: "projects/shared-network/global/networks/vpc",
    subnetwork: "projects/shared-network/regions/europe-west1/subnetworks/sign-in",
  },
  // Must include the machine that runs Terraform.
  authorizedNetworks: { office: "203.0.113.0/24" },
  // For a trial, as in the first example.
  deletionProtection: false,
});
new TerraformOutput(stack, "dns_records", { value: identityProvider.domainSetup?.records.list });
app.synth();
