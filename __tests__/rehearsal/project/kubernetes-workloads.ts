import { ADMISSION_ANNOTATIONS, admittedTemplate } from "./autopilot-admission";
import { type Cloud, type CloudObject, Refusal } from "./cloud";
import { logIn } from "./google-workloads";
import { annotationOf, namespaceOf, withServerAnnotations } from "./kubernetes-metadata";
import {
  mountedBuckets,
  platformNeeds,
  podEnvironment,
  podNeeds,
  type PodRequest,
  proxiedDatabases,
} from "./kubernetes-pods";
import { type ReadContext, type ResourceType } from "./resource-type";
import { isValueObject, sameValue, textAt, valueAt, type ValueObject } from "./terraform-value";

export const DEPLOYMENT = "kubernetes_deployment_v1";

const TEMPLATE = "spec.0.template.0";

const SCALED = "spec.0.scale_target_ref.0.name";

const podOf = (values: ValueObject): PodRequest => ({
  namespace: namespaceOf(values),
  pod: valueAt(values, `${TEMPLATE}.spec.0`),
});

/** Starts a pod: mounts its buckets and signs in to its databases. Returns its environment. */
function startPod(object: CloudObject, cloud: Cloud): Record<string, string> {
  const request = podOf(object.values);
  const buckets = mountedBuckets(request.pod);
  if (buckets.length > 0 && annotationOf(valueAt(object.values, TEMPLATE), "gke-gcsfuse/volumes") !== "true")
    throw new Refusal(`${object.id} cannot start: nothing mounts ${buckets.join(", ")} without gke-gcsfuse/volumes`);
  const environment = podEnvironment(cloud, request);
  logIn(object, environment, proxiedDatabases(request.pod), cloud);
  return environment;
}

/** A workload after admission, as a refresh returns it. */
function asAdmitted(values: ValueObject, context: ReadContext): ValueObject {
  const template = [admittedTemplate(valueAt(values, TEMPLATE))];
  const admitted = { ...values, spec: [{ ...(valueAt(values, "spec.0") as ValueObject), template }] };
  return withServerAnnotations(admitted, ADMISSION_ANNOTATIONS, context);
}

/** A deployment with an autoscaler has the replicas that the autoscaler has set: here, the most that it may. */
function asScaled(values: ValueObject, { cloud, current }: ReadContext): ValueObject {
  const scaler = cloud
    .ofType("kubernetes_horizontal_pod_autoscaler_v2")
    .find((one) => `${namespaceOf(one.values)}/${textAt(one.values, SCALED)}` === textAt(current, "id"));
  if (scaler === undefined) return values;
  const replicas = String(Number(valueAt(scaler.values, "spec.0.max_replicas")));
  return { ...values, spec: [{ ...(valueAt(values, "spec.0") as ValueObject), replicas }] };
}

/** Starts the pods of a deployment and records their environment. */
function rollOut(object: CloudObject, cloud: Cloud): void {
  const request = podOf(object.values);
  const environment = startPod(object, cloud);
  cloud.objects.delete(`pods ${request.namespace}/${object.id}`);
  cloud.podEnvironments.set(object.id, { template: valueAt(object.values, TEMPLATE), environment });
  cloud.podNeeds.set(object.id, platformNeeds(request, cloud));
}

/** Refuses pods whose environment is outdated: nothing would restart them. */
function requireFreshPods(object: CloudObject, cloud: Cloud): void {
  const environment = startPod(object, cloud);
  const started = cloud.podEnvironments.get(object.id)?.environment ?? {};
  const stale = Object.keys(environment).filter((name) => environment[name] !== started[name]);
  if (stale.length > 0) throw new Refusal(`pods of ${object.id} still run with another ${stale.join(", ")}`);
}

/** Its deletion returns while pods still terminate; only the namespace waits for them. */
export const DEPLOYMENT_ROW: Partial<ResourceType> = {
  replacedBy: ["spec.0.selector"],
  needs: (values, cloud) => podNeeds(podOf(values), cloud),
  afterApply: (object, cloud, isNew) => {
    const before = cloud.podEnvironments.get(object.id)?.template ?? null;
    // Only a change of the template replaces the pods.
    if (isNew || !sameValue(before, valueAt(object.values, TEMPLATE))) rollOut(object, cloud);
  },
  requireStart: requireFreshPods,
  afterDestroy: ({ id, values }, cloud) => {
    cloud.podEnvironments.delete(id);
    const needs = cloud.podNeeds.get(id) ?? [];
    // In a namespace of others, nothing waits for them: they may lose what they use in their last seconds.
    if (needs.length === 0 || cloud.find("kubernetes_namespace_v1", namespaceOf(values)) === undefined) return;
    const pods = { type: "pods", id: `${namespaceOf(values)}/${id}`, values: {}, writeOnly: {}, needs };
    cloud.objects.set(`pods ${pods.id}`, pods);
  },
  asRead: (values, context) => asScaled(asAdmitted(values, context), context),
};

export const JOB_ROW: Partial<ResourceType> = {
  replacedBy: ["spec.0.template"],
  needs: (values, cloud) => podNeeds(podOf(values), cloud),
  afterCreate: (object, cloud) => {
    cloud.executions.push({ job: object.id, environment: startPod(object, cloud) });
  },
  asRead: asAdmitted,
};

/** A cron job as the job that it starts. */
const startedJob = (values: ValueObject): ValueObject => ({
  ...values,
  spec: [valueAt(values, "spec.0.job_template.0.spec.0")],
});

/** It starts nothing before its time, but then it must be able to. */
export const CRON_JOB_ROW: Partial<ResourceType> = {
  needs: (values, cloud) => podNeeds(podOf(startedJob(values)), cloud),
  afterApply: (object, cloud) => startPod({ ...object, values: startedJob(object.values) }, cloud),
  asRead: (values, context) => {
    const admitted = asAdmitted(startedJob(values), context);
    const spec = valueAt(values, "spec.0");
    const jobTemplate = valueAt(values, "spec.0.job_template.0");
    if (!isValueObject(spec) || !isValueObject(jobTemplate)) return values;
    return { ...admitted, spec: [{ ...spec, job_template: [{ ...jobTemplate, spec: admitted.spec ?? null }] }] };
  },
};
