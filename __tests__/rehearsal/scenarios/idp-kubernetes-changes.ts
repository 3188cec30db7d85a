import { blueprintChanges } from "./blueprints";
import { all, withInputs } from "./every-stack";
import { BUILD, ownersChanges } from "./identity-provider-rehearsal";
import { DASHBOARD } from "./monitoring";
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

/** Changes by an owner of the Kubernetes variant, with all the actions that each may cause. */
export const KUBERNETES_CHANGES: readonly ChangeScenario[] = [
  ...ownersChanges({
    workload: DEPLOYMENT,
    job: ["kubernetes_config_map_v1.db_init_script", JOB],
    copies: [COPIES],
    labelled: [...OBJECTS, CLUSTER, ADDRESS],
    grants: [],
  }),
  ...blueprintChanges({ [BUILD]: "replace", [DEPLOYMENT]: "update" }),
  {
    name: "from one to three instances",
    change: withInputs({ min_instance_count: 3 }),
    // That there are as many as there may be says nothing any more.
    expected: all("update", [AUTOSCALER, DASHBOARD]),
  },
  {
    name: "who may reach the control plane",
    change: withInputs({ authorized_networks: { office: "203.0.113.0/24" } }),
    expected: { [CLUSTER]: "update" },
  },
];
