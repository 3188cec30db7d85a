import { stringify } from "yaml";

import { hclFilesOf } from "../../lib/core/hcl/stack-origin";
import { type PortableStack } from "../../lib/core/portable-stack";
import { kubernetesStack } from "./kubernetes-stack";
import { labStack } from "./lab-stack";
import { literalKubernetes, literalLabWithEverything, literalServerless } from "./literal-programs";
import { serverlessStack, withoutMetadata } from "./serverless-stack";

/** Rules of inputs are in `refused-inputs.ts`; lines between blocks say nothing. */
const reviewed = (text: string): string =>
  text.replaceAll(/\n {2}validation \{[\s\S]*?\n {2}\}\n/g, "\n").replaceAll(/\n{2,}/g, "\n");

/** A difference is reviewed like code, then accepted by `npm test -- -u`; `hardening.test.ts` says what never changes. */
describe("What is synthesized", () => {
  it.each<[string, () => PortableStack]>([
    ["idp-serverless", serverlessStack],
    ["idp-kubernetes", kubernetesStack],
    ["assessment-lab", labStack],
  ])("for %s is as reviewed", (_name, stackOf) => {
    const stack = stackOf();
    const files = Object.entries(hclFilesOf(stack, stack.toTerraform(), {}));
    expect(files.map(([name, text]) => `### ${name}\n${reviewed(text)}`).join("\n")).toMatchSnapshot();
  });

  it.each([
    ["ServerlessIdentityProvider", () => literalServerless()],
    ["KubernetesIdentityProvider", literalKubernetes],
    ["AssessmentLab", literalLabWithEverything],
  ])("for a program that gives every prop of %s is as reviewed", (_name, terraform) => {
    const withoutRules = JSON.stringify(withoutMetadata(terraform()), (name, value: unknown) =>
      name.endsWith("_inputs") ? undefined : value,
    );
    expect(stringify(JSON.parse(withoutRules), { lineWidth: 0, sortMapEntries: true })).toMatchSnapshot();
  });
});
