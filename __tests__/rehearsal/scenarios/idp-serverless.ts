import { all, EARLY_FAULTS, withInputs } from "./every-stack";
import { ACCEPTED } from "../../stacks/accepted-inputs";
import { type Deployment } from "../deployment/deployment";
import { executeByHand } from "../project/google-workloads";
import {
  allows,
  BUILD,
  FAILING_BUILD,
  FEATURES,
  MATRIX,
  OF_BOTH,
  ownersChanges,
  protection,
  requireExecutions,
  UPGRADE_BACKUP,
  withFeatures,
  withSubnetwork,
} from "./identity-provider-rehearsal";
import { dumpChanges } from "./dump";
import { DOMAIN_CHANGES } from "./idp-serverless-domain";
import { blueprintChanges } from "./blueprints";
import { DASHBOARD, monitoringChanges } from "./monitoring";
import { anotherIdentity } from "./another-identity";
import { anotherRegion } from "./another-region";
import { deletedParts } from "./deleted-parts";
import { mailChanges } from "./mail";
import { settingsChanges } from "./settings";
import { secretsOutOfStep } from "./secrets-out-of-step";
import { severalInputs } from "./several-inputs";
import { workerModeChanges } from "./worker-modes";
import { type ChangeScenario } from "../engine/journey";
import { type StackRehearsal } from "../engine/stack-rehearsal";

const SERVICE = "google_cloud_run_v2_service.service";
const JOB = "google_cloud_run_v2_job.db_init";

const ADMINISTRATOR_VERSION = "google_secret_manager_secret_version.database_administrator_password_version";
const ROLE_VERSION = "google_secret_manager_secret_version.database_password_version";

const ROLLOUT = { [BUILD]: "replace", [SERVICE]: "update" } as const;

/** Resources that exist only to build an image. */
const BUILT_WITH = [
  BUILD,
  "google_artifact_registry_repository.registry[0]",
  "google_artifact_registry_repository_iam_member.registry_builder_pushes[0]",
  "google_project_iam_member.registry_builder_logs[0]",
  "google_service_account.registry_builder[0]",
  ...["artifactregistry", "cloudbuild"].flatMap((api) => [
    `google_project_service.apis_${api}[0]`,
    `terraform_data.apis_${api}_answers[0]`,
  ]),
];

const CHANGES: readonly ChangeScenario[] = [
  ...ownersChanges({
    workload: SERVICE,
    job: ["google_secret_manager_secret_version.db_init_script_version", JOB, "terraform_data.db_init_trigger"],
    copies: [],
    labelled: [SERVICE, JOB, "google_secret_manager_secret.db_init_script"],
    grants: ["google_secret_manager_secret_iam_member.secrets_bootstrap_token_runtime[0]"],
  }),
  {
    name: "a run of the job by hand",
    change: ({ cloud }) => {
      const [job] = cloud.ofType("google_cloud_run_v2_job");
      executeByHand(cloud, job?.id ?? "");
    },
    expected: {},
    verify: requireExecutions(3),
  },
  {
    name: "another password of the database's administrator",
    planArguments: [`-replace=${ADMINISTRATOR_VERSION}`],
    // That the database has the stored password is checked after every apply; the job proves it.
    expected: all("replace", [
      ADMINISTRATOR_VERSION,
      "google_sql_user.database_administrator",
      JOB,
      "terraform_data.database_administrator_version",
      "terraform_data.db_init_trigger",
    ]),
    verify: requireExecutions(4),
  },
  {
    name: "another password of the application's role",
    planArguments: [`-replace=${ROLE_VERSION}`],
    expected: {
      [ROLE_VERSION]: "replace",
      [SERVICE]: "update",
      [JOB]: "replace",
      "terraform_data.db_init_trigger": "replace",
    },
    verify: requireExecutions(5),
  },
  {
    name: "fewer instances",
    change: withInputs({ max_instance_count: 2 }),
    expected: all("update", [DASHBOARD, SERVICE]),
  },
  // The images go with their repository.
  {
    name: "an existing image",
    change: withInputs({ existing_container_image: "us-docker.pkg.dev/other-project/images/idp:2026.5.4" }),
    expected: { ...all("delete", BUILT_WITH), [UPGRADE_BACKUP]: "replace", [SERVICE]: "update" },
    verify: loseImages,
  },
  {
    name: "a built image again",
    change: withInputs({ existing_container_image: undefined }),
    expected: { ...all("create", BUILT_WITH), [UPGRADE_BACKUP]: "replace", [SERVICE]: "update" },
    verify: ({ web }) => {
      if (web.registry.digests.size === 0) throw new Error("nothing is built, though the repository is new");
    },
  },
];

