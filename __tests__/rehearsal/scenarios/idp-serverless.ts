import { ACCEPTED } from "../../stacks/accepted-inputs";
import { type Deployment } from "../deployment/deployment";
import { type ChangeScenario } from "../engine/journey";
import { type Episode, type StackRehearsal } from "../engine/stack-rehearsal";
import { executeByHand } from "../project/google-workloads";
import { textAt } from "../project/terraform-value";
import { AUDIT_LOG } from "./audit-log";
import { blueprintChanges } from "./blueprints";
import { apis, SERVERLESS_DOMAIN_CHANGES } from "./domain";
import { dumpChanges } from "./dump";
import { DUMP_LOCK } from "./dump-lock";
import { anotherDeployment, anotherRegion, deletedParts, severalInputs } from "./episodes";
import { all, sideBySide, withInputs } from "./every-stack";
import { WITH_EXISTING_PARTS } from "./existing-parts";
import { GRANTS_BY_OTHERS } from "./grants-by-others";
import {
  BUILD,
  DOMAINS,
  FAILING_BUILD,
  FEATURES,
  inNetwork,
  matrixOf,
  OF_BOTH,
  ownersChanges,
  protection,
  requireExecutions,
  UPGRADE_BACKUP,
  withFeatures,
} from "./identity-provider-rehearsal";
import { landingZones, ownKeys } from "./landing-zone";
import { DASHBOARD, monitoringChanges } from "./monitoring";
import { WITH_RECOVERY_ACCESS } from "./recovery-access";
import { REGION_LOST } from "./region-lost";
import { KEY_IS_GONE, ROTATIONS, rotationThatFails, secretsOutOfStep } from "./secrets-out-of-step";
import { mailChanges, settingsChanges, workerModeChanges } from "./settings";
import { WITH_SIGN_IN_PROBE } from "./sign-in-probe";
import { WARM_STANDBY } from "./warm-standby";

const SERVICE = "google_cloud_run_v2_service.service";
const JOB = "google_cloud_run_v2_job.db_init";

const ADMINISTRATOR_VERSION = "google_secret_manager_secret_version.database_administrator_password_version[0]";
const ROLE_VERSION = "google_secret_manager_secret_version.database_password_version[0]";

const ROLLOUT = { [BUILD]: "replace", [SERVICE]: "update" } as const;

/** Resources that exist only to build an image. */
const BUILT_WITH = ["terraform_data.image_build[0]", "*.registry*", ...apis("artifactregistry", "cloudbuild")];

