import { kubernetesTerraform } from "../../../stacks/kubernetes-stack";
import { literalKubernetes } from "../../../stacks/literal-programs";
import { apiObjects, type ApiObject } from "./api-object";
import { schemaProblems } from "./api-schema";
import { type Part, RESTRICTED_STANDARD } from "./pod-security-standard";

/** Every object of every scenario, in the form of the Kubernetes API. */
const objects: [place: string, object: ApiObject][] = Object.entries({
  stack: kubernetesTerraform(),
  literal: literalKubernetes(),
}).flatMap(([scenario, terraform]) =>
  apiObjects(terraform).map(({ address, object }): [string, ApiObject] => [`${scenario}: ${address}`, object]),
);

/** The part of an object's specification that holds its pod. */
interface PodOwner {
  readonly template?: { readonly spec: Part };
  readonly jobTemplate?: { readonly spec: Required<Pick<PodOwner, "template">> };
}

const pods = objects.flatMap(([place, { spec }]): [place: string, pod: Part][] => {
  const { jobTemplate, template = jobTemplate?.spec.template } = (spec ?? {}) as PodOwner;
  return template === undefined ? [] : [[place, template.spec]];
});

describe("Every object of the cluster", () => {
  it("is covered, of every kind", () => {
    expect([...new Set(objects.map(([, { kind }]) => kind))].sort()).toEqual([
      ...[
        "ConfigMap",
        "CronJob",
        "Deployment",
        "HorizontalPodAutoscaler",
        "Ingress",
        "Job",
        "Namespace",
        "NetworkPolicy",
      ],
      ...["PodDisruptionBudget", "Secret", "Service", "ServiceAccount"],
    ]);
  });

  it.each(objects)("is what the interface allows: %s", (_place, object) => {
    expect(schemaProblems(object)).toEqual([]);
  });
});

it("The schema refuses a value of another type and what it does not know", () => {
  expect(schemaProblems({ apiVersion: "v1", kind: "Namespace", metadata: { name: 5, label: {} } })).toEqual([
    "data/metadata/name must be string",
    "/metadata/label does not exist",
  ]);
});

/** https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted */
describe("By the restricted pod security standard,", () => {
  it("the examined pods are those of server, worker, initialization and dumps, in every scenario", () => {
    expect(pods.map(([place]) => place)).toEqual([
      "stack: kubernetes_job_v1.db_init",
      "stack: kubernetes_job_v1.dump_at_apply",
      "stack: kubernetes_deployment_v1.workload",
      "stack: kubernetes_deployment_v1.worker",
      "stack: kubernetes_cron_job_v1.dump_job",
      "literal: kubernetes_job_v1.identity_provider_db_init",
      "literal: kubernetes_job_v1.identity_provider_dump_at_apply",
      "literal: kubernetes_deployment_v1.identity_provider_workload",
      "literal: kubernetes_deployment_v1.identity_provider_worker",
      "literal: kubernetes_cron_job_v1.identity_provider_dump_job",
    ]);
  });

  it.each(RESTRICTED_STANDARD)("every pod keeps to it: %s", (_name, isBroken) => {
    expect(pods.filter(([, pod]) => isBroken(pod)).map(([place]) => place)).toEqual([]);
  });

  it.each(RESTRICTED_STANDARD)("a breach is detected: %s", (name, _isBroken, { container = {}, pod = {} }) => {
    const merged = (part: Part, change: Part): Part => ({
      ...part,
      ...change,
      securityContext: { ...(part.securityContext as Part), ...(change.securityContext as Part | undefined) },
    });
    for (const [, given] of pods) {
      const [first = {}, ...others] = given.containers as readonly Part[];
      const breached = { ...merged(given, pod), containers: [merged(first, container), ...others] };
      expect(RESTRICTED_STANDARD.filter(([, isBroken]) => isBroken(breached)).map(([broken]) => broken)).toEqual([
        name,
      ]);
    }
  });
});
