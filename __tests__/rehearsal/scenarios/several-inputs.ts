import { type Inputs } from "../deployment/deployment";
import { inputCombinations } from "../engine/input-matrix";
import { type Episode } from "../engine/stack-rehearsal";

/**
 * Features of a running deployment are switched off, several at once and with an update of what all of them run on: as
 * plans in which any two features meet in every combination of on and off, then all of them by an apply, and on again.
 *
 * @param features inputs with which the deployment begins, by feature
 * @param update inputs that change what the features run on
 */
export function severalInputs(features: Readonly<Record<string, Inputs>>, update: Inputs): Episode {
  const matrix = Object.fromEntries(Object.keys(features).map((name) => [name, [true, false]]));
  const combinations = inputCombinations({ inputs: {}, matrix });
  const offAll = Object.fromEntries(Object.keys(features).map((name) => [name, false]));

  return {
    name: "several inputs at once",
    play: async (deployment) => {
      const begun = deployment.inputs;
      const without = (chosen: Inputs): Inputs => {
        const off = Object.entries(features).filter(([name]) => chosen[name] === false);
        return { ...begun, ...Object.fromEntries(off.flatMap(([, inputs]) => Object.keys(inputs)).map(asUnset)) };
      };
      for (const chosen of combinations) {
        deployment.inputs = { ...without(chosen), ...update };
        await deployment.plan();
        deployment.requireNoLeaks("plan");
      }
      for (const inputs of [{ ...without(offAll), ...update }, begun]) {
        deployment.inputs = inputs;
        await deployment.applyAtOnce();
      }
    },
  };
}

const asUnset = (name: string): [string, undefined] => [name, undefined];
