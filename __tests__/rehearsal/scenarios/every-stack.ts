import { type Inputs } from "../deployment/deployment";
import { type Action } from "../deployment/steps";
import { type ChangeScenario } from "../engine/journey";

/** The same action for each address. */
export const all = (action: Action, addresses: readonly string[]): Record<string, Action> =>
  Object.fromEntries(addresses.map((address) => [address, action]));

export const withInputs =
  (inputs: Inputs): ChangeScenario["change"] =>
  (deployment) => {
    deployment.inputs = { ...deployment.inputs, ...inputs };
  };

export const edited =
  (path: string): ChangeScenario["change"] =>
  (deployment) =>
    deployment.edit(path, (text) => `${text}# edited\n`);

/** Changes that one apply makes together. */
function combined(...changes: readonly ChangeScenario[]): ChangeScenario {
  const expected: Record<string, Action> = {};
  for (const [address, action] of changes.flatMap((change) => Object.entries(change.expected))) {
    if ((expected[address] ?? action) !== action) throw new Error(`${address} would have two actions`);
    expected[address] = action;
  }
  return {
    name: changes.map(({ name }) => name).join("; "),
    change: (deployment) => changes.forEach(({ change }) => change?.(deployment)),
    expected,
    verify: (deployment) => changes.forEach(({ verify }) => verify?.(deployment)),
  };
}

/** Courses of changes that do not depend on each other: each apply takes the next step of all. */
export const sideBySide = (...courses: readonly (readonly ChangeScenario[])[]): readonly ChangeScenario[] =>
  Array.from({ length: Math.max(...courses.map(({ length }) => length)) }, (_, index) =>
    combined(...courses.flatMap((course) => course[index] ?? [])),
  );
