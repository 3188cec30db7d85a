import { ADMISSION_ANNOTATIONS, admittedTemplate, lacksBucketSidecar } from "./autopilot-admission";
import { type Cloud, type CloudObject, InjectedRefusal, Refusal } from "../cloud";
import { logIn, roleNeeds } from "../google/database-login";
import { namespacedType } from "./object-type";
import { namespaceOf, withServerAnnotations } from "./metadata";
import { imageNeeds, objectNeeds, platformNeeds, type PodRequest } from "./pod-needs";
import { mountedBuckets, podEnvironment, proxiedDatabases } from "./pod-template";
import { type ReadContext, type ResourceTypes } from "../resource-type";
import { processesIn } from "../running-processes";
import { isValueObject, sameValue, textAt, type Value, valueAt, type ValueObject } from "../terraform-value";
import { requireOneDeployment } from "./selection";
import { requirePatience } from "./wait-times";

const TEMPLATE = "spec.0.template.0";

/** The first start applies all schema migrations before it is ready. */
const WORST_START_SECONDS = 660;

/** Every further pod of a rollout needs a node, starts, and replaces one that ends. */
const WORST_FURTHER_SECONDS = 240;

/** A node may have to be started and an image pulled before the script's own limit begins. */
const WORST_JOB_SECONDS = 600;

const DEFAULT_PROGRESS_SECONDS = 600;

const podOf = (values: ValueObject): PodRequest => ({
  namespace: namespaceOf(values),
  pod: valueAt(values, `${TEMPLATE}.spec.0`),
});

function podNeeds(values: ValueObject, cloud: Cloud) {
  const request = podOf(values);
  return [
    ...objectNeeds(request),
    ...imageNeeds(cloud, request),
    ...platformNeeds(cloud, request),
    ...roleNeeds(podEnvironment(cloud, request.namespace, request.pod), proxiedDatabases(request.pod)),
  ];
}

/** Starts a pod: mounts its buckets and signs in to its databases. Returns its environment. */
function startPod(object: CloudObject, cloud: Cloud): Record<string, string> {
  const { namespace, pod } = podOf(object.values);
  const buckets = mountedBuckets(pod);
  if (cloud.admission === "autopilot" && lacksBucketSidecar(valueAt(object.values, TEMPLATE), buckets)) {
    throw new Refusal(`${object.id} cannot start: nothing mounts ${buckets.join(", ")} without gke-gcsfuse/volumes`);
  }
  const environment = podEnvironment(cloud, namespace, pod);
  logIn(object, environment, proxiedDatabases(pod), cloud);
  return environment;
}

/** A workload after admission, as a refresh returns it. */
function asAdmitted(values: ValueObject, context: ReadContext): ValueObject {
  if (context.cloud.admission !== "autopilot") return values;
  const spec = valueAt(values, "spec.0");
  const admitted = admittedTemplate(valueAt(values, TEMPLATE));
  const written = { ...values, spec: [{ ...(isValueObject(spec) ? spec : {}), template: [admitted] }] };
  return withServerAnnotations(written, ADMISSION_ANNOTATIONS, context);
}

/** Maximum pods of a deployment's autoscaler; undefined if it has none. */
function mostPods(id: string, cloud: Cloud): number | undefined {
  const scaler = cloud
    .ofType("kubernetes_horizontal_pod_autoscaler_v2")
    .find((one) => `${namespaceOf(one.values)}/${textAt(one.values, "spec.0.scale_target_ref.0.name")}` === id);
  const most = valueAt(scaler?.values, "spec.0.max_replicas");
  return typeof most === "number" ? most : undefined;
}

/** A deployment with an autoscaler has the replicas that the autoscaler has set. */
function asScaled(values: ValueObject, { cloud, current }: ReadContext): ValueObject {
  const most = mostPods(textAt(current, "id"), cloud);
  const spec = valueAt(values, "spec.0");
  if (most === undefined || !isValueObject(spec)) return values;
  return { ...values, spec: [{ ...spec, replicas: String(most) }] };
}

/** Whether a rollout keeps at least one of so many pods; the server's own limit is a quarter of them. */
function keepsPods(strategy: Value, pods: number): boolean {
  const given = textAt(strategy, "rolling_update.0.max_unavailable") || "25%";
  const limit = given.endsWith("%") ? Math.floor((pods * Number.parseInt(given, 10)) / 100) : Number(given);
  return textAt(strategy, "type") !== "Recreate" && limit < pods;
}

