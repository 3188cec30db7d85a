import { kubernetesTerraform } from "../../../stacks/kubernetes-stack";
import { literalKubernetes } from "../../../stacks/literal-programs";
import { apiObjects, type ApiObject } from "./api-object";
import { schemaProblems } from "./api-schema";
import { type Pod, RESTRICTED_STANDARD } from "./pod-security-standard";

/** Every object of every scenario, in the form of the Kubernetes API. */
const objects: [place: string, object: ApiObject][] = Object.entries({
  stack: kubernetesTerraform(),
  literal: literalKubernetes(),
}).flatMap(([scenario, terraform]) =>
  apiObjects(terraform).map(({ address, object }): [string, ApiObject] => [`${scenario}: ${address}`, object]),
);

/** The part of an object's specification that holds its pod. */
interface PodOwner {
  readonly template?: { readonly spec: Pod };
  readonly jobTemplate?: { readonly spec: Required<Pick<PodOwner, "template">> };
}

const pods = objects.flatMap(([place, { spec }]): [place: string, pod: Pod][] => {
  const { jobTemplate, template = jobTemplate?.spec.template } = (spec ?? {}) as PodOwner;
  return template === undefined ? [] : [[place, template.spec]];
});

const [deployment] = objects.filter(([place]) => place === "stack: kubernetes_deployment_v1.workload");

/** A copy of the deployment, changed. */
function changed(change: (object: Record<string, never>) => void): ApiObject {
  const copy = structuredClone(deployment?.[1]);
  if (copy === undefined) throw new Error("there is no deployment");
  change(copy as unknown as Record<string, never>);
  return copy;
}

/** Part of an object that may be read and written freely. */
type Loose = Record<string, Record<string, Record<string, Record<string, Record<string, unknown>[]>>>>;

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

describe("The schema of the interface refuses", () => {
  const container = (object: unknown) => (object as Loose).spec?.template?.spec?.containers?.[0] ?? {};

  it("a value of another type", () => {
    expect(schemaProblems(changed((object) => (container(object).image = 5)))).toEqual([
      "data/spec/template/spec/containers/0/image must be string",
    ]);
  });

  it("what it does not know", () => {
    expect(schemaProblems(changed((object) => (container(object).volumeMount = [])))).toEqual([
      "/spec/template/spec/containers/0/volumeMount does not exist",
    ]);
  });
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

  it.each(RESTRICTED_STANDARD)("every pod keeps to it: $name", ({ violations }) => {
    expect(pods.flatMap(([place, pod]) => violations(pod).map((what) => `${place}: ${what}`))).toEqual([]);
  });

  it.each(RESTRICTED_STANDARD)("a breach is detected: $name", ({ name, breach: { container = {}, pod = {} } }) => {
    for (const [, given] of pods) {
      const [first, ...others] = given.containers;
      if (first === undefined) throw new Error("there is no container");
      const breached: Pod = {
        ...given,
        ...pod,
        securityContext: { ...given.securityContext, ...pod.securityContext },
        containers: [
          { ...first, ...container, securityContext: { ...first.securityContext, ...container.securityContext } },
          ...others,
        ],
      };
      const broken = RESTRICTED_STANDARD.filter(({ violations }) => violations(breached).length > 0);
      expect(broken.map((control) => control.name)).toEqual([name]);
    }
  });
});
