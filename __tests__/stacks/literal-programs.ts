import { ServerlessIdentityProvider, type ServerlessIdentityProviderProps } from "../../lib";
import { InputVariable } from "../../lib/core/inputs/input-variable";
import { KubernetesIdentityProvider, type KubernetesIdentityProviderProps } from "../../lib/kubernetes";
import { AssessmentLab, type AssessmentLabProps } from "../../lib/lab";
import { type BareStack, bareStack, type Terraform, terraformWith } from "../support/synthesis";
import { bareLabStack } from "./lab-stack";

/** Every prop but those that contradict another: a new one does not compile until it is given here. */
type Given<Props, Left extends keyof Props> = Required<Omit<Props, Left>>;

/** An input of the program, for what must not be in the synthesized folder. */
const secretInput = (stack: BareStack, name: string): string =>
  new InputVariable(stack, name, { type: "string", description: "A secret.", ephemeral: true, sensitive: true })
    .stringValue;

/** What excludes others. */
type Left =
  | "existingBackupPlan"
  | "existingContainerImage"
  | "existingDatabase"
  | "existingSecurityPolicy"
  | "loadBalancerProxyRange"
  | "standby";

const WORKER = { count: 2, cpu: 2, memory: "4Gi", processes: 2, threads: 4 };

const identityProviderProps = (
  stack: BareStack,
): Omit<Given<ServerlessIdentityProviderProps, Left>, "existingRepository" | keyof typeof SERVERLESS_ALONE> => ({
  projectId: "demo-project",
  tenantId: "acme",
  secretKey: { acceptedVersion: 1, version: 1 },
  databasePasswords: { administratorVersion: 2, version: 4 },
  alertEmails: ["on-call@example.com"],
  alerts: { uptime: { enabled: false }, "database-cpu": { durationSeconds: 600, threshold: 0.8 } },
  applicationName: "login",
  auditLog: {
    retentionDays: 400,
    eventDays: 90,
    locked: true,
    destination: "pubsub.googleapis.com/projects/audit-project/topics/sign-ins",
  },
  secretReadLog: { expectedReaders: ["pipeline@demo-project.iam.gserviceaccount.com"] },
  slo: { available: 0.995, latency: 0.9, latencyMs: 400 },
  backupBeforeUpgrade: false,
  backups: { location: "eu", retentionCount: 30, finalDays: 0, logDays: 3 },
  blueprintFiles: { "groups.yaml": "version: 1\nentries: []\n" },
  blueprints: ["branding", "password-recovery"],
  bootstrapPassword: secretInput(stack, "first_password"),
  bootstrapToken: true,
  build: { location: "europe-west1", pool: "projects/builders/locations/us-central1/workerPools/private" },
  certificateValidation: "load-balancer",
  connectionPool: true,
  containerCpu: 4,
  containerMemory: "8Gi",
  dashboard: false,
  databaseAvailability: "REGIONAL",
  databaseRights: { conditionalAccess: false, managedSuperuser: false, revokePublicConnect: false },
  databaseDiskLimitGb: 200,
  databaseFlags: { log_min_duration_statement: "500" },
  databaseTier: "db-custom-4-15360",
  databaseVersion: 17,
  deletionProtection: false,
  dnsZone: { name: "example-com", project: "dns-project", dnsName: "example.com" },
  domain: "login.example.com",
  dumps: { atApply: true, copyBucket: "acme-backups", retentionDays: 90, schedule: "30 2 * * *" },
  softDeleteDays: 30,
  checkUp: { schedule: "*/15 * * * *", limits: { tasksFailed: 3 } },
  recoveryAccess: { reader: "user:admin@example.com", minutes: 20 },
  signInProbe: { schedule: "*/5 * * * *", clientId: "probe", redirectUri: "https://app.example.com/callback" },
  existingBucket: { name: "acme-uploads" },
  grantRoles: false,
  kmsKeys: { default: "projects/keys/locations/europe-west1/keyRings/idp/cryptoKeys/idp" },
  binaryAuthorization: true,
  existingSecrets: {
    secretKey: { secretId: "former-key", version: 3 },
    bootstrapPassword: { secretId: "projects/shared-secrets/secrets/first-password", version: "1" },
  },
  existingServiceAccounts: { service: "idp-service@shared-accounts.iam.gserviceaccount.com" },
  environmentVariables: { IDP_GREETING: 'say "${hello}"\n%{and} $(DB_HOST) $5' },
  ownParts: "kept",
  labels: { cost: "shared" },
  denyMaintenancePeriod: { startDate: "2026-12-01", endDate: "2027-01-10" },
  maintenanceWindow: { day: 2, hour: 22, track: "week5" },
  imageMirror: "europe-docker.pkg.dev/my-project/mirror",
  domainOptions: {
    ipv6: true,
    httpRedirect: false,
    requestLogSampleRate: 1,
    strictTransportSecurity: "max-age=63072000; includeSubDomains; preload",
  },
  livenessProbe: { initialDelaySeconds: 20, periodSeconds: 60, failureThreshold: 5, timeoutSeconds: 9 },
  logLevel: "debug",
  maxInstanceCount: 8,
  minInstanceCount: 2,
  networkTags: ["sign-in"],
  network: {
    network: "projects/shared/global/networks/main",
    subnetwork: "projects/shared/regions/europe-west1/subnetworks/services",
  },
  notificationChannels: {
    all: ["projects/demo-project/notificationChannels/12345"],
    critical: ["projects/demo-project/notificationChannels/67890"],
  },
  protection: {
    adminRanges: ["203.0.113.0/24"],
    banSeconds: 600,
    previewLimits: true,
    requestsPerMinute: 1200,
    restrictAdmin: true,
    trustedRanges: ["198.51.100.0/24"],
    waf: "enforce",
  },
  region: "europe-west1",
  secretLocations: ["europe-west1"],
  requestTimeoutSeconds: 120,
  secretEnvironmentVariables: { IDP_EXTRA: { secretId: "extra", version: 4 } },
  smtp: {
    encryption: "tls",
    from: "idp@example.com",
    host: "smtp.example.com",
    passwordSecret: { secretId: "smtp", version: 1 },
    port: 465,
    timeout: 20,
    username: "idp",
  },
  startupProbe: { initialDelaySeconds: 240, periodSeconds: 10, failureThreshold: 24, timeoutSeconds: 5 },
  uptimeCheck: true,
  worker: WORKER,
  workerMode: "separate",
});

