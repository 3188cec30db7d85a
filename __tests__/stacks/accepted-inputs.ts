import { type Inputs } from "./terraform-run";

/** Inputs that Terraform accepts, by what they are like. */
export type AcceptedInputs = Readonly<Record<string, Inputs>>;

export const NETWORK = "projects/shared/global/networks/main";
export const SUBNETWORK = "projects/shared/regions/us-central1/subnetworks/services";
export const DIGEST = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
export const IMAGE = "us-docker.pkg.dev/other-project/images/idp:2026.5.4";
export const CHANNEL = "projects/my-project/notificationChannels/4711";

/** What images of the deployment with default names in my-project begin with. */
export const OWN_IMAGES = "us-central1-docker.pkg.dev/my-project/idp-demo-1c7cd9/";

const SERVER = { host: "smtp.example.com", from: "idp@example.com" };
const LOGIN = { username: "idp", password_secret: { secret_id: "smtp-password", version: 1 } };

/** Mail servers that are accepted, for trying combinations and for plans. */
export const ACCEPTED_MAIL: readonly (Inputs | null)[] = [
  null,
  { ...SERVER, ...LOGIN },
  {
    ...SERVER,
    host: "10.0.0.25",
    port: 2525,
    encryption: "none",
    from: '"Sign-in, Acme" <idp@example.com>',
    timeout: 300,
  },
  {
    ...SERVER,
    port: 465,
    encryption: "tls",
    username: "123456",
    password_secret: { secret_id: "projects/other-project/secrets/smtp-password", version: "2" },
  },
];

/** Secret settings that are accepted, for trying combinations and for plans. */
export const ACCEPTED_SECRET_SETTINGS: readonly Inputs[] = [
  {},
  {
    IDP_STORAGE__S3__ACCESS_KEY: { secret_id: "storage-key", version: 1 },
    IDP_STORAGE__S3__SECRET_KEY: { secret_id: "projects/other-project/secrets/storage-key", version: "2" },
  },
];

/** Databases of addresses that are accepted, for trying combinations. */
export const ACCEPTED_GEOIP = [
  null,
  { account_id: "123456", license_key_secret: { secret_id: "projects/other-project/secrets/maxmind", version: "2" } },
] as const;

/** The same with the names that a rehearsal has secrets of. */
export const geoipWith = (version: number) => ({
  account_id: "123456",
  license_key_secret: { secret_id: "maxmind", version },
});

/** Ranges of administrators that fill a given number of rules to the last place. */
export const manyRanges = (count: number) =>
  Array.from({ length: count }, (_, index) => `10.${Math.floor(index / 256)}.${index % 256}.0/24`);

/** Protections that are accepted, for trying combinations and for plans. */
export const ACCEPTED_PROTECTIONS: readonly (Inputs | null)[] = [
  null,
  {},
  { sign_ins_per_minute: 1, requests_per_minute: 1, ban_seconds: 60, waf: "off" },
  { sign_ins_per_minute: 10000, requests_per_minute: 1000000, ban_seconds: 3600, waf: "enforce" },
  { admin_ranges: ["203.0.113.0/24", "2001:db8::/32"], restrict_admin: true },
  { admin_ranges: manyRanges(1000), waf: null, sign_ins_per_minute: null },
  { trusted_ranges: ["198.51.100.0/24", "2001:db8::/32"], preview_limits: true },
];

/** Sign-ins that are tried; the variant on GKE needs a domain for them. */
export const ACCEPTED_PROBES = [
  {},
  { ends_at: "second-factor" },
  {
    schedule: "*/5 * * * *",
    flow: "sign-in",
    slow_seconds: 3,
    client_id: "probe",
    redirect_uri: "https://app.example.com/callback?probe=1",
  },
];

