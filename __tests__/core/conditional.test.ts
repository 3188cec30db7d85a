import { ComputeNetwork } from "@cdktf/provider-google/lib/compute-network";
import { TerraformLocal } from "cdktf";

import { InputVariable } from "../../lib/core/input-variable";
import {
  countIfSet,
  countIfUnset,
  ifSet,
  isSet,
  isUnset,
  listIf,
  oneAttribute,
  valueOr,
} from "../../lib/core/conditional";
import { expression } from "../../lib/core/expression";
import { TerraformData } from "../../lib/core/terraform-data";
import { bareStack, resourceOf, terraformOf, type BareStack } from "../support/synthesis";

const inputOf = (stack: BareStack) =>
  new InputVariable(stack, "domain", { type: "string", default: null, description: "A domain." }).stringValue;

const valuesOf = (build: (input: string) => Record<string, string>) => {
  const stack = bareStack();
  for (const [name, value] of Object.entries(build(inputOf(stack)))) new TerraformLocal(stack, name, value);
  return terraformOf(stack).locals;
};

const countOf = (build: (input: string) => ReturnType<typeof countIfSet>) => {
  const stack = bareStack();
  new TerraformData(stack, "Data", { count: build(inputOf(stack)) });
  return resourceOf(terraformOf(stack), "terraform_data", "data").count;
};

describe("A resource that needs a value", () => {
  it("always exists when the value is a literal, and never when it is omitted", () => {
    expect(countOf(() => countIfSet("a.example"))).toBeUndefined();
    expect(countOf(() => countIfSet(undefined))).toBe("${(false) ? 1 : 0}");
  });

  it("exists as the input decides at plan", () => {
    expect(countOf((input) => countIfSet(input))).toBe("${(var.domain != null) ? 1 : 0}");
  });
});

describe("A resource that stands in for a missing value", () => {
  it("never exists when the value is a literal, and always when it is omitted", () => {
    expect(countOf(() => countIfUnset("a.example"))).toBe("${(false) ? 1 : 0}");
    expect(countOf(() => countIfUnset(undefined))).toBeUndefined();
  });

  it("exists as the input decides at plan", () => {
    expect(countOf((input) => countIfUnset(input))).toBe("${(var.domain == null) ? 1 : 0}");
  });
});

describe("An optional value", () => {
  it("decides at synth when it is known there", () => {
    expect(
      valuesOf(() => ({
        given: ifSet("a.example", '"yes"', '"no"'),
        absent: ifSet(undefined, '"yes"', '"no"'),
        itself: valueOr("a.example", '"no"'),
        replaced: valueOr(undefined, '"no"'),
        is_given: isSet("a.example"),
        is_absent: isSet(undefined),
        is_not_missing: isUnset("a.example"),
        is_missing: isUnset(undefined),
      })),
    ).toEqual({
      given: '${"yes"}',
      absent: '${"no"}',
      itself: "a.example",
      replaced: '${"no"}',
      is_given: "true",
      is_absent: "false",
      is_not_missing: "false",
      is_missing: "true",
    });
  });

  it("decides at plan when it is an input, also within other expressions", () => {
    expect(
      valuesOf((input) => ({
        chosen: ifSet(input, '"yes"', '"no"'),
        filled: valueOr(input, '"no"'),
        nested: expression(`upper(${valueOr(input, '"no"')})`),
        text: `--given=${isSet(input)} --missing=${isUnset(input)}`,
      })),
    ).toEqual({
      chosen: '${(var.domain != null ? "yes" : "no")}',
      filled: '${(var.domain != null ? var.domain : "no")}',
      text: "--given=${var.domain != null} --missing=${var.domain == null}",
      nested: '${upper((var.domain != null ? var.domain : "no"))}',
    });
  });

  it("is read from a resource that may not exist", () => {
    const stack = bareStack();
    const data = new TerraformData(stack, "Data", {});
    new TerraformLocal(stack, "id", expression(oneAttribute(data, "id")));
    expect(terraformOf(stack).locals).toEqual({ id: "${one(terraform_data.data[*].id)}" });
  });
});

describe("A block that may be missing", () => {
  it("exists, or not, as is known at synth", () => {
    expect(valuesOf(() => ({ there: listIf("true", "1"), missing: listIf("false", "1") }))).toEqual({
      there: "${[1]}",
      missing: "${[]}",
    });
  });

  it("exists as the input decides at plan", () => {
    expect(valuesOf((input) => ({ found: listIf(isSet(input), "1") }))).toEqual({
      found: "${(var.domain != null ? [1] : [])}",
    });
  });
});

it("treats an attribute of a resource as set, because its value is unknown before an apply", () => {
  const stack = bareStack();
  const network = new ComputeNetwork(stack, "Vpc", { name: "vpc" });
  expect([isSet(network.id), isUnset(network.id)]).toEqual(["true", "false"]);
});
