import { CHANNEL, CLUSTER, DIGEST, IMAGE, KEY, manyRanges, NETWORK, OWN_IMAGES, SUBNETWORK } from "./accepted-inputs";
import { type Inputs } from "./terraform-run";

/**
 * Inputs that are refused. Each message names one of them, or one of the complaints, and each complaint is in a
 * message. A value that must not be shown contains "unsaid".
 */
export interface RefusedInputs {
  readonly behaviour: string;
  readonly inputs: Inputs;
  readonly complaints?: readonly string[];
}

type WithComplaints = readonly [inputs: Inputs, complaints: readonly string[]];

/** Inputs by what they are like, some with complaints. */
type Refused = Readonly<Record<string, Inputs | WithComplaints>>;

const DOMAIN = { domain: "login.example.com" };
const DUMPED = { dumps: { schedule: "30 4 * * *" } };
const POLICY = "projects/my-project/global/securityPolicies/company";
const SECRET = { secret_id: "smtp", version: 1 };
const SERVER = { host: "smtp.example.com", from: "idp@example.com" };

/** Variables with values that are another thing to the application, or nothing. */
const MISREAD = {
  AUTHENTIK_LOG_LEVEL: "verbose",
  IDP_COOKIE_DOMAIN: "https://example.com",
  IDP_EMAIL__FROM: "Acme, Inc. <idp@example.com>",
  IDP_EMAIL__HOST: "smtps://smtp.example.com",
  AUTHENTIK_EMAIL__PORT: "65536",
  IDP_EMAIL__TIMEOUT: "10s",
  IDP_EMAIL__USERNAME: "123456",
  IDP_EMAIL__USE_SSL: "1",
  IDP_EMAIL__USE_TLS: "starttls",
  IDP_LISTEN__TRUSTED_PROXY_CIDRS: "203.0.113.7/33",
};

/** Variables that would move what the deployment relies on. */
const MOVED = [
  "LISTEN__HTTP",
  "LISTEN__HTTPS",
  "LISTEN__METRICS",
  "WEB__PATH",
  "STORAGE__FILE__PATH",
  "STORAGE__MEDIA__FILE__PATH",
  "STORAGE__REPORTS__FILE__PATH",
]
  .flatMap((name) => [`IDP_${name}`, `AUTHENTIK_${name}`])
  .concat("UPSTREAM_PREFIX");

/** Settings that a secret must not replace either. */
const FIXED = [
  "AUTHENTIK_BOOTSTRAP_PASSWORD",
  "AUTHENTIK_LISTEN__HTTP",
  "DB_PASSWORD",
  "IDP_LISTEN__TRUSTED_PROXY_CIDRS",
  "IDP_SECRET_KEY",
  "IDP_WEB__PATH",
  "PORT",
];

const DATABASE = {
  connection_name: "shared-data:us-central1:postgres",
  database: "idp",
  user: "idp",
  password_secret: { secret_id: "idp-password", version: 1 },
};
const WINDOW = { maintenance_window: {} };
const FIRST = { start_date: "2026-12-01" };