const SERVERLESS_ALONE = {
  applicationVersion: "2025.12.1",
  closeDefaultAddress: true,
  cpuAlwaysAllocated: false,
  loadBalancer: "external",
  maxInstanceRequestConcurrency: 40,
  publicAccess: "all-users",
  vpcEgress: "all-traffic",
} as const;

export const serverlessProps = (stack: BareStack): Given<ServerlessIdentityProviderProps, Left> => ({
  ...identityProviderProps(stack),
  ...SERVERLESS_ALONE,
  existingRepository: { imagePrefix: "europe-docker.pkg.dev/shared-images/idp", location: "europe" },
});

/** What excludes others on Kubernetes: an existing image leaves out what is built. */
type LeftByKubernetes =
  | "existingBackupPlan"
  | "applicationVersion"
  | "existingCluster"
  | "existingDatabase"
  | "existingNamespace"
  | "existingRepository"
  | "existingSecurityPolicy";

/** With an image that exists, which needs no version and has no blueprints of ours. */
export const kubernetesProps = (stack: BareStack): Given<KubernetesIdentityProviderProps, LeftByKubernetes> => ({
  ...identityProviderProps(stack),
  authorizedNetworks: { office: "10.1.0.0/16", pipeline: "192.168.7.7/32" },
  blueprintFiles: {},
  blueprints: [],
  existingContainerImage: "registry.example.com/idp:2026.5.4",
  clusterHardening: {
    notificationTopic: "projects/demo-project/topics/clusters",
    securityGroup: "gke-security-groups@example.com",
  },
  controlPlaneEndpoint: "private",
  geoip: { accountId: 123456, licenseKeySecret: { secretId: "maxmind", version: 3 }, updateHours: 24 },
  outposts: { ranges: ["10.1.0.0/16"] },
  namespace: "sign-in",
  worker: { ...WORKER, maxCount: 4 },
});

export const labProps = (stack: BareStack): Given<AssessmentLabProps, "apis"> => ({
  projectId: "demo-project",
  assessDiscoveryClientName: "training-client",
  aws: { accessKeyId: secretInput(stack, "key_id"), region: "eu-west-1", secretAccessKey: secretInput(stack, "key") },
  createDefaultFirewallRules: true,
  createSshKeyBucket: true,
  createVpc: true,
  createWindowsVm: true,
  deploymentId: "training",
  firewallLogging: true,
  imageProject: "demo-images",
  initializeAssessmentService: true,
  internalTrafficCidr: "10.132.0.0/20",
  kmsKey: "projects/keys/locations/europe-west1/keyRings/lab/cryptoKeys/lab",
  labels: { cost: "shared" },
  linuxVmBootDiskSizeGb: 30,
  linuxVmCount: 5,
  linuxVmMachineType: "e2-small",
  networkTags: ["training"],
  network: "projects/shared/global/networks/main",
  osLogin: true,
  region: "europe-west1",
  serialPortLogging: false,
  sourceRanges: { rdp: ["203.0.113.0/24"] },
  subnetwork: "projects/shared/regions/europe-west1/subnetworks/lab",
  windowsExternalIp: false,
  windowsPassword: "unknown",
  windowsVmBootDiskSizeGb: 100,
  windowsVmMachineType: "e2-standard-2",
  zone: "europe-west1-c",
});

/** What somebody gets who composes the serverless construct with literals; these replace the props above. */
export const literalServerless = (props?: Partial<ServerlessIdentityProviderProps>): Terraform =>
  terraformWith(
    (stack) => new ServerlessIdentityProvider(stack, "IdentityProvider", { ...serverlessProps(stack), ...props }),
  );

let kubernetes: Terraform | undefined;

/** The same with the Kubernetes construct, made once per test file. */
export function literalKubernetes(): Terraform {
  return (kubernetes ??= terraformWith(
    (stack) => new KubernetesIdentityProvider(stack, "IdentityProvider", kubernetesProps(stack)),
    bareStack({ providers: ["google", "kubernetes", "random"] }),
  ));
}

/** The same with the lab. */
export const literalLabWithEverything = (): Terraform =>
  terraformWith((stack) => new AssessmentLab(stack, "Lab", labProps(stack)), bareLabStack());
