import { type Cloud, type CloudObject, Refusal } from "../cloud";
import { containersOf } from "./pod-template";
import { namespaceOf } from "./metadata";
import { isValueObject, membersOf, sameValue, textAt, type Value, valueAt, type ValueObject } from "../terraform-value";

const DEPLOYMENT = "kubernetes_deployment_v1";

/** The deployments of a namespace whose pods have all these labels. */
export function selectedDeployments(cloud: Cloud, namespace: string, selector: Value): CloudObject[] {
  if (!isValueObject(selector)) return [];
  return cloud.ofType(DEPLOYMENT).filter(({ values }) => {
    const labels = valueAt(values, "spec.0.template.0.metadata.0.labels");
    return (
      namespaceOf(values) === namespace &&
      isValueObject(labels) &&
      Object.entries(selector).every(([name, value]) => sameValue(labels[name] ?? null, value))
    );
  });
}

/** Refuses a service that sends requests to pods without a server. */
export function requireServers({ id, values }: CloudObject, cloud: Cloud): void {
  for (const deployment of selectedDeployments(cloud, namespaceOf(values), valueAt(values, "spec.0.selector"))) {
    if (!cloud.running.of(`${DEPLOYMENT} ${deployment.id}`).includes("server"))
      throw new Refusal(`the service ${id} sends requests to ${deployment.id}, where no server runs`);
  }
}

/** Refuses a selector of pods that does not mean one deployment alone. */
export function requireOneDeployment({ type, id, values }: CloudObject, cloud: Cloud): void {
  const selector = valueAt(values, "spec.0.selector.0.match_labels");
  const selected = selectedDeployments(cloud, namespaceOf(values), selector).map((deployment) => deployment.id);
  if (selected.length !== 1) throw new Refusal(`${type} ${id} selects pods of ${selected.join(", ") || "nothing"}`);
}

/** The API's own refusal of an autoscaler. */
export function scalingProblems(values: ValueObject): readonly string[] {
  const [least, most] = ["min_replicas", "max_replicas"].map((name) => Number(valueAt(values, `spec.0.${name}`) ?? 1));
  return (most ?? 1) < (least ?? 1) ? ["spec.maxReplicas must be greater than or equal to minReplicas"] : [];
}

/** What keeps an autoscaler from scaling: another one of its target, or the metric of a container that is not there. */
export function requireScaling({ id, values }: CloudObject, cloud: Cloud): void {
  const targetOf = (scaler: ValueObject) =>
    `${namespaceOf(scaler)}/${textAt(scaler, "spec.0.scale_target_ref.0.name")}`;
  const rivals = cloud
    .ofType("kubernetes_horizontal_pod_autoscaler_v2")
    .filter((other) => other.id !== id && targetOf(other.values) === targetOf(values));
  if (rivals.length > 0) throw new Refusal(`${id} and ${rivals.map((rival) => rival.id).join()} scale the same pods`);
  const pod = valueAt(cloud.find(DEPLOYMENT, targetOf(values))?.values, "spec.0.template.0.spec.0");
  const containers = containersOf(pod).map((container) => textAt(container, "name"));
  for (const metric of membersOf(valueAt(values, "spec.0.metric"))) {
    const measured = textAt(metric, "container_resource.0.container");
    if (measured !== "" && !containers.includes(measured))
      throw new Refusal(`${id} measures the container ${measured}, which ${targetOf(values)} does not have`);
  }
}