const CHANGES: readonly ChangeScenario[] = [
  ...ownersChanges({
    workload: SERVICE,
    job: ["google_secret_manager_secret_version.db_init_script_version", JOB, "terraform_data.db_init_trigger"],
    copies: [],
    labelled: [SERVICE, JOB, "google_secret_manager_secret.db_init_script"],
    grants: ["google_secret_manager_secret_iam_member.secrets_bootstrap_token_runtime[0]"],
  }),
  {
    name: "fewer instances, after a run of the job by hand",
    change: (deployment) => {
      const [job] = deployment.cloud.ofType("google_cloud_run_v2_job");
      executeByHand(deployment.cloud, job?.id ?? "");
      withInputs({ max_instance_count: 2 })?.(deployment);
    },
    expected: all("update", [DASHBOARD, SERVICE]),
    verify: requireExecutions(3),
  },
  {
    name: "other passwords of the database's administrator and of the application's role",
    planArguments: [`-replace=${ADMINISTRATOR_VERSION}`, `-replace=${ROLE_VERSION}`],
    // That the database has the stored passwords is checked after every apply; the job proves it.
    expected: {
      ...all("replace", [
        ADMINISTRATOR_VERSION,
        ROLE_VERSION,
        "google_sql_user.database_administrator[0]",
        JOB,
        "terraform_data.database_administrator_version[0]",
        "terraform_data.db_init_trigger",
      ]),
      [SERVICE]: "update",
    },
    verify: requireExecutions(4),
  },
  {
    name: "a later version of PostgreSQL",
    change: withInputs({ database_version: 17 }),
    expected: {
      "google_sql_database_instance.database[0]": "update",
      ...all("replace", [JOB, "terraform_data.db_init_trigger"]),
    },
    verify: requireExecutions(5),
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

const WORKER_MODE_CHANGES = workerModeChanges({ [SERVICE]: "update" }, ["google_cloud_run_v2_worker_pool.worker[0]"]);

const DUMP_CHANGES = dumpChanges("google_cloud_scheduler_job.dump_job_schedule[0]", apis("cloudscheduler"));

const MONITORING_CHANGES = monitoringChanges(
  ["google_cloud_run_v2_job.check_up_job[0]", "google_cloud_scheduler_job.check_up_job_schedule[0]"],
  apis("cloudscheduler"),
);

/** Other values of what makes a deployment what it is. */
const OTHER_FACTS = {
  project_id: "other-project",
  region: "europe-west1",
  tenant_id: "other",
  application_name: "other",
};

/** A running deployment on a network changes the load balancer for one that only the network reaches, and back. */
const FOR_THE_NETWORK: Episode = {
  name: "an internal load balancer",
  play: async (deployment) => {
    deployment.cloud.others.add("google_compute_network projects/shared/global/networks/main");
    const begun = { ...deployment.inputs, ...inNetwork("us-central1"), ipv6: undefined, protection: undefined };
    const zone = { name: "example", private: true };
    const domain = { domain: "login.example.com", close_default_address: true, dns_zone: zone };
    const internal = { load_balancer: "internal", load_balancer_proxy_range: "10.129.0.0/26" };
    for (const inputs of [{ ...domain, ...internal }, domain]) {
      await deployment.settle({ ...begun, ...inputs });
      const rules = deployment.cloud.ofType("google_compute_forwarding_rule").length;
      const isInternal = "load_balancer" in inputs;
      if (rules !== (isInternal ? 2 : 0)) throw new Error(`there are ${rules} rules of an internal load balancer`);
      const records = deployment.cloud.ofType("google_dns_record_set").map(({ values }) => textAt(values, "type"));
      if (isInternal && records.join() !== "A") throw new Error(`a private zone has ${records.join()}`);
      const [address] = deployment.cloud
        .ofType("google_cloud_run_v2_service")
        .map((each) => JSON.stringify(each.values));
      if (isInternal && address?.includes(",10.128.0.20/32") !== true)
        throw new Error("the application does not know it");
    }
  },
};

/** The identity provider on Cloud Run. */
export const IDP_SERVERLESS: StackRehearsal = {
  ...OF_BOTH,
  faultInputs: withFeatures(FEATURES),
  nullOutputs: [
    "bootstrap_token_command",
    "dump_bucket",
    "dump_lock_bucket",
    "dump_command",
    "load_balancer_address",
    "recovery_command",
    "recovery_link_command",
    "test_mail_command",
  ],
  changes: [
    ...CHANGES,
    ...sideBySide(
      blueprintChanges(ROLLOUT),
      settingsChanges({ [SERVICE]: "update" }, { granted: true }),
      mailChanges({
        rollout: { [SERVICE]: "update" },
        parts: [
          "google_cloud_run_v2_job.test_mail[0]",
          'google_secret_manager_secret_iam_member.existing_secrets_runtime["projects/my-project/secrets/smtp-password"]',
        ],
        changing: ["google_cloud_run_v2_job.test_mail[0]"],
      }),
    ),
    ...SERVERLESS_DOMAIN_CHANGES.slice(0, 1),
  ],
  furtherChanges: [...sideBySide(WORKER_MODE_CHANGES, SERVERLESS_DOMAIN_CHANGES, DUMP_CHANGES), ...MONITORING_CHANGES],
  protection: protection(),
  matrix: matrixOf(ACCEPTED, {
    container: [
      { container_cpu: 1, container_memory: "512Mi" },
      { container_cpu: 4, container_memory: "16Gi" },
      { container_cpu: 8, container_memory: "4Gi" },
    ],
    domain: [...DOMAINS, { domain: "sign-in.example.com", close_default_address: true }],
  }),
  episodes: [
    ROTATIONS,
    landingZones("idp-serverless", [
      "iam.allowedPolicyMemberDomains",
      "custom.cloudrunDisableEnvironmentVariablePattern",
      "custom.cloudsqlEnforcePasswordComplexity",
      "custom.cloudsqlRequireRootPassword",
      "custom.iamDisablePublicBindings",
    ]),
  ],
  furtherEpisodes: [
    FOR_THE_NETWORK,
    WITH_SIGN_IN_PROBE,
    WITH_RECOVERY_ACCESS,
    ...REGION_LOST,
    ...WARM_STANDBY,
    rotationThatFails("google_cloud_run_v2_service"),
    KEY_IS_GONE,
    ownKeys("service", 5),
    AUDIT_LOG,
    DUMP_LOCK,
    GRANTS_BY_OTHERS,
    ...secretsOutOfStep({
      google_sql_user: "database_administrator_password",
      google_cloud_run_v2_job: "database_password",
      google_cloud_run_v2_service: "database_password",
    }),
    deletedParts(["google_cloud_run_v2_job", "google_cloud_run_v2_service", "google_compute_global_forwarding_rule"]),
    anotherDeployment(OTHER_FACTS, OTHER_FACTS, inNetwork("us-central1")),
    anotherRegion({ deletion_protection: false }),
    severalInputs(FEATURES, { deletion_protection: false, dumps: { schedule: null }, labels: { team: "identity" } }),
    WITH_EXISTING_PARTS,
  ],
  faults: [FAILING_BUILD],
};
