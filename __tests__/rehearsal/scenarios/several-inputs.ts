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
  const unset = (inputs: Inputs): Inputs => Object.fromEntries(Object.keys(inputs).map((name) => [name, undefined]));
  const switches = Object.entries(features).map(([name, inputs]) => [name, [{}, unset(inputs)]] as const);
  const off = inputCombinations(Object.fromEntries(switches));
  const allOff = unset(Object.assign({}, ...Object.values(features)) as Inputs);

  return {
    name: "several inputs at once",
    play: async (deployment) => {
      const begun = deployment.inputs;
      for (const inputs of off) {
        deployment.inputs = { ...begun, ...inputs, ...update };
        await deployment.plan("-refresh=false");
        deployment.requireNoLeaks("plan");
      }
      for (const inputs of [{ ...begun, ...allOff, ...update }, begun]) {
        deployment.inputs = inputs;
        await deployment.applyAtOnce();
      }
    },
  };
}
