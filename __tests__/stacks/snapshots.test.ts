import { stringify } from "yaml";

import { kubernetesTerraform } from "./kubernetes-stack";
import { labTerraform } from "./lab-stack";
import { literalKubernetes, literalLabWithEverything, literalServerless } from "./literal-programs";
import { serverlessTerraform, withoutMetadata } from "./serverless-stack";

/** A difference is reviewed like code, then accepted by `npm test -- -u`; `hardening.test.ts` says what never changes. */
describe("What is synthesized", () => {
  it.each([
    ["idp-serverless", serverlessTerraform],
    ["idp-kubernetes", kubernetesTerraform],
    ["assessment-lab", labTerraform],
    ["a program that gives every prop of ServerlessIdentityProvider", () => literalServerless()],
    ["a program that gives every prop of KubernetesIdentityProvider", literalKubernetes],
    ["a program that gives every prop of AssessmentLab", literalLabWithEverything],
  ])("for %s is as reviewed", (_name, terraform) => {
    expect(stringify(withoutMetadata(terraform()), { lineWidth: 0, sortMapEntries: true })).toMatchSnapshot();
  });
});
