import { IdpServerlessStack } from "../../stacks/idp-serverless";
import { type Block, type Terraform } from "../support/synthesis";
import { valueAt } from "./configuration-graph";
import { stackUnderTest } from "./stack-under-test";

/** Name under which the stack is deployed. */
export const STACK_NAME = "idp-serverless";

export const SERVERLESS = stackUnderTest(IdpServerlessStack, STACK_NAME);
export const { terraform: serverlessTerraform, resource: serverlessResource } = SERVERLESS;

/** Its folder's own names of what the tests look at most. */
export const ADDRESS = {
  bootstrapPassword: "google_secret_manager_secret.secrets_bootstrap_password",
  bucket: "google_storage_bucket.media_bucket",
  build: "terraform_data.image_build",
  database: "google_sql_database_instance.database",
  job: "google_cloud_run_v2_job.db_init",
  secretKey: "google_secret_manager_secret.secrets_secret_key",
  service: "google_cloud_run_v2_service.service",
} as const;

/** The only container of the service or of the job. */
export function containerOf(address: string): Block {
  const resource = serverlessResource(address);
  const path = address.includes("_job.") ? "template.template.containers.0" : "template.containers.0";
  return valueAt(resource, path) as Block;
}

/** A configuration without what the framework writes about itself. */
export function withoutMetadata(terraform: Terraform): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(terraform).filter(([block]) => block !== "//"));
}