/** What both identity providers refuse by a rule that looks at one input. */
const REFUSED_ALONE: Refused = {
  "another secret key that nobody accepts": { secret_key: { version: 2 } },
  "a part of a backup": { backups: { retention_count: 7.5 } },
  "more backups than are kept": { backups: { retention_count: 366 } },
  "no day that the database can go back to": { backups: { log_days: 0 } },
  "more days to go back to than the edition keeps": { backups: { log_days: 8 } },
  "days to go back to for which there is no backup": { backups: { retention_count: 6, log_days: 7 } },
  "a dump in an apply without a schedule": { dumps: { schedule: null, at_apply: true } },
  "half a password version": { database_passwords: { version: 1.5 } },
  "a network tag in capitals": { network_tags: ["Sign-in"] },
  "a network by its bare name": { network: "main", subnetwork: SUBNETWORK },
  "an empty subnetwork": { network: NETWORK, subnetwork: "" },
  "a zone for the backups": { backups: { location: "us-central1-a" } },
  "a continent in capitals for the backups": { backups: { location: "EU" } },
  "a check-up at a pause that no alert counts": { check_up: { schedule: "*/7 * * * *" } },
  "a check-up once a day": { check_up: { schedule: "30 4 * * *" } },
  "a limit of the check-up below zero": { check_up: { limits: { tasks_failed: -1 } } },
  "a recovery link that nobody may read": { recovery_access: { minutes: 15 } },
  "a recovery link for a group": { recovery_access: { reader: "group:admins@example.com" } },
  "a recovery link for an identity of a pool": {
    recovery_access: { reader: "principal://iam.googleapis.com/locations/global/workforcePools/p/subject/a" },
  },
  "a recovery link for an hour and a minute": { recovery_access: { reader: "user:admin@example.com", minutes: 61 } },
  "a recovery link for less than it takes": { recovery_access: { reader: "user:admin@example.com", minutes: 4 } },
  "a sign-in probe at a pause that no alert counts": { sign_in_probe: { schedule: "0 * * * *" } },
  "a sign-in probe with a title for a flow": { sign_in_probe: { flow: "Welcome to authentik!" } },
  "a sign-in probe that ends at the password": { sign_in_probe: { ends_at: "password" } },
  "a sign-in probe that is slow before it begins": { sign_in_probe: { slow_seconds: 0 } },
  "a sign-in probe with a client of two words": {
    sign_in_probe: { client_id: "my client", redirect_uri: "https://a.b/" },
  },
  "a sign-in probe whose code goes over plain HTTP": {
    sign_in_probe: { client_id: "probe", redirect_uri: "http://app.example.com/callback" },
  },
  "a sign-in probe with a client that is taken nowhere": { sign_in_probe: { client_id: "probe" } },
  "a sign-in probe with an address that no client has": { sign_in_probe: { redirect_uri: "https://a.example.com/b" } },
  "a sign-in probe that gets a token before it is signed in": {
    sign_in_probe: { ends_at: "second-factor", client_id: "probe", redirect_uri: "https://a.example.com/b" },
  },
  'the schedule ""': { dumps: { schedule: "" } },
  'the schedule "30 4 * *"': { dumps: { schedule: "30 4 * *" } },
  'the schedule "60 4 * * *"': { dumps: { schedule: "60 4 * * *" } },
  'the schedule "30 4 * * 7"': { dumps: { schedule: "30 4 * * 7" } },
  'the schedule "30 4 * * MON"': { dumps: { schedule: "30 4 * * MON" } },
  'the schedule "30 4-2 * * *"': { dumps: { schedule: "30 4-2 * * *" } },
  'the schedule "5/10 4 * * *"': { dumps: { schedule: "5/10 4 * * *" } },
  'the schedule "*/0 4 * * *"': { dumps: { schedule: "*/0 4 * * *" } },
  'the schedule "30 4 31 2 *", which never comes': { dumps: { schedule: "30 4 31 2 *" } },
  "blueprints that are not shipped": { blueprints: ["branding", "sign-up", "Branding"] },
  'the domain ""': { domain: "" },
  'the domain "müller.example.com"': [{ domain: "müller.example.com" }, ["xn--"]],
  'the domain "localhost"': { domain: "localhost" },
  'the domain "203.0.113.7"': { domain: "203.0.113.7" },
  'the domain "Login.example.com"': { domain: "Login.example.com" },
  'the domain "example.com."': { domain: "example.com." },
  'the domain "https://example.com"': { domain: "https://example.com" },
  "a domain of 255 characters": { domain: `${"a.".repeat(126)}com` },
  "another way to validate a certificate": { certificate_validation: "mail" },
  "a zone without a name": { ...DOMAIN, dns_zone: { name: null } },
  "a zone by its domain": { ...DOMAIN, dns_zone: { name: "example.com" } },
  "settings with names of secrets, but no names that only look so and no references": {
    environment_variables: {
      IDP_EMAIL__PASSWORD: "unsaid",
      IDP_STORAGE__S3__SECRET_KEY: "unsaid",
      IDP_TENANTS__API_KEY: "env://API_KEY",
      IDP_POSTGRESQL__SSLKEY: "/certs/client.key",
      IDP_DEFAULT_TOKEN_LENGTH: "60",
      oidc_client_secret: "file:///run/secret?unsaid",
    },
  },
  "flags of the database that are none, the library's own, or empty": {
    database_flags: {
      "log-temp-files": "0",
      Log_Statement: "all",
      max_connections: "500",
      work_mem: "",
      log_statement: "none",
      "cloudsql.iam_authentication": "on",
    },
  },
  "a major version of the database that is too old": [{ database_version: 14 }, ["set 17 for a new deployment"]],
  "a later major version of the database": { database_version: 18 },
  "an availability that Cloud SQL does not have": { database_availability: "HA" },
  "no region for the secrets": { secret_locations: [] },
  "a zone for the secrets": { secret_locations: ["us-central1", "us-central1-a"] },
  "a region for the secrets twice": { secret_locations: ["us-central1", "us-central1"] },
  "a log level that the application does not know": { log_level: "verbose" },
  "a request of more than an hour": { request_timeout_seconds: 3601 },
  "probes that no platform makes, overlap or take too long": [
    {
      startup_probe: { initial_delay_seconds: 241, period_seconds: 5, failure_threshold: 121 },
      liveness_probe: { period_seconds: 0, timeout_seconds: 0.5, failure_threshold: 0 },
    },
    [
      "liveness_probe.failure_threshold",
      "liveness_probe.period_seconds",
      "liveness_probe.timeout_seconds",
      "startup_probe.initial_delay_seconds",
      "startup_probe.period_seconds",
      "startup_probe.timeout_seconds",
    ],
  ],
  "probes that never ask, or give up before they do": [
    {
      startup_probe: { period_seconds: 0.5, failure_threshold: 1.5, timeout_seconds: 1 },
      liveness_probe: { initial_delay_seconds: -1 },
    },
    [
      "liveness_probe.initial_delay_seconds",
      "startup_probe.failure_threshold",
      "startup_probe.period_seconds",
      "startup_probe.timeout_seconds",
    ],
  ],
  "every kind of wrong secret setting at once": [
    {
      secret_environment_variables: {
        "IDP-A": SECRET,
        IDP_B: { secret_id: "my secret", version: "latest" },
        IDP_C: { secret_id: "projects/0123/secrets/smtp", version: 0 },
        IDP_D: { secret_id: "projects/other-project/secrets/smtp/versions/3", version: 1.5 },
        IDP_E: { secret_id: null, version: 1 },
        IDP_F: { secret_id: "smtp", version: null },
        ...Object.fromEntries(FIXED.map((name) => [name, SECRET])),
      },
    },
    ["IDP-A", "IDP_B", "IDP_C", "IDP_D", "IDP_E", "IDP_F", ...FIXED],
  ],
  "a mail server with every kind of wrong member at once": [
    {
      smtp: {
        host: "smtps://smtp.example.com:465",
        port: 25,
        username: "idp",
        from: "no-reply",
        encryption: "ssl",
        password_secret: { secret_id: "my secret", version: "latest" },
        timeout: 0,
      },
    },
    ["smtp.encryption", "smtp.from", "smtp.host", "smtp.password_secret", "smtp.port", "smtp.timeout"],
  ],
  "a mail server on no port, with a sender on no host, and half a secret": [
    {
      smtp: {
        host: null,
        port: 65536,
        username: "idp",
        from: "idp@localhost",
        password_secret: { secret_id: "smtp-password", version: null },
        timeout: 301,
      },
    },
    ["smtp.from", "smtp.host", "smtp.password_secret", "smtp.port", "smtp.timeout"],
  ],
  "a sender with a comma outside quotes": { smtp: { ...SERVER, from: "Acme, Inc. <idp@example.com>" } },
  "a server that is a number": { smtp: { ...SERVER, host: "587" } },
  "a server with an umlaut": [{ smtp: { ...SERVER, host: "müller.example.com" } }, ["xn--"]],
  "starttls on port 465": { smtp: { ...SERVER, port: 465, encryption: "starttls" } },
  "tls on port 587": { smtp: { ...SERVER, port: 587, encryption: "tls" } },
  "none on port 465": { smtp: { ...SERVER, port: 465, encryption: "none" } },
  "a user name without a password": { smtp: { ...SERVER, username: "idp" } },
  "a password without a user name, and without encryption": [
    { smtp: { ...SERVER, encryption: "none", password_secret: SECRET } },
    ["smtp.encryption", "smtp.password_secret"],
  ],
  "no day for a dump": { dumps: { ...DUMPED.dumps, retention_days: 0 } },
  "days of soft deletion that Cloud Storage has not": { soft_delete_days: 6 },
  "a backup plan without its project": { existing_backup_plan: "daily", backup_before_upgrade: false },
  "copies of dumps in a folder of a bucket": { dumps: { ...DUMPED.dumps, copy_bucket: "gs://acme-backups/idp" } },
  "a lock of dumps for half a day": { dumps: { ...DUMPED.dumps, lock_days: 0.5 } },
  "a mode of the worker that there is not": { worker_mode: "allinone" },
  "a project number": { project_id: "123456789012" },
  "a project name": { project_id: "My Project" },
  "a zone as region": { region: "us-central1-a" },
  "a tenant id of 21 characters": { tenant_id: "t".repeat(21) },
  "capitals in a tenant id": { tenant_id: "Acme" },
  "an application name of 19 characters": { application_name: "a".repeat(19) },
  "an application name with a digit first": { application_name: "1idp" },
  "a release that needs a Redis": { application_version: "2025.8.1" },
  "a rolling release": { application_version: "2026.5" },
  "a release of a thirteenth month": { application_version: "2026.13.1" },
  "the release that takes the load balancer for every client": { application_version: "2026.8.0" },
  "a release that upstream skipped": { application_version: "2026.5.1" },
  "a release that grows without end": { application_version: "2026.8.1" },
  "a refused release by its digest": [
    { application_version: `2026.8.1@sha256:${"0".repeat(64)}` },
    ["; it must be another release, because its memory grows until it is killed; use "],
  ],
  "a release with half of a digest": { application_version: `2026.5.9@sha256:${"0".repeat(32)}` },
  "a release that a database of a later patch cannot go to": [
    { application_version: "2026.8.2" },
    ["; it must be another release, because a database of 2026.5.7 or later cannot be migrated to it; use "],
  ],
  "a bootstrap password of 7 characters, without showing it": { bootstrap_password: "unsaid!" },
  "the secret key as a variable": { environment_variables: { IDP_SECRET_KEY: "x" } },
  "the secret key under the upstream's own prefix, which would win": {
    environment_variables: { AUTHENTIK_SECRET_KEY: "x" },
  },
  "the bootstrap password as a variable": { environment_variables: { IDP_BOOTSTRAP_PASSWORD: "x" } },
  "the database's own variables": [
    { environment_variables: { DB_HOST: "x", DB_NAME: "x", DB_PORT: "x", DB_USER: "x" } },
    ["DB_HOST", "DB_NAME", "DB_PORT", "DB_USER"],
  ],
  "the database's password under each name that leads it into the application, and so into the state": [
    { environment_variables: { AUTHENTIK_POSTGRESQL__PASSWORD: "x", DB_PASSWORD: "x", IDP_POSTGRESQL__PASSWORD: "x" } },
    ["AUTHENTIK_POSTGRESQL__PASSWORD", "DB_PASSWORD", "IDP_POSTGRESQL__PASSWORD"],
  ],
  "another address, port or path, under either prefix, or another prefix": [
    { environment_variables: Object.fromEntries(MOVED.map((name) => [name, "x"])) },
    MOVED,
  ],
  "proxies under the upstream's own prefix, which would replace the platform's": {
    environment_variables: { AUTHENTIK_LISTEN__TRUSTED_PROXY_CIDRS: "203.0.113.0/24" },
  },
  "a setting not in capitals, which would stand beside the one in capitals": {
    environment_variables: { IDP_listen__trusted_proxy_cidrs: "203.0.113.0/24" },
  },
  "variables that the application would misread, under either prefix": [
    { environment_variables: MISREAD },
    Object.keys(MISREAD).map((name) => `"${name}" = "`),
  ],
  "a pool of another size": [{ environment_variables: { CONNECTION_POOL_SIZE: "500" } }, ["CONNECTION_POOL_SIZE"]],
  "the platform's own variables": [{ environment_variables: { K_SERVICE: "x", PORT: "x" } }, ["K_SERVICE", "PORT"]],
  "names that no shell keeps": { environment_variables: { "": "x", "1IDP": "x", "IDP ${x}": "x", "IDP-LOG": "x" } },
  "several kinds of wrong variables at once": { environment_variables: { "a.b": "x", IDP_SECRET_KEY: "x", PORT: "1" } },
  "an image without a tag": { existing_container_image: "us-docker.pkg.dev/p/r/idp" },
  "an image whose tag moves": { existing_container_image: "us-docker.pkg.dev/p/r/idp:latest" },
  "an unknown tier": { database_tier: "db-n1-standard-1" },
  "a tier that Enterprise Plus has not": { database_tier: "db-perf-optimized-N-3" },
  "an odd number of CPUs": { database_tier: "db-custom-3-7680" },
  "too little memory": { database_tier: "db-custom-1-3584" },
  "too much memory per CPU": { database_tier: "db-custom-2-13568" },
  "a limit below the size of a new disk": { database_disk_limit_gb: 9 },
  "more than a year for the last backup": { backups: { final_days: 366 } },
  "capitals in a label": { labels: { Team: "x", fine: "y", team: "No" } },
  "a label with a digit first": { labels: { "1team": "x" } },
  "no sign-in at all": { ...DOMAIN, protection: { sign_ins_per_minute: 0 } },
  "more sign-ins than are counted": { ...DOMAIN, protection: { sign_ins_per_minute: 10001 } },
  "no request at all": { ...DOMAIN, protection: { requests_per_minute: 0 } },
  "a ban that ends before the count": { ...DOMAIN, protection: { ban_seconds: 59 } },
  "another word for what happens to attacks": { ...DOMAIN, protection: { waf: "block" } },
  "ranges of administrators that are none, not written as the platform answers, or everybody": {
    ...DOMAIN,
    protection: {
      admin_ranges: [
        "203.0.113.0/24",
        "203.0.113.7",
        "203.0.113.7/24",
        "0.0.0.0/0",
        "::/0",
        "2001:DB8::/32",
        "::ffff:203.0.113.7/128",
        "::ffff:0:0/96",
        "office",
        "2001:db8::/32",
      ],
    },
  },
  "more ranges of administrators than a policy has room for": {
    ...DOMAIN,
    protection: { admin_ranges: manyRanges(1001) },
  },
  "a trusted range that is everybody": { ...DOMAIN, protection: { trusted_ranges: ["0.0.0.0/0"] } },
  "more trusted ranges than a policy has room for": [
    { ...DOMAIN, protection: { trusted_ranges: manyRanges(1001) } },
    ["protection.trusted_ranges 1001"],
  ],
  "an administration that nobody reaches": { ...DOMAIN, protection: { restrict_admin: true } },
  "a track of the platform's own": { maintenance_window: { track: "preview" } },
  "a day without a year": { ...WINDOW, deny_maintenance_period: { start_date: "12-01", end_date: "2026-12-24" } },
  "an audit log that is kept for no day": { audit_log: { retention_days: 0 } },
  "an audit log that is kept for more than ten years": { audit_log: { retention_days: 3651 } },
  "events that the application keeps for no day": { audit_log: { event_days: 0 } },
  "events that the application keeps for more than ten years": { audit_log: { event_days: 3651 } },
  "a copy of the audit log in a bucket": { audit_log: { destination: "storage.googleapis.com/a-bucket" } },
  "a copy of the audit log at a topic by its name alone": { audit_log: { destination: "sign-ins" } },
  "a window on an eighth day": { maintenance_window: { day: 8 } },
  "a window at half past three": { maintenance_window: { hour: 3.5 } },
  "more days without maintenance than there may be": {
    ...WINDOW,
    deny_maintenance_period: { ...FIRST, end_date: "2027-03-02" },
  },
  "a period that ends before it begins": { ...WINDOW, deny_maintenance_period: { ...FIRST, end_date: "2026-12-01" } },
  "a mirror with a slash at the end": { image_mirror: "europe-docker.pkg.dev/my-project/mirror/" },
  "a mirror with a scheme": { image_mirror: "https://registry.example.com/mirror" },
  "a header with two lines": { ...DOMAIN, domain_options: { strict_transport_security: "max-age=1\nX: y" } },
  "a header without an age": { ...DOMAIN, domain_options: { strict_transport_security: "includeSubDomains" } },
  "a project by its id, where its agents have its number": { kms_keys: { default: KEY, project_number: "my-project" } },
  "a key by its name alone": { kms_keys: { database: "idp" } },
  "a key for nothing, by a misspelt member": { kms_keys: { defualt: KEY, project_number: "123456789012" } },
  "no account, by a misspelt member": { existing_service_accounts: { server: "idp@accounts.iam.gserviceaccount.com" } },
  "no secret, by a misspelt member": { existing_secrets: { secretkey: { secret_id: "key", version: 1 } } },
  "a bucket as a URL": { existing_bucket: { name: "gs://acme-uploads" } },
  "a folder of a bucket": { existing_bucket: { name: "acme-uploads/idp" } },
  "a repository in another location than its prefix says": {
    existing_repository: { image_prefix: "us-docker.pkg.dev/images/idp", location: "europe" },
  },
  "an image in a repository": {
    existing_repository: { image_prefix: "us-docker.pkg.dev/images/idp/app", location: "us" },
  },
  "a person for a service account": { existing_service_accounts: { service: "someone@example.com" } },
  "one service account for two purposes": {
    existing_service_accounts: {
      dump: "idp-jobs@my-project.iam.gserviceaccount.com",
      job: "idp-jobs@my-project.iam.gserviceaccount.com",
    },
  },
  "a service account by its name alone": { existing_service_accounts: { build: "idp-build" } },
  "a service account as the member of a grant": {
    existing_service_accounts: { service: "serviceAccount:idp@my-project.iam.gserviceaccount.com" },
  },
  "own parts in a word of no meaning": { own_parts: "keep" },
  "the latest version of a secret key": { existing_secrets: { secret_key: { secret_id: "key", version: "latest" } } },
  "a database by the name of its instance": { existing_database: { ...DATABASE, connection_name: "shared" } },
  "a connection name that is too long for the path of a socket": {
    existing_database: { ...DATABASE, connection_name: `shared-data:us-central1:${"a".repeat(70)}` },
  },
  "the name by which the connection pool calls itself": { existing_database: { ...DATABASE, database: "pgbouncer" } },
  "the administrator's own database": { existing_database: { ...DATABASE, database: "postgres" } },
  "the application's login as its administrator": {
    existing_database: { ...DATABASE, administrator: { user: "idp", secret: DATABASE.password_secret } },
  },
  "logins in capitals": [
    {
      existing_database: {
        ...DATABASE,
        user: "IDP",
        administrator: { user: "Postgres", secret: DATABASE.password_secret },
      },
    },
    ["existing_database.user", "existing_database.administrator.user"],
  ],
  "the latest version of a first password": {
    existing_secrets: { bootstrap_password: { secret_id: "first", version: "latest" } },
  },
  "the name of a database in capitals": { existing_database: { ...DATABASE, database: "IDP" } },
  "the latest password of a database": {
    existing_database: { ...DATABASE, password_secret: { secret_id: "idp-password", version: "latest" } },
  },
  "an administrator without the version of a password": {
    existing_database: {
      ...DATABASE,
      administrator: { user: "postgres", secret: { secret_id: "postgres-password", version: "" } },
    },
  },
  "an existing policy by its name alone": { ...DOMAIN, existing_security_policy: "company" },
  "a regional policy": {
    ...DOMAIN,
    existing_security_policy: "projects/my-project/regions/europe-west1/securityPolicies/company",
  },
  "receivers that are no addresses": { alert_emails: ["On call <a@example.com>", "fine@example.com", "nobody", "a@b"] },
  "a channel by its number": { notification_channels: { all: ["4711", CHANNEL] } },
  "a pager by its name": { notification_channels: { critical: ["pager"], error: [CHANNEL] } },
  "a share in percent": {
    alerts: { "database-cpu": { threshold: 90 }, "database-down": { threshold: 1 }, memory: { threshold: 1 } },
  },
  "a goal in percent": { slo: { available: 99.9 } },
  "a goal that nobody can meet": { slo: { latency: 1 } },
  "answers in parts of a millisecond": { slo: { latency_ms: 0.5 } },
  "an alert that there is none of": { alerts: { disk: { threshold: 1 }, uptime: {} } },
  "a threshold for an entry of the log": {
    alerts: { "worker-down": { threshold: 3 }, "backup-failed": { enabled: false } },
  },
  "a threshold below everything": { alerts: { "database-cpu": { threshold: -1 } } },
  "durations between two looks and of more than a day": {
    alerts: { "database-cpu": { duration_seconds: 90 }, cpu: { duration_seconds: 86460 } },
  },
};

