import { type Inputs } from "./deployment";
import { type StackRehearsal } from "./stack-rehearsal";

/** One refused set of inputs: what it is, the inputs, and the whole text of what is said. */
export type RefusedInputs = NonNullable<StackRehearsal["refused"]>[number];

/** Variables of a configuration, as far as their rules are looked at. */
type Variables = Readonly<Record<string, { readonly validation?: unknown }>>;

/**
 * Refusals that can be shown by one plan: Terraform tells everything that is wrong at once.
 *
 * Together are only inputs whose rules do not look at each other, so that each is refused for itself alone.
 */
export function refusalBatches(refused: readonly RefusedInputs[], variables: Variables): RefusedInputs[] {
  const batches: RefusedInputs[] = [];
  for (const refusal of refused) {
    const index = batches.findIndex((batch) => areUnrelated(batch[1], refusal[1], variables));
    const batch = batches[index];
    if (batch === undefined) batches.push(refusal);
    else batches[index] = merged(batch, refusal);
  }
  return batches;
}

function merged(one: RefusedInputs, other: RefusedInputs): RefusedInputs {
  return [`${one[0]}; ${other[0]}`, { ...one[1], ...other[1] }, [...one[2], ...other[2]]];
}

function areUnrelated(one: Inputs, other: Inputs, variables: Variables): boolean {
  const others = reach(Object.keys(other), variables);
  return [...reach(Object.keys(one), variables)].every((name) => !others.has(name));
}

/** Inputs together with those that their rules look at, and those whose rules look at them. */
function reach(names: readonly string[], variables: Variables): Set<string> {
  const looked = names.flatMap((name) => lookedAt(variables[name]));
  const looking = Object.keys(variables).filter((name) =>
    lookedAt(variables[name]).some((other) => names.includes(other)),
  );
  return new Set([...names, ...looked, ...looking]);
}

function lookedAt(variable: Variables[string] | undefined): string[] {
  return [...JSON.stringify(variable?.validation ?? []).matchAll(/\bvar\.(\w+)/g)].map(([, name = ""]) => name);
}
