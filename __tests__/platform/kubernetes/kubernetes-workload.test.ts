import { InputVariable } from "../../../lib/core/input-variable";
import { type ContainerSpec } from "../../../lib/idp/container-spec";
import { KubernetesWorkload, type KubernetesWorkloadProps } from "../../../lib/platform/kubernetes/kubernetes-workload";
import { valueAt } from "../../stacks/configuration-graph";
import { asConstant, evaluated } from "../../stacks/terraform-run";
import { describeWith } from "../../support/programs";
import { fc } from "../../support/seeded-cases";
import { namespaceIn, STAND_IN_WORKLOAD, standInIdentity, standInIdentityProvider } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../../support/synthesis";

const workloadIn = (
  props: Partial<KubernetesWorkloadProps> = {},
  container: Partial<ContainerSpec> = {},
  stack = bareStack(),
) => {
  new KubernetesWorkload(stack, "Workload", {
    ...STAND_IN_WORKLOAD,
    identity: standInIdentity(),
    container: { ...standInIdentityProvider(stack), ...container },
    namespace: namespaceIn(stack),
    ...props,
  });
  const deployment = resourceOf(terraformOf(stack), "kubernetes_deployment_v1", "workload");
  return { deployment, server: valueAt(deployment, "spec.template.spec.container.0") };
};

describe("KubernetesWorkload", () => {
  it("allows four more minutes for every further pod, because pods are replaced one after another", () => {
    const stack = bareStack();
    const most = new InputVariable(stack, "most", { type: "number", default: 3, description: "An input." });
    expect(workloadIn({ maxInstanceCount: most.numberValue }, {}, stack).deployment.timeouts).toEqual({
      create: "30m",
      update: "${30 + 4 * (var.most - 1)}m",
    });
  });

  it("lets the container override the address that it would tell the application", () => {
    const overrides = { IDP_WEB__BASE_URL: "https://a.example" };
    const address = { address: "192.0.2.7", url: "https://login.example.com" };
    const { server } = workloadIn({ address }, { environment: { baseline: {}, overrides, required: {} } });
    expect(valueAt(server, "dynamic.env.for_each")).toMatchObject(overrides);
  });
});

describeWith(["terraform"], "A plain variable of the workload", () => {
  it("arrives as it was given, although Kubernetes replaces references in it", () => {
    const values = [
      "$(DB_NAME)",
      "$$(DB_NAME)",
      "a$b$$",
      "$",
      "",
      ...fc.sample(fc.string({ unit: fc.constantFrom("$", "(", ")", "A", " ", "{", '"', "\\") }), {
        numRuns: 40,
        seed: 3,
      }),
    ];
    const content = valueAt(workloadIn().server, "dynamic.env.content.value");
    const spelled = String(content)
      .replace("env.value", "value")
      .replace(/^\$\{|\}$/g, "");
    const { locals } = { locals: { written: `\${[for value in ${asConstant(values)} : ${spelled}]}` } };
    expect((evaluated({ locals }).written as string[]).map(expandedByKubernetes)).toEqual(values);
  });
});

/** Expands a value as Kubernetes does when no variable is defined. */
function expandedByKubernetes(value: string): string {
  let result = "";
  for (let at = 0; at < value.length; at++) {
    const [character, next] = [value[at], value[at + 1]];
    if (character !== "$" || next === undefined) result += character ?? "";
    else if (next === "$") {
      result += "$";
      at++;
    } else if (next === "(" && value.indexOf(")", at) > at) throw new Error(`a reference is left in ${value}`);
    else result += "$";
  }
  return result;
}
