import { expression } from "../../lib/core/expression";
import { TerraformData, type TerraformDataProps } from "../../lib/core/terraform-data";
import { bareStack, resourceOf, terraformOf } from "../support/synthesis";

const blockOf = (props: TerraformDataProps) => {
  const stack = bareStack();
  new TerraformData(stack, "Data", props);
  return resourceOf(terraformOf(stack), "terraform_data", "data");
};

describe("TerraformData", () => {
  it("keeps values and is replaced by others, under the caller's own keys", () => {
    expect(blockOf({ input: { fileName: "a" }, triggersReplace: { IMAGE_tag: expression("var.tag") } })).toEqual({
      input: { fileName: "a" },
      triggers_replace: { IMAGE_tag: "${var.tag}" },
    });
  });

  it("accepts the arguments of every resource", () => {
    const provisioners = [{ type: "local-exec", command: "true" } as const];
    expect(blockOf({ count: 2, provisioners, lifecycle: { createBeforeDestroy: true } })).toEqual({
      count: 2,
      provisioner: [{ "local-exec": { command: "true" } }],
      lifecycle: { create_before_destroy: true },
    });
  });

  it("exposes its values by reference, so that readers wait for it", () => {
    const stack = bareStack();
    const first = new TerraformData(stack, "First", { triggersReplace: { a: "b" } });
    new TerraformData(stack, "Second", { input: { copy: first.values } });
    expect(resourceOf(terraformOf(stack), "terraform_data", "second").input).toEqual({
      copy: "${terraform_data.first.triggers_replace}",
    });
  });
});
