import { type Deployment, type Inputs } from "../deployment/deployment";
import { type StackRehearsal } from "./stack-rehearsal";
import { StepFailure } from "../deployment/steps";

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

/** Fails unless a plan is refused with all of the texts. */
export async function requireRefusal(
  deployment: Deployment,
  behaviour: string,
  texts: readonly string[],
  isOpenTofu = false,
): Promise<void> {
  const { output } = await deployment.refuse(behaviour, ["plan", "-input=false"]);
  // Lines are broken anywhere between words.
  const flat = output.replace(/\s+/g, " ");
  const isShown = (text: string) => flat.includes(text.replace(/\s+/g, " "));
  // OpenTofu stops at the first broken rule of an input.
  const isExcused = (text: string) =>
    isOpenTofu && texts.some((other) => inputOf(other) === inputOf(text) && isShown(other));
  const missing = texts.filter((text) => !isShown(text) && !isExcused(text));
  if (missing.length > 0) throw new StepFailure(behaviour, `expected "${missing.join('", "')}" in:\n${output}`);
}

/** Every text about an input begins with its name. */
function inputOf(text: string): string | undefined {
  return text.split(" ")[0];
}
