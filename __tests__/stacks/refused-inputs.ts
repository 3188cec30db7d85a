import { ACCEPTED_MONITORING, refusedMonitoring } from "./refused-monitoring-inputs";
import { ACCEPTED_DUMPS, REFUSED_DUMPS_ALONE, REFUSED_DUMPS_TOGETHER } from "./refused-dump-inputs";
import { ACCEPTED_BACKUPS, REFUSED_BACKUPS_ALONE, REFUSED_BACKUPS_TOGETHER } from "./refused-backup-inputs";
import { ACCEPTED_BLUEPRINTS, REFUSED_BLUEPRINTS_ALONE, REFUSED_BLUEPRINTS_TOGETHER } from "./refused-blueprint-inputs";
import { CLOSED_WITHOUT_DOMAIN, REFUSED_DOMAINS_ALONE, REFUSED_DOMAINS_TOGETHER } from "./refused-domain-inputs";
import {
  ACCEPTED_OPERATIONS,
  ACCEPTED_SERVERLESS_OPERATIONS,
  REFUSED_OPERATIONS_ALONE,
  REFUSED_SERVERLESS_OPERATIONS,
} from "./refused-operator-inputs";
import { FEW_REFUSED_PROTECTIONS_ALONE, REFUSED_PROTECTIONS_TOGETHER } from "./refused-protection-inputs";
import { ACCEPTED_MAIL, REFUSED_MAIL_ALONE, REFUSED_MAIL_TOGETHER } from "./refused-mail-inputs";
import { ACCEPTED_SECRET_SETTINGS, REFUSED_SETTINGS_ALONE, REFUSED_SETTINGS_TOGETHER } from "./refused-settings-inputs";
import {
  ACCEPTED_WORKERS,
  REFUSED_SERVERLESS_WORKERS_ALONE,
  REFUSED_SERVERLESS_WORKERS_TOGETHER,
  REFUSED_WORKERS_ALONE,
  REFUSED_WORKERS_TOGETHER,
} from "./refused-worker-inputs";
import { type Refusal, rowOf, sentence } from "./refusal";

export const HOST_PROJECT_NETWORK = "projects/shared/global/networks/main";
export const SUBNETWORK = "projects/shared/regions/us-central1/subnetworks/services";
export const DIGEST = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

const IN_THE_STATE = "because variables are in plain text in the state";
const SUBNETWORK_RULE =
  "it must be projects/<project>/regions/<region>/subnetworks/<name> in that region, because addresses are taken from the same region only; write it in full";

/** The rule of each input that both variants judge alone: what it must be, why where it is not obvious, and the way out. */
const RULES = {
  application_name:
    "it must be 1 to 18 lower-case letters, digits and hyphens that start with a letter and do not end with a hyphen, because it is part of service, job and bucket names; shorten or rewrite it",
  application_version:
    'it must be "latest" or an exact release from 2025.10 on, year.month.patch, because older ones need Redis, and rolling tags change without notice; use for example "2026.5.4"',
  bootstrap_password_version:
    "it must be a whole number from 1, because a change of it is what writes the secret; use 1 and raise it by one",
  database_availability: "it must be ZONAL or REGIONAL; use ZONAL for one zone, REGIONAL for a standby in another",
  database_final_backup_days:
    "it must be a whole number from 0 to 365, because Cloud SQL keeps final backups no longer; use 30, or 0 for none",
  database_tier:
    "it must be db-g1-small or db-custom-<CPUs>-<memory in MB> with 1 or an even number of CPUs up to 96 and memory in steps of 256 MB, at least 3840 MB and 0.9 to 6.5 GB per CPU, because the edition offers no other tier with enough connections; use for example db-custom-1-3840",
  existing_container_image:
    "it must be a host, a path and a tag other than latest or a digest, because another image could be rolled out unnoticed; use for example us-docker.pkg.dev/my-project/images/idp:2026.5.4",
  max_instance_count: "it must be a whole number from 1; use 1 or more",
  network:
    "it must be projects/<project>/global/networks/<name>, because the network may belong to another project; write it in full",
  project_id:
    "it must be the id of a project: 6 to 30 lower-case letters, digits and hyphens that start with a letter; use the id, not the name or the number",
  region: "it must be the name of a region such as us-central1; for a zone such as us-central1-a, drop the zone letter",
  tenant_id:
    "it must be 1 to 20 lower-case letters, digits and hyphens, because names that contain the tenant id allow nothing else; shorten or rewrite it",
} as const;

