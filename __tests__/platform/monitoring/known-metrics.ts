/** A metric of Google Cloud as PromQL calls it. */
interface KnownMetric {
  /** Labels of the metric and of its monitored resource. */
  readonly labels: readonly string[];

  /** Where its name and labels are written down. */
  readonly source: string;
}

const LIST = "cloud.google.com/monitoring/api/metrics_gcp";
const KUBERNETES_LIST = "cloud.google.com/monitoring/api/metrics_kubernetes";
const RESOURCES = "cloud.google.com/monitoring/api/resources";

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

const of = (resource: string, labels: readonly string[], own: readonly string[] = [], list = LIST): KnownMetric => ({
  labels: [...labels, ...own],
  source: `${list}, ${RESOURCES}#tag_${resource}`,
});

/**
 * Metrics by their name in PromQL: the first slash becomes a colon, everything else that is no letter or digit an
 * underscore. `le` belongs to every distribution.
 */
export const KNOWN_METRICS: Readonly<Record<string, KnownMetric>> = {
  "cloudsql_googleapis_com:database_cpu_utilization": of("cloudsql_database", DATABASE),
  "cloudsql_googleapis_com:database_disk_bytes_used": of("cloudsql_database", DATABASE),
  "cloudsql_googleapis_com:database_memory_utilization": of("cloudsql_database", DATABASE),
  "cloudsql_googleapis_com:database_postgresql_num_backends": of("cloudsql_database", DATABASE, ["database"]),
  "cloudsql_googleapis_com:database_postgresql_transaction_id_utilization": of("cloudsql_database", DATABASE),
  "cloudsql_googleapis_com:database_up": of("cloudsql_database", DATABASE),
  "kubernetes_io:container_cpu_limit_utilization": of("k8s_container", CONTAINER, [], KUBERNETES_LIST),
  "kubernetes_io:container_memory_limit_utilization": of("k8s_container", CONTAINER, ["memory_type"], KUBERNETES_LIST),
  "kubernetes_io:container_restart_count": of("k8s_container", CONTAINER, [], KUBERNETES_LIST),
  "kubernetes_io:container_uptime": of("k8s_container", CONTAINER, [], KUBERNETES_LIST),
  "loadbalancing_googleapis_com:https_request_count": of("https_lb_rule", LOAD_BALANCER, [
    "response_code",
    "response_code_class",
  ]),
  "loadbalancing_googleapis_com:https_total_latencies_bucket": of("https_lb_rule", LOAD_BALANCER, [
    "le",
    "response_code",
    "response_code_class",
  ]),
  "monitoring_googleapis_com:uptime_check_check_passed": of("uptime_url", CHECK),
  "monitoring_googleapis_com:uptime_check_time_until_ssl_cert_expires": of("uptime_url", CHECK),
  "networksecurity_googleapis_com:https_request_count": of(
    "network_security_policy",
    ["location", "monitored_resource", "policy_name", "project_id"],
    ["backend_target_name", "blocked"],
  ),
  "run_googleapis_com:container_cpu_utilizations_bucket": of("cloud_run_worker_pool", INSTANCE, ["le"]),
  "run_googleapis_com:container_instance_count": of("cloud_run_worker_pool", INSTANCE, ["state"]),
  "run_googleapis_com:container_memory_utilizations_bucket": of("cloud_run_worker_pool", INSTANCE, ["le"]),
  "run_googleapis_com:container_startup_latencies_bucket": of("cloud_run_revision", REVISION, ["le"]),
  "run_googleapis_com:job_completed_execution_count": of("cloud_run_job", JOB, ["result"]),
  "run_googleapis_com:request_count": of("cloud_run_revision", REVISION, ["response_code", "response_code_class"]),
  "run_googleapis_com:request_latencies_bucket": of("cloud_run_revision", REVISION, ["le", "response_code_class"]),
  "storage_googleapis_com:api_request_count": of(
    "gcs_bucket",
    ["bucket_name", "location", "monitored_resource", "project_id"],
    ["method", "response_code"],
  ),
};
