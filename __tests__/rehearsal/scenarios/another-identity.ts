import { APPLY_AT_ONCE, type Deployment, type Inputs } from "../deployment/deployment";
import { requireActions, StepFailure } from "../deployment/steps";
import { type Episode } from "../engine/stack-rehearsal";

const PLAN = ["plan", "-input=false"];

/**
 * What makes a protected deployment what it is does not change, neither alone nor with the end of its protection: nothing
 * is lost, and the former inputs change nothing.
 *
 * @param parts other values of inputs that are refused by name at plan
 * @param planned those of them that a plan takes if it also ends the protection, so that its apply is refused
 * @param given inputs that can be given, but not taken away: an apply refuses this before anything else
 */
export function anotherIdentity(parts: Inputs, planned: Inputs, given?: Inputs): Episode {
  return {
    name: "another identity",
    play: async (deployment) => {
      const begun = deployment.inputs;
      const messages = Object.entries(parts).map(
        ([name, value]) => `${name} is "${String(value)}", but the protected deployment has`,
      );
      await requireRefused(deployment, { ...begun, ...parts }, PLAN, messages);
      await requireUnchanged(deployment, begun);
      const unprotected = { ...begun, ...planned, deletion_protection: false };
      await requireRefused(deployment, unprotected, APPLY_AT_ONCE, ["nothing is deleted"]);
      await requireUnchanged(deployment, begun);

      if (given === undefined) return;
      const [name = ""] = Object.keys(given);
      deployment.inputs = { ...begun, ...given };
      await deployment.applyAtOnce();
      await requireRefused(deployment, begun, APPLY_AT_ONCE, [`${name} cannot be taken away`]);
      await requireUnchanged(deployment, { ...begun, ...given });
    },
  };
}

/** Fails unless the command is refused with these messages, and everything is still there. */
async function requireRefused(
  deployment: Deployment,
  inputs: Inputs,
  command: readonly string[],
  messages: readonly string[],
): Promise<void> {
  const { cloud } = deployment;
  const before = [...cloud.objects.keys()];
  deployment.inputs = inputs;
  await deployment.refuse(command, ...messages);
  const gone = before.filter((key) => !cloud.objects.has(key));
  if (gone.length > 0) throw new StepFailure(command.join(" "), `these are gone: ${gone.join(", ")}`);
}

/** Fails if an apply would do anything but set outputs back, which a refused one may have changed in the state. */
async function requireUnchanged(deployment: Deployment, inputs: Inputs): Promise<void> {
  deployment.inputs = inputs;
  const plan = await deployment.plan();
  requireActions("plan with the former inputs", plan, {});
  await deployment.apply(plan);
}
