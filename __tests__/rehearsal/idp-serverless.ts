import { REFUSED_ALONE, REFUSED_TOGETHER } from "../stacks/refused-inputs";
import { type Deployment, type Inputs } from "./deployment";
import { type ChangeScenario } from "./journey";
import { type StackRehearsal } from "./stack-rehearsal";
import { type Action } from "./steps";

const SERVICE = "google_cloud_run_v2_service.service";
const BUILD = "terraform_data.image_build[0]";
const SECRETS = [
  "database_administrator_password",
  "database_password",
  "secrets_bootstrap_password",
  "secrets_secret_key",
].map((name) => `google_secret_manager_secret.${name}`);

const all = (action: Action, addresses: readonly string[]): Record<string, Action> =>
  Object.fromEntries(addresses.map((address) => [address, action]));

const ROLLOUT = { [BUILD]: "replace", [SERVICE]: "update" } as const;

const withInputs =
  (inputs: Readonly<Record<string, unknown>>): ChangeScenario["change"] =>
  (deployment) => {
    deployment.inputs = { ...deployment.inputs, ...inputs };
  };

const GIVEN_PASSWORD = "given-by-hand-0815";

const CHANGES: readonly ChangeScenario[] = [
  {
    name: "edit of the entrypoint",
    change: (deployment) => {
      deployment.edit("image/cloud-entrypoint.sh", (text) => `${text}# edited\n`);
    },
    expected: ROLLOUT,
  },
  {
    name: "edit of db-init.sh",
    change: (deployment) => {
      deployment.edit("scripts/db-init.sh", (text) => `${text}# edited\n`);
    },
    expected: {
      "google_secret_manager_secret_version.db_init_script_version": "replace",
      "google_cloud_run_v2_job.db_init": "replace",
      "terraform_data.db_init_trigger": "update",
    },
    verify: ({ cloud }) => {
      if (cloud.executions.length !== 2) throw new Error(`db-init ran ${cloud.executions.length} times, expected 2`);
    },
  },
  { name: "another version", change: withInputs({ application_version: "2026.5.3" }), expected: ROLLOUT },
  {
    name: "a variable",
    change: withInputs({ environment_variables: { IDP_LOG_LEVEL: "debug" } }),
    expected: { [SERVICE]: "update" },
  },
  {
    name: "bootstrap password given",
    change: withInputs({ bootstrap_password: GIVEN_PASSWORD, bootstrap_password_version: 2 }),
    expected: {
      "google_secret_manager_secret_version.secrets_bootstrap_password_version": "replace",
      [SERVICE]: "update",
    },
    verify: ({ cloud }) => {
      if (![...cloud.livePayloads.values()].includes(GIVEN_PASSWORD))
        throw new Error("the given password is not stored");
    },
  },
  { name: "more instances", change: withInputs({ max_instance_count: 4 }), expected: { [SERVICE]: "update" } },
  {
    name: "labels",
    change: withInputs({ labels: { team: "identity" } }),
    expected: all("update", [
      ...SECRETS,
      SERVICE,
      "google_artifact_registry_repository.registry[0]",
      "google_cloud_run_v2_job.db_init",
      "google_secret_manager_secret.db_init_script",
      "google_sql_database_instance.database",
      "google_storage_bucket.media_bucket",
    ]),
  },
];

/** Connections of the smaller tiers, as the inputs' own rule has them. */
const MOST_INSTANCES: Readonly<Record<string, number>> = {
  "db-g1-small": 2,
  "db-custom-1-3840": 4,
  "db-custom-2-7680": 19,
  "db-custom-4-15360": 24,
};

const MEMORY_GI: Readonly<Record<string, number>> = { "512Mi": 0.5, "4Gi": 4, "8Gi": 8, "16Gi": 16 };
const LEAST_GI: Readonly<Record<number, number>> = { 1: 0.5, 2: 0.5, 4: 2, 8: 4 };

/** What the inputs' own rules about several of them allow; a value that is not chosen yet breaks none. */
function isAllowed(inputs: Inputs): boolean {
  const { container_cpu: cpu, container_memory: memory, database_tier: tier } = inputs;
  const { max_instance_count: most, min_instance_count: least } = inputs;
  const gibibytes = MEMORY_GI[typeof memory === "string" ? memory : ""];
  return !(
    (cpu !== undefined &&
      gibibytes !== undefined &&
      (gibibytes > Number(cpu) * 4 || gibibytes < (LEAST_GI[Number(cpu)] ?? 0))) ||
    (typeof tier === "string" && most !== undefined && Number(most) > (MOST_INSTANCES[tier] ?? 0)) ||
    (most !== undefined && least !== undefined && Number(least) > Number(most))
  );
}

