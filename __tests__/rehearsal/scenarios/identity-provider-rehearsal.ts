import { ACCEPTED_BY_BOTH, allowsBlueprints, allowsDumps } from "../../stacks/accepted-inputs";
import { type Scripts, withoutService } from "../engine/dependency-graph";
import { type Deployment, type Inputs } from "../deployment/deployment";
import { type KillScenario, type StagedFault } from "../engine/fault-scenarios";
import { type ChangeScenario } from "../engine/journey";
import { type StackRehearsal } from "../engine/stack-rehearsal";
import { WITH_BLUEPRINTS } from "./blueprints";
import { prepareDomain, WITH_DOMAIN } from "./domain";
import { WITH_DUMP } from "./dump";
import { all, edited, withInputs } from "./every-stack";
import { WITH_MAIL } from "./mail";
import { prepareMonitoring, UPTIME_CHECK, WITH_RECEIVERS } from "./monitoring";
import { prepareSecrets, requireVariables, WITH_SETTINGS } from "./settings";
import { WITH_SEPARATE_WORKER } from "./worker-modes";

/** What is the same in the rehearsals of both variants, because it is the same in the variants. */

export const BUILD = "terraform_data.image_build[0]";

const SECRETS = [
  "database_administrator_password",
  "database_password",
  "secrets_bootstrap_password",
  "secrets_secret_key",
].map((name) => `google_secret_manager_secret.${name}`);

export const SECRET_KEY_VERSION = "google_secret_manager_secret_version.secrets_secret_key_version";

export const UPGRADE_BACKUP = "terraform_data.upgrade_backup[0]";

/** Accepts another secret key. */
export const ACCEPTED_KEY = "-replace=terraform_data.secrets_secret_key_first";

/** Resources that change when the protection of the data is switched off. */
const PROTECTED = [
  ...SECRETS,
  "google_sql_database_instance.database",
  "google_storage_bucket.media_bucket",
  "terraform_data.deletion_guard",
  "terraform_data.identity_guard",
];

