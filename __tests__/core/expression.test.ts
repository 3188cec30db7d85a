import { TerraformLocal } from "cdktf";

import { countIf } from "../../lib/core/conditional";
import { expression, literal } from "../../lib/core/expression";
import { describeWith } from "../support/programs";
import { fc } from "../support/seeded-cases";
import { bareStack, terraformOf } from "../support/synthesis";
import { evaluated } from "../stacks/terraform-run";

const localsOf = (values: Readonly<Record<string, unknown>>) => {
  const stack = bareStack();
  for (const [name, value] of Object.entries(values)) new TerraformLocal(stack, name, value);
  return terraformOf(stack);
};

/** Texts with many template markers. */
const templateText = fc
  .array(fc.constantFrom("$", "%", "{", "}", "~", "\\", '"', "\n", "a", "${", "%{", "$${", "%%{"), { maxLength: 12 })
  .map((parts) => parts.join(""));

describe("countIf", () => {
  it("does not change a resource without a condition", () => {
    expect(countIf(undefined)).toBeUndefined();
  });
});

describe("literal", () => {
  it.each([
    ["${var.x}", "$${var.x}"],
    ["%{ if x }", "%%{ if x }"],
    ["$5, $FOO, $(cmd), 100 %", "$5, $FOO, $(cmd), 100 %"],
    ["$${x}", "$$${x}"],
  ])("takes the meaning from the markers of a template: %s", (text, escaped) => {
    expect(literal(text)).toBe(escaped);
  });

  it("leaves no marker that starts a template, and loses nothing", () => {
    fc.assert(
      fc.property(templateText, (text) => {
        const escaped = literal(text);
        expect(escaped).not.toMatch(/(?<!\$)\$\{|(?<!%)%\{/);
        expect(escaped.replaceAll("$${", "${").replaceAll("%%{", "%{")).toBe(text);
      }),
    );
  });

  it("does not escape text with a reference", () => {
    const reference = expression("var.x");
    expect(literal(reference)).toBe(reference);
    expect(literal(`prefix ${reference} suffix`)).toBe(`prefix ${reference} suffix`);
  });
});

describeWith(["terraform"], "Terraform", () => {
  it("evaluates a literal to its original text", () => {
    const texts = Object.fromEntries(
      fc.sample(templateText, { numRuns: 300, seed: 7 }).map((text, index) => [`text_${index}`, text]),
    );
    const escaped = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, literal(text)]));
    expect(evaluated(localsOf(escaped))).toEqual(texts);
  });
});