/**
 * A network needs its subnetwork, in the region of everything else. Null is left out as a user would: Terraform takes an
 * ephemeral variable that a file sets to null for one that appears between plan and apply, and refuses.
 */
function withSubnetwork(inputs: Inputs): Inputs {
  const { network, region } = inputs;
  const subnetwork = network === null ? null : `projects/shared/regions/${String(region)}/subnetworks/services`;
  return Object.fromEntries(Object.entries({ ...inputs, subnetwork }).filter(([, value]) => value !== null));
}

/** The identity provider on Cloud Run. */
export const IDP_SERVERLESS: StackRehearsal = {
  inputs: { project_id: "my-project" },
  nullOutputs: [],
  changes: CHANGES,
  protection: {
    off: { deletion_protection: false },
    expected: all("update", [
      ...SECRETS,
      "google_sql_database_instance.database",
      "google_storage_bucket.media_bucket",
      "terraform_data.deletion_guard",
    ]),
    refusal: "deletion_protection is true; nothing is deleted",
  },
  stages: [
    /^terraform_data\.apis_resource_manager$/,
    /^google_project_service\./,
    /^terraform_data\.apis_\w+_answers$/,
  ],
  matrix: {
    project_id: ["my-project", "another-project-12345"],
    region: ["us-central1", "europe-west1"],
    tenant_id: ["demo", "a", "acme-123"],
    application_name: ["idp", "a", "sign-in-portal"],
    application_version: ["latest", "2025.10.0", "2026.5.4"],
    bootstrap_password: [null, "given-by-hand-0815"],
    bootstrap_password_version: [1, 7],
    container_cpu: [1, 2, 4, 8],
    container_memory: ["512Mi", "4Gi", "8Gi", "16Gi"],
    cpu_always_allocated: [true, false],
    database_availability: ["ZONAL", "REGIONAL"],
    database_tier: ["db-g1-small", "db-custom-1-3840", "db-custom-2-7680", "db-custom-4-15360"],
    deletion_protection: [true, false],
    environment_variables: [
      {},
      { IDP_LOG_LEVEL: "debug" },
      { IDP_LOG_LEVEL: "trace", IDP_GREETING: 'a "b" ${c} %{d} $5' },
    ],
    existing_container_image: [null, "us-docker.pkg.dev/other-project/images/idp:2026.5.4"],
    labels: [{}, { team: "identity" }],
    max_instance_count: [1, 2, 3, 8, 20],
    min_instance_count: [0, 1, 2],
    network: [null, "projects/shared/global/networks/main"],
    public_access: [true, false],
  },
  isAllowed,
  refused: [...REFUSED_ALONE, ...REFUSED_TOGETHER],
  completed: withSubnetwork,
  kill: {
    prepare: ({ web }) => {
      web.builds.courses.push({ states: [...Array<"WORKING">(10_000).fill("WORKING"), "SUCCESS"] });
    },
    waiting: ": WORKING",
    meanwhile: ({ web }) => {
      for (const image of web.builds.accepted.flatMap(({ images }) => images)) web.registry.push(image);
    },
  },
  faults: [
    ...["artifactregistry", "cloudbuild", "iam", "logging", "run", "secretmanager", "sqladmin", "storage"].map(
      (api) => ({
        name: `the gate of ${api} never opens`,
        afterStage: 2,
        prepare: ({ environment, web }: Deployment) => {
          environment.WAIT_SECONDS = "0";
          web.inject(api, { kind: "service-disabled" });
        },
        refusal: `${api}.googleapis.com did not answer in project`,
        repair: ({ environment }: Deployment) => {
          environment.WAIT_SECONDS = undefined;
        },
      }),
    ),
    {
      name: "the Resource Manager cannot be enabled",
      afterStage: 0,
      prepare: ({ web }) => {
        web.usage.operationError = { code: 7, message: "injected failure" };
      },
      refusal: "injected failure",
      repair: ({ web }) => {
        web.usage.operationError = undefined;
      },
    },
    {
      name: "the build fails",
      afterStage: 3,
      prepare: ({ web }) => {
        web.builds.courses.push({ states: ["QUEUED", "FAILURE"], statusDetail: "injected failure", exitCode: 1 });
      },
      refusal: "ended FAILURE",
    },
    {
      name: "the token is missing",
      afterStage: 0,
      prepare: ({ environment }) => {
        environment.GOOGLE_OAUTH_ACCESS_TOKEN = undefined;
      },
      refusal: "No access token for Google's APIs",
      repair: ({ environment }) => {
        environment.GOOGLE_OAUTH_ACCESS_TOKEN = "ya29.first";
      },
    },
  ],
};
