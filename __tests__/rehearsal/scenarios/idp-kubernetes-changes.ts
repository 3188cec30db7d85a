import { all, edited, withInputs } from "./every-stack";
import {
  BUILD,
  GIVEN_PASSWORD_INPUTS,
  LABELLED,
  requireGivenPassword,
  requireTwoExecutions,
} from "./identity-provider-rehearsal";
import { type ChangeScenario } from "../engine/journey";

export const CLUSTER = "google_container_cluster.cluster";
const DEPLOYMENT = "kubernetes_deployment_v1.workload";
const JOB = "kubernetes_job_v1.db_init";
const AUTOSCALER = "kubernetes_horizontal_pod_autoscaler_v2.workload_autoscaler";
const SERVICE = "kubernetes_service_v1.front_door_load_balancer[0]";
const ADDRESS = "google_compute_address.address_regional[0]";
const CERTIFICATE = "google_compute_managed_ssl_certificate.front_door_certificate[0]";
const INGRESS = "kubernetes_ingress_v1.front_door_ingress[0]";
const ALLOW_INGRESS = "kubernetes_network_policy_v1.front_door_allow_ingress";

/** What exists only with a domain. */
const DOOR = [
  CERTIFICATE,
  INGRESS,
  "google_compute_global_address.address_global[0]",
  "google_compute_global_forwarding_rule.front_door_http_rule[0]",
  "google_compute_target_http_proxy.front_door_http_proxy[0]",
  "google_compute_url_map.front_door_redirect[0]",
  "kubernetes_service_v1.front_door_backend[0]",
  "terraform_data.front_door_load_balancer_settings[0]",
];

const ROLLOUT = { [BUILD]: "replace", [DEPLOYMENT]: "update" } as const;

/** Fails unless the load balancer of the Ingress has these values. */
function requireSettings(expected: Readonly<Record<string, unknown>>): ChangeScenario["verify"] {
  return ({ web }) => {
    const settings = Object.assign({}, ...web.loadBalancers.resources.values()) as Readonly<Record<string, unknown>>;
    for (const [name, value] of Object.entries(expected)) {
      const found = JSON.stringify(settings[name]);
      if (found !== JSON.stringify(value)) throw new Error(`the load balancer has ${name} ${found}`);
    }
  };
}

/** Changes by an owner of the Kubernetes variant, with all the actions that each may cause. */
export const KUBERNETES_CHANGES: readonly ChangeScenario[] = [
  { name: "edit of the entrypoint", change: edited("image/cloud-entrypoint.sh"), expected: ROLLOUT },
  {
    name: "edit of db-init.sh",
    change: edited("scripts/db-init.sh"),
    expected: all("replace", ["kubernetes_config_map_v1.db_init_script", JOB]),
    verify: requireTwoExecutions,
  },
  { name: "another version", change: withInputs({ application_version: "2026.5.3" }), expected: ROLLOUT },
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
      "kubernetes_secret_v1.workload_secrets": "update",
      [DEPLOYMENT]: "update",
    },
    verify: requireGivenPassword,
  },
  {
    name: "from one to three instances",
    change: withInputs({ min_instance_count: 3 }),
    expected: { [AUTOSCALER]: "update" },
  },
  {
    name: "labels",
    change: withInputs({ labels: { team: "identity" } }),
    expected: all("update", [...LABELLED, CLUSTER, ADDRESS]),
  },
  {
    name: "who may reach the control plane",
    change: withInputs({ authorized_networks: { office: "203.0.113.0/24" } }),
    expected: { [CLUSTER]: "update" },
  },
  {
    name: "a domain",
    change: withInputs({ domain: "sign-in.example.com" }),
    expected: {
      ...all("delete", [ADDRESS, SERVICE]),
      ...all("create", DOOR),
      // The application gets its public address.
      ...all("update", [ALLOW_INGRESS, DEPLOYMENT]),
    },
    verify: requireSettings({ timeoutSec: 3600, logConfig: { enable: false, sampleRate: 1 } }),
  },
  {
    name: "another domain",
    change: withInputs({ domain: "login.example.com" }),
    expected: { [CERTIFICATE]: "replace", ...all("update", [INGRESS, DEPLOYMENT]) },
    verify: requireSettings({ timeoutSec: 3600 }),
  },
  {
    name: "no domain any more",
    change: withInputs({ domain: null }),
    expected: {
      ...all("delete", DOOR),
      ...all("create", [ADDRESS, SERVICE]),
      ...all("update", [ALLOW_INGRESS, DEPLOYMENT]),
    },
  },
  {
    name: "a domain again",
    change: withInputs({ domain: "sign-in.example.com" }),
    expected: {
      ...all("delete", [ADDRESS, SERVICE]),
      ...all("create", DOOR),
      ...all("update", [ALLOW_INGRESS, DEPLOYMENT]),
    },
    verify: requireSettings({ timeoutSec: 3600 }),
  },
];
