import { ACCEPTED_BY_BOTH, IMAGE } from "../../stacks/accepted-inputs";
import { type Deployment, type Inputs } from "../deployment/deployment";
import { type Fault } from "../engine/fault-scenarios";
import { choicesOf, type Matrix } from "../engine/input-matrix";
import { type ChangeScenario } from "../engine/journey";
import { type StackRehearsal } from "../engine/stack-rehearsal";
import { WITH_BLUEPRINTS } from "./blueprints";
import { COMPANY_POLICY, prepareDomain, WITH_DOMAIN } from "./domain";
import { WITH_DUMP } from "./dump";
import { all, edited, withInputs } from "./every-stack";
import { EXISTING_PARTS, prepareExisting } from "./existing-parts";
import { prepareMonitoring, UPTIME_CHECK, WITH_RECEIVERS } from "./monitoring";
import { prepareSecrets, requireVariables, WITH_MAIL, WITH_SEPARATE_WORKER, WITH_SETTINGS } from "./settings";

/** What is the same in the rehearsals of both variants, because it is the same in the variants. */

export const BUILD = "terraform_data.image_build[0]";

const SECRETS = [
  "database_administrator_password",
  "database_password",
  "secrets_bootstrap_password",
  "secrets_secret_key",
].map((name) => `google_secret_manager_secret.${name}[0]`);

export const SECRET_KEY_VERSION = "google_secret_manager_secret_version.secrets_secret_key_version[0]";

export const UPGRADE_BACKUP = "terraform_data.upgrade_backup[0]";

const DATA = [...SECRETS, "google_sql_database_instance.database[0]", "google_storage_bucket.media_bucket[0]"];

/** Resources that change when the protection of the data is switched off. */
const PROTECTED = [...DATA, "terraform_data.deletion_guard", "terraform_data.identity_guard"];

/** Resources with labels. */
const LABELLED = [...DATA, "google_artifact_registry_repository.registry[0]", UPTIME_CHECK];

const GIVEN_PASSWORD = "given-by-hand-0815";

/** Fails unless exactly this backup has been made, and before the new release was rolled out. */
const requireBackup =
  (description: string): ChangeScenario["verify"] =>
  ({ web }) => {
    const made = [...web.sql.backups.values()].map((backup) => `${String(backup.description)} ${String(backup.state)}`);
    if (made.join() !== `${description} SUCCESSFUL`) throw new Error(`the backups are: ${made.join(", ") || "none"}`);
  };

/** Inputs with a token for the application's API, whose value only the container and the secret store may know. */
const WITH_TOKEN = { bootstrap_token: true };

const WITH_MAINTENANCE = {
  maintenance_window: { day: 2, hour: 22, track: "week5" },
  deny_maintenance_period: { start_date: "2026-12-01", end_date: "2027-01-10" },
};

/** Fails unless the job has been executed this many times since the first apply began. */
export const requireExecutions =
  (expected: number): ChangeScenario["verify"] =>
  ({ cloud }) => {
    const { length } = cloud.executions;
    if (length !== expected) throw new Error(`db-init ran ${length} times, expected ${expected}`);
  };

/** What the changes of both variants come to on one platform. */
interface VariantParts {
  /** What runs the application. */
  readonly workload: string;
  /** What is replaced with another script of the job that initializes the database. */
  readonly job: readonly string[];
  /** Copies of the secrets for what runs, which are replaced with each of them. */
  readonly copies: readonly string[];
  /** What has labels beside what both variants have. */
  readonly labelled: readonly string[];
  /** What a token needs beside its secret. */
  readonly grants: readonly string[];
}

/** Changes by an owner of either variant, with all the actions that each may cause. */
export function ownersChanges({ copies, grants, job, labelled, workload }: VariantParts): readonly ChangeScenario[] {
  const rollout = { [BUILD]: "replace", [workload]: "update" } as const;
  const variables = { IDP_LOG_LEVEL: "debug", IDP_GREETING: "$$ $(DB_NAME) $5" };
  return [
    {
      name: "edits of the entrypoint and of db-init.sh",
      change: (deployment) => {
        edited("image/cloud-entrypoint.sh")?.(deployment);
        edited("scripts/db-init.sh")?.(deployment);
      },
      expected: { ...rollout, ...all("replace", job) },
      verify: requireExecutions(2),
    },
    {
      name: "another version",
      change: withInputs({ application_version: "2026.5.3" }),
      expected: { ...rollout, [UPGRADE_BACKUP]: "replace" },
      verify: requireBackup("before 2026.5.3"),
    },
    {
      // No secret is replaced by the regions, which are those of new ones.
      name: "variables, labels, backups and secrets in other places, more backups, and fewer days of log",
      change: withInputs({
        backups: { location: "eu", retention_count: 30, log_days: 3 },
        secret_locations: ["us-central1", "europe-west1"],
        environment_variables: variables,
        labels: { team: "identity" },
      }),
      expected: all("update", [workload, "terraform_data.deletion_guard", ...LABELLED, ...labelled]),
      verify: (deployment) => {
        requireVariables(variables)?.(deployment);
        requireExecutions(2)?.(deployment);
      },
    },
    {
      name: "a bootstrap password given too late, another secret key, and a token for the application's API",
      change: (deployment) => {
        // Secrets of a former version are stored where Google chooses, and none is replaced for it.
        const replication = [{ auto: [{ customer_managed_encryption: [] }], user_managed: [] }];
        for (const secret of deployment.cloud.ofType("google_secret_manager_secret"))
          deployment.cloud.update({ ...secret, values: { ...secret.values, replication } });
        const other = { secret_key: { version: 2, accepted_version: 2 } };
        withInputs({ bootstrap_password: GIVEN_PASSWORD, ...other, ...WITH_TOKEN })?.(deployment);
      },
      expected: {
        ...all("replace", [SECRET_KEY_VERSION, "terraform_data.secrets_secret_key_first", ...copies]),
        ...all("create", [
          "google_secret_manager_secret.secrets_bootstrap_token[0]",
          "google_secret_manager_secret_version.secrets_bootstrap_token_version[0]",
          ...grants,
        ]),
        [workload]: "update",
      },
      verify: (deployment) => {
        if ([...deployment.cloud.livePayloads.values()].includes(GIVEN_PASSWORD))
          throw new Error("the first password is stored a second time");
        requireExecutions(2)?.(deployment);
      },
    },
  ];
}

