import { ComputeNetwork } from "@cdktf/provider-google/lib/compute-network";
import { TerraformLocal } from "cdktf";

import { InputVariable } from "../../lib/core/input-variable";
import { ifSet, isSet, isUnset, valueOr } from "../../lib/core/conditional";
import { expression } from "../../lib/core/expression";
import { bareStack, terraformOf, type BareStack } from "../support/synthesis";

const inputOf = (stack: BareStack) =>
  new InputVariable(stack, "domain", { type: "string", default: null, description: "A domain." }).stringValue;

const valuesOf = (build: (input: string) => Record<string, string>) => {
  const stack = bareStack();
  for (const [name, value] of Object.entries(build(inputOf(stack)))) new TerraformLocal(stack, name, value);
  return terraformOf(stack).locals;
};

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
});

it("treats an attribute of a resource as set, because its value is unknown before an apply", () => {
  const stack = bareStack();
  const network = new ComputeNetwork(stack, "Vpc", { name: "vpc" });
  expect([isSet(network.id), isUnset(network.id)]).toEqual(["true", "false"]);
});
