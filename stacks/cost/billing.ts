import { type PriceId } from "./prices";

/** Why resources of some types are free, or billed with others. */
interface FreeTypes {
  readonly reason: string;
  readonly types: readonly string[];
}

/** Prices of the types of resources that are billed. */
export const BILLED_TYPES: Readonly<Record<string, readonly PriceId[]>> = {
  google_artifact_registry_repository: ["imageStorage"],
  google_cloud_run_v2_job: ["runCpu", "runMemory"],
  google_cloud_run_v2_service: [
    "runCpu",
    "runMemory",
    "runActiveCpu",
    "runActiveMemory",
    "runIdleCpu",
    "runIdleMemory",
    "runRequests",
    "internet",
    "logs",
  ],
  google_cloud_run_v2_worker_pool: ["workerPoolCpu", "workerPoolMemory"],
  google_cloud_scheduler_job: ["schedulerJob"],
  google_compute_global_forwarding_rule: ["forwardingRules", "loadBalancerData"],
  google_compute_instance: [
    "c3Cpu",
    "c3Memory",
    "e2Cpu",
    "e2Memory",
    "n1Cpu",
    "n1Memory",
    "n2Cpu",
    "n2Memory",
    "n2dCpu",
    "n2dMemory",
    "windowsLicence",
    "balancedDisk",
    "address",
  ],
  google_compute_router_nat: ["natVm", "natData", "address"],
  google_compute_security_policy: ["armorPolicy", "armorRule", "armorRequests"],
  google_container_cluster: ["clusterFee", "logs"],
  google_dns_record_set: ["dnsQueries"],
  google_monitoring_uptime_check_config: ["uptimeChecks"],
  google_project_iam_audit_config: ["logs"],
  google_secret_manager_secret_version: ["secretVersion", "secretAccess"],
  google_sql_database_instance: [
    "databaseCpu",
    "databaseMemory",
    "databaseSharedCore",
    "databaseDisk",
    "databaseBackup",
  ],
  google_storage_bucket: [
    "standardStorage",
    "nearlineStorage",
    "coldlineStorage",
    "nearlineReading",
    "coldlineReading",
    "storageReads",
    "storageWrites",
  ],
  kubernetes_cron_job_v1: ["podCpu", "podMemory", "podDisk"],
  kubernetes_deployment_v1: ["podCpu", "podMemory", "podDisk", "internet"],
  kubernetes_ingress_v1: ["forwardingRules", "loadBalancerData"],
  kubernetes_job_v1: ["podCpu", "podMemory", "podDisk"],
  kubernetes_service_v1: ["forwardingRules", "loadBalancerData"],
  terraform_data: ["imageBuild", "databaseBackup"],
};

/** All other types. */
export const FREE_TYPES: readonly FreeTypes[] = [
  {
    reason: "Rights, accounts and enabled APIs cost nothing.",
    types: [
      "google_artifact_registry_repository_iam_member",
      "google_cloud_run_v2_job_iam_member",
      "google_project_iam_member",
      "google_project_service",
      "google_secret_manager_secret_iam_member",
      "google_service_account",
      "google_service_account_iam_member",
      "google_storage_bucket_iam_member",
    ],
  },
  {
    reason:
      "Parts of a load balancer are billed with its forwarding rules, and an address that one of these uses is free.",
    types: [
      "google_compute_address",
      "google_compute_backend_service",
      "google_compute_global_address",
      "google_compute_region_network_endpoint_group",
      "google_compute_ssl_policy",
      "google_compute_target_http_proxy",
      "google_compute_target_https_proxy",
      "google_compute_url_map",
    ],
  },
  {
    reason: "Google's certificates are free: of Certificate Manager, the first hundred.",
    types: [
      "google_certificate_manager_certificate",
      "google_certificate_manager_certificate_map",
      "google_certificate_manager_certificate_map_entry",
      "google_certificate_manager_dns_authorization",
      "google_compute_managed_ssl_certificate",
    ],
  },
  {
    reason: "Networks, their rules and routers are free; NAT is not.",
    types: ["google_compute_firewall", "google_compute_network", "google_compute_router", "google_compute_subnetwork"],
  },
  {
    reason: "Dashboards and channels are free, and alerts are until September 2027 at the earliest.",
    types: ["google_monitoring_alert_policy", "google_monitoring_dashboard", "google_monitoring_notification_channel"],
  },
  { reason: "A secret is billed by its versions.", types: ["google_secret_manager_secret"] },
  {
    reason: "The key pair of the lab has a few kilobytes, which cost less than can be shown.",
    types: ["google_storage_bucket_object"],
  },
  { reason: "Assessments in Migration Center are free.", types: ["google_migration_center_group"] },
  {
    reason: "In AWS, users and policies are free, and so is listing instances.",
    types: ["aws_iam_access_key", "aws_iam_policy", "aws_iam_user", "aws_iam_user_policy_attachment"],
  },
  {
    reason: "Objects of a cluster are part of its fee; pods are billed by what they request.",
    types: [
      "kubernetes_config_map_v1",
      "kubernetes_horizontal_pod_autoscaler_v2",
      "kubernetes_namespace_v1",
      "kubernetes_network_policy_v1",
      "kubernetes_pod_disruption_budget_v1",
      "kubernetes_secret_v1",
      "kubernetes_service_account_v1",
    ],
  },
  { reason: "They exist only in the state.", types: ["random_id", "tls_private_key"] },
];
