import { type Cloud, type CloudObject, type Need, needObject, Refusal } from "./cloud";
import { needCluster } from "./google-cluster-kinds";
import { KUBERNETES_EXPOSURE_KINDS } from "./kubernetes-exposure-kinds";
import { namespacedKind, plainKind } from "./kubernetes-object-kind";
import { KUBERNETES_WORKLOAD_KINDS } from "./kubernetes-workload-kinds";
import { type ResourceKind } from "./resource-kind";
import { sameValue, textAt, valueAt, type ValueObject } from "./terraform-value";

/** Keys of secrets and config maps, as the server allows them. */
const KEY = /^[-._a-zA-Z0-9]+$/;

const DATA = ["data", "binary_data", "immutable"] as const;

/** An object that was once declared immutable is replaced by any change of its data. */
function replacedWhenImmutable(prior: ValueObject, planned: ValueObject): readonly string[] {
  if (prior.immutable !== true) return [];
  return DATA.filter((name) => !sameValue(prior[name] ?? null, planned[name] ?? null));
}

function badKeys(config: ValueObject, ...maps: string[]): string[] {
  return maps
    .flatMap((map) => Object.keys((valueAt(config, map) ?? {}) as object))
    .filter((key) => !KEY.test(key))
    .map(
      (key) => `Invalid value: "${key}": a valid config key must consist of alphanumeric characters, '-', '_' or '.'`,
    );
}

/** Pods that have been told to end keep what they work with until their namespace is gone. */
function endPods(object: CloudObject, cloud: Cloud): void {
  for (const pods of cloud.ofType("pods")) {
    if (pods.id.startsWith(`${object.id}/`)) cloud.objects.delete(`pods ${pods.id}`);
  }
}

/** What the scale target of an autoscaler or the backend of a rule is. */
function needTarget(values: ValueObject): Need[] {
  const kind = textAt(values, "spec.0.scale_target_ref.0.kind");
  const name = textAt(values, "spec.0.scale_target_ref.0.name");
  const namespace = textAt(values, "metadata.0.namespace");
  return kind === "Deployment" ? [needObject("kubernetes_deployment_v1", `${namespace}/${name}`)] : [];
}

/** What is known of the kubernetes provider's resource types; the provider's source has a file of the same name of each. */
export const KUBERNETES_KINDS: Readonly<Record<string, ResourceKind>> = {
  ...KUBERNETES_EXPOSURE_KINDS,
  ...KUBERNETES_WORKLOAD_KINDS,

  ...plainKind("kubernetes_namespace_v1", {
    needs: () => [needCluster()],
    beforeDestroy: (_prior, object, cloud) => {
      endPods(object, cloud);
    },
  }),

  ...namespacedKind("kubernetes_service_account_v1", {
    computed: () => ({ default_secret_name: "" }),
  }),

  ...namespacedKind("kubernetes_config_map_v1", {
    replacedWhen: replacedWhenImmutable,
    problems: (config) => badKeys(config, "data", "binary_data"),
  }),

  ...namespacedKind("kubernetes_secret_v1", {
    replacedBy: ["type"],
    replacedWhen: replacedWhenImmutable,
    problems: (config) => [
      ...(config.data_wo !== null && config.data_wo_revision === null ? ["data_wo needs data_wo_revision"] : []),
      ...(config.data_wo !== null && config.data !== null ? ["data conflicts with data_wo"] : []),
      ...badKeys(config, "data", "data_wo", "binary_data"),
    ],
    computed: () => ({ data: {} }),
    afterCreate: ({ id, writeOnly, values }) => {
      const isEmpty = Object.keys(writeOnly).length === 0 && Object.keys((values.data ?? {}) as object).length === 0;
      if (isEmpty) throw new Refusal(`the secret ${id} is empty`);
    },
  }),

  ...namespacedKind("kubernetes_horizontal_pod_autoscaler_v2", {
    needs: needTarget,
  }),

  ...namespacedKind("kubernetes_pod_disruption_budget_v1", {
    replacedBy: ["spec"],
  }),

  ...namespacedKind("kubernetes_network_policy_v1", {}),
};