const row = rowOf(RULES);

/** The sentence about one input of those that have a rule of their own. */
export const ruleText = (name: keyof typeof RULES, value: unknown) => sentence(name, value, RULES[name]);

export const BOOTSTRAP_PASSWORD_TEXT =
  "bootstrap_password is given; it must have 8 or more characters, because the sign-in page is public, and a short one can be guessed; use a longer one, or none to generate it.";

const variablesText = (names: readonly string[], rule: string) =>
  `environment_variables has ${names.map((name) => JSON.stringify(name)).join(", ")}; ${rule}.`;
const VARIABLE_RULES = {
  bootstrapPassword: `it is read from the secret store, ${IN_THE_STATE}; set it as the bootstrap password`,
  database:
    "it is set to the database of this deployment, the only one that is prepared; leave it out, or set the matching IDP_POSTGRESQL__ variable to use another database",
  databasePassword: `it is generated and read from the secret store, ${IN_THE_STATE}; leave it out; for a role in another database, use the password in the secret that ends in database-password`,
  listener:
    "it is fixed, because the platform sends traffic and probes to its own port and the server would never be ready; leave it out",
  name: "a name must be letters, digits and underscores and must not start with a digit, because shells drop others; rename it",
  platform: "the platform sets it to the port on which the container listens, and refuses another value; leave it out",
  secretKey: `it is generated once and read from the secret store, ${IN_THE_STATE}; leave it out`,
} as const;

/** A row of variables that break one rule; names in the order in which Terraform lists them. */
const variables = (behaviour: string, rule: keyof typeof VARIABLE_RULES, ...names: readonly string[]): Refusal => [
  behaviour,
  { environment_variables: Object.fromEntries(names.map((name) => [name, "x"])) },
  [variablesText(names, VARIABLE_RULES[rule])],
];

/** A row of labels, of which those of the given keys break the rule. */
const labels = (behaviour: string, given: Readonly<Record<string, string>>, ...wrong: readonly string[]): Refusal => [
  behaviour,
  { labels: given },
  [
    `labels has ${wrong.map((key) => JSON.stringify(key)).join(", ")}; keys must be 1 to 63 and values up to 63 lower-case letters, digits, hyphens and underscores, and keys must start with a letter; rewrite them.`,
  ],
];

