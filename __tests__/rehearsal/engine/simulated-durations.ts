/** Seconds to create a resource, by type or address; all others take one second. */
const SECONDS: readonly (readonly [pattern: RegExp, seconds: number])[] = [
  [/^terraform_data\.\w*apis_resource_manager$/, 30],
  [/^google_project_service\./, 20],
  [/^terraform_data\.\w*apis_\w+_answers$/, 60],
  [/^terraform_data\.image_build$/, 180],
  // Migration Center answers for a region minutes after its API is on: a lab takes 5 to 8 minutes.
  [/^terraform_data\.\w*_source_registered$/, 180],
  [/^google_sql_database_instance\./, 720],
  [/^google_container_cluster\./, 480],
  [/^google_compute_(network|subnetwork)\./, 25],
  [/^google_compute_instance\./, 30],
  [/^google_compute_router_nat\./, 15],
  [/^google_(certificate_manager|compute)_/, 10],
  [/^google_\w+_iam_member\./, 10],
  [/^google_service_account\./, 10],
  [/^google_artifact_registry_repository\./, 10],
  // The image is pulled; the service also migrates the database at its first start.
  [/^google_cloud_run_v2_job\./, 60],
  [/^google_cloud_run_v2_service\./, 240],
  // It has no probe, and whether it or the service migrates the database, that counts for the service.
  [/^google_cloud_run_v2_worker_pool\./, 60],
  // A node starts and pulls two images.
  [/^kubernetes_job_v1\./, 120],
  // As for a job: it has no probe, and a migration counts for the server.
  [/^kubernetes_deployment_v1\.worker$/, 120],
  // As for a job; the first start also migrates the database.
  [/^kubernetes_deployment_v1\./, 300],
  [/^kubernetes_service_v1\.\w*load_balancer$/, 60],
  [/^kubernetes_ingress_v1\./, 300],
];

/** Time to create a resource, given its address without an index. */
export function creationSeconds(address: string): number {
  return SECONDS.find(([pattern]) => pattern.test(address))?.[1] ?? 1;
}
