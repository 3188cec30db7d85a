import { type Cloud, type CloudObject, type Need, Refusal } from "../cloud";
import { needObject } from "../needs";
import { needCluster } from "../google/cluster";
import { EXPOSURE_TYPES } from "./exposure";
import { namespacedType, plainType } from "./object-type";
import { requireOneDeployment, requireScaling, scalingProblems } from "./selection";
import { WORKLOAD_TYPES } from "./workloads";
import { type ResourceTypes } from "../resource-type";
import { sameValue, textAt, valueAt, type ValueObject } from "../terraform-value";

/** Allowed keys of secrets and config maps. */
const KEY = /^[-._a-zA-Z0-9]+$/;

const DATA = ["data", "binary_data", "immutable"] as const;

/** Any change of the data replaces an immutable object. */
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

/** Terminating pods use what they need until their namespace is gone. */
function endPods(object: CloudObject, cloud: Cloud): void {
  for (const pods of cloud.ofType("pods")) {
    if (pods.id.startsWith(`${object.id}/`)) cloud.objects.delete(`pods ${pods.id}`);
  }
}

/** The need for the scale target of an autoscaler. */
function needTarget(values: ValueObject): Need[] {
  const kind = textAt(values, "spec.0.scale_target_ref.0.kind");
  const name = textAt(values, "spec.0.scale_target_ref.0.name");
  const namespace = textAt(values, "metadata.0.namespace");
  return kind === "Deployment" ? [needObject("kubernetes_deployment_v1", `${namespace}/${name}`)] : [];
}

/** Resource types of the kubernetes provider; its source has a file of the same name for each. */
export const KUBERNETES_TYPES: ResourceTypes = {
  ...EXPOSURE_TYPES,
  ...WORKLOAD_TYPES,

  ...plainType("kubernetes_namespace_v1", {
    needs: () => [needCluster()],
    beforeDestroy: (_prior, object, cloud) => endPods(object, cloud),
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
    invalid: scalingProblems,
    requireStart: requireScaling,
  }),

  ...namespacedType("kubernetes_pod_disruption_budget_v1", {
    replacedBy: ["spec"],
    requireStart: requireOneDeployment,
  }),

  ...namespacedType("kubernetes_network_policy_v1", {}),
};