/** What both refuse by a rule that compares inputs. */
const REFUSED_TOGETHER: Refused = {
  "a part of a process, and no thread": { worker: { processes: 1.5, threads: 0 } },
  "a worker with a single thread, which no synchronization ends with": [
    { worker: { processes: 1, threads: 1 } },
    ["worker.processes is 1 and worker.threads is 1; each must be a whole number from 1, and not both 1"],
  ],
  "a single thread by a variable and a single process": [
    { worker: { processes: 1 }, environment_variables: { IDP_WORKER__THREADS: "1" } },
    ["not both 1", "IDP_WORKER__PROCESSES and IDP_WORKER__THREADS in environment_variables override them"],
  ],
  "a single process by a variable of the application's own name, and a single thread": {
    worker: { threads: 1 },
    environment_variables: { AUTHENTIK_WORKER__PROCESSES: "1" },
  },
  "a part of an instance": { max_instance_count: 2.5 },
  "no instance at all": { max_instance_count: 0 },
  "1.5 of the requests": { domain_options: { request_log_sample_rate: 1.5 }, ...DOMAIN },
  "no separate worker": { worker_mode: "separate", worker: { count: 0 } },
  "a backup plan together with backups before upgrades": {
    existing_backup_plan: "projects/acme-backups/locations/us-central1/backupPlans/daily",
  },
  "a lock of dumps in a trial": { dumps: { ...DUMPED.dumps, lock_days: 30 }, deletion_protection: false },
  "blueprints for an image that exists": { existing_container_image: IMAGE, blueprints: ["branding", "no-sign-up"] },
  "a log of requests without a domain": { domain_options: { request_log_sample_rate: 0.5 } },
  "a zone without a domain": { dns_zone: { name: "example" } },
  "a zone that serves another domain": { ...DOMAIN, dns_zone: { name: "other", dns_name: "ample.com." } },
  "a protection without a domain": { domain: null, protection: {} },
  "another version of a secret key that exists": {
    secret_key: { version: 2, accepted_version: 2 },
    existing_secrets: { secret_key: { secret_id: "former-key", version: 1 } },
  },
  "the size of a database that exists": { existing_database: DATABASE, database_tier: "db-custom-2-7680" },
  "flags of a database that exists": { existing_database: DATABASE, database_flags: { log_statement: "none" } },
  "backups of a database that exists": { existing_database: DATABASE, backups: { location: "eu" } },
  "more instances than a database that exists has connections for": [
    { existing_database: { ...DATABASE, max_connections: 50 } },
    ["raise existing_database.max_connections"],
  ],
  "a repository for an image that exists": {
    existing_container_image: IMAGE,
    existing_repository: { image_prefix: "us-docker.pkg.dev/images/idp", location: "us" },
  },
  "an existing policy without a domain": { domain: null, existing_security_policy: POLICY },
  "an existing policy and a protection": { ...DOMAIN, protection: {}, existing_security_policy: POLICY },
  "settings that are both secret and plain": {
    environment_variables: { IDP_A: "x", IDP_LOG_LEVEL: "debug", IDP_Z: "x" },
    secret_environment_variables: { IDP_A: SECRET, IDP_B: SECRET, IDP_Z: SECRET },
  },
  "a given token beside a generated one": {
    bootstrap_token: true,
    environment_variables: { AUTHENTIK_BOOTSTRAP_TOKEN: "file:///run/token" },
    secret_environment_variables: { IDP_BOOTSTRAP_TOKEN: SECRET },
  },
  "settings of mail beside a mail server, under either prefix, plain or secret": {
    smtp: { ...SERVER },
    environment_variables: { AUTHENTIK_EMAIL__HOST: "other.example.com", IDP_EMAIL__TEMPLATE_DIR: "/x" },
    secret_environment_variables: {
      IDP_EMAIL__PASSWORD: SECRET,
      IDP_EMAIL__USERNAME: { secret_id: "smtp-user", version: 1 },
    },
  },
  "number and memory of separate workers where there are none": { worker: { count: 2, memory: "2Gi" } },
  "CPUs of separate workers where there are none": { worker_mode: "all-in-one", worker: { cpu: 2 } },
  "the application's own supervision with a release that has none": {
    worker_mode: "all-in-one",
    application_version: "2026.2.3",
  },
  "a word in the bucket's name that the store reserves": { tenant_id: "le-demo", application_name: "goog" },
  "an image of the repository that is deleted once an image is given": {
    project_id: "my-project",
    existing_container_image: `${OWN_IMAGES}idp:2026.5.4-abc`,
  },
  "a digest in the repository of another region, tenant and application, when all of them are this deployment's": {
    project_id: "my-project",
    region: "europe-west1",
    tenant_id: "acme",
    application_name: "login",
    existing_container_image: `europe-west1-docker.pkg.dev/my-project/login-acme-1c7cd9/login@${DIGEST}`,
  },
  "more instances that always run than there may be": { min_instance_count: 3, max_instance_count: 2 },
  "an audit log without events": { audit_log: {}, log_level: "warning" },
  "an audit log whose events a variable hides": {
    audit_log: {},
    environment_variables: { AUTHENTIK_LOG_LEVEL: "error" },
  },
  "a key of another region": [
    { kms_keys: { database: KEY, default: KEY.replace("us-central1", "europe-west1") } },
    [
      'kms_keys has a key of another region than region, "us-central1": default is of europe-west1; each must be of that region, because a key encrypts nothing elsewhere; use keys of us-central1, or correct region',
    ],
  ],
  "a key for secrets in several regions": [
    { kms_keys: { default: KEY }, secret_locations: ["us-central1", "us-east1"] },
    ['secret_locations is ["us-central1","us-east1"] with kms_keys; it must be us-central1 alone'],
  ],
  "a network without a subnetwork": { network: NETWORK },
  "a subnetwork without a network": { network: null, subnetwork: SUBNETWORK },
  "a subnetwork in another region": { network: NETWORK, subnetwork: SUBNETWORK, region: "europe-west1" },
};

