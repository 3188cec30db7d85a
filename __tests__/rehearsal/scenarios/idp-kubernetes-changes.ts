import { blueprintChanges } from "./blueprints";
import { bootstrapToken } from "./bootstrap-token";
import { all, edited, withInputs } from "./every-stack";
import {
  BUILD,
  GIVEN_PASSWORD_INPUTS,
  LABELLED,
  requireGivenPassword,
  requireTwoExecutions,
  SECRET_KEY_VERSION,
} from "./identity-provider-rehearsal";
import { requireBackup, UPGRADE_BACKUP } from "./upgrade-backup";
import { DASHBOARD } from "./monitoring";
import { ACCEPTED_KEY } from "./secrets-out-of-step";
import { type ChangeScenario } from "../engine/journey";

export const CLUSTER = "google_container_cluster.cluster";
export const DEPLOYMENT = "kubernetes_deployment_v1.workload";
/** Copies of the secrets for the pods. */
export const COPIES = "kubernetes_secret_v1.workload_secrets";
const JOB = "kubernetes_job_v1.db_init";
const AUTOSCALER = "kubernetes_horizontal_pod_autoscaler_v2.workload_autoscaler";
export const ADDRESS = "google_compute_address.address_regional[0]";

/** Everything in the cluster, without a domain. */
const OBJECTS = [
  AUTOSCALER,
  COPIES,
  DEPLOYMENT,
  JOB,
  "kubernetes_config_map_v1.db_init_script",
  "kubernetes_namespace_v1.namespace",
  "kubernetes_network_policy_v1.front_door_allow_ingress",
  "kubernetes_network_policy_v1.namespace_outbound",
  "kubernetes_pod_disruption_budget_v1.workload_disruption_budget",
  "kubernetes_secret_v1.db_init_secrets",
  "kubernetes_service_account_v1.db_init_account",
  "kubernetes_service_account_v1.workload_account",
  "kubernetes_service_v1.front_door_load_balancer[0]",
];

const ROLLOUT = { [BUILD]: "replace", [DEPLOYMENT]: "update" } as const;

/** Changes by an owner of the Kubernetes variant, with all the actions that each may cause. */
export const KUBERNETES_CHANGES: readonly ChangeScenario[] = [
  { name: "edit of the entrypoint", change: edited("image/cloud-entrypoint.sh"), expected: ROLLOUT },
  {
    name: "edit of db-init.sh",
    change: edited("scripts/db-init.sh"),
    expected: all("replace", ["kubernetes_config_map_v1.db_init_script", JOB]),
    verify: requireTwoExecutions,
  },
  {
    name: "another version",
    change: withInputs({ application_version: "2026.5.3" }),
    expected: { ...ROLLOUT, [UPGRADE_BACKUP]: "replace" },
    verify: requireBackup("before 2026.5.3"),
  },
  {
    name: "a variable",
    change: withInputs({ environment_variables: { IDP_LOG_LEVEL: "debug", IDP_GREETING: "$$ $(DB_NAME) $5" } }),
    expected: { [DEPLOYMENT]: "update" },
    verify: ({ cloud }) => {
      const [pods] = cloud.podEnvironments.values();
      const { IDP_GREETING: greeting } = pods?.environment ?? {};
      if (greeting !== "$$ $(DB_NAME) $5") throw new Error(`the container sees IDP_GREETING as ${String(greeting)}`);
    },
  },
  {
    name: "bootstrap password given",
    change: withInputs(GIVEN_PASSWORD_INPUTS),
    expected: {
      "google_secret_manager_secret_version.secrets_bootstrap_password_version": "replace",
      [COPIES]: "replace",
      [DEPLOYMENT]: "update",
    },
    verify: requireGivenPassword,
  },
  ...blueprintChanges(ROLLOUT),
  {
    name: "from one to three instances",
    change: withInputs({ min_instance_count: 3 }),
    // That there are as many as there may be says nothing any more.
    expected: all("update", [AUTOSCALER, DASHBOARD]),
  },
  {
    name: "labels",
    change: withInputs({ labels: { team: "identity" } }),
    expected: all("update", [...LABELLED, ...OBJECTS, CLUSTER, ADDRESS]),
  },
  {
    name: "who may reach the control plane",
    change: withInputs({ authorized_networks: { office: "203.0.113.0/24" } }),
    expected: { [CLUSTER]: "update" },
  },
  {
    name: "another secret key",
    planArguments: [`-replace=${SECRET_KEY_VERSION}`, ACCEPTED_KEY],
    expected: {
      ...all("replace", [SECRET_KEY_VERSION, "terraform_data.secrets_secret_key_first", COPIES]),
      [DEPLOYMENT]: "update",
    },
  },
  bootstrapToken({ [COPIES]: "replace", [DEPLOYMENT]: "update" }),
];
