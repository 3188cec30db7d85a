import { admittedTemplate } from "../../rehearsal/project/autopilot-admission";
import { type Value, valuesAt } from "../../rehearsal/project/terraform-value";
import { valueAt } from "../../stacks/configuration-graph";
import { kubernetesTerraform } from "../../stacks/kubernetes-stack";
import { type Block } from "../../support/synthesis";
import { OUTPOST_CONFIGS } from "./outposts/outpost-configs";

/** Where a workload keeps its pod, by the kind of the workload. */
const POD_PATHS: Readonly<Record<string, string>> = {
  kubernetes_cron_job_v1: "spec.job_template.spec.template",
  kubernetes_deployment_v1: "spec.template",
  kubernetes_job_v1: "spec.template",
};

/** CPUs and memory at the corners of what the inputs accept for a pod of the server or a worker. */
const CORNERS: readonly (readonly [cpu: number, memory: string])[] = [
  [0.5, "512Mi"],
  [0.5, "3328Mi"],
  [1, "1Gi"],
  [1, "6656Mi"],
  [2, "2Gi"],
  [2, "4Gi"],
  [2.25, "14976Mi"],
  [16, "104Gi"],
  [28, "28Gi"],
  [28, "108Gi"],
];

/** Containers of a pod with the least and the most that it can have beside them, in the form of an applied resource. */
function podsOf(template: Block, [cpu, memory]: (typeof CORNERS)[number]): Value[] {
  const sized = (container: Block) => {
    const requests = valueAt(container, "resources.requests") as Block;
    const chosen = (value: unknown, ofInputs: string) => (String(value).includes("${") ? ofInputs : String(value));
    const size = {
      cpu: chosen(requests.cpu, String(cpu)),
      memory: chosen(requests.memory, memory),
      "ephemeral-storage": String(requests["ephemeral-storage"]),
    };
    return { resources: [{ requests: size, limits: size }] };
  };
  const blocks = (path: string) => ((valueAt(template, path) ?? []) as readonly Block[]).map(sized);
  const optional = valueAt(template, "spec.dynamic.init_container.content") as Block | undefined;
  const further = optional === undefined ? [[]] : [[], [sized(optional)]];
  return further.map((each) => ({
    metadata: [{ annotations: (valueAt(template, "metadata.annotations") ?? {}) as Record<string, string> }],
    spec: [{ container: blocks("spec.container"), init_container: [...blocks("spec.init_container"), ...each] }],
  }));
}

const pods = Object.entries(POD_PATHS).flatMap(([kind, path]) =>
  Object.entries(kubernetesTerraform().resource?.[kind] ?? {}).map(
    ([name, workload]) => [`${kind}.${name}`, valueAt(workload, path) as Block] as const,
  ),
);

it.each(pods)("Autopilot takes the pods of %s as they are, whatever the inputs say", (_, template) => {
  const sizes = (pod: Value) => valuesAt(pod, "spec.0.container.*.resources.0.requests");
  for (const corner of CORNERS)
    for (const pod of podsOf(template, corner)) expect(sizes(admittedTemplate(pod))).toEqual(sizes(pod));
});

it.each([...OUTPOST_CONFIGS])("Autopilot takes the pods of the outpost %s as they are", (_, config) => {
  const patches = valueAt(config, "kubernetes_json_patches.deployment") as readonly Block[];
  const ofResources = patches.filter(({ path }) => path === "/spec/template/spec/containers/0/resources");
  const resources = ofResources.map(({ value }) => value as Value);
  // Without requests and limits of its own, a container gets others.
  const pod = { spec: [{ container: [{ resources }], init_container: [] }] };
  expect(valuesAt(admittedTemplate(pod), "spec.0.container.*.resources")).toEqual([resources]);
});

it("Autopilot raises the memory of a pod that has less than a gibibyte for each CPU", () => {
  const resources = [{ requests: { cpu: "1", memory: "512Mi" }, limits: { cpu: "1", memory: "512Mi" } }];
  const admitted = admittedTemplate({ spec: [{ container: [{ resources }], init_container: [] }] });
  expect(valuesAt(admitted, "spec.0.container.*.resources.0.requests.memory")).toEqual(["1024Mi"]);
});