/** What both variants refuse by a rule that looks at one input. */
export const REFUSED_ALONE_BY_BOTH: readonly Refusal[] = [
  ...REFUSED_BACKUPS_ALONE,
  ...REFUSED_DUMPS_ALONE,
  ...REFUSED_BLUEPRINTS_ALONE,
  ...REFUSED_DOMAINS_ALONE,
  ...FEW_REFUSED_PROTECTIONS_ALONE,
  ...REFUSED_OPERATIONS_ALONE,
  ...REFUSED_SETTINGS_ALONE,
  ...REFUSED_MAIL_ALONE,
  ...REFUSED_WORKERS_ALONE,
  row("a project number", "project_id", "123456789012"),
  row("a project name", "project_id", "My Project"),
  row("a zone as region", "region", "us-central1-a"),
  row("a tenant id of 21 characters", "tenant_id", "t".repeat(21)),
  row("an empty tenant id", "tenant_id", ""),
  row("capitals in a tenant id", "tenant_id", "Acme"),
  row("an application name of 19 characters", "application_name", "a".repeat(19)),
  row("an application name with a digit first", "application_name", "1idp"),
  row("an application name with a hyphen last", "application_name", "idp-"),
  row("a release that needs a Redis", "application_version", "2025.8.1"),
  row("a release of the year before", "application_version", "2024.12.9"),
  row("a rolling release", "application_version", "2026.5"),
  row("a release candidate", "application_version", "2026.5.0-rc1"),
  row("an empty release", "application_version", ""),
  row("a release of a thirteenth month", "application_version", "2026.13.1"),
  row("a month with a zero, which no tag has", "application_version", "2026.05.1"),
  [
    "the release that takes the load balancer for every client",
    { application_version: "2026.8.0" },
    [
      'application_version is "2026.8.0"; it must be another release, because behind a load balancer, it takes the load balancer as the client of every request; use for example "2026.8.5".',
    ],
  ],
  [
    "a bootstrap password of 7 characters, without showing it",
    { bootstrap_password: "seven77" },
    [BOOTSTRAP_PASSWORD_TEXT],
  ],
  row("a bootstrap password version of 0", "bootstrap_password_version", 0),
  row("a bootstrap password version between two", "bootstrap_password_version", 1.5),
  variables("the secret key as a variable", "secretKey", "IDP_SECRET_KEY"),
  variables("the secret key under the upstream's own prefix, which would win", "secretKey", "AUTHENTIK_SECRET_KEY"),
  variables("the bootstrap password as a variable", "bootstrapPassword", "IDP_BOOTSTRAP_PASSWORD"),
  variables("the database's own variables", "database", "DB_HOST", "DB_USER"),
  variables(
    "the database's password under each name that leads it into the application, and so into the state",
    "databasePassword",
    ...["AUTHENTIK_POSTGRESQL__PASSWORD", "DB_PASSWORD", "IDP_POSTGRESQL__PASSWORD"],
  ),
  variables(
    "another address to listen on, under either prefix",
    "listener",
    ...["AUTHENTIK_LISTEN__HTTP", "IDP_LISTEN__HTTP"],
  ),
  variables("the platform's own variables", "platform", "K_SERVICE", "PORT"),
  variables("names that no shell keeps", "name", "", "1IDP", "IDP ${x}", "IDP-LOG"),
  [
    "several kinds of wrong variables at once",
    { environment_variables: { "a.b": "x", IDP_SECRET_KEY: "x", PORT: "1" } },
    [
      variablesText(["IDP_SECRET_KEY"], VARIABLE_RULES.secretKey),
      variablesText(["PORT"], VARIABLE_RULES.platform),
      variablesText(["a.b"], VARIABLE_RULES.name),
    ],
  ],
  row("an image without a tag", "existing_container_image", "us-docker.pkg.dev/p/r/idp"),
  row("an image without a host", "existing_container_image", "idp:1"),
  row("an image with a part of a digest", "existing_container_image", "us-docker.pkg.dev/p/r/idp@sha256:0123"),
  row("an image whose tag moves", "existing_container_image", "us-docker.pkg.dev/p/r/idp:latest"),
  row("an empty image", "existing_container_image", ""),
  row("an unknown tier", "database_tier", "db-n1-standard-1"),
  row("an odd number of CPUs", "database_tier", "db-custom-3-7680"),
  row("memory between two steps", "database_tier", "db-custom-1-3900"),
  row("too little memory", "database_tier", "db-custom-1-3584"),
  row("too little memory per CPU", "database_tier", "db-custom-8-7168"),
  row("too much memory per CPU", "database_tier", "db-custom-2-13568"),
  row("too many CPUs", "database_tier", "db-custom-98-131072"),
  row("an availability in lower case", "database_availability", "regional"),
  row("fewer days than none for the last backup", "database_final_backup_days", -1),
  row("more than a year for the last backup", "database_final_backup_days", 366),
  row("a network by its bare name", "network", "main", { subnetwork: SUBNETWORK }),
  row("an empty network", "network", "", { subnetwork: SUBNETWORK }),
  row("no instance at all", "max_instance_count", 0),
  row("a part of an instance", "max_instance_count", 2.5),
  labels("capitals in a label", { Team: "x", fine: "y", team: "No" }, "Team", "team"),
  labels("a label with a digit first", { "1team": "x" }, "1team"),
  labels("a label value of 64 characters", { team: "x".repeat(64) }, "team"),
];

const serverless = rowOf({
  container_cpu: "it must be one of 1, 2, 4, 8; use 2",
  min_instance_count: "it must be a whole number from 0; use 1",
});

