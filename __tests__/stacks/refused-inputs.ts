import { type Inputs } from "./terraform-run";

export const HOST_PROJECT_NETWORK = "projects/shared/global/networks/main";
export const SUBNETWORK = "projects/shared/regions/us-central1/subnetworks/services";
export const DIGEST = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/** Inputs beside the required one, and the whole text of what is said about them. */
type Refusal = readonly [behaviour: string, inputs: Inputs, texts: readonly string[]];

const TIER_RULE =
  "it must be db-g1-small or db-custom-<CPUs>-<memory in MB> with 1 or an even number of CPUs up to 96 and memory in steps of 256 MB, at least 3840 MB and 0.9 to 6.5 GB per CPU, because the edition offers no other that has enough connections; use for example db-custom-1-3840.";
const MEMORY_RULE =
  "it must be a whole number with Mi or Gi that fits the CPU, because the platform allows 1 CPU 512Mi to 4Gi, 2 CPU 512Mi to 8Gi, 4 CPU 2048Mi to 16Gi, 8 CPU 4096Mi to 32Gi; change one of the two.";
export const VERSION_RULE =
  'it must be "latest" or an exact release from 2025.10 on, because older ones need a Redis and rolling tags change without notice; use for example "2026.5.4".';
const IMAGE_RULE =
  "it must be a host, a path and a tag other than latest or a digest, because a moving image would roll out without notice; write for example us-docker.pkg.dev/my-project/images/idp:2026.5.4.";
const NAME_RULE =
  "a name is letters, digits and underscores and does not start with a digit, because shells drop others; rename it.";
const LABEL_RULE =
  "keys are 1 to 63 and values up to 63 lower-case letters, digits, hyphens and underscores, keys start with a letter, because the platform refuses others; rewrite them.";
const NETWORK_RULE =
  "it must be projects/<project>/global/networks/<name>, because the network may belong to another project; write it in full.";
const APPLICATION_NAME_RULE =
  "it must be 1 to 18 lower-case letters, digits and hyphens that start with a letter and do not end with a hyphen, because service, job and bucket names are built from it; shorten or rewrite it.";
export const TENANT_RULE =
  "it must be 1 to 20 lower-case letters, digits and hyphens, because it is part of names that allow nothing else; shorten or rewrite it.";
const REGION_RULE =
  "it must be the name of a region such as us-central1, because database, bucket and service live in one; a zone has one more letter at the end, leave that out.";
export const PROJECT_RULE =
  "it must be the id of a project, 6 to 30 lower-case letters, digits and hyphens that start with a letter, because every address is built from it; use the id, not the name or the number.";

