import { ArtifactRegistryRepository } from "@cdktf/provider-google/lib/artifact-registry-repository";
import { CloudbuildWorkerPool } from "@cdktf/provider-google/lib/cloudbuild-worker-pool";
import { ComputeNetwork } from "@cdktf/provider-google/lib/compute-network";
import { ComputeSecurityPolicy } from "@cdktf/provider-google/lib/compute-security-policy";
import { ComputeSubnetwork } from "@cdktf/provider-google/lib/compute-subnetwork";
import { ContainerCluster } from "@cdktf/provider-google/lib/container-cluster";
import { DataGoogleContainerCluster } from "@cdktf/provider-google/lib/data-google-container-cluster";
import { DataGoogleSecretManagerSecretVersion } from "@cdktf/provider-google/lib/data-google-secret-manager-secret-version";
import { DataGoogleServiceAccount } from "@cdktf/provider-google/lib/data-google-service-account";
import { DnsManagedZone } from "@cdktf/provider-google/lib/dns-managed-zone";
import { KmsCryptoKey } from "@cdktf/provider-google/lib/kms-crypto-key";
import { MonitoringNotificationChannel } from "@cdktf/provider-google/lib/monitoring-notification-channel";
import { SecretManagerSecret } from "@cdktf/provider-google/lib/secret-manager-secret";
import { SecretManagerSecretVersion } from "@cdktf/provider-google/lib/secret-manager-secret-version";
import { ServiceAccount } from "@cdktf/provider-google/lib/service-account";
import { SqlDatabase } from "@cdktf/provider-google/lib/sql-database";
import { SqlDatabaseInstance } from "@cdktf/provider-google/lib/sql-database-instance";
import { SqlUser } from "@cdktf/provider-google/lib/sql-user";
import { StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";
import { NamespaceV1 } from "@cdktf/provider-kubernetes/lib/namespace-v1";
import { TerraformResource } from "cdktf";

import { MediaBucket, PostgresqlDatabase, RulesBrokenError, ServerlessIdentityProvider } from "../../lib";
import { rendered } from "../../lib/core/expr/locals";
import { KubernetesIdentityProvider, type KubernetesIdentityProviderProps } from "../../lib/kubernetes";
import { type BareStack, bareStack, terraformOf } from "../support/synthesis";
import { canBe, groupsOf, inCollection, placesOf, SUBJECTS, synthesized, withValueAt } from "./prop-forms";

type Props = Partial<KubernetesIdentityProviderProps>;

const secretIn = (stack: BareStack) =>
  new SecretManagerSecret(stack, "secret", { secretId: "shared", replication: { auto: {} } });
const versionIn = (stack: BareStack) =>
  new SecretManagerSecretVersion(stack, "version", { secret: secretIn(stack).id, secretDataWo: "x" });
const clusterIn = (stack: BareStack) =>
  new ContainerCluster(stack, "shared", { name: "shared", location: "us-central1", enableAutopilot: true });
const zoneIn = (stack: BareStack, visibility?: string) =>
  new DnsManagedZone(stack, "zone", { name: "zone", dnsName: "example.com.", visibility });
const domain = "sign-in.example.com";
const MAIL = { host: "smtp.example.com", from: "idp@example.com", username: "idp" };

/** Resources of the providers' bindings in the place of props, and what the folder has of each. */
const CASES: readonly (readonly [what: string, props: (stack: BareStack) => Props, written: readonly string[]])[] = [
  [
    "existingBucket: a bucket",
    (stack) => ({ existingBucket: new StorageBucket(stack, "bucket", { name: "uploads", location: "EU" }) }),
    ["${google_storage_bucket.bucket.name}"],
  ],
  [
    "existingRepository: a repository",
    (stack) => ({
      existingRepository: new ArtifactRegistryRepository(stack, "images", { repositoryId: "idp", format: "DOCKER" }),
    }),
    [
      "${google_artifact_registry_repository.images.location}-docker.pkg.dev/${google_artifact_registry_repository.images.project}/${google_artifact_registry_repository.images.repository_id}",
    ],
  ],
  [
    "existingServiceAccounts: an account, and one that is looked up",
    (stack) => ({
      existingServiceAccounts: {
        service: new ServiceAccount(stack, "account", { accountId: "idp" }),
        job: new DataGoogleServiceAccount(stack, "found", { accountId: "job" }),
      },
    }),
    ["${google_service_account.account.email}", "${data.google_service_account.found.email}"],
  ],
  [
    "kmsKeys: a key",
    (stack) => ({ kmsKeys: { default: new KmsCryptoKey(stack, "key", { name: "key", keyRing: "ring" }) } }),
    ["google_kms_crypto_key.key.id"],
  ],
  [
    "network: a network and a subnetwork",
    (stack) => ({
      network: {
        network: new ComputeNetwork(stack, "vpc", { name: "vpc" }),
        subnetwork: new ComputeSubnetwork(stack, "vpc-part", { name: "vpc", network: "vpc" }),
        dependsOn: [],
      },
    }),
    ["${google_compute_network.vpc.id}", "${google_compute_subnetwork.vpc_part.id}"],
  ],
  [
    "existingSecurityPolicy: a policy",
    (stack) => ({ domain, existingSecurityPolicy: new ComputeSecurityPolicy(stack, "policy", { name: "policy" }) }),
    ["google_compute_security_policy.policy.id"],
  ],
  [
    "dnsZone: a public zone",
    (stack) => ({ domain, dnsZone: zoneIn(stack) }),
    ["${google_dns_managed_zone.zone.name}", "${google_dns_managed_zone.zone.project}"],
  ],
  [
    "buildPool: a pool",
    (stack) => ({
      build: { pool: new CloudbuildWorkerPool(stack, "pool", { name: "pool", location: "us-central1" }) },
    }),
    ["${google_cloudbuild_worker_pool.pool.id}"],
  ],
  [
    "notificationChannels: a channel beside the name of another",
    (stack) => {
      const channel = new MonitoringNotificationChannel(stack, "pager", { type: "pagerduty" });
      const other = "projects/demo-project/notificationChannels/1";
      return { notificationChannels: { all: [channel, other], critical: [channel] } };
    },
    ["google_monitoring_notification_channel.pager.name"],
  ],
  [
    "existingDatabase: an instance, a database, logins and versions",
    (stack) => ({
      existingDatabase: {
        connectionName: new SqlDatabaseInstance(stack, "postgres", { databaseVersion: "POSTGRES_15" }),
        database: new SqlDatabase(stack, "data", { name: "idp", instance: "postgres" }),
        user: new SqlUser(stack, "user", { name: "idp", instance: "postgres" }),
        passwordSecret: versionIn(stack),
        administrator: {
          user: new SqlUser(stack, "administrator", { name: "administrator", instance: "postgres" }),
          secret: { secretId: "administrator", version: 1 },
        },
      },
    }),
    [
      "google_sql_database_instance.postgres.connection_name",
      "google_sql_database.data.name",
      "google_sql_user.user.name",
      "google_sql_user.administrator.name",
      "google_secret_manager_secret_version.version.name",
    ],
  ],
  [
    "existingSecrets: a version, and a secret with the number of one",
    (stack) => ({
      existingSecrets: {
        secretKey: versionIn(stack),
        bootstrapPassword: { secretId: new SecretManagerSecret(stack, "first", FIRST), version: 1 },
      },
    }),
    [
      "google_secret_manager_secret_version.version.name",
      "google_secret_manager_secret.first.project}/secrets/${google_secret_manager_secret.first.secret_id}",
    ],
  ],
  [
    "smtp.passwordSecret: a secret with the number of a version",
    (stack) => ({ smtp: { ...MAIL, passwordSecret: { secretId: secretIn(stack), version: 1 } } }),
    ["google_secret_manager_secret.secret.project}/secrets/${google_secret_manager_secret.secret.secret_id}"],
  ],
  [
    "smtp.passwordSecret: a version that is looked up",
    (stack) => ({
      smtp: { ...MAIL, passwordSecret: new DataGoogleSecretManagerSecretVersion(stack, "found", { secret: "smtp" }) },
    }),
    ["data.google_secret_manager_secret_version.found.name", "data.google_secret_manager_secret_version.found.version"],
  ],
  [
    "secretEnvironmentVariables: a version",
    (stack) => ({ secretEnvironmentVariables: { IDP_X: versionIn(stack) } }),
    ["google_secret_manager_secret_version.version.name"],
  ],
  [
    "existingCluster and existingNamespace: a cluster and a namespace",
    (stack) => ({
      existingCluster: clusterIn(stack),
      existingNamespace: new NamespaceV1(stack, "rooms", { metadata: { name: "sign-in" } }),
    }),
    [
      "https://${google_container_cluster.shared.endpoint}",
      "google_container_cluster.shared.master_auth[0].cluster_ca_certificate",
      "kubernetes_namespace_v1.rooms.metadata[0].name",
    ],
  ],
  [
    "existingCluster: a cluster that is looked up",
    (stack) => ({ existingCluster: new DataGoogleContainerCluster(stack, "found", { name: "shared" }) }),
    ["data.google_container_cluster.found.enable_autopilot", "https://${data.google_container_cluster.found.endpoint}"],
  ],
];

const FIRST = { secretId: "first", project: "shared", replication: { auto: {} } };

describe("A resource in the place of a prop", () => {
  it.each(CASES)("is read where the prop needs an attribute, %s", (_, propsIn, written) => {
    const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
    new KubernetesIdentityProvider(stack, "Idp", { projectId: "demo-project", ...propsIn(stack) });
    const text = JSON.stringify(terraformOf(stack));
    expect(written.filter((each) => !text.includes(each))).toEqual([]);
  });

  it("is known at plan where it is the secret of a mail server's password, which decides what there is", () => {
    const stack = bareStack();
    const smtp = { ...MAIL, passwordSecret: { secretId: secretIn(stack), version: 1 } };
    new ServerlessIdentityProvider(stack, "Idp", { projectId: "demo-project", smtp });
    expect(() => terraformOf(stack)).not.toThrow();
  });

  it.each([
    ["private", true],
    ["public", false],
    [undefined, false],
  ])("tells at synthesis whether a zone is private: %s", (visibility, isPrivate) => {
    const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
    const dnsZone = zoneIn(stack, visibility);
    const props = { projectId: "demo-project", certificateValidation: "dns", domain, dnsZone } as const;
    new KubernetesIdentityProvider(stack, "Idp", props);
    const { google_dns_record_set: records } = terraformOf(stack).resource ?? {};
    expect(JSON.stringify(records).includes("dns_resource_record")).toBe(!isPrivate);
  });

  it("is one for a part by its attributes too", () => {
    const stack = bareStack();
    const bucket = new StorageBucket(stack, "bucket", { name: "uploads", location: "EU" });
    const { bucketName } = MediaBucket.fromAttributes(stack, "Media", bucket);
    expect(rendered(stack, bucketName)).toBe("${google_storage_bucket.bucket.name}");
    const database = PostgresqlDatabase.fromAttributes(stack, "Database", {
      connectionName: new SqlDatabaseInstance(stack, "postgres", { databaseVersion: "POSTGRES_15" }),
      database: "idp",
      user: "idp",
      passwordSecret: versionIn(stack),
    });
    expect(rendered(stack, database.connectionName)).toBe("${google_sql_database_instance.postgres.connection_name}");
  });
});

describe.each(SUBJECTS)("Props of $name that take a resource", (subject) => {
  const places = placesOf(subject).filter((place) => canBe(place, "resource"));

  it("need an attribute that only an apply tells for the password of a mail server alone", () => {
    const refused = groupsOf(subject).flatMap((group) => [...synthesized(subject, group, "resource").refused.keys()]);
    expect(refused.filter((name) => !name.startsWith("smtp.passwordSecret"))).toEqual([]);
  });

  it.each(places)("refuse one of another type by name: $name", ({ name, path, row }) => {
    const stack = subject.stack();
    const wrong = new TerraformResource(stack, "wrong", { terraformResourceType: "google_pubsub_topic" });
    const props = withValueAt({ projectId: "demo-project" }, path, inCollection(row, wrong));
    const type = Object.keys(row.reads ?? {}).join(" or ");
    expect(problemsOf(() => subject.make(stack, props)).join("\n")).toMatch(
      new RegExp(
        `^${name.replaceAll(".", "[.]")}\\S* is the google_pubsub_topic wrong; it must be a ${type}, or what is read`,
        "m",
      ),
    );
  });
});

function problemsOf(make: () => unknown): readonly string[] {
  try {
    make();
  } catch (error) {
    if (error instanceof RulesBrokenError) return error.failures;
    throw error;
  }
  return [];
}