/** What only the serverless variant refuses by a rule that looks at one input. */
const REFUSED_ALONE_BY_SERVERLESS: Refused = {
  "a fast copy of files that are in one region": {
    standby: { region: "us-east1", dual_region_buckets: false, turbo_replication: true },
  },
  "a word for who may call that there is not": { public_access: "everybody" },
  "no request at a time": { max_instance_request_concurrency: 0 },
  "a load balancer of a third kind": { load_balancer: "both" },
  "a zone as the second region": { standby: { region: "us-east1-b" } },
  "a hundredth replica": { standby: { region: "us-east1", number: 100 } },
  "a subnetwork of the second region by its bare name": { standby: { region: "us-east1", subnetwork: "main" } },
  "a number of CPUs that the platform does not offer": { container_cpu: 3 },
};

const FOR_THE_NETWORK = {
  ...DOMAIN,
  close_default_address: true,
  load_balancer: "internal",
  network: NETWORK,
  subnetwork: SUBNETWORK,
};

/** What it refuses by a rule that compares inputs. */
const REFUSED_TOGETHER_BY_SERVERLESS: Refused = {
  "all traffic through a network that is not given": { vpc_egress: "all-traffic" },
  "tags in a network that is not given": { network_tags: ["sign-in"] },
  "traffic of another kind": { vpc_egress: "none" },
  "the maintenance of a database that exists": { existing_database: DATABASE, maintenance_window: { day: 2 } },
  "a second region without a domain": { domain: null, standby: { region: "us-east1" } },
  "a second region for a database of others": {
    ...DOMAIN,
    existing_database: DATABASE,
    standby: { region: "us-east1" },
  },
  "a second region whose database everything in the project may connect to": {
    ...DOMAIN,
    database_rights: { conditional_access: false },
    standby: { region: "us-east1" },
  },
  "a second region with keys of the first": {
    ...DOMAIN,
    kms_keys: { default: KEY },
    standby: { region: "us-east1" },
  },
  "the same region twice": { ...DOMAIN, standby: { region: "us-central1", dual_region_buckets: false } },
  "secrets that the second region would not have": {
    ...DOMAIN,
    secret_locations: ["us-central1"],
    standby: { region: "us-east1" },
  },
  "a subnetwork of the first region in the second": {
    ...DOMAIN,
    network: NETWORK,
    subnetwork: SUBNETWORK,
    standby: { region: "us-east1", subnetwork: SUBNETWORK },
  },
  "a subnetwork of the second region without a network": {
    ...DOMAIN,
    standby: { region: "us-east1", subnetwork: SUBNETWORK.replace("us-central1", "us-east1") },
  },
  "a second region without its subnetwork": {
    ...DOMAIN,
    network: NETWORK,
    subnetwork: SUBNETWORK,
    standby: { region: "us-east1" },
  },
  "buckets on two continents": { ...DOMAIN, standby: { region: "europe-west1" } },
  "a replica whose name is too long for a socket": {
    ...DOMAIN,
    project_id: "a-project-of-thirty-characters",
    region: "us-central1",
    application_name: "identity-provider",
    tenant_id: "a-tenant",
    standby: { region: "northamerica-northeast1", dual_region_buckets: false },
  },
  "an internal load balancer without a network": { ...DOMAIN, close_default_address: true, load_balancer: "internal" },
  "an internal load balancer beside the default address": { ...FOR_THE_NETWORK, close_default_address: false },
  "an internal load balancer that validates a certificate": {
    ...FOR_THE_NETWORK,
    certificate_validation: "load-balancer",
  },
  "rules that are global for an internal load balancer": { ...FOR_THE_NETWORK, protection: {} },
  "a policy that is global for an internal load balancer": { ...FOR_THE_NETWORK, existing_security_policy: POLICY },
  "an IPv6 address of an internal load balancer": { ...FOR_THE_NETWORK, domain_options: { ipv6: true } },
  "a check from outside of an internal load balancer": { ...FOR_THE_NETWORK, uptime_check: true },
  "a range for the proxies of an external load balancer": { load_balancer_proxy_range: "10.129.0.0/26" },
  "a worker with a number of CPUs that Cloud Run does not offer": { worker_mode: "separate", worker: { cpu: 0.5 } },
  "a negative number of instances": { min_instance_count: -1 },
  "a worker with more memory than its CPU may have": { worker_mode: "separate", worker: { memory: "8Gi" } },
  "more separate workers than the database has connections for": [
    { connection_pool: false, max_instance_count: 3, worker_mode: "separate", worker: { count: 7 } },
    [
      "max_instance_count is 3; a rollout then runs 6 instances, which need 512 database connections, 224 of them for separate workers, and the database accepts 384, 10 of them reserved for administration, and a request without a connection fails; set max_instance_count to at most 1, or set database_tier to db-custom-1-6656, or lower worker.processes, worker.threads or worker.count, or set connection_pool to true, or lower max_instance_request_concurrency",
    ],
  ],
  "more threads beside the server than the database has connections for": [
    { connection_pool: false, max_instance_count: 3, worker: { threads: 14 } },
    [
      "max_instance_count is 3; a rollout then runs 6 instances, which need 516 database connections, and the database accepts",
    ],
  ],
  "the default address closed without another one": { close_default_address: true },
  "names that make the socket's path too long": [
    { project_id: "p".repeat(30), tenant_id: "t".repeat(20), application_name: "application-name" },
    ["the connection name of the database, from project_id, region, tenant_id and application_name, has 91 characters"],
  ],
  "more instances than the default database has connections for": [
    { max_instance_count: 6 },
    [
      "a request without a connection fails; set max_instance_count to at most 5, or set database_tier to db-custom-1-5120",
    ],
  ],
  "the default number of instances on the smallest database": [
    { connection_pool: false, database_tier: "db-g1-small", max_instance_count: 3 },
    [
      "max_instance_count is 3; a rollout then runs 6 instances, which need 372 database connections",
      "set max_instance_count to at most 1, or set database_tier to db-custom-1-3840, or lower max_instance_request_concurrency",
    ],
  ],
  "more memory than the CPUs may have": { container_memory: "8Gi", container_cpu: 1 },
  "less memory than the CPUs must have": { container_memory: "2Gi", container_cpu: 8 },
  "memory in another unit": { container_memory: "4G" },
};

