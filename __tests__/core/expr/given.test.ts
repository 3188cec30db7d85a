import { TerraformVariable } from "cdktf";

import { givenValue } from "../../../lib/core/expr/given";
import { expression } from "../../../lib/core/expr/terraform-text";
import { bareStack } from "../../support/synthesis";

describe("A value from a caller", () => {
  it.each([
    ["a variable", "var.a", true],
    ["a call that makes a text", "lower(var.a)", false],
    ["a call that makes a text of texts", 'join("-", [lower(var.a), "x"])', false],
    ["a choice by such a call", 'startswith(var.b, "x") ? var.a : null', true],
    ["a choice by a comparison with such a call", 'lower(var.b) == "x" ? var.a : null', true],
    ["a conversion of a variable", "tostring(var.a)", true],
  ])("that is %s may be null: %#", (_, text, mayBeNull) => {
    const stack = bareStack();
    for (const name of ["a", "b"]) new TerraformVariable(stack, name, { type: "string" });
    expect(givenValue(stack, expression(text)).mayBeNull).toBe(mayBeNull);
  });
});