/** Removes the images of deleted repositories from the registry that the scripts query. */
function loseImages({ cloud, web }: Deployment): void {
  const lost = [...web.registry.digests.keys()].filter((image) => !cloud.hasImage(image));
  if (lost.length === 0) throw new Error("the repository is to go, but no image is lost with it");
  for (const image of lost) web.registry.digests.delete(image);
}

const WORKER_MODE_CHANGES = workerModeChanges({
  isSeparate: (workload) => workload.startsWith("google_cloud_run_v2_worker_pool "),
  rollout: { [SERVICE]: "update" },
  separateWorker: ["google_cloud_run_v2_worker_pool.worker[0]"],
});

const DUMP_CHANGES = dumpChanges({
  schedule: "google_cloud_scheduler_job.dump_job_schedule[0]",
  parts: [
    "google_cloud_run_v2_job_iam_member.dump_job_may_start[0]",
    "google_cloud_scheduler_job.dump_job_schedule[0]",
    "google_project_service.apis_cloudscheduler[0]",
    "google_secret_manager_secret_iam_member.database_password_dumper[0]",
    "google_service_account.dump_job_starter[0]",
    "terraform_data.apis_cloudscheduler_answers[0]",
    "terraform_data.dump_at_apply_trigger[0]",
    ...["dump_job", "dump_at_apply"].flatMap((job) => [
      `google_cloud_run_v2_job.${job}[0]`,
      `google_secret_manager_secret.${job}_script[0]`,
      `google_secret_manager_secret_iam_member.${job}_script_reader[0]`,
      `google_secret_manager_secret_version.${job}_script_version[0]`,
    ]),
  ],
});

const LEAST_GI: Readonly<Record<number, number>> = { 1: 0.5, 2: 0.5, 4: 2, 8: 4 };

/** Other values of what makes a deployment what it is. */
const IDENTITY = { project_id: "other-project", region: "europe-west1", tenant_id: "other", application_name: "other" };

/** The identity provider on Cloud Run. */
export const IDP_SERVERLESS: StackRehearsal = {
  ...OF_BOTH,
  faultInputs: withFeatures(FEATURES),
  nullOutputs: ["bootstrap_token_command", "dump_bucket", "dump_command", "load_balancer_address", "test_mail_command"],
  changes: [
    ...CHANGES,
    ...blueprintChanges(ROLLOUT),
    ...settingsChanges({ [SERVICE]: "update" }, { granted: true }),
    ...mailChanges({
      rollout: { [SERVICE]: "update" },
      parts: [
        "google_cloud_run_v2_job.test_mail[0]",
        'google_secret_manager_secret_iam_member.existing_secrets_runtime["projects/my-project/secrets/smtp-password"]',
      ],
      changing: ["google_cloud_run_v2_job.test_mail[0]"],
    }),
    ...DOMAIN_CHANGES.slice(0, 1),
  ],
  furtherChanges: [
    ...monitoringChanges("serverless", ["room", "uptimeCheck", "workerInContainer"]),
    ...WORKER_MODE_CHANGES,
    ...DOMAIN_CHANGES,
    ...DUMP_CHANGES,
  ],
  protection: protection(),
  matrix: { ...MATRIX, ...ACCEPTED },
  isAllowed: (inputs) => allows(inputs, 0, (cpu) => [LEAST_GI[cpu] ?? 0, cpu * 4]),
  episodes: [
    ...secretsOutOfStep({
      google_cloud_run_v2_job: "database_password",
      google_cloud_run_v2_service: "database_password",
    }),
    anotherIdentity(
      IDENTITY,
      IDENTITY,
      withSubnetwork({ network: "projects/shared/global/networks/services", region: "us-central1" }),
    ),
    anotherRegion({ deletion_protection: false }),
    severalInputs(FEATURES, { deletion_protection: false, keep_dumps: true, labels: { team: "identity" } }),
    deletedParts(["google_cloud_run_v2_job", "google_cloud_run_v2_service", "google_compute_global_forwarding_rule"]),
  ],
  faults: [...EARLY_FAULTS, FAILING_BUILD],
};