/** What only the Kubernetes variant refuses by a rule that looks at one input. */
const REFUSED_ALONE_BY_KUBERNETES: Refused = {
  "databases of addresses with everything wrong": [
    {
      geoip: {
        account_id: "me@example.com",
        license_key_secret: { secret_id: "my secret", version: "latest" },
        update_hours: 0,
      },
    },
    ["geoip.account_id", "geoip.license_key_secret", "geoip.update_hours"],
  ],
  "databases of addresses without account and key": [
    { geoip: { account_id: null, license_key_secret: null } },
    ["geoip.account_id", "geoip.license_key_secret"],
  ],
  "updates of the databases of addresses between two hours, or after a week": {
    geoip: { account_id: "123456", license_key_secret: { secret_id: "maxmind", version: 1 }, update_hours: 168.5 },
  },
  "ranges of outposts on the Internet, and fine ones beside them": {
    outposts: { ranges: ["10.1.0.0/16", "0.0.0.0/0", "203.0.113.0/24", "10.1.0.1/16", "10.0.0.0/7", "192.168.0.0/13"] },
  },
  'the namespace ""': { namespace: "" },
  "a namespace of 64 characters": { namespace: "a".repeat(64) },
  'the namespace "default"': { namespace: "default" },
  'the namespace "kube-system"': { namespace: "kube-system" },
  "ranges that are none, and fine ones beside them": {
    authorized_networks: { fine: "203.0.113.0/24", host: "203.0.113.7/24", v6: "2001:db8::/32", word: "office" },
  },
  "groups of another name": { cluster_hardening: { security_group: "admins@example.com" } },
  "a topic by its name alone": { cluster_hardening: { notification_topic: "clusters" } },
  "a cluster by the URL of its endpoint": { existing_cluster: { ...CLUSTER, endpoint: "https://203.0.113.9" } },
  "a cluster by its path": { existing_cluster: { ...CLUSTER, name: "projects/p/locations/l/clusters/c" } },
  "a certificate for a DNS endpoint": { existing_cluster: { ...CLUSTER, endpoint: "gke-1.us-central1.gke.goog" } },
  "a cluster without its certificate": { existing_cluster: { ...CLUSTER, ca_certificate: null } },
  "a certificate that is not in base64": { existing_cluster: { ...CLUSTER, ca_certificate: "-----BEGIN" } },
  "a continent for the location of a cluster": { existing_cluster: { ...CLUSTER, location: "us" } },
  "a person for the account of nodes": { existing_cluster: { ...CLUSTER, node_account: "someone@example.com" } },
  "the account of nodes as the member of a grant": {
    existing_cluster: { ...CLUSTER, node_account: "serviceAccount:nodes@my-project.iam.gserviceaccount.com" },
  },
  "a namespace in capitals": { existing_cluster: CLUSTER, existing_namespace: { name: "Sign-in" } },
  "too little CPU": { container_cpu: 0.25 },
  "CPU between two steps": { container_cpu: 1.1 },
  "more CPU than a pod may have": { container_cpu: 29, container_memory: "64Gi" },
};