export const REFUSED_ALONE: readonly Refusal[] = [
  ["a project number", { project_id: "123456789012" }, [`project_id is "123456789012"; ${PROJECT_RULE}`]],
  ["a project name", { project_id: "My Project" }, [`project_id is "My Project"; ${PROJECT_RULE}`]],
  ["a zone as region", { region: "us-central1-a" }, [`region is "us-central1-a"; ${REGION_RULE}`]],
  ["a tenant id of 21 characters", { tenant_id: "t".repeat(21) }, [`tenant_id is "${"t".repeat(21)}"; ${TENANT_RULE}`]],
  ["an empty tenant id", { tenant_id: "" }, [`tenant_id is ""; ${TENANT_RULE}`]],
  ["capitals in a tenant id", { tenant_id: "Acme" }, [`tenant_id is "Acme"; ${TENANT_RULE}`]],
  [
    "an application name of 19 characters",
    { application_name: "a".repeat(19) },
    [`application_name is "${"a".repeat(19)}"; ${APPLICATION_NAME_RULE}`],
  ],
  [
    "an application name with a digit first",
    { application_name: "1idp" },
    [`application_name is "1idp"; ${APPLICATION_NAME_RULE}`],
  ],
  [
    "an application name with a hyphen last",
    { application_name: "idp-" },
    [`application_name is "idp-"; ${APPLICATION_NAME_RULE}`],
  ],
  [
    "a release that needs a Redis",
    { application_version: "2025.8.1" },
    [`application_version is "2025.8.1"; ${VERSION_RULE}`],
  ],
  [
    "a release of the year before",
    { application_version: "2024.12.9" },
    [`application_version is "2024.12.9"; ${VERSION_RULE}`],
  ],
  ["a rolling release", { application_version: "2026.5" }, [`application_version is "2026.5"; ${VERSION_RULE}`]],
  [
    "a release candidate",
    { application_version: "2026.5.0-rc1" },
    [`application_version is "2026.5.0-rc1"; ${VERSION_RULE}`],
  ],
  [
    "the release that takes the load balancer for every visitor",
    { application_version: "2026.8.0" },
    [
      'application_version is "2026.8.0"; it must be another release, because behind a load balancer this one takes the load balancer for every visitor; use for example "2026.8.5".',
    ],
  ],
  ["an empty release", { application_version: "" }, [`application_version is ""; ${VERSION_RULE}`]],
  [
    "a bootstrap password of 7 characters, without showing it",
    { bootstrap_password: "seven77" },
    [
      "bootstrap_password is given with fewer than 8 characters; it must have 8 or more, because the sign-in page of the first administrator is public and a short one is guessed; give a longer one, or none to generate it.",
    ],
  ],
  [
    "a bootstrap password version of 0",
    { bootstrap_password_version: 0 },
    [
      "bootstrap_password_version is 0; it must be a whole number from 1, because a change of it is what writes the secret; use 1 and raise it by one.",
    ],
  ],
  [
    "a bootstrap password version between two",
    { bootstrap_password_version: 1.5 },
    [
      "bootstrap_password_version is 1.5; it must be a whole number from 1, because a change of it is what writes the secret; use 1 and raise it by one.",
    ],
  ],
  [
    "the secret key as a variable",
    { environment_variables: { IDP_SECRET_KEY: "x" } },
    [
      "environment_variables has IDP_SECRET_KEY; it is generated once and read from the secret store, because variables are in plain text in the state; leave it out.",
    ],
  ],
  [
    "the secret key under the upstream's own prefix, which would win",
    { environment_variables: { AUTHENTIK_SECRET_KEY: "x" } },
    [
      "environment_variables has AUTHENTIK_SECRET_KEY; it is generated once and read from the secret store, because variables are in plain text in the state; leave it out.",
    ],
  ],
  [
    "the bootstrap password as a variable",
    { environment_variables: { IDP_BOOTSTRAP_PASSWORD: "x" } },
    [
      "environment_variables has IDP_BOOTSTRAP_PASSWORD; it is read from the secret store, because variables are in plain text in the state; give it as bootstrap_password.",
    ],
  ],
  [
    "the database's own variables",
    { environment_variables: { DB_USER: "x", DB_HOST: "y" } },
    [
      "environment_variables has DB_HOST, DB_USER; it is set to the database of this deployment, because its initialization prepares that one alone; leave it out, or set the matching IDP_POSTGRESQL__ variable to use another database.",
    ],
  ],
  [
    "the database's password under each name that leads it into the application, and so into the state",
    { environment_variables: { DB_PASSWORD: "x", IDP_POSTGRESQL__PASSWORD: "y", AUTHENTIK_POSTGRESQL__PASSWORD: "z" } },
    [
      "environment_variables has AUTHENTIK_POSTGRESQL__PASSWORD, DB_PASSWORD, IDP_POSTGRESQL__PASSWORD; it is generated and read from the secret store, because variables are in plain text in the state; leave it out, and give the role of another database the password in the secret that ends in database-password.",
    ],
  ],
  [
    "another address to listen on, under either prefix",
    { environment_variables: { IDP_LISTEN__HTTP: "0.0.0.0:80", AUTHENTIK_LISTEN__HTTP: "0.0.0.0:80" } },
    [
      "environment_variables has AUTHENTIK_LISTEN__HTTP, IDP_LISTEN__HTTP; it is fixed, because the platform sends traffic and probes to its own port and the server would never be ready; leave it out.",
    ],
  ],
  [
    "the platform's own variables",
    { environment_variables: { PORT: "80", K_SERVICE: "x" } },
    [
      "environment_variables has K_SERVICE, PORT; the platform sets it, because the container always listens on its own port and another value is refused; leave it out.",
    ],
  ],
  [
    "names that no shell keeps",
    { environment_variables: { "IDP-LOG": "x", "1IDP": "x", "": "x", "IDP ${x}": "x" } },
    [`environment_variables has "", "1IDP", "IDP \${x}", "IDP-LOG"; ${NAME_RULE}`],
  ],
  [
    "several kinds of wrong variables at once",
    { environment_variables: { "a.b": "x", IDP_SECRET_KEY: "x", PORT: "1" } },
    [
      `environment_variables has "a.b"; ${NAME_RULE}`,
      "environment_variables has IDP_SECRET_KEY; it is generated once and read from the secret store, because variables are in plain text in the state; leave it out.",
      "environment_variables has PORT; the platform sets it, because the container always listens on its own port and another value is refused; leave it out.",
    ],
  ],
  [
    "an image without a tag",
    { existing_container_image: "us-docker.pkg.dev/p/r/idp" },
    [`existing_container_image is "us-docker.pkg.dev/p/r/idp"; ${IMAGE_RULE}`],
  ],
  [
    "an image without a host",
    { existing_container_image: "idp:1" },
    [`existing_container_image is "idp:1"; ${IMAGE_RULE}`],
  ],
  [
    "an image with a part of a digest",
    { existing_container_image: "us-docker.pkg.dev/p/r/idp@sha256:0123" },
    [`existing_container_image is "us-docker.pkg.dev/p/r/idp@sha256:0123"; ${IMAGE_RULE}`],
  ],
  [
    "an image whose tag moves",
    { existing_container_image: "us-docker.pkg.dev/p/r/idp:latest" },
    [`existing_container_image is "us-docker.pkg.dev/p/r/idp:latest"; ${IMAGE_RULE}`],
  ],
  ["an empty image", { existing_container_image: "" }, [`existing_container_image is ""; ${IMAGE_RULE}`]],
  ["an unknown tier", { database_tier: "db-n1-standard-1" }, [`database_tier is db-n1-standard-1; ${TIER_RULE}`]],
  ["an odd number of CPUs", { database_tier: "db-custom-3-7680" }, [`database_tier is db-custom-3-7680; ${TIER_RULE}`]],
  [
    "memory between two steps",
    { database_tier: "db-custom-1-3900" },
    [`database_tier is db-custom-1-3900; ${TIER_RULE}`],
  ],
  ["too little memory", { database_tier: "db-custom-1-3584" }, [`database_tier is db-custom-1-3584; ${TIER_RULE}`]],
  [
    "too little memory per CPU",
    { database_tier: "db-custom-8-7168" },
    [`database_tier is db-custom-8-7168; ${TIER_RULE}`],
  ],
  [
    "too much memory per CPU",
    { database_tier: "db-custom-2-13568" },
    [`database_tier is db-custom-2-13568; ${TIER_RULE}`],
  ],
  ["too many CPUs", { database_tier: "db-custom-98-131072" }, [`database_tier is db-custom-98-131072; ${TIER_RULE}`]],
  [
    "an availability in lower case",
    { database_availability: "regional" },
    [
      'database_availability is "regional"; it must be ZONAL or REGIONAL, because the platform knows no other; use ZONAL for one zone, REGIONAL for a standby in another.',
    ],
  ],
  [
    "fewer days than none for the last backup",
    { database_final_backup_days: -1 },
    [
      "database_final_backup_days is -1; it must be a whole number from 0 to 365, because the platform keeps a final backup no longer; use 30, or 0 for none.",
    ],
  ],
  [
    "more than a year for the last backup",
    { database_final_backup_days: 366 },
    [
      "database_final_backup_days is 366; it must be a whole number from 0 to 365, because the platform keeps a final backup no longer; use 30, or 0 for none.",
    ],
  ],
  ["a network by its bare name", { network: "main", subnetwork: SUBNETWORK }, [`network is "main"; ${NETWORK_RULE}`]],
  ["an empty network", { network: "", subnetwork: SUBNETWORK }, [`network is ""; ${NETWORK_RULE}`]],
  [
    "no instance at all",
    { max_instance_count: 0, min_instance_count: 0 },
    ["max_instance_count is 0; it must be a whole number from 1, because with none nobody can sign in; use 1 or more."],
  ],
  [
    "a part of an instance",
    { max_instance_count: 2.5 },
    [
      "max_instance_count is 2.5; it must be a whole number from 1, because with none nobody can sign in; use 1 or more.",
    ],
  ],
  [
    "a number of CPUs that the platform does not offer",
    { container_cpu: 3 },
    ["container_cpu is 3; it must be one of 1, 2, 4, 8, because the platform offers no other; use 2."],
  ],
  [
    "capitals in a label",
    { labels: { Team: "x", fine: "y", team: "No" } },
    [`labels has "Team", "team"; ${LABEL_RULE}`],
  ],
  ["a label with a digit first", { labels: { "1team": "x" } }, [`labels has "1team"; ${LABEL_RULE}`]],
  ["a label value of 64 characters", { labels: { team: "x".repeat(64) } }, [`labels has "team"; ${LABEL_RULE}`]],
];