/** Values of the inputs that both variants accept, for trying combinations. */
export const ACCEPTED_BY_BOTH = {
  database_flags: [{}, { log_statement: "none", "cloudsql.iam_authentication": "on" }],
  database_version: [15, 16, 17],
  liveness_probe: [{}, { initial_delay_seconds: 0, period_seconds: 3600, timeout_seconds: 3600, failure_threshold: 1 }],
  log_level: ["info", "debug"],
  request_timeout_seconds: [3600, 1],
  startup_probe: [{}, { initial_delay_seconds: 240, period_seconds: 240, timeout_seconds: 1, failure_threshold: 2 }],
  backup_before_upgrade: [true, false],
  backups: [{}, { location: "eu", retention_count: 365, log_days: 1, final_days: 0 }, { final_days: 365 }],
  check_up: [
    {},
    null,
    { schedule: "*/5 * * * *", limits: { tasks_failed: 5, certificate_days: 14, restore_drill_days: 100 } },
    { schedule: "*/30 * * * *" },
  ],
  dumps: [
    null,
    { schedule: null },
    { schedule: "30 4 * * *", at_apply: true, retention_days: 3650 },
    { schedule: "*/30 0-6/2,22 1,15 1-12 1-5", retention_days: 7 },
    { schedule: "0 0 29 2 *" },
    { schedule: "0 0 29,31 4-5 *", at_apply: true },
    { schedule: "0 0 31 2 1" },
  ],
  blueprints: [[], ["password-recovery", "branding"]],
  alert_emails: [[], ["on-call@example.com", "idp+alerts@example.co.uk"]],
  notification_channels: [{}, { all: [CHANNEL] }, { critical: [CHANNEL], warning: [CHANNEL, CHANNEL] }],
  alerts: [{}, { memory: { enabled: false }, "database-cpu": { threshold: 0, duration_seconds: 86400 } }],
  slo: [null, {}, { available: 0.95, latency: 0.5, latency_ms: 60000 }],
  uptime_check: [null, false],
  connection_pool: [true, false],
  dashboard: [true, false],
  audit_log: [
    null,
    {},
    { event_days: 1, locked: true, destination: "bigquery.googleapis.com/projects/audit-project/datasets/sign_ins" },
    { event_days: 3650, retention_days: 3650, destination: "logging.googleapis.com/projects/audit-project" },
  ],
  secret_read_log: [null, {}, { expected_readers: ["deployer@my-project.iam.gserviceaccount.com"] }],
  project_id: ["my-project", "another-project-12345"],
  region: ["us-central1", "europe-west1"],
  tenant_id: ["demo", "a", "acme-123"],
  application_name: ["idp", "a", "sign-in-portal"],
  application_version: ["latest", "2025.10.0", "2026.5.4"],
  bootstrap_token: [false, true],
  build: [
    {},
    { location: "europe-west1" },
    { location: "us-central1", pool: "projects/builders/locations/us-central1/workerPools/private" },
  ],
  certificate_validation: ["dns", "load-balancer"],
  database_availability: ["ZONAL", "REGIONAL"],
  database_rights: [
    {},
    { conditional_access: false, managed_superuser: true },
    { managed_superuser: false, revoke_public_connect: false },
  ],
  database_disk_limit_gb: [null, 10, 65536],
  database_tier: ["db-g1-small", "db-custom-1-3840", "db-custom-2-7680", "db-custom-4-15360"],
  deletion_protection: [true, false],
  dns_zone: [null, { name: "example", dns_name: "example.com" }, { name: "example", project: "dns-project" }],
  domain: [null, "sign-in.example.com"],
  environment_variables: [
    {},
    { IDP_LOG_LEVEL: "debug" },
    { IDP_LOG_LEVEL: "trace", IDP_GREETING: 'a "b" ${c} %{d} $5 $(e) $$' },
  ],
  existing_container_image: [null, "us-docker.pkg.dev/other-project/images/idp:2026.5.4"],
  existing_bucket: [null, { name: "acme-uploads" }],
  existing_repository: [null, { image_prefix: "europe-docker.pkg.dev/shared-images/idp", location: "europe" }],
  existing_service_accounts: [null, { service: "idp-service@shared-accounts.iam.gserviceaccount.com" }],
  own_parts: ["deleted", "kept", "used"],
  existing_database: [null],
  secret_key: [{}],
  database_passwords: [{}, { administrator_version: 2, version: 1 }, { version: 2 }, { version: 3 }],
  grant_roles: [true],
  kms_keys: [null],
  binary_authorization: [false, true],
  existing_secrets: [null, { secret_key: { secret_id: "former-key", version: "3" } }],
  existing_security_policy: [null, "projects/my-project/global/securityPolicies/company"],
  image_mirror: [null, "europe-docker.pkg.dev/shared-images/mirror", "registry.example.com:5000/a/b-c"],
  labels: [{}, { team: "identity" }],
  maintenance_window: [null, {}, { day: 1, hour: 0, track: "canary" }, { day: 6, hour: 23, track: "week5" }],
  max_instance_count: [1, 2, 3, 8, 12],
  domain_options: [
    {},
    { http_redirect: false, request_log_sample_rate: 0, strict_transport_security: "" },
    { ipv6: true, request_log_sample_rate: 0.5, strict_transport_security: "max-age=0" },
    { request_log_sample_rate: 1, strict_transport_security: "max-age=63072000; includeSubDomains; preload" },
  ],
  network: [null, "projects/shared/global/networks/main"],
  network_tags: [[]],
  protection: [null, { admin_ranges: ["203.0.113.0/24", "2001:db8::/32"], restrict_admin: true, waf: "enforce" }, {}],
  secret_environment_variables: ACCEPTED_SECRET_SETTINGS,
  secret_locations: [null, ["europe-west1", "us-central1"]],
  recovery_access: [null, { reader: "user:admin@example.com" }, { reader: "user:a@b.example", minutes: 60 }],
  sign_in_probe: [null, ...ACCEPTED_PROBES],
  smtp: ACCEPTED_MAIL,
  worker: [{}, { processes: 2 }, { threads: 4 }, { count: 2, cpu: 2, memory: "4Gi" }, { cpu: 2, threads: 4 }],
  worker_mode: ["in-container", "separate", "all-in-one"],
} as const;