/** Inputs of each part that can be switched off while it runs. */
export const FEATURES = {
  domain: WITH_DOMAIN,
  mail: WITH_MAIL,
  receivers: WITH_RECEIVERS,
  worker: WITH_SEPARATE_WORKER,
  dump: WITH_DUMP,
  settings: WITH_SETTINGS,
  token: WITH_TOKEN,
  maintenance: WITH_MAINTENANCE,
} as const;

/** Inputs that ask for all of them. */
export const withFeatures = (features: Readonly<Record<string, Inputs>>): Inputs =>
  Object.assign({ project_id: "my-project", ...WITH_BLUEPRINTS }, ...Object.values(features)) as Inputs;

/** How both variants protect their data. */
export const protection = (...further: readonly string[]): StackRehearsal["protection"] => ({
  off: { deletion_protection: false },
  expected: { ...all("update", [...PROTECTED, ...further]), "terraform_data.protected_identity": "replace" },
  refusal: "deletion_protection was true at the last apply; nothing is deleted",
});

/** Inputs that clients of an existing network need; the subnetwork is in the region. */
export const inNetwork = (region: string): Inputs => ({
  network: "projects/shared/global/networks/main",
  subnetwork: `projects/shared/regions/${region}/subnetworks/services`,
  region,
});

const SEPARATE = { ...WITH_SEPARATE_WORKER, worker: { count: 2, cpu: 2, memory: "4Gi" } };
const DOMAIN = { domain: "sign-in.example.com" };

/** Choices of a domain and what belongs to it. */
export const DOMAINS: readonly Inputs[] = [
  {},
  { ...DOMAIN, dns_zone: WITH_DOMAIN.dns_zone, protection: { restrict_admin: true, admin_ranges: ["203.0.113.0/24"] } },
  { ...DOMAIN, existing_security_policy: COMPANY_POLICY, domain_options: { request_log_sample_rate: 1 } },
  {
    ...DOMAIN,
    dns_zone: { name: "example", project: "dns-project" },
    protection: {},
    domain_options: { request_log_sample_rate: 0.5 },
  },
];

/** Choices of a form of the worker; the oldest release has no supervision of its own. */
export const WORKERS: readonly Inputs[] = [
  {},
  { ...SEPARATE, application_version: "2025.10.0" },
  { worker_mode: "all-in-one", application_version: "2026.5.4" },
];

/** Choices of inputs that depend on each other. */
const SUBJECTS: Matrix = {
  bootstrap_password: [{}, { bootstrap_password: GIVEN_PASSWORD }],
  domain: DOMAINS,
  dump: [{}, WITH_DUMP, { dumps: { schedule: "*/30 0-6/2,22 1,15 1-12 1-5" } }],
  image: [
    {},
    { existing_container_image: IMAGE },
    { blueprints: ["password-recovery", "branding"], ...EXISTING_PARTS.repository?.inputs },
  ],
  instances: [{}, { min_instance_count: 2, max_instance_count: 3 }],
  place: [{}, inNetwork("europe-west1"), { region: "europe-west1" }, inNetwork("us-central1")],
  worker: WORKERS,
  // With connections for as many instances and workers as the others ask for.
  database_tier: [{ database_tier: "db-custom-2-7680" }, { database_tier: "db-custom-4-15360" }],
};

/**
 * Inputs to combine.
 *
 * @param own values of inputs of one variant
 * @param further choices of its own
 */
export function matrixOf(own: Readonly<Record<string, readonly unknown[]>>, further: Matrix): Matrix {
  const subjects = { ...SUBJECTS, ...further };
  const told = Object.values(subjects).flatMap((choices) => choices.flatMap((inputs) => Object.keys(inputs)));
  const alone = Object.entries({ ...ACCEPTED_BY_BOTH, ...own }).filter(([name]) => !told.includes(name));
  return { ...choicesOf(Object.fromEntries(alone)), ...subjects };
}

export const FAILING_BUILD: Fault = {
  name: "the build fails",
  prepare: ({ web }) =>
    web.builds.courses.push({ states: ["QUEUED", "FAILURE"], statusDetail: "injected failure", exitCode: 1 }),
  refusals: ["ended FAILURE"],
};

/** What is rehearsed alike of both variants. */
export const OF_BOTH = {
  inputs: { project_id: "my-project" },
  prepare: (deployment: Deployment) =>
    [prepareDomain, prepareSecrets, prepareMonitoring, prepareExisting].forEach((add) => add(deployment)),
  stage: /^(terraform_data\.apis_|google_project_service\.)/,
} as const;
