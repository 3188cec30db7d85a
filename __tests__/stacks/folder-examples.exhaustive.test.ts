import { App } from "cdktf";

import { describeWith } from "../support/programs";
import { synthesizeInto, type Terraform } from "../support/synthesis";
import { refusalsOfFile } from "./terraform-run";
import { STACKS } from "./variants";

describeWith(["terraform"], "The example of inputs in a folder", () => {
  it.each(STACKS)("is read by Terraform as it is, and with every comment that is a value: $name", ({ name, stack }) => {
    const folder = synthesizeInto(App.of(stack()), name);
    const terraform = JSON.parse(folder.read("cdk.tf.json")) as Pick<Terraform, "locals" | "variable">;
    const example = folder.read("terraform.tfvars.example");
    const everything = example.replaceAll(/^#(?=\S)/gm, "");
    expect(everything.match(/^\w+ = /gm)).toHaveLength(Object.keys(terraform.variable ?? {}).length);
    for (const text of [example, everything]) expect(refusalsOfFile(terraform, text)).toEqual([]);
    expect(refusalsOfFile(terraform, example.replace("my-project", "My Project"))).toEqual([
      expect.stringContaining('project_id is "My Project"'),
    ]);
  });
});