/** The same of what only the serverless variant accepts. */
export const ACCEPTED = {
  max_instance_request_concurrency: [36, 80],
  close_default_address: [false, true],
  load_balancer: ["external"],
  load_balancer_proxy_range: [null],
  standby: [null],
  container_cpu: [1, 2, 4, 8],
  container_memory: ["512Mi", "4Gi", "8Gi", "16Gi"],
  cpu_always_allocated: [true, false],
  min_instance_count: [0, 1, 2],
  public_access: [true, false, "invoker-check-off", "all-users", "none"],
  vpc_egress: ["private-ranges-only"],
} as const;

/** Values that only the Kubernetes variant accepts, for trying combinations. */
export const ACCEPTED_BY_KUBERNETES = {
  container_cpu: [0.5, 1, 2, 4],
  container_memory: ["1024Mi", "2Gi", "4Gi", "8Gi"],
  min_instance_count: [1, 2],
  authorized_networks: [{}, { office: "203.0.113.0/24", home: "198.51.100.7/32" }],
  worker: [{}, { processes: 2, threads: 4 }, { count: 2, max_count: 3, cpu: 2, memory: "4Gi" }],
  geoip: ACCEPTED_GEOIP,
  outposts: [null, {}, { ranges: ["10.7.7.7/32"] }, { ranges: [] }],
  namespace: ["identity-provider", "a"],
  cluster_hardening: [
    null,
    {},
    { security_group: "gke-security-groups@example.com", notification_topic: "projects/p/topics/clusters" },
  ],
  control_plane_endpoint: ["public"],
  existing_cluster: [null],
  existing_namespace: [null],
} as const;

/** Further inputs that both variants accept. */
const FINE_WORKERS: AcceptedInputs = {
  "the application's own supervision with the pinned release": { worker_mode: "all-in-one" },
  "the application's own supervision with the first release that has it": {
    worker_mode: "all-in-one",
    application_version: "2026.5.0",
  },
  "one process by a variable": { environment_variables: { IDP_WORKER__PROCESSES: "1" } },
  "one thread and one process by inputs, which variables override": {
    worker: { processes: 1, threads: 1 },
    environment_variables: { IDP_WORKER__THREADS: "2" },
  },
  "one thread by a variable where there is little memory": {
    container_memory: "2Gi",
    environment_variables: { IDP_WORKER__THREADS: "1" },
  },
};

export const KEY = "projects/keys/locations/us-central1/keyRings/idp/cryptoKeys/idp";

