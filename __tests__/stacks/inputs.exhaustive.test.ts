import { describeWith } from "../support/programs";
import {
  BOOTSTRAP_PASSWORD_TEXT,
  connectionsText,
  HOST_PROJECT_NETWORK,
  REFUSED_ALONE,
  REFUSED_TOGETHER,
  ruleText,
  togetherText,
} from "./refused-inputs";
import { serverlessTerraform } from "./serverless-stack";
import { ACCEPTED_SETS } from "./accepted-inputs";
import { testInputs } from "./judged-inputs";
import { refusalsOfFile } from "./terraform-run";

const PROJECT = { project_id: "demo-project" };

describeWith(["terraform"], "The inputs of the serverless stack, judged by Terraform", () => {
  const variables = () => serverlessTerraform().variable ?? {};

  testInputs({
    variables,
    required: PROJECT,
    alone: REFUSED_ALONE,
    together: REFUSED_TOGETHER,
    accepted: ACCEPTED_SETS,
  });

  it("name everything that is wrong in one plan, from a file of inputs", () => {
    expect(
      refusalsOfFile(variables(), {
        project_id: "My Project",
        tenant_id: "Acme",
        application_version: "2025.8.1",
        max_instance_count: 5,
        bootstrap_password: "short",
        network: HOST_PROJECT_NETWORK,
      }),
    ).toEqual([
      ruleText("application_version", "2025.8.1"),
      BOOTSTRAP_PASSWORD_TEXT,
      connectionsText(5, 384),
      togetherText(HOST_PROJECT_NETWORK, null),
      ruleText("project_id", "My Project"),
      ruleText("tenant_id", "Acme"),
    ]);
  });

  it("ask for the project when nobody names it", () => {
    expect(refusalsOfFile(variables(), {})).toEqual([
      expect.stringContaining('input variable "project_id" is not set, and has no default value.'),
    ]);
  });

  it("treat null as not given", () => {
    expect(refusalsOfFile(variables(), { ...PROJECT, region: null, labels: null })).toEqual([]);
  });
});
