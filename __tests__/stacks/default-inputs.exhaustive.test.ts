import { describeWith } from "../support/programs";
import { kubernetesTerraform } from "./kubernetes-stack";
import { labTerraform } from "./lab-stack";
import { serverlessTerraform } from "./serverless-stack";
import { refusalsOfFile } from "./terraform-run";

const STACKS = {
  "assessment-lab": labTerraform,
  "idp-kubernetes": kubernetesTerraform,
  "idp-serverless": serverlessTerraform,
};

describeWith(["terraform"], "The rules of the inputs, read by Terraform", () => {
  it.each(Object.entries(STACKS))("let every default of %s pass", (_name, terraform) => {
    expect(refusalsOfFile(terraform().variable ?? {}, { project_id: "demo-project" })).toEqual([]);
  });
});
