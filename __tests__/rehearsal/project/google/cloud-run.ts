import { createHash } from "node:crypto";

import { type Cloud, type CloudObject } from "../cloud";
import { type ResourceType, type ResourceTypes } from "../resource-type";
import { textAt, valueAt, type Value, type ValueObject } from "../terraform-value";
import { logIn, roleNeeds } from "./database-login";
import { googleType, refuseProtected } from "./google-type";
import { poolInstances, poolProblems } from "./worker-pool";
import { processesIn } from "../running-processes";
import { asReturned, mountedDatabases, resolvedEnvironment, workloadNeeds } from "./workload-needs";

const serviceTemplate = (values: ValueObject): Value => valueAt(values, "template.0");
const jobTemplate = (values: ValueObject): Value => valueAt(values, "template.0.template.0");

/** Kinds of workloads, with the collection that each is in. */
const COLLECTIONS = { job: "jobs", service: "services", worker_pool: "workerPools" } as const;

function workload(kind: keyof typeof COLLECTIONS, template: (values: ValueObject) => Value): ResourceType {
  return googleType({
    api: "run",
    replacedBy: ["project", "location", "name"],
    source: `cloudrunv2/resource_cloud_run_v2_${kind}.go`,
    id: `projects/{{project}}/locations/{{location}}/${COLLECTIONS[kind]}/{{name}}`,
    needs: (values, cloud) => {
      const started = { project: textAt(values, "project"), template: template(values) };
      return [
        ...workloadNeeds(cloud, started),
        ...roleNeeds(resolvedEnvironment(cloud, started), mountedDatabases(started.template)),
      ];
    },
    beforeDestroy: refuseProtected(kind),
  });
}

/** A container's environment, after it has reached its databases. */
function startContainer(object: CloudObject, template: Value, cloud: Cloud): Readonly<Record<string, string>> {
  const environment = resolvedEnvironment(cloud, { project: textAt(object.values, "project"), template });
  logIn(object, environment, mountedDatabases(template), cloud);
  return environment;
}

function runJob(object: CloudObject, cloud: Cloud): void {
  const environment = startContainer(object, jobTemplate(object.values), cloud);
  cloud.executions.push({ job: object.id, environment });
}

/** Starts instances, and replaces those of an earlier revision. */
function rollOut(object: CloudObject, cloud: Cloud, instances: number): void {
  const template = serviceTemplate(object.values);
  startContainer(object, template, cloud);
  const processes = instances > 0 ? processesIn(valueAt(template, "containers.0")) : [];
  cloud.running.start(`${object.type} ${object.id}`, processes);
}

/** Executes a job outside Terraform, so that Cloud Run drops the token of the previous execution. */
export function executeByHand(cloud: Cloud, id: string): void {
  const job = cloud.find("google_cloud_run_v2_job", id);
  if (job === undefined) throw new Error(`there is no job ${id}`);
  runJob(job, cloud);
  cloud.update({ ...job, values: { ...job.values, run_execution_token: null } });
}

/** What has instances, as many as its values say; a service without any starts one for a request. */
function started(
  instances: (values: ValueObject) => number,
): Pick<ResourceType, "afterCreate" | "afterUpdate" | "asRead" | "requireStart"> {
  const start = (object: CloudObject, cloud: Cloud): void => {
    rollOut(object, cloud, instances(object.values));
  };
  return {
    afterCreate: start,
    afterUpdate: start,
    requireStart: (object, cloud) => startContainer(object, serviceTemplate(object.values), cloud),
    asRead: (values) => ({ ...values, template: [asReturned(serviceTemplate(values))] }),
  };
}

/** Cloud Run services, worker pools and jobs, which start only if everything they refer to exists. */
export const CLOUD_RUN_TYPES: ResourceTypes = {
  google_cloud_run_v2_job: {
    ...workload("job", jobTemplate),
    afterCreate: (object, cloud) => {
      const { run_execution_token: run, start_execution_token: start } = object.values;
      if (run !== null || start !== null) runJob(object, cloud);
    },
    afterUpdate: (object, cloud) => {
      const executed = cloud.executions.filter(({ job }) => job === object.id);
      if (object.values.run_execution_token !== null && executed.length === 0) runJob(object, cloud);
    },
    computed: (_values, { id }) => ({ uid: uid(id), generation: "1", observed_generation: "1", execution_count: 1 }),
    asRead: (values) => ({
      ...values,
      template: [{ ...(valueAt(values, "template.0") as ValueObject), template: [asReturned(jobTemplate(values))] }],
    }),
  },

  google_cloud_run_v2_service: {
    ...workload("service", serviceTemplate),
    ...started(() => 1),
    computed: (values, { id, cloud }) => {
      const name = textAt(values, "name");
      const address = `https://${name}-${cloud.projectNumber}.${textAt(values, "location")}.run.app`;
      return {
        uid: uid(id),
        uri: `https://${name}-${uid(id).slice(0, 10)}-uc.a.run.app`,
        urls: [address],
        latest_created_revision: `${id}/revisions/${name}-00001-abc`,
        latest_ready_revision: `${id}/revisions/${name}-00001-abc`,
        generation: "1",
        observed_generation: "1",
      };
    },
  },

  google_cloud_run_v2_worker_pool: {
    ...workload("worker_pool", serviceTemplate),
    ...started(poolInstances),
    invalid: poolProblems,
    computedBlocks: ["instance_splits"],
    computed: (values, { id }) => ({
      uid: uid(id),
      instance_splits: [{ type: "INSTANCE_SPLIT_ALLOCATION_TYPE_LATEST", percent: 100, revision: "" }],
      latest_created_revision: `${id}/revisions/${textAt(values, "name")}-00001-abc`,
      latest_ready_revision: `${id}/revisions/${textAt(values, "name")}-00001-abc`,
      generation: "1",
      observed_generation: "1",
    }),
  },
};

function uid(seed: string): string {
  const hash = createHash("sha256").update(seed).digest("hex");
  return [8, 4, 4, 4, 12].map((length, index) => hash.slice(index * 12, index * 12 + length)).join("-");
}
