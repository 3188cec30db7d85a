import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { CronJob } from "kubernetes-models/batch/v1/CronJob";
import { Job } from "kubernetes-models/batch/v1/Job";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { Namespace } from "kubernetes-models/v1/Namespace";
import { Secret } from "kubernetes-models/v1/Secret";
import { Service } from "kubernetes-models/v1/Service";
import { ServiceAccount } from "kubernetes-models/v1/ServiceAccount";

/** One type of the Kubernetes API, with its schema. */
interface ApiType {
  readonly apiVersion: string;
  readonly kind: string;
  readonly prototype: { validate(): void };
}

/** Types of the API by those of the provider. */
export const API_TYPES: Readonly<Record<string, ApiType | undefined>> = {
  kubernetes_config_map_v1: ConfigMap,
  kubernetes_cron_job_v1: CronJob,
  kubernetes_deployment_v1: Deployment,
  kubernetes_horizontal_pod_autoscaler_v2: HorizontalPodAutoscaler,
  kubernetes_ingress_v1: Ingress,
  kubernetes_job_v1: Job,
  kubernetes_namespace_v1: Namespace,
  kubernetes_network_policy_v1: NetworkPolicy,
  kubernetes_pod_disruption_budget_v1: PodDisruptionBudget,
  kubernetes_secret_v1: Secret,
  kubernetes_service_account_v1: ServiceAccount,
  kubernetes_service_v1: Service,
};
