import { InputVariable, ServerlessIdentityProvider, type ServerlessIdentityProviderProps } from "../../lib";
import { bareStack, terraformOf, type BareStack, type Terraform } from "../support/synthesis";

/** Props beside the two that every deployment needs; some are made in the stack. */
const SCENARIOS: Readonly<Record<string, (stack: BareStack) => Partial<ServerlessIdentityProviderProps>>> = {
  "everything-overridden": (stack) => ({
    applicationName: "login",
    applicationVersion: "2025.12.1",
    bootstrapPassword: new InputVariable(stack, "first_password", {
      type: "string",
      description: "First password of the administrator.",
      ephemeral: true,
      sensitive: true,
    }).stringValue,
    bootstrapPasswordVersion: 2,
    containerCpu: 4,
    containerMemory: "8Gi",
    cpuAlwaysAllocated: false,
    databaseAvailability: "REGIONAL",
    databaseFinalBackupDays: 0,
    databaseTier: "db-custom-4-15360",
    deletionProtection: false,
    environmentVariables: { IDP_LOG_LEVEL: "debug", IDP_GREETING: 'say "${hello}"\n%{and} $5' },
    labels: { cost: "shared" },
    livenessProbe: { periodSeconds: 60 },
    maxInstanceCount: 8,
    minInstanceCount: 2,
    publicAccess: false,
    region: "europe-west1",
    startupProbe: { initialDelaySeconds: 240, periodSeconds: 10, failureThreshold: 24, timeoutSeconds: 5 },
    tenantId: "acme",
    workerCount: 2,
    workerCpu: 2,
    workerMemory: "4Gi",
    workerMode: "separate",
    workerProcesses: 2,
    workerThreads: 4,
  }),
  "private-network": () => ({
    network: {
      network: "projects/shared/global/networks/main",
      subnetwork: "projects/shared/regions/us-central1/subnetworks/services",
    },
  }),
  "with-a-domain": () => ({
    certificateValidation: "load-balancer",
    closeDefaultAddress: true,
    dnsZone: { name: "example-com", project: "dns-project", dnsName: "example.com" },
    domain: "login.example.com",
    protection: { adminRanges: ["203.0.113.0/24"], requestsPerMinute: 1200, restrictAdmin: true, waf: "enforce" },
    requestLogSampleRate: 1,
  }),
  "existing-image": () => ({
    workerMode: "all-in-one",
    existingContainerImage: "us-docker.pkg.dev/other-project/images/idp:2026.5.4-abc",
  }),
};

/** What somebody gets who composes the serverless construct with literals, by the name of the scenario. */
export function literalDeployments(): Record<string, Terraform> {
  return Object.fromEntries(
    Object.entries(SCENARIOS).map(([name, propsIn]) => {
      const stack = bareStack();
      new ServerlessIdentityProvider(stack, "IdentityProvider", {
        projectId: "demo-project",
        tenantId: "demo",
        ...propsIn(stack),
      });
      return [name, terraformOf(stack)];
    }),
  );
}