/** Values of the inputs that both variants accept, for trying combinations. */
export const ACCEPTED_BY_BOTH = {
  ...ACCEPTED_OPERATIONS,
  ...ACCEPTED_BACKUPS,
  ...ACCEPTED_DUMPS,
  ...ACCEPTED_BLUEPRINTS,
  ...ACCEPTED_MONITORING,
  project_id: ["my-project", "another-project-12345"],
  region: ["us-central1", "europe-west1"],
  tenant_id: ["demo", "a", "acme-123"],
  application_name: ["idp", "a", "sign-in-portal"],
  application_version: ["latest", "2025.10.0", "2026.5.4"],
  bootstrap_password_version: [1, 7],
  bootstrap_token: [false, true],
  certificate_validation: ["dns", "load-balancer"],
  database_availability: ["ZONAL", "REGIONAL"],
  database_final_backup_days: [30, 0, 365],
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
  existing_security_policy: [null, "projects/my-project/global/securityPolicies/company"],
  labels: [{}, { team: "identity" }],
  max_instance_count: [1, 2, 3, 8, 12],
  network: [null, "projects/shared/global/networks/main"],
  protection: [null, { admin_ranges: ["203.0.113.0/24", "2001:db8::/32"], restrict_admin: true, waf: "enforce" }, {}],
  request_log_sample_rate: [0, 0.5, 1],
  secret_environment_variables: ACCEPTED_SECRET_SETTINGS,
  smtp: ACCEPTED_MAIL,
  ...ACCEPTED_WORKERS,
} as const;

/** The same of what only the serverless variant accepts. */
export const ACCEPTED = {
  ...ACCEPTED_SERVERLESS_OPERATIONS,
  close_default_address: [false, true],
  container_cpu: [1, 2, 4, 8],
  container_memory: ["512Mi", "4Gi", "8Gi", "16Gi"],
  cpu_always_allocated: [true, false],
  min_instance_count: [0, 1, 2],
  public_access: [true, false],
} as const;

/** What the serverless variant refuses by a rule that looks at one input. */
export const REFUSED_ALONE: readonly Refusal[] = [
  ...refusedMonitoring("serverless"),
  ...REFUSED_ALONE_BY_BOTH,
  ...REFUSED_SERVERLESS_OPERATIONS,
  ...REFUSED_SERVERLESS_WORKERS_ALONE,
  serverless("a number of CPUs that the platform does not offer", "container_cpu", 3),
  serverless("a negative number of instances", "min_instance_count", -1),
  serverless("a part of an instance that always runs", "min_instance_count", 0.5),
];

export const connectionsText = (count: number, available: number) =>
  `max_instance_count is ${count}; with ${count} more during a rollout that needs ${count * 120} database connections and 10 are reserved for administration, but the database accepts ${available}, and a request without a connection fails; lower it, or choose a database_tier with more memory.`;
export const togetherText = (network: string | null, subnetwork: string | null) =>
  `network is ${JSON.stringify(network)} and subnetwork is ${JSON.stringify(subnetwork)}; they must be given together or not at all, because addresses are taken from the subnetwork; set both, or remove both.`;
const subnetworkText = (subnetwork: string, region: string) =>
  sentence("subnetwork", subnetwork, SUBNETWORK_RULE).replace("; ", ` in region ${JSON.stringify(region)}; `);

/** What images of the deployment with default names in my-project begin with. */
export const OWN_IMAGES = "us-central1-docker.pkg.dev/my-project/idp-demo-1c7cd9/";
const ownImageText = (image: string, prefix = OWN_IMAGES) =>
  sentence(
    "existing_container_image",
    `${prefix}${image}`,
    `it must not begin with ${prefix}, because that repository belongs to this deployment and is deleted, with the image, once an existing image is set; copy the image into another repository first, or remove it`,
  );

/** A row of memory that does not fit the CPUs, by the rule of the platform. */
export const memoryRow =
  (rule: string) =>
  (behaviour: string, memory: string, cpu?: number): Refusal => [
    behaviour,
    { container_memory: memory, ...(cpu !== undefined && { container_cpu: cpu }) },
    [`container_memory is ${JSON.stringify(memory)} with container_cpu ${cpu ?? 2}; ${rule}.`],
  ];

