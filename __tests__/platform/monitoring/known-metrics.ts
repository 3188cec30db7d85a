/*
 * Names and labels are written down in cloud.google.com/monitoring/api/metrics_gcp and metrics_kubernetes, those of the
 * monitored resources in cloud.google.com/monitoring/api/resources.
 */
const REVISION = [
  "configuration_name",
  "location",
  "monitored_resource",
  "project_id",
  "revision_name",
  "service_name",
];
/** Those of a worker pool as well, which the list has beside a revision. */
const INSTANCE = [...REVISION, "worker_pool_name"];
const JOB = ["job_name", "location", "monitored_resource", "project_id"];
const DATABASE = ["database_id", "monitored_resource", "project_id", "region"];
const CONTAINER = [
  "cluster_name",
  "container_name",
  "location",
  "monitored_resource",
  "namespace_name",
  "pod_name",
  "project_id",
];
const CHECK = ["checked_resource_id", "checker_location", "check_id", "host", "monitored_resource", "project_id"];
const LOAD_BALANCER = [
  "backend_target_name",
  "forwarding_rule_name",
  "monitored_resource",
  "project_id",
  "target_proxy_name",
  "url_map_name",
];

/**
 * Labels of each metric and of its resource, by its name in PromQL: the first slash becomes a colon, everything else
 * that is no letter or digit an underscore. `le` belongs to every distribution.
 */
export const KNOWN_METRICS: Readonly<Record<string, readonly string[]>> = {
  "cloudsql_googleapis_com:database_cpu_utilization": DATABASE,
  "cloudsql_googleapis_com:database_disk_bytes_used": DATABASE,
  "cloudsql_googleapis_com:database_memory_utilization": DATABASE,
  "cloudsql_googleapis_com:database_postgresql_num_backends": [...DATABASE, "database"],
  "cloudsql_googleapis_com:database_postgresql_transaction_id_utilization": DATABASE,
  "cloudsql_googleapis_com:database_up": DATABASE,
  "kubernetes_io:container_cpu_limit_utilization": CONTAINER,
  "kubernetes_io:container_memory_limit_utilization": [...CONTAINER, "memory_type"],
  "kubernetes_io:container_restart_count": CONTAINER,
  "kubernetes_io:container_uptime": CONTAINER,
  "loadbalancing_googleapis_com:https_request_count": [...LOAD_BALANCER, "response_code", "response_code_class"],
  "loadbalancing_googleapis_com:https_total_latencies_bucket": [
    ...LOAD_BALANCER,
    "le",
    "response_code",
    "response_code_class",
  ],
  "monitoring_googleapis_com:uptime_check_check_passed": CHECK,
  "monitoring_googleapis_com:uptime_check_time_until_ssl_cert_expires": CHECK,
  "networksecurity_googleapis_com:https_request_count": [
    "location",
    "monitored_resource",
    "policy_name",
    "project_id",
    "backend_target_name",
    "blocked",
  ],
  "run_googleapis_com:container_cpu_utilizations_bucket": [...INSTANCE, "le"],
  "run_googleapis_com:container_instance_count": [...INSTANCE, "state"],
  "run_googleapis_com:container_memory_utilizations_bucket": [...INSTANCE, "le"],
  "run_googleapis_com:container_startup_latencies_bucket": [...REVISION, "le"],
  "run_googleapis_com:job_completed_execution_count": [...JOB, "result"],
  "run_googleapis_com:request_count": [...REVISION, "response_code", "response_code_class"],
  "run_googleapis_com:request_latencies_bucket": [...REVISION, "le", "response_code_class"],
  "storage_googleapis_com:api_request_count": [
    "bucket_name",
    "location",
    "monitored_resource",
    "project_id",
    "method",
    "response_code",
  ],
};
