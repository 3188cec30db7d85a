import { IdpKubernetesStack } from "../../stacks/idp-kubernetes";
import { type Block } from "../support/synthesis";
import { valueAt } from "./configuration-graph";
import { stackUnderTest } from "./stack-under-test";

/** Name under which the stack is deployed. */
export const KUBERNETES_STACK_NAME = "idp-kubernetes";

export const KUBERNETES = stackUnderTest(IdpKubernetesStack, KUBERNETES_STACK_NAME);
export const { terraform: kubernetesTerraform, resource: kubernetesResource } = KUBERNETES;

/** Its folder's own names of what the tests look at most. */
export const KUBERNETES_ADDRESS = {
  bootstrapPassword: "google_secret_manager_secret.secrets_bootstrap_password",
  bucket: "google_storage_bucket.media_bucket",
  cluster: "google_container_cluster.cluster",
  job: "kubernetes_job_v1.db_init",
  jobSecret: "kubernetes_secret_v1.db_init_secrets",
  loadBalancer: "kubernetes_service_v1.front_door_load_balancer",
  namespace: "kubernetes_namespace_v1.namespace",
  script: "kubernetes_config_map_v1.db_init_script",
  workload: "kubernetes_deployment_v1.workload",
  workloadSecret: "kubernetes_secret_v1.workload_secrets",
} as const;

/** The template of a deployment's or a job's pods. */
export function podTemplateOf(address: string): Block {
  return valueAt(kubernetesResource(address), "spec.template") as Block;
}

/** The container of its own that a deployment's or a job's pods have. */
export function podContainerOf(address: string): Block {
  return valueAt(podTemplateOf(address), "spec.container.0") as Block;
}