/** Sets of inputs of the serverless stack that Terraform accepts. */
export const ACCEPTED_SETS: AcceptedInputs = {
  "keys whose agents are granted their use": { kms_keys: { database: KEY, project_number: "123456789012" } },
  "a key of the region": { kms_keys: { default: KEY } },
  "a key of its own for the audit log": { kms_keys: { logs: KEY, project_number: "123456789012" }, audit_log: {} },
  "dumps in a locked bucket": { dumps: { schedule: "30 4 * * *", lock_days: 400 } },
  "no time to restore a deleted file": { soft_delete_days: 0 },
  "a quarter to restore a deleted file": { soft_delete_days: 90 },
  "a backup plan of the organization": {
    existing_backup_plan: "projects/acme-backups/locations/us-central1/backupPlans/daily",
    backup_before_upgrade: false,
  },
  "dumps that are copied elsewhere": { dumps: { schedule: "30 4 * * *", copy_bucket: "acme-backups" } },
  "a locked bucket of dumps that are kept without a schedule": { dumps: { schedule: null, lock_days: 1 } },
  "a log without events where nobody keeps them": { log_level: "warn" },
  "a level that a variable lowers again, so that there are events": {
    log_level: "error",
    environment_variables: { AUTHENTIK_LOG_LEVEL: "info" },
    audit_log: { destination: "pubsub.googleapis.com/projects/audit-project/topics/sign-ins" },
  },
  "all traffic through the network, with tags": {
    network: NETWORK,
    subnetwork: SUBNETWORK,
    network_tags: ["sign-in", "a"],
    vpc_egress: "all-traffic",
  },
  "an internal load balancer with a subnetwork for its proxies": {
    domain: "sign-in.example.com",
    close_default_address: true,
    network: NETWORK,
    subnetwork: SUBNETWORK,
    load_balancer: "internal",
    load_balancer_proxy_range: "10.129.0.0/26",
  },
  "a second region": { domain: "sign-in.example.com", standby: { region: "us-east1" } },
  "a second region that has taken over, on a network": {
    domain: "sign-in.example.com",
    network: NETWORK,
    subnetwork: SUBNETWORK,
    secret_locations: ["europe-west1", "us-west1", "us-central1"],
    standby: {
      region: "us-west1",
      promoted: true,
      number: 2,
      subnetwork: SUBNETWORK.replace("us-central1", "us-west1"),
    },
  },
  "a second region with fast copies of uploads": {
    domain: "sign-in.example.com",
    standby: { region: "us-east1", turbo_replication: true },
  },
  "a second region on another continent, without buckets in both": {
    domain: "sign-in.example.com",
    standby: { region: "asia-northeast1", dual_region_buckets: false },
  },
  "settings of the mail server as variables": {
    environment_variables: { IDP_EMAIL__PORT: "587", IDP_EMAIL__TIMEOUT: "30", IDP_EMAIL__USE_TLS: "true" },
  },
  "settings in every form that the application parses": {
    environment_variables: {
      AUTHENTIK_EMAIL__USE_SSL: "False",
      IDP_COOKIE_DOMAIN: ".example.com",
      IDP_EMAIL__HOST: "env://MAIL_HOST",
      IDP_EMAIL__PORT: "file:///run/port",
      IDP_EMAIL__USERNAME: "idp@example.com",
      IDP_LOG_LEVEL: "warn",
      IDP_LISTEN__TRUSTED_PROXY_CIDRS: "203.0.113.0/24, 2001:db8::/32",
    },
  },
  "the project alone": {},
  "a project id of 6 and of 30 characters": { project_id: "abcde1" },
  "a tenant id of 20 characters": { tenant_id: "t".repeat(20) },
  "an application name of 18 characters": { application_name: "a".repeat(18) },
  "the longest names that the socket's path has room for": {
    project_id: "p".repeat(30),
    tenant_id: "t".repeat(20),
    application_name: "a".repeat(8),
  },
  "the first release without Redis": { application_version: "2025.10.0" },
  "the last feature release of a year": { application_version: "2025.12.4" },
  "the release after those that are refused": { application_version: "2026.8.3" },
  "a release that is not known yet": { application_version: "2030.1.1" },
  "a release with the digest of its image": { application_version: `2026.5.9@sha256:${"0123456789abcdef".repeat(4)}` },
  "no bootstrap password": { bootstrap_password: null },
  "a bootstrap password of 8 characters": { bootstrap_password: "eight888" },
  "variables with any values": {
    environment_variables: {
      IDP_A: 'quote " and ${text} and %{if}\nline',
      _a1: "",
      IDP_POSTGRESQL__HOST: "db.example.com",
    },
  },
  "an empty bootstrap password, as a pipeline may export it": { bootstrap_password: "" },
  "an image by tag": { existing_container_image: "us-docker.pkg.dev/p/r/idp:2026.5.4-abc" },
  "an image by digest": { existing_container_image: `us-docker.pkg.dev/p/r/idp@${DIGEST}` },
  "an image of another repository in the same project, with a name that begins alike": {
    project_id: "my-project",
    existing_container_image: "us-central1-docker.pkg.dev/my-project/idp-demo-1c7cd9-old/idp:1",
  },
  "an image of a host with a port": { existing_container_image: "registry.example.com:5000/idp:1" },
  "the smallest database for one instance": { database_tier: "db-g1-small", max_instance_count: 1 },
  "the least memory of one CPU": { database_tier: "db-custom-1-3840" },
  "the most memory of one CPU": { database_tier: "db-custom-1-6656", max_instance_count: 5 },
  "a database of Enterprise Plus": { database_tier: "db-perf-optimized-N-2", max_instance_count: 20 },
  "the largest database": { database_tier: "db-custom-96-638976", max_instance_count: 40 },
  "a network of another project": { network: NETWORK, subnetwork: SUBNETWORK },
  "as many instances as the default database has connections for": { max_instance_count: 5 },
  "as many without a connection pool": { connection_pool: false, max_instance_count: 3 },
  "more that answer fewer requests each": {
    connection_pool: false,
    max_instance_count: 6,
    max_instance_request_concurrency: 5,
  },
  "as many that always run as there may be": { min_instance_count: 3 },
  "the least memory": { container_cpu: 1, container_memory: "512Mi" },
  "the most memory of two CPUs": { container_cpu: 2, container_memory: "8192Mi" },
  "the least memory of four CPUs": { container_cpu: 4, container_memory: "2Gi" },
  "the most memory": { container_cpu: 8, container_memory: "32Gi" },
  "labels at their longest": { labels: { [`a${"b".repeat(62)}`]: "c".repeat(63), empty: "", "a_-1": "1-_" } },
  ...FINE_WORKERS,
};

