import { App } from "cdktf";

import { describeWith } from "../support/programs";
import { synthesizeInto, type SynthesizedFolder, type Terraform } from "../support/synthesis";
import { KUBERNETES_STACK_NAME, kubernetesStack } from "./kubernetes-stack";
import { LAB_STACK_NAME, labStack } from "./lab-stack";
import { serverlessStack, STACK_NAME } from "./serverless-stack";
import { refusalsOfFile } from "./terraform-run";

const FOLDERS: Readonly<Record<string, () => SynthesizedFolder>> = {
  [STACK_NAME]: () => synthesizeInto(App.of(serverlessStack()), STACK_NAME),
  [KUBERNETES_STACK_NAME]: () => synthesizeInto(App.of(kubernetesStack()), KUBERNETES_STACK_NAME),
  [LAB_STACK_NAME]: () => synthesizeInto(App.of(labStack()), LAB_STACK_NAME),
};

describeWith(["terraform"], "The example of inputs in a folder", () => {
  it.each(Object.keys(FOLDERS))("is read by Terraform as it is, and with every comment that is a value: %s", (name) => {
    const folder = FOLDERS[name]?.();
    const { variable = {} } = JSON.parse(folder?.read("cdk.tf.json") ?? "{}") as Pick<Terraform, "variable">;
    const example = folder?.read("terraform.tfvars.example") ?? "";
    const everything = example.replaceAll(/^#(?=\S)/gm, "");
    expect(everything.match(/^\w+ = /gm)).toHaveLength(Object.keys(variable).length);
    for (const text of [example, everything]) expect(refusalsOfFile(variable, text)).toEqual([]);
    expect(refusalsOfFile(variable, example.replace("my-project", "My Project"))).toEqual([
      expect.stringContaining('project_id is "My Project"'),
    ]);
  });
});
