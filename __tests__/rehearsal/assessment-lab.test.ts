import { App } from "cdktf";

import { LAB_STACK_NAME, labStack, labTerraform } from "../stacks/lab-stack";
import { describeWith, findProgram } from "../support/programs";
import { synthesizeInto } from "../support/synthesis";
import { ASSESSMENT_LAB } from "./assessment-lab";
import { inputCombinations } from "./input-matrix";
import { rehearse } from "./rehearsal";
import { failureParagraph } from "./rehearsal-report";

jest.setTimeout(120_000);

describeWith(["terraform", "curl", "jq"], "The rehearsal of the lab", () => {
  it("applies it, plans nothing more and destroys it without a rest", async () => {
    const { failure, steps } = await rehearse({
      folder: synthesizeInto(App.of(labStack()), LAB_STACK_NAME).path,
      program: findProgram("terraform") ?? "",
      rehearsal: ASSESSMENT_LAB,
      lifecycleOnly: true,
    });

    expect(failure && failureParagraph(LAB_STACK_NAME, failure)).toBeUndefined();
    expect(steps.map(({ step }) => step)).toEqual([
      ...["init", "validate", "plan", "apply", "plan again", "output", "destroy"],
    ]);
  });
});

describe("The matrix of the lab's inputs", () => {
  it("has every input, in at least 64 combinations", () => {
    const combinations = inputCombinations(ASSESSMENT_LAB);
    const given = new Set(combinations.flatMap((inputs) => Object.keys(inputs)));
    expect(combinations.length).toBeGreaterThanOrEqual(64);
    expect([...given].sort()).toEqual(Object.keys(labTerraform().variable ?? {}).sort());
  });

  it("has the network that exists wherever it is asked for", () => {
    const existing = inputCombinations(ASSESSMENT_LAB).filter(({ create_vpc: create }) => create === false);
    expect(existing.length).toBeGreaterThan(10);
    expect(existing.filter(({ deployment_id: id }) => id === null)).toEqual([]);
  });
});