const GEOIP_IN_NUMBERS = { account_id: 123456, license_key_secret: { secret_id: "maxmind", version: 3 } };

/** A cluster that exists; what follows the first line of its certificate is not looked at. */
export const CLUSTER = {
  name: "shared",
  location: "us-central1",
  endpoint: "203.0.113.9",
  ca_certificate: Buffer.from("-----BEGIN CERTIFICATE-----\n").toString("base64"),
  node_account: "nodes@shared-accounts.iam.gserviceaccount.com",
};

/** Sets of inputs of the Kubernetes stack that Terraform accepts. */
export const ACCEPTED_SETS_OF_KUBERNETES: AcceptedInputs = {
  "another secret key, whose consequences are accepted": { secret_key: { version: 2, accepted_version: 2 } },
  "a control plane that only its name reaches": { control_plane_endpoint: "dns" },
  "private ranges that reach the private address of a control plane": {
    control_plane_endpoint: "private",
    network: NETWORK,
    subnetwork: SUBNETWORK,
    authorized_networks: { office: "10.1.0.0/16", vpn: "172.31.0.0/24" },
  },
  ...FINE_WORKERS,
  "a maximum of separate workers": { worker_mode: "separate", worker: { count: 2, max_count: 2 } },
  "the project alone": {},
  "a namespace of 63 characters": { namespace: "n".repeat(63) },
  "outposts beside a namespace of 63 characters": { outposts: {}, namespace: "n".repeat(63) },
  "a namespace that only begins like the cluster's own": { namespace: "gkeeper" },
  "a short domain with digits and hyphens": { domain: "1-a.xn--p1ai" },
  "the least of everything": { container_cpu: 0.5, container_memory: "512Mi" },
  "the most memory per CPU": { container_cpu: 2, container_memory: "13Gi" },
  "the most of everything": { container_cpu: 28, container_memory: "108Gi" },
  "as many that always run as there may be": { min_instance_count: 3 },
  "one instance on the smallest database": { database_tier: "db-g1-small", max_instance_count: 1 },
  "databases of addresses, with the number of the account and of the version as numbers": { geoip: GEOIP_IN_NUMBERS },
  "a network of another project": { network: NETWORK, subnetwork: SUBNETWORK },
  "an existing account of the nodes": {
    existing_service_accounts: { nodes: "idp-nodes@my-project.iam.gserviceaccount.com" },
  },
  "an existing cluster": { existing_cluster: CLUSTER },
  "a cluster of another region with a domain, and days on which the database is not maintained": {
    existing_cluster: { ...CLUSTER, location: "europe-west1" },
    domain: "sign-in.example.com",
    deny_maintenance_period: { start_date: "2026-12-01", end_date: "2026-12-24" },
  },
  "a namespace of a zone's standard cluster with a DNS endpoint": {
    existing_cluster: {
      name: "shared",
      location: "us-central1-a",
      autopilot: false,
      endpoint: "gke-0a1b2c.us-central1-a.gke.goog",
    },
    existing_namespace: { name: "sign-in" },
  },
};

