import { KubernetesWorkload } from "../../../lib/platform/kubernetes/kubernetes-workload";
import { valueAt } from "../../stacks/configuration-graph";
import { asConstant, evaluated } from "../../stacks/terraform-run";
import { describeWith } from "../../support/programs";
import { fc } from "../../support/seeded-cases";
import { namespaceIn, STAND_IN_WORKLOAD, standInIdentity, standInIdentityProvider } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../../support/synthesis";

const serverOf = () => {
  const stack = bareStack();
  new KubernetesWorkload(stack, "Workload", {
    ...STAND_IN_WORKLOAD,
    identity: standInIdentity(),
    container: standInIdentityProvider(stack),
    namespace: namespaceIn(stack),
  });
  const deployment = resourceOf(terraformOf(stack), "kubernetes_deployment_v1", "workload");
  return valueAt(deployment, "spec.template.spec.container.0");
};

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
    const content = valueAt(serverOf(), "dynamic.env.content.value");
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
