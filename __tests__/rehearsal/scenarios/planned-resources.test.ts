import { join } from "node:path";

import { createStacks } from "../../../stacks/all-stacks";
import { summary } from "../../../stacks/summary";
import { describeWith, findProgram } from "../../support/programs";
import { testApp } from "../../support/synthesis";
import { Deployment } from "../deployment/deployment";
import { REHEARSALS } from "./stacks";

const BACKEND = { type: "local" } as const;

describeWith(["terraform", "curl", "jq"], "What a synthesis counts", () => {
  it.each(Object.keys(REHEARSALS))("is what a first plan with the defaults adds: %s", async (name) => {
    const app = testApp();
    const stacks = await createStacks(app, { backend: BACKEND }, [name]);
    app.synth();
    const source = join(app.outdir, "stacks", name);
    const program = findProgram("terraform") ?? "";
    const deployment = await Deployment.start({ source, inputs: { project_id: "demo-project" }, program });
    try {
      await deployment.init();
      const { actions } = await deployment.plan();
      expect(new Set(actions.values())).toEqual(new Set(["create"]));
      expect(summary(app.outdir, stacks, BACKEND)).toContain(
        `${source}: ${actions.size} resources with the defaults; `,
      );
      // The hint looks for this to warn of a remote state.
      expect(JSON.parse(deployment.read(".terraform/terraform.tfstate") ?? "{}")).toMatchObject({
        backend: { type: "local" },
      });
    } finally {
      await deployment.stop();
    }
  });
});
