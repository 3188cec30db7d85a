import { all, withInputs } from "./every-stack";
import { ownersChanges } from "./identity-provider-rehearsal";
import { DASHBOARD } from "./monitoring";
import { type ChangeScenario } from "../engine/journey";

export const CLUSTER = "google_container_cluster.cluster";
export const DEPLOYMENT = "kubernetes_deployment_v1.workload";
/** Copies of the secrets for the pods. */
export const COPIES = "kubernetes_secret_v1.workload_secrets";
const JOB = "kubernetes_job_v1.db_init";
const AUTOSCALER = "kubernetes_horizontal_pod_autoscaler_v2.workload_autoscaler";
export const ADDRESS = "google_compute_address.address_regional[0]";

/** Changes by an owner of the Kubernetes variant, with all the actions that each may cause. */
export const KUBERNETES_CHANGES: readonly ChangeScenario[] = [
  ...ownersChanges({
    workload: DEPLOYMENT,
    job: ["kubernetes_config_map_v1.db_init_script", JOB],
    copies: [COPIES],
    labelled: ["kubernetes_*", CLUSTER, ADDRESS],
    grants: [],
  }),
  {
    name: "from one to three instances, and others who may reach the control plane",
    change: withInputs({ min_instance_count: 3, authorized_networks: { office: "203.0.113.0/24" } }),
    // That there are as many as there may be says nothing any more.
    expected: all("update", [AUTOSCALER, CLUSTER, DASHBOARD]),
  },
];
