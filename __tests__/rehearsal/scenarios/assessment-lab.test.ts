import { App } from "cdktf";

import { LAB_STACK_NAME, labStack } from "../../stacks/lab-stack";
import { describeWith, findProgram } from "../../support/programs";
import { synthesizeInto } from "../../support/synthesis";
import { ASSESSMENT_LAB } from "./assessment-lab";
import { rehearse } from "../engine/rehearsal";
import { failureParagraph } from "../engine/rehearsal-report";

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
