import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { ArtifactRegistryRepository } from "@cdktf/provider-google/lib/artifact-registry-repository";
import { ContainerCluster } from "@cdktf/provider-google/lib/container-cluster";
import { SecretManagerSecret } from "@cdktf/provider-google/lib/secret-manager-secret";
import { ServiceAccount } from "@cdktf/provider-google/lib/service-account";
import { SqlDatabaseInstance } from "@cdktf/provider-google/lib/sql-database-instance";
import { StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";

import { ImageRegistry, MediaBucket, PostgresqlDatabase, ServerlessIdentityProvider, ServiceIdentity } from "../../lib";
import { KubernetesIdentityProvider, type KubernetesIdentityProviderProps } from "../../lib/kubernetes";
import { readSettingsFile } from "../../stacks/settings-file";
import { CONTEXT } from "../support/stand-in-parts";
import { type BareStack, bareStack, type Terraform, terraformOf, terraformWith } from "../support/synthesis";
import { temporaryFolder } from "../support/temporary-folder";
import { blocksIn, pageOf } from "../tools/pages";
import { settledStack } from "./settled-folders";

/** Parts of the same stack, as references: a plan does not know their attributes before they are there. */
function partsOf(stack: BareStack) {
  const bucket = new StorageBucket(stack, "uploads", { name: "acme-uploads", location: "EU" });
  const repository = new ArtifactRegistryRepository(stack, "images", { repositoryId: "idp", format: "DOCKER" });
  const account = new ServiceAccount(stack, "service", { accountId: "acme-idp" });
  const secret = new SecretManagerSecret(stack, "key", { secretId: "former-key", replication: { auto: {} } });
  const instance = new SqlDatabaseInstance(stack, "postgres", {
    databaseVersion: "POSTGRES_15",
    settings: { tier: "db-custom-2-7680" },
  });
  return {
    existingBucket: { name: bucket.name },
    existingRepository: {
      imagePrefix: `${repository.location}-docker.pkg.dev/my-project/${repository.name}`,
      location: repository.location,
    },
    existingServiceAccounts: { service: account.email },
    existingSecrets: { secretKey: { secretId: secret.id, version: "1" } },
    existingDatabase: {
      connectionName: instance.connectionName,
      database: "idp",
      user: "idp",
      passwordSecret: { secretId: "idp-password", version: 1 },
    },
  };
}

/** Numbers of the resources that a part would be, by address; `absent` for one that the folder does not have. */
const counts = ({ resource = {} }: Terraform, addresses: readonly string[]) =>
  addresses.map((address) => {
    const [type = "", name = ""] = address.split(".");
    const part = resource[type]?.[name];
    return part === undefined ? "absent" : String(part.count);
  });

const OWN = [
  "google_storage_bucket.idp_media_bucket",
  "google_artifact_registry_repository.idp_registry",
  "google_service_account.idp_runtime",
  "google_secret_manager_secret.idp_secrets_secret_key",
  "google_sql_database_instance.idp_database",
  "google_sql_user.idp_database_administrator",
];

describe.each([{ Variant: ServerlessIdentityProvider }, { Variant: KubernetesIdentityProvider }])(
  "Parts of the same program in $Variant.name",
  ({ Variant }) => {
    it("are decided on by the program, never by values that a plan does not know", () => {
      const given = terraformWith((stack) => new Variant(stack, "idp", { projectId: "my-project", ...partsOf(stack) }));
      expect(counts(given, OWN)).toEqual(OWN.map(() => "absent"));
    });

    it("leave everything else as it is without them", () => {
      const without = terraformWith((stack) => new Variant(stack, "idp", { projectId: "my-project" }));
      expect(counts(without, OWN.slice(2))).toEqual(OWN.slice(2).map(() => "undefined"));
    });
  },
);

describe("An existing account of the nodes", () => {
  const NODES = "nodes@my-project.iam.gserviceaccount.com";
  const synthesized = (props: Partial<KubernetesIdentityProviderProps>) =>
    terraformWith((stack) => new KubernetesIdentityProvider(stack, "idp", { projectId: "my-project", ...props }))
      .resource ?? {};

  it("runs the nodes of the new cluster, with the same roles, and none is created for them", () => {
    const { google_container_cluster: clusters, ...resources } = synthesized({
      existingServiceAccounts: { nodes: NODES },
    });
    expect(clusters?.idp_cluster).toMatchObject({
      cluster_autoscaling: { auto_provisioning_defaults: { service_account: NODES } },
    });
    const granted = Object.values(resources).flatMap((elements) =>
      Object.values(elements)
        .filter(({ member }) => member === `serviceAccount:${NODES}`)
        .map(({ role }) => role),
    );
    expect(granted.sort()).toEqual(["roles/artifactregistry.reader", "roles/container.defaultNodeServiceAccount"]);
    const made = Object.values(resources.google_service_account ?? {}).map((each) => String(each.account_id));
    expect(made.filter((name) => name.startsWith("idp-node"))).toEqual([]);
  });

  it("must stay in a protected deployment, because nodes that run keep the former one", () => {
    const { terraform_data: data } = synthesized({ existingServiceAccounts: { nodes: NODES } });
    expect(JSON.stringify(data?.idp_protected_identity)).toContain(`"existingNodes":"${NODES}"`);
    expect(JSON.stringify(data?.idp_identity_check)).toContain("existingServiceAccounts.nodes is ");
  });

  it("leaves what a deployment without one is compared by as it was", () => {
    const { terraform_data: data } = synthesized({});
    expect(JSON.stringify(data?.idp_protected_identity)).not.toContain("existingNodes");
  });
});

describe("An existing cluster", () => {
  const AUTHORITY = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t";
  /** The provider of a program, and how many clusters, networks and namespaces there are. */
  const synthesized = (clusterIn: (stack: BareStack) => KubernetesIdentityProviderProps["existingCluster"]) => {
    const terraform = terraformWith((stack) => {
      const parts = { existingCluster: clusterIn(stack), existingNamespace: { name: "sign-in" } };
      new KubernetesIdentityProvider(stack, "idp", { projectId: "my-project", ...partsOf(stack), ...parts });
    });
    const own = ["google_container_cluster.idp_cluster", "kubernetes_namespace_v1.idp_namespace"];
    const [provider] = terraform.provider?.kubernetes as Readonly<Record<string, unknown>>[];
    const { cluster_ca_certificate: certificate, host } = provider ?? {};
    return { certificate, host, own: counts(terraform, own), labels: JSON.stringify(terraform.locals) };
  };
  const NONE = ["0", "0"];

  it("of the same program is known by references, with all other parts", () => {
    const found = synthesized((stack) => {
      const cluster = new ContainerCluster(stack, "shared", { name: "shared", location: "us-central1-a" });
      const { endpoint, location, name } = cluster;
      const { clusterCaCertificate: caCertificate } = cluster.masterAuth;
      return { autopilot: false, caCertificate, endpoint, location, name };
    });
    expect(found).toMatchObject({
      certificate: "${try(base64decode(google_container_cluster.shared.master_auth[0].cluster_ca_certificate), null)}",
      host: "https://${google_container_cluster.shared.endpoint}",
      own: NONE,
    });
    expect(found.labels).toContain("gke-metadata-server-enabled");
  });

  it("is known by literals, with a certificate or by a name with a public one", () => {
    const common = { name: "shared", location: "us-central1" };
    expect(synthesized(() => ({ ...common, endpoint: "203.0.113.9", caCertificate: AUTHORITY }))).toMatchObject({
      certificate: `\${try(base64decode("${AUTHORITY}"), null)}`,
      host: "https://203.0.113.9",
      own: NONE,
    });
    expect(synthesized(() => ({ ...common, endpoint: "gke-1.us-central1.gke.goog" }))).toMatchObject({
      host: "https://gke-1.us-central1.gke.goog",
      own: NONE,
    });
  });
});

describe("A part by its attributes", () => {
  const runtime = (stack: BareStack) =>
    new ServiceIdentity(stack, "Runtime", { context: CONTEXT, purpose: "run", description: "Runs the application" });

  it("is granted and nothing else", () => {
    const stack = bareStack();
    const identity = runtime(stack);
    MediaBucket.fromAttributes(stack, "Media", { name: "acme-uploads" }).grantReadWrite(identity);
    ImageRegistry.fromAttributes(stack, "Images", {
      imagePrefix: "europe-docker.pkg.dev/shared-images/idp",
      location: "europe",
      builderEmail: "build@shared-images.iam.gserviceaccount.com",
    }).grantPull(identity);
    const database = PostgresqlDatabase.fromAttributes(stack, "Database", {
      connectionName: "shared-data:us-central1:postgres",
      database: "idp",
      user: "idp",
      passwordSecret: { secretId: "idp-password", version: 1 },
    });
    database.grantConnect(identity);
    database.password.grantAccess(identity);
    const { resource = {} } = terraformOf(stack);
    expect(Object.keys(resource).sort()).toEqual([
      "google_artifact_registry_repository_iam_member",
      "google_project_iam_member",
      "google_secret_manager_secret_iam_member",
      "google_service_account",
      "google_storage_bucket_iam_member",
    ]);
    expect(Object.values(resource.google_project_iam_member ?? {})).toMatchObject([{ project: "shared-data" }]);
    expect(Object.values(resource.google_secret_manager_secret_iam_member ?? {})).toMatchObject([
      { secret_id: "projects/shared-data/secrets/idp-password" },
    ]);
    const { administratorName, administratorPassword, instanceName } = database;
    expect([administratorName, instanceName]).toEqual(["idp", "postgres"]);
    expect(administratorPassword).toBe(database.password);
  });

  it("is refused where its form is wrong", () => {
    const stack = bareStack();
    expect(() => MediaBucket.fromAttributes(stack, "Media", { name: "gs://acme-uploads" })).toThrow("without gs://");
    expect(() =>
      ImageRegistry.fromAttributes(stack, "Images", {
        imagePrefix: "us-docker.pkg.dev/images/idp/app",
        location: "us",
        builderEmail: "build@images.iam.gserviceaccount.com",
      }),
    ).toThrow("must have the prefix");
  });
});

it.each(["idp-serverless", "idp-kubernetes"])("The examples of the guide are settings of %s", async (name) => {
  for (const block of blocksIn(pageOf("stacks/guides/existing-parts.md").text, "hcl")) {
    const path = join(temporaryFolder(), "guide.tfvars");
    writeFileSync(path, `project_id = "acme-project"\n${block}\n`);
    const made = settledStack(name, await readSettingsFile(path));
    await expect(made).resolves.toHaveProperty("node.id", name);
  }
});