const memory = memoryRow(
  "it must be a whole number with Mi or Gi that fits the CPU: 1 CPU 512Mi to 4Gi, 2 CPU 512Mi to 8Gi, 4 CPU 2048Mi to 16Gi, 8 CPU 4096Mi to 32Gi; change one of the two",
);

/** What both variants refuse by a rule that compares several inputs. */
export const REFUSED_TOGETHER_BY_BOTH: readonly Refusal[] = [
  ...REFUSED_BACKUPS_TOGETHER,
  ...REFUSED_DUMPS_TOGETHER,
  ...REFUSED_BLUEPRINTS_TOGETHER,
  ...REFUSED_DOMAINS_TOGETHER,
  ...REFUSED_PROTECTIONS_TOGETHER,
  ...REFUSED_SETTINGS_TOGETHER,
  ...REFUSED_MAIL_TOGETHER,
  ...REFUSED_WORKERS_TOGETHER,
  [
    "a word in the bucket's name that the store reserves",
    { tenant_id: "le-demo", application_name: "goog" },
    [
      'application_name is "goog" and tenant_id is "le-demo"; together they must not contain "google", because Cloud Storage reserves that word in bucket names; rename one of them.',
    ],
  ],
  [
    "an image of the repository that is deleted once an image is given",
    { project_id: "my-project", existing_container_image: `${OWN_IMAGES}idp:2026.5.4-abc` },
    [ownImageText("idp:2026.5.4-abc")],
  ],
  [
    "a digest in the repository of another region, tenant and application, when all of them are this deployment's",
    {
      project_id: "my-project",
      region: "europe-west1",
      tenant_id: "acme",
      application_name: "login",
      existing_container_image: `europe-west1-docker.pkg.dev/my-project/login-acme-1c7cd9/login@${DIGEST}`,
    },
    [ownImageText(`login@${DIGEST}`, "europe-west1-docker.pkg.dev/my-project/login-acme-1c7cd9/")],
  ],
  [
    "more instances that always run than there may be",
    { min_instance_count: 3, max_instance_count: 2 },
    ["min_instance_count is 3; it must not exceed max_instance_count, which is 2; lower one or raise the other."],
  ],
  ["a network without a subnetwork", { network: HOST_PROJECT_NETWORK }, [togetherText(HOST_PROJECT_NETWORK, null)]],
  ["a subnetwork without a network", { network: null, subnetwork: SUBNETWORK }, [togetherText(null, SUBNETWORK)]],
  [
    "a subnetwork in another region",
    { network: HOST_PROJECT_NETWORK, subnetwork: SUBNETWORK, region: "europe-west1" },
    [subnetworkText(SUBNETWORK, "europe-west1")],
  ],
  ["an empty subnetwork", { network: HOST_PROJECT_NETWORK, subnetwork: "" }, [subnetworkText("", "us-central1")]],
];

/** What the serverless variant refuses by a rule that compares several inputs. */
export const REFUSED_TOGETHER: readonly Refusal[] = [
  ...REFUSED_TOGETHER_BY_BOTH,
  ...REFUSED_SERVERLESS_WORKERS_TOGETHER,
  CLOSED_WITHOUT_DOMAIN,
  [
    "names that make the socket's path too long",
    { project_id: "p".repeat(30), tenant_id: "t".repeat(20), application_name: "application-name" },
    [
      "the connection name of the database, from project_id, region, tenant_id and application_name, has 91 characters; it must have at most 83, because the path of its socket has at most 107; shorten the application name or the tenant id by 8.",
    ],
  ],
  [
    "more instances than the default database has connections for",
    { max_instance_count: 5 },
    [connectionsText(5, 384)],
  ],
  [
    "the default number of instances on the smallest database",
    { database_tier: "db-g1-small", max_instance_count: 3 },
    [connectionsText(3, 174)],
  ],
  memory("more memory than the CPUs may have", "8Gi", 1),
  memory("less memory than the CPUs must have", "2Gi", 8),
  memory("memory in another unit", "4G"),
  memory("memory with a fraction", "1.5Gi"),
];
