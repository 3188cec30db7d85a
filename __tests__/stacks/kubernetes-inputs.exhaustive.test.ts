import { describeWith } from "../support/programs";
import { kubernetesTerraform } from "./kubernetes-stack";
import { REFUSED_ALONE_BY_KUBERNETES, REFUSED_TOGETHER_BY_KUBERNETES } from "./refused-kubernetes-inputs";
import { ACCEPTED_SETS_OF_KUBERNETES } from "./accepted-inputs";
import { testInputs } from "./judged-inputs";
import { refusalsOfFile } from "./terraform-run";

const PROJECT = { project_id: "demo-project" };

describeWith(["terraform"], "The inputs of the Kubernetes stack, judged by Terraform", () => {
  const variables = () => kubernetesTerraform().variable ?? {};

  testInputs({
    variables,
    required: PROJECT,
    alone: REFUSED_ALONE_BY_KUBERNETES,
    together: REFUSED_TOGETHER_BY_KUBERNETES,
    accepted: ACCEPTED_SETS_OF_KUBERNETES,
  });

  it("name everything that is wrong in one plan, from a file of inputs", () => {
    const inputs = { namespace: "default", domain: "login", min_instance_count: 0, authorized_networks: { no: "x" } };
    expect(refusalsOfFile(variables(), { ...PROJECT, ...inputs }).map((text) => text.split(";")[0])).toEqual([
      "authorized_networks has no = x",
      'domain is "login"',
      "min_instance_count is 0",
      'namespace is "default"',
    ]);
  });
});