/** What it refuses by a rule that compares inputs. */
const REFUSED_TOGETHER_BY_KUBERNETES: Refused = {
  "objectives that nothing measures": { slo: {}, uptime_check: false },
  "a sign-in probe that would trust a certificate of the server's own": { domain: null, sign_in_probe: {} },
  "who reaches the control plane of a cluster that exists": {
    existing_cluster: CLUSTER,
    authorized_networks: { office: "203.0.113.0/24" },
  },
  "a private address in a network that is not there yet": { control_plane_endpoint: "private" },
  "another way to a control plane": { control_plane_endpoint: "none" },
  "another way to a cluster that exists": { existing_cluster: CLUSTER, control_plane_endpoint: "dns" },
  "tags for nodes of a cluster that exists": { existing_cluster: CLUSTER, network_tags: ["sign-in"] },
  "rules for a cluster that exists": { existing_cluster: CLUSTER, cluster_hardening: {} },
  "an account for the nodes of a cluster that exists": {
    existing_cluster: CLUSTER,
    existing_service_accounts: { nodes: "idp-nodes@my-project.iam.gserviceaccount.com" },
  },
  "a range of the Internet for a private address": {
    control_plane_endpoint: "private",
    network: NETWORK,
    subnetwork: SUBNETWORK,
    authorized_networks: { office: "203.0.113.0/24" },
  },
  "ranges for a control plane that only its name reaches": {
    control_plane_endpoint: "dns",
    authorized_networks: { office: "10.1.0.0/16" },
  },
  "a cluster of another region without a domain": { existing_cluster: { ...CLUSTER, location: "europe-west1-b" } },
  "an existing namespace of a new cluster": { existing_namespace: { name: "sign-in" } },
  "an existing namespace together with a new one": {
    existing_cluster: CLUSTER,
    existing_namespace: { name: "sign-in" },
    namespace: "other",
  },
  "days without maintenance and no window": { deny_maintenance_period: { ...FIRST, end_date: "2026-12-24" } },
  "a worker with CPU between two steps": { worker_mode: "separate", worker: { cpu: 1.1 } },
  "no separate worker at most": { worker_mode: "separate", worker: { max_count: 0 } },
  "no instance that always runs": { min_instance_count: 0 },
  "a worker with less memory than its CPU must have": { worker_mode: "separate", worker: { cpu: 4, memory: "2Gi" } },
  "fewer separate workers at most than at least": { worker_mode: "separate", worker: { count: 3, max_count: 2 } },
  "a maximum of separate workers where there are none": { worker: { max_count: 3 } },
  "more separate workers than the database has connections for during a rollout": [
    { max_instance_count: 3, worker_mode: "separate", worker: { count: 20 } },
    [
      "max_instance_count is 3; a rollout then runs 4 instances, which need 440 database connections, 352 of them for separate workers",
    ],
  ],
  "more memory than the CPUs may have": { container_memory: "8Gi", container_cpu: 1 },
  "less memory than the CPUs must have": { container_memory: "4Gi", container_cpu: 8 },
  "more memory than a pod may have": { container_memory: "112Gi", container_cpu: 28 },
  "memory in another unit": { container_memory: "4G" },
  "more instances than the default database has connections for during a rollout": [
    { max_instance_count: 11 },
    [
      "max_instance_count is 11; a rollout then runs 12 instances, which need 432 database connections, and the database accepts 384, 10 of them reserved for administration, and a request without a connection fails; set max_instance_count to at most 9, or set database_tier to db-custom-1-5120, or lower worker.processes or worker.threads",
    ],
  ],
  "two instances on the smallest database": [
    { connection_pool: false, database_tier: "db-g1-small", max_instance_count: 2 },
    [
      "max_instance_count is 2; a rollout then runs 3 instances, which need 186 database connections",
      "set max_instance_count to at most 1, or set database_tier to db-custom-1-3840, or set connection_pool to true",
    ],
  ],
};