const RANGE_RULE = (max: number) =>
  `it must be a whole number from 0 to max_instance_count, which is ${max}, because the platform refuses such a range; lower one or raise the other.`;
export const connectionsText = (count: number, tier: string, accepted: number) =>
  `max_instance_count is ${count}; that needs ${count * 20} database connections and 10 are kept for administration, but database_tier ${tier} accepts ${accepted}, and there must be enough, because an instance without a connection answers nothing; lower it, or choose a database_tier with more memory.`;
export const TOGETHER =
  "only one of network and subnetwork is given; they must be given together or not at all, because the service reaches the network through the subnetwork; give both, or remove both.";

/** What images of the deployment with default names in my-project begin with. */
export const OWN_IMAGES = "us-central1-docker.pkg.dev/my-project/idp-demo-1c7cd9/";
const ownImageText = (image: string, prefix = OWN_IMAGES) =>
  `existing_container_image is "${prefix}${image}"; it must not begin with ${prefix}, because that repository belongs to this deployment and is deleted, with the image, once an existing image is given; copy the image into another repository first, or give none.`;

export const REFUSED_TOGETHER: readonly Refusal[] = [
  [
    "a word in the bucket's name that the store reserves",
    { tenant_id: "le-demo", application_name: "goog" },
    [
      'application_name and tenant_id make "google-demo" together; that must not contain "google", because it is part of the bucket\'s name and the store reserves that word; rename one of them.',
    ],
  ],
  [
    "names that make the socket's path too long",
    { project_id: "p".repeat(30), tenant_id: "t".repeat(20), application_name: "application-name" },
    [
      "application_name, tenant_id, project_id and region are too long together; the path of the database socket has room for 81 characters of them and needs 89, because a socket address holds 108 bytes; shorten application_name or tenant_id by 8.",
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
  ["a negative number of instances", { min_instance_count: -1 }, [`min_instance_count is -1; ${RANGE_RULE(3)}`]],
  [
    "a part of an instance that always runs",
    { min_instance_count: 0.5 },
    [`min_instance_count is 0.5; ${RANGE_RULE(3)}`],
  ],
  [
    "more instances that always run than there may be",
    { min_instance_count: 3, max_instance_count: 2 },
    [`min_instance_count is 3; ${RANGE_RULE(2)}`],
  ],
  [
    "more instances than the default database has connections for",
    { max_instance_count: 5 },
    [connectionsText(5, "db-custom-1-3840", 100)],
  ],
  [
    "the default number of instances on the smallest database",
    { database_tier: "db-g1-small", max_instance_count: 3 },
    [connectionsText(3, "db-g1-small", 50)],
  ],
  [
    "three instances on the second smallest",
    { database_tier: "db-g1-small", max_instance_count: 3 },
    [connectionsText(3, "db-g1-small", 50)],
  ],
  ["a network without a subnetwork", { network: HOST_PROJECT_NETWORK }, [TOGETHER]],
  ["a subnetwork without a network", { network: null, subnetwork: SUBNETWORK }, [TOGETHER]],
  [
    "a subnetwork in another region",
    { network: HOST_PROJECT_NETWORK, subnetwork: SUBNETWORK, region: "europe-west1" },
    [
      `subnetwork is "${SUBNETWORK}"; it must be projects/<project>/regions/europe-west1/subnetworks/<name>, because instances take addresses in their own region only; write it in full.`,
    ],
  ],
  [
    "an empty subnetwork",
    { network: HOST_PROJECT_NETWORK, subnetwork: "" },
    [
      'subnetwork is ""; it must be projects/<project>/regions/us-central1/subnetworks/<name>, because instances take addresses in their own region only; write it in full.',
    ],
  ],
  [
    "more memory than the CPUs may have",
    { container_cpu: 1, container_memory: "8Gi" },
    [`container_memory is 8Gi with container_cpu 1; ${MEMORY_RULE}`],
  ],
  [
    "less memory than the CPUs must have",
    { container_cpu: 8, container_memory: "2Gi" },
    [`container_memory is 2Gi with container_cpu 8; ${MEMORY_RULE}`],
  ],
  [
    "memory in another unit",
    { container_memory: "4G" },
    [`container_memory is 4G with container_cpu 2; ${MEMORY_RULE}`],
  ],
  [
    "memory with a fraction",
    { container_memory: "1.5Gi" },
    [`container_memory is 1.5Gi with container_cpu 2; ${MEMORY_RULE}`],
  ],
];
