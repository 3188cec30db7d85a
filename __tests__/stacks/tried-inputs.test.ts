import { ACCEPTED_SETS, ACCEPTED_SETS_OF_KUBERNETES, ACCEPTED_SETS_OF_LAB } from "./accepted-inputs";
import { KUBERNETES_STACK_NAME, kubernetesTerraform } from "./kubernetes-stack";
import { LAB_STACK_NAME, labTerraform } from "./lab-stack";
import { ACCEPTED, ACCEPTED_BY_BOTH, REFUSED_ALONE, REFUSED_TOGETHER } from "./refused-inputs";
import {
  ACCEPTED_BY_KUBERNETES,
  REFUSED_ALONE_BY_KUBERNETES,
  REFUSED_TOGETHER_BY_KUBERNETES,
} from "./refused-kubernetes-inputs";
import { REFUSED_LAB_INPUTS } from "./refused-lab-inputs";
import { serverlessTerraform, STACK_NAME } from "./serverless-stack";
import { type Inputs } from "./terraform-run";

const inputsOf = (...cases: readonly (readonly [string, Inputs, ...unknown[]])[]): Inputs =>
  Object.assign({}, ...cases.map(([, inputs]) => inputs)) as Inputs;

describe("Every input", () => {
  it.each([
    [
      STACK_NAME,
      serverlessTerraform,
      { ...ACCEPTED_BY_BOTH, ...ACCEPTED, ...inputsOf(...ACCEPTED_SETS) },
      inputsOf(...REFUSED_ALONE, ...REFUSED_TOGETHER),
      "refused-inputs.ts, or a file beside it that it imports",
    ],
    [
      KUBERNETES_STACK_NAME,
      kubernetesTerraform,
      { ...ACCEPTED_BY_BOTH, ...ACCEPTED_BY_KUBERNETES, ...inputsOf(...ACCEPTED_SETS_OF_KUBERNETES) },
      inputsOf(...REFUSED_ALONE_BY_KUBERNETES, ...REFUSED_TOGETHER_BY_KUBERNETES),
      "refused-kubernetes-inputs.ts, or a file beside it that it imports",
    ],
    [
      LAB_STACK_NAME,
      labTerraform,
      inputsOf(...ACCEPTED_SETS_OF_LAB),
      inputsOf(...REFUSED_LAB_INPUTS),
      "refused-lab-inputs.ts or accepted-inputs.ts",
    ],
  ])(
    "of %s has an accepted or a refused value, and a refused one if it has a rule",
    (_, terraform, fine, wrong, files) => {
      const untried = Object.entries(terraform().variable ?? {}).flatMap(([input, { validation }]) => {
        if (input in wrong || (input in fine && validation === undefined)) return [];
        return [`${input} has no ${input in fine ? "refused" : "tried"} value; add one to __tests__/stacks/${files}`];
      });
      expect(untried).toEqual([]);
    },
  );
});
