import { type FileTable } from "./core/hcl/stack-origin";
import { prose } from "./core/prose";

/** Files of the folder in HCL, with the parts in each. */
export const FOLDER_FILES: FileTable = {
  apis: ["APIs, which stay enabled after a destroy because others may use them; each is waited for", ["Apis"]],
  "audit-log": ["The audit log: its bucket, and what is copied into it", ["AuditLog"]],
  "check-up": [
    "The check-up: what stands still, where somebody gets alerts",
    ["Checker", "CheckUp", "IsCheckedUp", "Receivers"],
  ],
  cluster: ["The cluster and its network", ["Cluster", "Network"]],
  database: ["The database: instance, users, backups, passwords and their readers", ["Database", "UpgradeBackup"]],
  dump: ["Dumps of the database, and their bucket", ["Dump"]],
  "event-retention": ["How long the application keeps events, with an audit log", ["EventRetention"]],
  "dump-lock": ["The locked bucket, with copies of dumps that nobody can delete", ["DumpLock"]],
  guards: [
    "What refuses a destroy, and a change of what the deployment is, before anything is deleted",
    [
      "DeletionGuard",
      "DeployedIdentity",
      "DeployedParts",
      "IdentityCheck",
      "IdentityGuard",
      "Present-*",
      "PresenceGuard",
      "ProtectedIdentity",
      "WasProtected",
    ],
  ],
  image: ["The image: repository, blueprints and build", ["Blueprints", "Image", "Registry"]],
  "internal-load-balancer": [
    "A load balancer that only a network reaches, instead of one for the Internet",
    ["InternalDomain", "InternalLoadBalancer"],
  ],
  ipv6: ["The IPv6 address of the load balancer, off by default", ["Ipv6"]],
  jobs: ["What prepares the database before the first start", ["DbInit"]],
  "load-balancer": [
    "The domain, its protection and its load balancer",
    ["Address", "Edge", "ExternalDomain", "FrontDoor"],
  ],
  main: [
    "Names and labels that all parts have in common",
    ["ApplicationEnvironment", "ConnectionPoolSize", "SecondRegion", "SecretLocations", "all_labels", "tenant_prefix"],
  ],
  "media-bucket": ["The bucket of the uploads", ["MediaBucket"]],
  monitoring: ["Uptime check, dashboard, alerts and audit log", ["Monitoring"]],
  namespace: ["The namespace in the cluster, and where its pods may connect to", ["ChosenNamespace", "Namespace"]],
  outposts: ["Outposts that the application runs itself, off by default", ["Outposts"]],
  "recovery-access": [
    "A way back in for an administrator who is locked out, off by default",
    ["Recoverer", "RecoveryAccess"],
  ],
  rotation: ["Another password of the database, off by default: closes the former login", ["FormerLogin"]],
  secrets: [
    prose`
      Secrets of the application, generated and existing, and who may read them;
      pods on GKE read copies in their namespace
    `,
    ["ExistingSecrets", "SecretReferences", "Secrets"],
  ],
  "service-accounts": [
    "Service accounts; a right to one resource is in the file of that resource",
    ["Dumper", "Initializer", "Runtime"],
  ],
  service: ["The server", ["Service"]],
  "sign-in-probe": ["Sign-in probe on a schedule, off by default", ["Prober", "SignInProbe"]],
  standby: [
    "A second region that can take over, off by default: a copy of the database and of the image, the server",
    ["StandbyDatabase", "StandbyImage", "StandbyIsPromoted", "StandbyRegion", "StandbyService"],
  ],
  "test-mail": ["The test mail, if there is a mail server", ["TestMail"]],
  worker: ["The separate worker", ["Worker"]],
  workload: ["The server: pods, service account, scaling", ["Workload"]],
};