/** What the lab refuses by a rule that looks at one input. */
const REFUSED_ALONE_BY_LAB: Refused = {
  "a network tag in capitals": { network_tags: ["Training"] },
  "a network of VMs by its bare name": { network: "main", subnetwork: SUBNETWORK },
  "a subnetwork of VMs by its bare name": { network: NETWORK, subnetwork: "main" },
  "a project number": { project_id: "123456789012" },
  "a zone as region": { region: "us-central1-a" },
  "labels that Google Cloud does not take": { labels: { Team: "identity", fine: "yes", long: "v".repeat(64) } },
  "a tenant id of 21 characters": { tenant_id: "t".repeat(21) },
  "a deployment id of 9 characters": { deployment_id: "abcdefghi" },
  "a hyphen in a deployment id": { deployment_id: "a-b" },
  "a deployment id that leaves a hyphen at the end of the computer name": { deployment_id: "abcdefg" },
  "a deployment id that the store reserves": { deployment_id: "google" },
  "a range that does not begin with its first address": { internal_traffic_cidr: "10.128.0.1/9" },
  "any address as internal": { internal_traffic_cidr: "0.0.0.0/0" },
  "no source for remote desktop": { rdp_source_ranges: [] },
  "an address, a wrong range, a range of IPv6 and no range at all as sources for remote desktop": {
    rdp_source_ranges: ["203.0.113.7", "10.0.0.1/8", "fd00::/8", null],
  },
  "a chosen password, without showing it": { windows_password: "unsaid!" },
  "machine types that are none": { windows_vm_machine_type: "Big", linux_vm_machine_type: "" },
  "a part of a target": { linux_vm_count: 1.5 },
  "a client name with a space at the end": { assess_discovery_client_name: "client " },
  "a client name with a space in it that no keyboard has": { assess_discovery_client_name: "a b" },
  "a client name of 64 characters": { assess_discovery_client_name: "c".repeat(64) },
  "a country as AWS region": { cloudb_region: "us" },
  "a number as the project of images, and a key by its name alone": { image_project: "123456", kms_key: "lab" },
};

