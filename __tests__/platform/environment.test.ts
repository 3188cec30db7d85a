import { CloudRunV2Job } from "@cdktf/provider-google/lib/cloud-run-v2-job";
import { type IResolvable } from "cdktf";

import { type DynamicBlock } from "../../lib/core/expr/blocks";
import { expression } from "../../lib/core/expr/terraform-text";
import { InputVariable } from "../../lib/core/inputs/input-variable";
import { type EnvironmentSpec } from "../../lib/idp/container-spec";
import { addEntries } from "../../lib/platform/environment";
import { valueAt } from "../stacks/configuration-graph";
import { evaluated } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { fc } from "../support/seeded-cases";
import { type BareStack, bareStack, type Block, resourceOf, terraformOf } from "../support/synthesis";

/** The values of the dynamic block, and the locals. */
const environmentOf = (environment: EnvironmentSpec, stack: BareStack = bareStack(), further?: DynamicBlock) => {
  const job = new CloudRunV2Job(stack, "Job", {
    name: "job",
    location: "us-central1",
    template: { template: { containers: [{ image: "image" }] } },
  });
  addEntries(job, "template.template.containers.0", environment, { further });
  const terraform = terraformOf(stack);
  const container = valueAt(
    resourceOf(terraform, "google_cloud_run_v2_job", "job"),
    "template.template.containers.0",
  ) as Block;
  return {
    terraform,
    forEach: valueAt(container, further === undefined ? "dynamic.env.for_each" : "dynamic.env.0.for_each"),
  };
};

const inputMap = (stack: BareStack) =>
  new InputVariable(stack, "variables", { type: "map(string)", default: {}, description: "Variables." });

const markers = fc.constantFrom("$", "%", "{", "}", "${", "%{", '"', "\\", "\n", "x", " ");
const texts = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.array(markers, { maxLength: 6 }).map((parts) => parts.join("")),
);

describeWith(["terraform"], "The plain variables of a container, read by Terraform", () => {
  const hard = ["${not.an.expression} and $${neither} and $$${ and ${", "%{if false}hidden%{endif} and 100%% and %{"];
  const values = [...hard, ...fc.sample(texts, { numRuns: 60, seed: 7 })].map((value) =>
    // Terraform normalizes all strings to NFC.
    value.normalize("NFC"),
  );
  const layer = (prefix: string) => Object.fromEntries(values.map((value, index) => [`${prefix}_${index}`, value]));

  it("arrive as they were given, as literals and through an input", () => {
    const stack = bareStack();
    const layered = { baseline: layer("BASE"), required: layer("MUST") };
    const throughInput = environmentOf({ ...layered, overrides: inputMap(stack).value as IResolvable }, stack);
    const literal = environmentOf({ ...layered, overrides: layer("CALLER") });
    const computed = evaluated({
      variable: { variables: { type: "map(string)", default: layer("CALLER") } },
      locals: { ...throughInput.terraform.locals, merged: throughInput.forEach, literal: literal.forEach },
    });
    const expected = { ...layer("BASE"), ...layer("CALLER"), ...layer("MUST") };
    expect(computed.literal).toEqual(expected);
    expect(computed.merged).toEqual(expected);
  });

  it.each(["literals", "an input"])(
    "override each other in order, and give way to secrets of the same name, as %s",
    (way) => {
      const stack = bareStack();
      const caller = { A: "caller", B: "caller", E: "caller" };
      const overrides = way === "literals" ? caller : (inputMap(stack).value as IResolvable);
      const secrets = { forEach: expression("local.secrets"), content: {} };
      const spec = {
        baseline: { A: "baseline", C: "baseline", D: "baseline" },
        overrides,
        required: { E: "required" },
      };
      const { forEach, terraform } = environmentOf(spec, stack, secrets);
      const computed = evaluated({
        variable: { variables: { type: "map(string)", default: caller } },
        locals: { ...terraform.locals, secrets: { B: { version: "1" }, C: { version: "2" } }, plain: forEach },
      });
      expect(computed.plain).toEqual({ A: "caller", D: "baseline", E: "required" });
    },
  );
});
