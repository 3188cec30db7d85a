import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider";

import {
  DbInit,
  identityProviderContainer,
  IdpSecrets,
  MediaBucket,
  PostgresqlDatabase,
  ServiceIdentity,
  tenantPrefix,
} from "../../lib";
import {
  AutopilotCluster,
  ClusterNetwork,
  FrontDoor,
  KubernetesJobs,
  KubernetesWorkload,
  LOOPBACK,
  PROXY_QUIT_URL,
  WorkloadAccount,
  WorkloadNamespace,
} from "../../lib/platform/kubernetes";
import { bareStack, terraformOf, type Terraform } from "../support/synthesis";

const PROJECT_ID = "demo-project";

let synthesized: Terraform | undefined;

/** What somebody gets who composes the Kubernetes constructs with literals, and leaves no default standing. */
export function literalKubernetesDeployment(): Terraform {
  synthesized ??= deployed();
  return synthesized;
}

function deployed(): Terraform {
  const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
  const deployment = { tenantPrefix: tenantPrefix("acme", PROJECT_ID), applicationName: "login" };
  const place = { projectId: PROJECT_ID, region: "europe-west1", deployment, labels: { cost: "shared" } };
  const existing = {
    network: "projects/shared/global/networks/main",
    subnetwork: "projects/shared/regions/europe-west1/subnetworks/nodes",
  };

  const secrets = new IdpSecrets(stack, "Secrets", { ...deployment, deletionProtection: false });
  const media = new MediaBucket(stack, "MediaBucket", { ...deployment, location: place.region });
  const database = new PostgresqlDatabase(stack, "Database", {
    ...place,
    network: existing,
    tier: "db-custom-4-15360",
    deletionProtection: false,
  });
  const identity = new ServiceIdentity(stack, "Runtime", { ...place, purpose: "idp-run", description: "Runs." });

  const cluster = new AutopilotCluster(stack, "Cluster", {
    ...place,
    network: new ClusterNetwork(stack, "Network", { ...place, existing }),
    authorizedNetworks: { office: "203.0.113.0/24", pipeline: "198.51.100.7/32" },
    deletionProtection: false,
  });
  new KubernetesProvider(stack, "kubernetes", cluster.connection);
  const namespace = new WorkloadNamespace(stack, "Namespace", {
    deployment,
    name: "sign-in",
    outlivedBy: [
      ...cluster.ready,
      database.created,
      identity.grantOnProject("ConnectsToDatabase", "roles/cloudsql.client"),
      media.grantReadWrite("Runtime", identity.member),
      cluster.letActAs("Runtime", identity, "sign-in", "login"),
    ],
  });
  const account = new WorkloadAccount(stack, "Account", { namespace, name: "login", identity });
  const workloadPlace = { account, deployment, projectId: PROJECT_ID, namespace, database, network: existing };
  const connection = {
    host: LOOPBACK,
    name: database.databaseName,
    user: database.userName,
    password: database.password.reference,
  };

  const initialization = new DbInit(stack, "DbInit", {
    database: connection,
    administratorPassword: database.administratorPassword.reference,
    proxyQuitUrl: PROXY_QUIT_URL,
    image: "registry.example.com/mirror/postgres:15-alpine",
    platform: new KubernetesJobs(workloadPlace),
  });
  const frontDoor = new FrontDoor(stack, "FrontDoor", {
    ...place,
    namespace,
    port: 9000,
    domain: "login.example.com",
  });
  const workload = new KubernetesWorkload(stack, "Workload", {
    ...workloadPlace,
    frontDoor,
    minInstanceCount: 2,
    maxInstanceCount: 8,
    container: identityProviderContainer(stack, {
      image: "registry.example.com/idp:2026.5.4",
      database: connection,
      secrets,
      media: media.mount,
      environment: { IDP_LOG_LEVEL: "debug", IDP_GREETING: 'say "${hello}"\n%{and} $(DB_HOST) $5' },
      resources: { cpu: "3.5", memory: "7Gi" },
      startupProbe: { initialDelaySeconds: 240, periodSeconds: 10, failureThreshold: 24, timeoutSeconds: 5 },
      livenessProbe: { periodSeconds: 60 },
    }),
    dependsOn: [initialization.completed],
  });
  frontDoor.sendVisitorsTo(workload);
  return terraformOf(stack);
}
