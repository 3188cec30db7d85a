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
  it.each(objects)("is what the interface allows: %s", (_place, object) => {
    expect(schemaProblems(object)).toEqual([]);
  });
});

/** https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted */
describe("By the restricted pod security standard,", () => {
  it("the pods of server, worker, initialization, dumps and dumps at an apply are examined, in both programs", () => {
    expect(pods.map(([place]) => place.replace(/kubernetes_\w+_v1\.(identity_provider_)?/, ""))).toEqual(
      ["stack", "literal"].flatMap((program) =>
        ["db_init", "dump_at_apply", "workload", "worker", "dump_job"].map((pod) => `${program}: ${pod}`),
      ),
    );
  });

  it.each(RESTRICTED_STANDARD)("every pod keeps to it: %s", (_name, isBroken) => {
    expect(pods.filter(([, pod]) => isBroken(pod)).map(([place]) => place)).toEqual([]);
  });
});
