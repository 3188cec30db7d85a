import { TerraformLocal } from "cdktf";

import { escaped, expression } from "../../../lib/core/expr/terraform-text";
import { evaluated } from "../../stacks/terraform-run";
import { describeWith } from "../../support/programs";
import { fc } from "../../support/seeded-cases";
import { bareStack, terraformOf } from "../../support/synthesis";

/** Texts with many template markers. */
const templateText = fc
  .array(fc.constantFrom("$", "%", "{", "}", "~", "\\", '"', "\n", "a", "${", "%{", "$${", "%%{"), { maxLength: 12 })
  .map((parts) => parts.join(""));

describe("A literal", () => {
  it("with a reference is not escaped", () => {
    const text = `prefix ${expression("var.x")} suffix`;
    expect(escaped(text)).toBe(text);
  });
});

describeWith(["terraform"], "A literal, read by Terraform", () => {
  it("is its original text", () => {
    const texts = Object.fromEntries(
      fc.sample(templateText, { numRuns: 300, seed: 7 }).map((text, index) => [`text_${index}`, text]),
    );
    const stack = bareStack();
    for (const [name, text] of Object.entries(texts)) new TerraformLocal(stack, name, escaped(text));
    expect(evaluated(terraformOf(stack))).toEqual(texts);
  });
});
