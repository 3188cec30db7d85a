import { KubernetesIdentityProvider } from "../../lib/kubernetes";
import { bareStack, terraformOf, type Terraform } from "../support/synthesis";

let synthesized: Terraform | undefined;

/** What somebody gets who composes the Kubernetes construct with literals, and leaves no default standing. */
export function literalKubernetesDeployment(): Terraform {
  synthesized ??= deployed();
  return synthesized;
}

function deployed(): Terraform {
  const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
  new KubernetesIdentityProvider(stack, "IdentityProvider", {
    projectId: "demo-project",
    tenantId: "acme",
    applicationName: "login",
    authorizedNetworks: { office: "203.0.113.0/24", pipeline: "198.51.100.7/32" },
    bootstrapPasswordVersion: 2,
    containerCpu: 3.5,
    containerMemory: "7Gi",
    databaseAvailability: "REGIONAL",
    databaseFinalBackupDays: 0,
    databaseTier: "db-custom-4-15360",
    deletionProtection: false,
    domain: "login.example.com",
    environmentVariables: { IDP_LOG_LEVEL: "debug", IDP_GREETING: 'say "${hello}"\n%{and} $(DB_HOST) $5' },
    existingContainerImage: "registry.example.com/idp:2026.5.4",
    geoip: { accountId: 123456, licenseKeySecret: { secretId: "maxmind", version: 3 }, updateHours: 24 },
    labels: { cost: "shared" },
    livenessProbe: { periodSeconds: 60 },
    maxInstanceCount: 8,
    minInstanceCount: 2,
    namespace: "sign-in",
    network: {
      network: "projects/shared/global/networks/main",
      subnetwork: "projects/shared/regions/europe-west1/subnetworks/nodes",
    },
    region: "europe-west1",
    workerCount: 2,
    workerCpu: 0.5,
    workerMaxCount: 4,
    workerMemory: "1Gi",
    workerMode: "separate",
    workerProcesses: 2,
    workerThreads: 1,
    startupProbe: { initialDelaySeconds: 240, periodSeconds: 10, failureThreshold: 24, timeoutSeconds: 5 },
  });
  return terraformOf(stack);
}
