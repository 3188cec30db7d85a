import { createHash } from "node:crypto";

import { type Cloud, type CloudObject } from "../cloud";
import { type ResourceType, type ResourceTypes } from "../resource-type";
import { textAt, valueAt, type Value, type ValueObject } from "../terraform-value";
import { logIn, roleNeeds } from "./database-login";
import { googleType, refuseProtected } from "./google-type";
import { asReturned, mountedDatabases, resolvedEnvironment, workloadNeeds } from "./workload-needs";

const serviceTemplate = (values: ValueObject): Value => valueAt(values, "template.0");
const jobTemplate = (values: ValueObject): Value => valueAt(values, "template.0.template.0");

function workload(collection: "jobs" | "services", template: (values: ValueObject) => Value): ResourceType {
  return googleType({
    api: "run",
    replacedBy: ["project", "location", "name"],
    source: `cloudrunv2/resource_cloud_run_v2_${collection.slice(0, -1)}.go`,
    id: `projects/{{project}}/locations/{{location}}/${collection}/{{name}}`,
    needs: (values, cloud) => {
      const started = { project: textAt(values, "project"), template: template(values) };
      return [
        ...workloadNeeds(cloud, started),
        ...roleNeeds(resolvedEnvironment(cloud, started), mountedDatabases(started.template)),
      ];
    },
    beforeDestroy: refuseProtected(collection.slice(0, -1)),
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

/** Executes a job outside Terraform, so that Cloud Run drops the token of the previous execution. */
export function executeByHand(cloud: Cloud, id: string): void {
  const job = cloud.find("google_cloud_run_v2_job", id);
  if (job === undefined) throw new Error(`there is no job ${id}`);
  runJob(job, cloud);
  cloud.update({ ...job, values: { ...job.values, run_execution_token: null } });
}

/** Cloud Run services and jobs, which start only if everything they refer to exists. */
export const CLOUD_RUN_TYPES: ResourceTypes = {
  google_cloud_run_v2_job: {
    ...workload("jobs", jobTemplate),
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
    ...workload("services", serviceTemplate),
    afterCreate: (object, cloud) => {
      startContainer(object, serviceTemplate(object.values), cloud);
    },
    afterUpdate: (object, cloud) => {
      startContainer(object, serviceTemplate(object.values), cloud);
    },
    requireStart: (object, cloud) => {
      startContainer(object, serviceTemplate(object.values), cloud);
    },
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
    asRead: (values) => ({ ...values, template: [asReturned(serviceTemplate(values))] }),
  },
};

function uid(seed: string): string {
  const hash = createHash("sha256").update(seed).digest("hex");
  return [8, 4, 4, 4, 12].map((length, index) => hash.slice(index * 12, index * 12 + length)).join("-");
}
