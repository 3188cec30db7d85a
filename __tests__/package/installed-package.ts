import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export const REPOSITORY = join(__dirname, "../..");

/** What users of the package install beside it, by the folder of `node_modules` here that each is linked to. */
export const PEERS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "cdktf",
    "constructs",
    "@cdktf/provider-aws",
    "@cdktf/provider-google",
    "@cdktf/provider-kubernetes",
    "@cdktf/provider-random",
    "@cdktf/provider-tls",
    "@types/node",
  ].map((name) => [name, name]),
);

/** Packs the library and installs it in an empty project. Peers are linked from here, so that no registry is asked. */
export function installPackage(project: string, peers: Readonly<Record<string, string>>): void {
  const npm = (args: readonly string[], cwd: string) =>
    execFileSync("npm", [...args, "--offline", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd,
      encoding: "utf8",
      stdio: "pipe",
    });
  const [packed] = JSON.parse(npm(["pack", "--json", "--pack-destination", project], REPOSITORY)) as [
    { filename: string },
  ];
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", private: true }));
  npm(["install", "--legacy-peer-deps", "--ignore-scripts", `./${packed.filename}`], project);
  linkPackages(project, peers);
}

/** Puts links to packages that are installed here, by their names in the project. */
export function linkPackages(project: string, packages: Readonly<Record<string, string>>): void {
  for (const [name, folder] of Object.entries(packages)) {
    const link = join(project, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(resolve(REPOSITORY, "node_modules", folder), link);
  }
}

/** Each variant in as few words as there are, and with a network of the same stack. */
export const VARIANTS = [
  ["ServerlessIdentityProvider", "cdktf-idp-stacks", "google_cloud_run_v2_service.identityprovider_service"],
  ["KubernetesIdentityProvider", "cdktf-idp-stacks/kubernetes", "kubernetes_deployment_v1.identityprovider_workload"],
] as const;

export const variantProgram = (variant: string, subpath: string): string => `
import { ComputeGlobalAddress } from "@cdktf/provider-google/lib/compute-global-address";
import { ComputeNetwork } from "@cdktf/provider-google/lib/compute-network";
import { ComputeRouter } from "@cdktf/provider-google/lib/compute-router";
import { ComputeRouterNat } from "@cdktf/provider-google/lib/compute-router-nat";
import { ComputeSubnetwork } from "@cdktf/provider-google/lib/compute-subnetwork";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { ServiceNetworkingConnection } from "@cdktf/provider-google/lib/service-networking-connection";
import { App, TerraformStack } from "cdktf";
import { ${variant} } from "${subpath}";

const app = new App();
const region = "europe-west1";
const given = { projectId: "demo-project", tenantId: "acme", deletionProtection: false };

const stack = new TerraformStack(app, "alone");
new GoogleProvider(stack, "google", { project: given.projectId });
new ${variant}(stack, "IdentityProvider", given);

const withNetwork = new TerraformStack(app, "with-network");
new GoogleProvider(withNetwork, "google", { project: given.projectId });
const vpc = new ComputeNetwork(withNetwork, "Vpc", { name: "vpc", autoCreateSubnetworks: false });
const subnetwork = new ComputeSubnetwork(withNetwork, "Subnetwork", {
  name: "services",
  network: vpc.id,
  region,
  ipCidrRange: "10.0.0.0/24",
});
const range = new ComputeGlobalAddress(withNetwork, "Range", {
  name: "services",
  network: vpc.id,
  addressType: "INTERNAL",
  purpose: "VPC_PEERING",
  prefixLength: 20,
});
const servicesAccess = new ServiceNetworkingConnection(withNetwork, "ServicesAccess", {
  network: vpc.id,
  service: "servicenetworking.googleapis.com",
  reservedPeeringRanges: [range.name],
});
const router = new ComputeRouter(withNetwork, "Router", { name: "router", network: vpc.id, region });
const nat = new ComputeRouterNat(withNetwork, "Nat", {
  name: "nat",
  router: router.name,
  region,
  natIpAllocateOption: "AUTO_ONLY",
  sourceSubnetworkIpRangesToNat: "ALL_SUBNETWORKS_ALL_IP_RANGES",
});
const identityProvider = new ${variant}(withNetwork, "IdentityProvider", {
  ...given,
  tenantId: "other",
  region,
  network: { network: vpc.id, subnetwork: subnetwork.id, dependsOn: [servicesAccess, nat] },
});
identityProvider.database.instance.addOverride("settings.user_labels.cost", "shared");
app.synth();
`;