/** What it refuses by a rule that compares inputs. */
const REFUSED_TOGETHER_BY_LAB: Refused = {
  "a zone of another region": { zone: "europe-west1-b" },
  "an existing network without its id": { create_vpc: false },
  "a key of another region than the VMs": { kms_key: KEY.replace("us-central1", "europe-west1") },
  "a network without a subnetwork for the VMs": { network: NETWORK },
  "a subnetwork outside the region of the VMs": {
    network: NETWORK,
    subnetwork: SUBNETWORK,
    region: "europe-west1",
    zone: "europe-west1-b",
  },
  "two existing networks": { create_vpc: false, deployment_id: "office", network: NETWORK, subnetwork: SUBNETWORK },
  "machine types with Arm processors, for which neither image is made": {
    windows_vm_machine_type: "t2a-standard-2",
    linux_vm_machine_type: "c4a-highcpu-4",
  },
  "Arm machine types of the later families": {
    windows_vm_machine_type: "n4a-custom-4-8192",
    linux_vm_machine_type: "a4x-highgpu-4g",
  },
  "a disk that Windows does not fit on": { windows_vm_boot_disk_size_gb: 49 },
  "a disk that Linux does not fit on": { linux_vm_boot_disk_size_gb: 9 },
  "disks larger than there are": { windows_vm_boot_disk_size_gb: 65537, linux_vm_boot_disk_size_gb: 65537 },
  "an AWS key id without its secret": { cloudb_access_key_id: "AKIAEXAMPLE", cloudb_region: "us-east-1" },
  "a temporary key of AWS": {
    cloudb_access_key_id: "ASIAIOSFODNN7EXAMPLE",
    cloudb_secret_access_key: "unsaid!",
    cloudb_region: "us-east-1",
  },
  "two key ids of AWS": {
    cloudb_access_key_id: "AKIA0",
    cloudb_secret_access_key: "AKIAIOSFODNN7EXAMPLE",
    cloudb_region: "us-east-1",
  },
  "an AWS secret without its key id": { cloudb_secret_access_key: "unsaid!", cloudb_region: "us-east-1" },
};

const hasComplaints = (refused: Inputs | WithComplaints): refused is WithComplaints => Array.isArray(refused);

const rowsOf = (...tables: readonly Refused[]): RefusedInputs[] =>
  tables.flatMap(Object.entries<Inputs | WithComplaints>).map(([behaviour, refused]) => {
    const [inputs, complaints] = hasComplaints(refused) ? refused : [refused];
    return { behaviour, inputs, complaints };
  });

/** What each stack refuses, by rules that look at one input and by rules that compare several. */
export const REFUSED_BY_SERVERLESS = {
  alone: rowsOf(REFUSED_ALONE, REFUSED_ALONE_BY_SERVERLESS),
  together: rowsOf(REFUSED_TOGETHER, REFUSED_TOGETHER_BY_SERVERLESS),
};
export const REFUSED_BY_KUBERNETES = {
  alone: rowsOf(REFUSED_ALONE, REFUSED_ALONE_BY_KUBERNETES),
  together: rowsOf(REFUSED_TOGETHER, REFUSED_TOGETHER_BY_KUBERNETES),
};
export const REFUSED_BY_LAB = { alone: rowsOf(REFUSED_ALONE_BY_LAB), together: rowsOf(REFUSED_TOGETHER_BY_LAB) };