/** Resources with labels. */
const LABELLED = [
  ...SECRETS,
  "google_artifact_registry_repository.registry[0]",
  "google_sql_database_instance.database",
  "google_storage_bucket.media_bucket",
  UPTIME_CHECK,
];

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
  const withSecret = (...replaced: readonly string[]) => ({
    ...all("replace", [...replaced, ...copies]),
    ...all("update", [workload]),
  });
  const variables = { IDP_LOG_LEVEL: "debug", IDP_GREETING: "$$ $(DB_NAME) $5" };
  return [
    { name: "edit of the entrypoint", change: edited("image/cloud-entrypoint.sh"), expected: rollout },
    {
      name: "edit of db-init.sh",
      change: edited("scripts/db-init.sh"),
      expected: all("replace", job),
      verify: requireExecutions(2),
    },
    {
      name: "another version",
      change: withInputs({ application_version: "2026.5.3" }),
      expected: { ...rollout, [UPGRADE_BACKUP]: "replace" },
      verify: requireBackup("before 2026.5.3"),
    },
    {
      name: "a variable",
      change: withInputs({ environment_variables: variables }),
      expected: { [workload]: "update" },
      verify: requireVariables(variables),
    },
    {
      name: "bootstrap password given",
      change: withInputs({ bootstrap_password: GIVEN_PASSWORD, bootstrap_password_version: 2 }),
      expected: withSecret("google_secret_manager_secret_version.secrets_bootstrap_password_version"),
      verify: ({ cloud }) => {
        if (![...cloud.livePayloads.values()].includes(GIVEN_PASSWORD))
          throw new Error("the given password is not stored");
      },
    },
    {
      name: "labels",
      change: withInputs({ labels: { team: "identity" } }),
      expected: all("update", [...LABELLED, ...labelled]),
      verify: requireExecutions(2),
    },
    {
      name: "another secret key",
      planArguments: [`-replace=${SECRET_KEY_VERSION}`, ACCEPTED_KEY],
      expected: withSecret(SECRET_KEY_VERSION, "terraform_data.secrets_secret_key_first"),
      verify: requireExecutions(2),
    },
    {
      name: "a token for the application's API",
      change: withInputs(WITH_TOKEN),
      expected: {
        ...withSecret(),
        ...all("create", [
          "google_secret_manager_secret.secrets_bootstrap_token[0]",
          "google_secret_manager_secret_version.secrets_bootstrap_token_version[0]",
          ...grants,
        ]),
      },
    },
    {
      name: "backups in another place, more of them, and fewer days of log",
      change: withInputs({ backup_location: "eu", backup_retention_count: 30, transaction_log_days: 3 }),
      expected: all("update", ["google_sql_database_instance.database", "terraform_data.deletion_guard"]),
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
} as const;

/** Inputs that ask for all of them. */
export const withFeatures = (features: Readonly<Record<string, Inputs>>): Inputs =>
  Object.assign({ project_id: "my-project", ...WITH_BLUEPRINTS }, ...Object.values(features)) as Inputs;

/** What the inputs of either variant find in the project. */
function prepareProject(deployment: Deployment): void {
  prepareDomain(deployment);
  prepareSecrets(deployment);
  prepareMonitoring(deployment);
}

/** How both variants protect their data. */
export const protection = (...further: readonly string[]): StackRehearsal["protection"] => ({
  off: { deletion_protection: false },
  expected: { ...all("update", [...PROTECTED, ...further]), "terraform_data.protected_identity": "replace" },
  refusal: "deletion_protection is true; nothing is deleted",
});

/** The resources that the rest of both stacks needs. */
const STAGES = [
  /^terraform_data\.apis_resource_manager$/,
  /^google_project_service\./,
  /^terraform_data\.apis_\w+_answers$/,
];

/** Values of the inputs that both variants share. */
export const MATRIX = { ...ACCEPTED_BY_BOTH, bootstrap_password: [null, GIVEN_PASSWORD] } as const;

/** Connections that the database of each tier accepts. */
const CONNECTIONS: Readonly<Record<string, number>> = {
  "db-g1-small": 174,
  "db-custom-1-3840": 384,
  "db-custom-2-7680": 768,
  "db-custom-4-15360": 1536,
};

/** Inputs for the place of a separate worker; null says nothing. */
const OF_WORKER_PLACE = ["worker_count", "worker_cpu", "worker_max_count", "worker_memory"];

/**
 * The modes of the worker that can still be. An input for a separate worker's place leaves that alone, and the oldest
 * release has no supervision of its own.
 */
function possibleModes(inputs: Inputs): unknown[] {
  const hasPlace = OF_WORKER_PLACE.some((name) => (inputs[name] ?? null) !== null);
  const isTooOld = inputs.application_version === "2025.10.0";
  const modes = inputs.worker_mode === undefined ? ["in-container", "separate"] : [inputs.worker_mode];
  return modes.filter((mode) => (mode === "separate" || !hasPlace) && (mode !== "all-in-one" || !isTooOld));
}

/** Most connections in a mode of the worker, as in the inputs' own rule. */
function connectionsIn(mode: unknown, inputs: Inputs, surge: number): number {
  // The maximum must not be less than the minimum.
  const instances = Math.max(Number(inputs.max_instance_count ?? 1), Number(inputs.min_instance_count ?? 1));
  // On Cloud Run, a rollout has both revisions.
  const isServerless = surge === 0;
  const during = isServerless ? 2 * instances : instances + surge;
  const requests = isServerless ? Number(inputs.max_instance_request_concurrency ?? 40) : 40;
  const ofWorker = 4 + Number(inputs.worker_processes ?? 1) * (Number(inputs.worker_threads ?? 2) + 4);
  if (mode !== "separate") return during * (10 + ofWorker + requests);
  const least = Number(inputs.worker_count ?? 1);
  const workers = isServerless ? 2 * least : Number(inputs.worker_max_count ?? least + 1) + surge;
  return during * (12 + requests) + workers * ofWorker;
}

/**
 * Whether the inputs' own rules allow the number of instances and the form of the worker; inputs that are not chosen yet
 * break no rule.
 *
 * @param surge instances that a rollout runs beyond the maximum
 */
function allowsInstances(inputs: Inputs, surge: number): boolean {
  const { database_tier: tier, max_instance_count: most, min_instance_count: least } = inputs;
  const offered = typeof tier === "string" ? (CONNECTIONS[tier] ?? 0) : Math.max(...Object.values(CONNECTIONS));
  const available = offered - 10;
  return (
    possibleModes(inputs).some((mode) => connectionsIn(mode, inputs, surge) <= available) &&
    (most === undefined || least === undefined || Number(least) <= Number(most))
  );
}

/** Inputs that say something of a domain; null, false or 0 says nothing. */
const OF_DOMAIN = [
  ...["close_default_address", "dns_zone", "existing_security_policy", "protection"],
  "request_log_sample_rate",
];

/** Whether the inputs' own rules allow what is said of a domain; inputs that are not chosen yet break no rule. */
function allowsDomain(inputs: Inputs): boolean {
  const given = OF_DOMAIN.filter((name) => Boolean(inputs[name]));
  const hasTwoPolicies = given.includes("existing_security_policy") && given.includes("protection");
  return (inputs.domain !== null || given.length === 0) && !hasTwoPolicies;
}

/** Memory in gibibytes; undefined if not chosen yet. */
function gibibytesOf(memory: unknown): number | undefined {
  const [, digits, unit] = /^(\d+)(Mi|Gi)$/.exec(typeof memory === "string" ? memory : "") ?? [];
  return digits === undefined ? undefined : Number(digits) / (unit === "Mi" ? 1024 : 1);
}

/**
 * Whether the rules that combine several inputs allow these; inputs that are not chosen yet break no rule.
 *
 * @param surge instances that a rollout runs beyond the maximum
 * @param memory gibibytes for so many processors
 */
export function allows(
  inputs: Inputs,
  surge: number,
  memory: (cpu: number) => readonly [least: number, most: number],
): boolean {
  const { container_cpu: cpu, container_memory: given } = inputs;
  const gibibytes = gibibytesOf(given);
  const [least, most] = memory(Number(cpu));
  const fits = cpu === undefined || gibibytes === undefined || (gibibytes >= least && gibibytes <= most);
  return (
    fits && allowsBlueprints(inputs) && allowsDomain(inputs) && allowsDumps(inputs) && allowsInstances(inputs, surge)
  );
}

/**
 * A network needs its subnetwork, in the region of the stack. Null inputs are omitted: Terraform refuses an ephemeral
 * variable that a file sets to null, as if it were set only at apply.
 */
export function withSubnetwork(inputs: Inputs): Inputs {
  const { network, region } = inputs;
  const subnetwork = network === null ? null : `projects/shared/regions/${String(region)}/subnetworks/services`;
  return Object.fromEntries(Object.entries({ ...inputs, subnetwork }).filter(([, value]) => value !== null));
}

/** Terraform is killed during the build, which finishes nevertheless. */
const KILL: KillScenario = {
  prepare: ({ web }) => web.builds.courses.push({ states: [...Array<"WORKING">(10_000).fill("WORKING"), "SUCCESS"] }),
  waiting: ": WORKING",
  meanwhile: ({ web }) => {
    for (const image of web.builds.accepted.flatMap(({ images }) => images)) web.registry.push(image);
  },
};

export const FAILING_BUILD: StagedFault = {
  name: "the build fails",
  afterStage: 3,
  prepare: ({ web }) =>
    web.builds.courses.push({ states: ["QUEUED", "FAILURE"], statusDetail: "injected failure", exitCode: 1 }),
  refusals: ["ended FAILURE"],
};

/** What the scripts, other than the API gates, need, and what does not exist before they run. */
const SCRIPTS: Scripts = {
  "terraform_data.apis_resource_manager": {
    needs: [],
    before: (surroundings) => withoutService(surroundings, "cloudresourcemanager.googleapis.com"),
  },
  "terraform_data.image_build": {
    needs: [
      "google_artifact_registry_repository_iam_member.registry_builder_pushes",
      "google_project_iam_member.registry_builder_logs",
      "terraform_data.apis_cloudbuild_answers",
      "terraform_data.apis_logging_answers",
    ],
    before: (surroundings) => ({ ...surroundings, hasImage: () => false }),
  },
};

/** What is rehearsed alike of both variants. */
export const OF_BOTH = {
  inputs: { project_id: "my-project" },
  prepare: prepareProject,
  stages: STAGES,
  completed: withSubnetwork,
  kill: KILL,
  scripts: SCRIPTS,
} as const;