/** Starts the pods of a deployment and records their environment. */
function rollOut(object: CloudObject, cloud: Cloud, step: "create" | "update"): void {
  const deadline = Number(valueAt(object.values, "spec.0.progress_deadline_seconds") ?? DEFAULT_PROGRESS_SECONDS);
  if (deadline < WORST_START_SECONDS) throw new Refusal("Deployment exceeded its progress deadline");
  const pods = mostPods(object.id, cloud) ?? Number(valueAt(object.values, "spec.0.replicas") ?? 1);
  // Pods are replaced one after another, and the deadline restarts with each one that is ready.
  requirePatience(object.values, {
    step,
    worstSeconds: deadline + WORST_FURTHER_SECONDS * (pods - 1),
    defaultSeconds: 600,
    expired: `Waiting for rollout to finish: ${pods} replicas wanted; 0 replicas Ready`,
  });
  const { namespace, pod } = podOf(object.values);
  const key = `${object.type} ${object.id}`;
  if (!keepsPods(valueAt(object.values, "spec.0.strategy.0"), pods)) cloud.running.stop(key);
  const environment = startPod(object, cloud);
  cloud.running.start(key, pods > 0 ? processesIn(valueAt(pod, "container.0")) : []);
  cloud.objects.delete(`pods ${namespace}/${object.id}`);
  cloud.podEnvironments.set(object.id, { template: valueAt(object.values, TEMPLATE), environment });
  cloud.podNeeds.set(object.id, platformNeeds(cloud, { namespace, pod }));
}

/** Refuses pods whose environment is outdated: nothing would restart them. */
function requireFreshPods(object: CloudObject, cloud: Cloud): void {
  const environment = startPod(object, cloud);
  const started = cloud.podEnvironments.get(object.id)?.environment ?? {};
  const stale = Object.keys(environment).filter((name) => environment[name] !== started[name]);
  if (stale.length > 0) throw new Refusal(`pods of ${object.id} still run with another ${stale.join(", ")}`);
}

function runJob(object: CloudObject, cloud: Cloud): void {
  if (cloud.failingJobs > 0) {
    cloud.failingJobs -= 1;
    throw new InjectedRefusal(`job: ${object.id} is in failed state`);
  }
  cloud.executions.push({ job: object.id, environment: startPod(object, cloud) });
}

/** A cron job as the job that it starts. */
const startedJob = (values: ValueObject): ValueObject => ({
  ...values,
  spec: [valueAt(values, "spec.0.job_template.0.spec.0")],
});

/** A cron job after admission, as a refresh returns it. */
function asAdmittedCronJob(values: ValueObject, context: ReadContext): ValueObject {
  const admitted = asAdmitted(startedJob(values), context);
  const spec = valueAt(values, "spec.0");
  const jobTemplate = valueAt(values, "spec.0.job_template.0");
  if (!isValueObject(spec) || !isValueObject(jobTemplate)) return values;
  return { ...admitted, spec: [{ ...spec, job_template: [{ ...jobTemplate, spec: admitted.spec ?? null }] }] };
}

/** Deployments, jobs and cron jobs, which start only if everything they refer to exists. */
export const WORKLOAD_TYPES: ResourceTypes = {
  ...namespacedType("kubernetes_deployment_v1", {
    replacedBy: ["spec.0.selector"],
    needs: podNeeds,
    afterCreate: (object, cloud) => rollOut(object, cloud, "create"),
    afterUpdate: (object, cloud) => {
      const before = cloud.podEnvironments.get(object.id)?.template ?? null;
      // Only a change of the template replaces the pods.
      if (!sameValue(before, valueAt(object.values, TEMPLATE))) rollOut(object, cloud, "update");
    },
    requireStart: (object, cloud) => {
      requireOneDeployment(object, cloud);
      requireFreshPods(object, cloud);
    },
    // The deletion returns while pods still terminate; only the namespace waits for them.
    afterDestroy: ({ id, values }, cloud) => {
      cloud.podEnvironments.delete(id);
      const needs = cloud.podNeeds.get(id) ?? [];
      if (needs.length === 0) return;
      const pods = { type: "pods", id: `${namespaceOf(values)}/${id}`, values: {}, writeOnly: {}, needs };
      cloud.objects.set(`pods ${pods.id}`, pods);
    },
    asRead: (values, context) => asScaled(asAdmitted(values, context), context),
  }),

  ...namespacedType("kubernetes_cron_job_v1", {
    needs: (values, cloud) => podNeeds(startedJob(values), cloud),
    // It starts nothing before its time, but then it must be able to.
    afterCreate: (object, cloud) => startPod({ ...object, values: startedJob(object.values) }, cloud),
    afterUpdate: (object, cloud) => startPod({ ...object, values: startedJob(object.values) }, cloud),
    asRead: asAdmittedCronJob,
  }),

  ...namespacedType("kubernetes_job_v1", {
    replacedBy: [
      ...["spec.0.template", "spec.0.selector", "spec.0.completions", "spec.0.completion_mode"],
      ...["spec.0.manual_selector", "spec.0.pod_failure_policy"],
    ],
    needs: podNeeds,
    afterCreate: (object, cloud) => {
      const isAwaited = object.values.wait_for_completion !== false;
      if (isAwaited) {
        requirePatience(object.values, {
          step: "create",
          worstSeconds: WORST_JOB_SECONDS,
          defaultSeconds: 60,
          expired: `job: ${object.id} is not in complete state`,
        });
      }
      runJob(object, cloud);
    },
    asRead: asAdmitted,
  }),
};