/** What a landing zone requires of the lab. */
const LANDING_ZONE_OF_LAB = {
  image_project: "my-images",
  kms_key: "projects/keys/locations/us-central1/keyRings/lab/cryptoKeys/lab",
  network: "projects/shared/global/networks/main",
  subnetwork: "projects/shared/regions/us-central1/subnetworks/lab",
  firewall_logging: true,
  network_tags: ["training"],
  os_login: true,
  serial_port_logging: false,
  windows_external_ip: false,
};

/** Sets of inputs of the lab that Terraform accepts. */
export const ACCEPTED_SETS_OF_LAB: AcceptedInputs = {
  "the project alone": {},
  "nothing that can be left out": {
    create_default_firewall_rules: false,
    create_ssh_key_bucket: false,
    initialize_assessment_service: false,
  },
  "a zone of another region together with that region": { region: "europe-west1", zone: "europe-west1-d" },
  "a region without a zone, for which the default zone stands": { region: "europe-west1", zone: "us-central1-a" },
  "a deployment id of one digit": { deployment_id: "7" },
  "a deployment id of eight characters": { deployment_id: "0a1b2c3d" },
  "an existing network by its id": { create_vpc: false, deployment_id: "office" },
  "what a landing zone requires": LANDING_ZONE_OF_LAB,
  "the widest internal range": { internal_traffic_cidr: "10.0.0.0/8" },
  "a range of one address": { internal_traffic_cidr: "192.168.7.7/32" },
  "several sources for remote desktop": { rdp_source_ranges: ["203.0.113.0/24", "198.51.100.7/32"] },
  "a password that nobody knows": { windows_password: "unknown" },
  "the smallest and the largest disk": { windows_vm_boot_disk_size_gb: 50, linux_vm_boot_disk_size_gb: 65536 },
  "a small Windows disk without a Windows host": { create_windows_vm: false, windows_vm_boot_disk_size_gb: 10 },
  "a small Linux disk without targets": { linux_vm_count: 0, linux_vm_boot_disk_size_gb: 1 },
  "x86 families whose names come near those of Arm": {
    windows_vm_machine_type: "t2d-standard-2",
    linux_vm_machine_type: "a2-highgpu-1g",
  },
  "a client name of one and of 63 characters": { assess_discovery_client_name: "c".repeat(63) },
  "an AWS key as it is read from a file, with a line break at its end": {
    cloudb_access_key_id: "AKIAIOSFODNN7EXAMPLE\n",
    cloudb_secret_access_key: `${"s".repeat(40)}\n`,
    cloudb_region: "us-east-1",
  },
  "any characters in a client name": { assess_discovery_client_name: `it's "$5", \`a\`, \${x} and %{if}` },
};
