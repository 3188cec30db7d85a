import { type Cloud, type CloudObject, type Need, Refusal } from "../cloud";
import { needObject } from "../needs";
import { needCluster } from "../google/cluster";
import { EXPOSURE_TYPES } from "./exposure";
import { namespacedType, plainType } from "./object-type";
import { WORKLOAD_TYPES } from "./workloads";
import { type ResourceTypes } from "../resource-type";
import { sameValue, textAt, valueAt, type ValueObject } from "../terraform-value";

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
export const KUBERNETES_TYPES: ResourceTypes = {
  ...EXPOSURE_TYPES,
  ...WORKLOAD_TYPES,

  ...plainType("kubernetes_namespace_v1", {
    needs: () => [needCluster()],
    beforeDestroy: (_prior, object, cloud) => {
      endPods(object, cloud);
    },
  }),

  ...namespacedType("kubernetes_service_account_v1", {
    computed: () => ({ default_secret_name: "" }),
  }),

  ...namespacedType("kubernetes_config_map_v1", {
    replacedWhen: replacedWhenImmutable,
    problems: (config) => badKeys(config, "data", "binary_data"),
  }),

  ...namespacedType("kubernetes_secret_v1", {
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

  ...namespacedType("kubernetes_horizontal_pod_autoscaler_v2", {
    needs: needTarget,
  }),

  ...namespacedType("kubernetes_pod_disruption_budget_v1", {
    replacedBy: ["spec"],
  }),

  ...namespacedType("kubernetes_network_policy_v1", {}),
};
