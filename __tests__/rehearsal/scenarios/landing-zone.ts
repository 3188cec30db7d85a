import { readFileSync } from "node:fs";

import { packageFile } from "../../../lib/core/package-file";
import { APPLY_AT_ONCE, type Inputs } from "../deployment/deployment";
import { StepFailure } from "../deployment/steps";
import { type Episode } from "../engine/stack-rehearsal";
import { CLASSIC, policiesOf, STRICT } from "../project/organization-policies";

/** Each set of constraints with the example that lives under it. */
const LANDING_ZONES = { "landing-zone": CLASSIC, hardened: STRICT } as const;

/**
 * The examples of a stack are applied from nothing in organizations that enforce these constraints, apart from those for which
 * the guide says that only an exemption helps.
 *
 * @param exempt constraints from which the project is exempt
 */
export function landingZones(stack: string, exempt: readonly string[]): Episode {
  return {
    name: "landing zones",
    fromNothing: true,
    play: async (deployment) => {
      const { cloud, inputs } = deployment;
      cloud.others.add("google_compute_network projects/shared/global/networks/main");
      for (const [example, constraints] of Object.entries(LANDING_ZONES)) {
        cloud.policies.push(...policiesOf(constraints.filter((name) => !exempt.includes(name))));
        // The defaults are what they refuse.
        deployment.inputs = { project_id: inputs.project_id, deletion_protection: false };
        if (example !== "hardened") await deployment.refuse(APPLY_AT_ONCE, "onstraint");
        const path = packageFile(`stacks/examples/${example}/${stack}.tfvars.json`);
        const given = JSON.parse(readFileSync(path, "utf8")) as Inputs;
        deployment.inputs = { ...deployment.inputs, ...given };
        await deployment.applyAtOnce();
        await deployment.requireEmptyPlan(`${example}: second plan`);
        if (example === "hardened") return;
        await deployment.applyAtOnce("-destroy");
        const left = [...cloud.objects.keys()];
        if (left.length > 0) throw new StepFailure("destroy", `the project still has ${left.join(", ")}`);
      }
    },
  };
}
