import { Refusal } from "./cloud";
import { needCluster } from "./google-cluster";
import { INGRESS_ROW, SERVICE_ROW } from "./kubernetes-exposure";
import { namespaceOf } from "./kubernetes-metadata";
import { CRON_JOB_ROW, DEPLOYMENT, DEPLOYMENT_ROW, JOB_ROW } from "./kubernetes-workloads";
import { needObject } from "./needs";
import { type ResourceType, type ResourceTypes } from "./resource-type";
import { sameValue, textAt, type ValueObject } from "./terraform-value";

/** An object of the cluster. */
function clusterObject(row: Partial<ResourceType> = {}): ResourceType {
  const { needs } = row;
  return {
    id: (values) => textAt(values, "metadata.0.name"),
    ...row,
    replacedBy: ["metadata.0.name", ...(row.replacedBy ?? [])],
    needs: (values, cloud) => [needCluster(), ...(needs?.(values, cloud) ?? [])],
  };
}

/** An object of a namespace. */
function namespaced(row: Partial<ResourceType> = {}): ResourceType {
  return clusterObject({
    id: (values) => `${namespaceOf(values)}/${textAt(values, "metadata.0.name")}`,
    ...row,
    replacedBy: ["metadata.0.namespace", ...(row.replacedBy ?? [])],
    refs: { "metadata.0.namespace": "kubernetes_namespace_v1" },
  });
}

/** What GKE makes of a service that is in no state. */
export const LOAD_BALANCER = "internal load balancer";

/** Any change of the data replaces an immutable object. */
function replacedWhenImmutable(prior: ValueObject, planned: ValueObject): readonly string[] {
  if (prior.immutable !== true) return [];
  return ["data", "binary_data", "immutable"].filter((name) => !sameValue(prior[name] ?? null, planned[name] ?? null));
}

/** Resource types of the kubernetes provider. */
export const KUBERNETES_TYPES: ResourceTypes = {
  kubernetes_namespace_v1: clusterObject({
    // Terminating pods use what they need until their namespace is gone, and with its services go their load balancers.
    beforeDestroy: (_prior, { id }, cloud) => {
      for (const { type, id: inside } of [...cloud.ofType("pods"), ...cloud.ofType(LOAD_BALANCER)])
        if (inside.startsWith(`${id}/`)) cloud.objects.delete(`${type} ${inside}`);
    },
  }),
  kubernetes_service_account_v1: namespaced(),
  kubernetes_config_map_v1: namespaced({ replacedWhen: replacedWhenImmutable }),
  kubernetes_secret_v1: namespaced({
    replacedBy: ["type"],
    replacedWhen: replacedWhenImmutable,
    computed: { data: {} },
    afterCreate: ({ id, writeOnly }) => {
      if (Object.keys(writeOnly).length === 0) throw new Refusal(`the secret ${id} is empty`);
    },
  }),
  kubernetes_network_policy_v1: namespaced(),
  kubernetes_resource_quota_v1: namespaced(),
  kubernetes_role_v1: namespaced(),
  kubernetes_role_binding_v1: namespaced({
    replacedBy: ["role_ref"],
    needs: (values) => [
      needObject("kubernetes_role_v1", `${namespaceOf(values)}/${textAt(values, "role_ref.0.name")}`),
    ],
  }),
  kubernetes_pod_disruption_budget_v1: namespaced({
    replacedBy: ["spec"],
  }),
  kubernetes_horizontal_pod_autoscaler_v2: namespaced({
    needs: (values) => [
      needObject(DEPLOYMENT, `${namespaceOf(values)}/${textAt(values, "spec.0.scale_target_ref.0.name")}`),
    ],
  }),
  kubernetes_deployment_v1: namespaced(DEPLOYMENT_ROW),
  kubernetes_job_v1: namespaced(JOB_ROW),
  kubernetes_cron_job_v1: namespaced(CRON_JOB_ROW),
  kubernetes_service_v1: namespaced(SERVICE_ROW),
  kubernetes_ingress_v1: namespaced(INGRESS_ROW),
};
