import { IdpKubernetesStack } from "../../stacks/idp-kubernetes";
import { testApp, type Block } from "../support/synthesis";
import { valueAt } from "./configuration-graph";
import { configurationOf } from "./stack-under-test";

/** Name under which the stack is deployed. */
export const KUBERNETES_STACK_NAME = "idp-kubernetes";

/** The stack as anybody gets it, in an app of its own. */
export function kubernetesStack(): IdpKubernetesStack {
  return new IdpKubernetesStack(testApp(), KUBERNETES_STACK_NAME);
}

export const { terraform: kubernetesTerraform, resource: kubernetesResource } = configurationOf(kubernetesStack);

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
