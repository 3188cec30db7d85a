import { type TerraformResource } from "cdktf";

import { requireProvider } from "./provider-requirements";

/**
 * Attributes of the google provider that are newer than the prebuilt bindings (6.50), with the release that brought
 * each. The newest of these releases is the lower bound in `PROVIDER_REQUIREMENTS`.
 */
export const NEWER_GOOGLE_ATTRIBUTES = {
  "google_cloud_run_v2_job.run_execution_token": "7.42.0",
  "google_cloud_run_v2_service.template.volumes.gcs.mount_options": "7.4.0",
  "google_sql_database_instance.root_password_wo": "7.13.0",
  "google_sql_database_instance.root_password_wo_version": "7.13.0",
} as const satisfies Record<string, string>;

/**
 * Sets an attribute that the bindings do not know; numeric path segments address list items.
 *
 * @throws Error when the attribute is not in `NEWER_GOOGLE_ATTRIBUTES`, so that the version range cannot fall behind
 */
export function setNewerAttribute(resource: TerraformResource, path: string, value: unknown): void {
  const attribute = [resource.terraformResourceType, ...path.split(".").filter((part) => !/^\d+$/.test(part))].join(
    ".",
  );
  if (!(attribute in NEWER_GOOGLE_ATTRIBUTES)) {
    throw new Error(
      `${resource.node.path}: ${attribute} is not listed in NEWER_GOOGLE_ATTRIBUTES; the list decides which provider releases are accepted; add it with the release that brought it`,
    );
  }
  requireProvider(resource, "google");
  resource.addOverride(path, value);
}
