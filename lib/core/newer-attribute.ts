import { type TerraformResource } from "cdktf";

import { prose } from "./prose";

/**
 * Attributes of the google provider that are newer than the prebuilt bindings (6.50), with the release that added each.
 * The newest of these releases is the lower bound in `PROVIDER_REQUIREMENTS`.
 */
export const NEWER_GOOGLE_ATTRIBUTES = {
  "google_cloud_run_v2_job.run_execution_token": "7.42.0",
  "google_cloud_run_v2_job.template.template.volumes.gcs.mount_options": "7.4.0",
  "google_cloud_run_v2_service.default_uri_disabled": "7.7.0",
  "google_cloud_run_v2_service.scaling.max_instance_count": "7.0.0",
  "google_cloud_run_v2_service.template.health_check_disabled": "7.7.0",
  "google_cloud_run_v2_service.template.volumes.gcs.mount_options": "7.4.0",
  "google_cloud_run_v2_worker_pool.template.containers.liveness_probe": "7.5.0",
  "google_cloud_run_v2_worker_pool.template.containers.startup_probe": "7.5.0",
  "google_cloud_run_v2_worker_pool.template.volumes.gcs.mount_options": "7.4.0",
  "google_compute_region_url_map.header_action": "7.2.0",
  "google_compute_security_policy.labels": "7.3.0",
  "google_logging_project_bucket_config.deletion_policy": "7.33.0",
  "google_logging_project_sink.deletion_policy": "7.33.0",
  "google_sql_database_instance.settings.final_backup_config.enabled": "7.2.0",
  "google_sql_database_instance.settings.final_backup_config.retention_days": "7.2.0",
  "google_storage_bucket.deletion_policy": "7.33.0",
} as const satisfies Record<string, string>;

/** Attributes of the kubernetes provider that the bindings, for 2.38, lack; the lower bound has a fix in 3.2.1 too. */
export const NEWER_KUBERNETES_ATTRIBUTES = {
  "kubernetes_cron_job_v1.spec.job_template.spec.template.spec.init_container.restart_policy": "3.0.0",
  "kubernetes_deployment_v1.spec.template.spec.init_container.restart_policy": "3.0.0",
  "kubernetes_job_v1.spec.template.spec.init_container.restart_policy": "3.0.0",
} as const satisfies Record<string, string>;

/**
 * Sets an attribute that the bindings lack; numeric path segments address list items.
 *
 * @throws Error if the attribute is in neither list, so that the version range stays up to date
 */
export function setNewerAttribute(resource: TerraformResource, path: string, value: unknown): void {
  const names = path.split(".").filter((part) => !/^\d+$/.test(part));
  const attribute = [resource.terraformResourceType, ...names].join(".");
  const [listName, list]: readonly [string, Readonly<Record<string, string>>] = attribute.startsWith("kubernetes_")
    ? ["NEWER_KUBERNETES_ATTRIBUTES", NEWER_KUBERNETES_ATTRIBUTES]
    : ["NEWER_GOOGLE_ATTRIBUTES", NEWER_GOOGLE_ATTRIBUTES];
  if (!(attribute in list)) {
    throw new Error(
      prose`
        ${resource.node.path}: ${attribute} is not listed in ${listName},
        which decides the accepted provider releases; add it with the release that introduced it
      `,
    );
  }
  resource.addOverride(path, value);
}
