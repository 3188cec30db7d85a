import { type Deployment, type Inputs } from "../deployment/deployment";
import { type StackRehearsal } from "./stack-rehearsal";
import { StepFailure } from "../deployment/steps";

/** One refused set of inputs: the behaviour, the inputs and the complete messages. */
export type RefusedInputs = NonNullable<StackRehearsal["refused"]>[number];

/** Variables of a configuration, with their validation rules. */
type Variables = Readonly<Record<string, { readonly validation?: readonly Rule[] }>>;

interface Rule {
  readonly error_message: string;
}

export function variablesOf(configuration: string): Variables {
  return (JSON.parse(configuration) as { readonly variable?: Variables }).variable ?? {};
}

/** A configuration of nothing but the variables of this one. */
export function inputsAlone(configuration: string): string {
  return JSON.stringify({ variable: variablesOf(configuration) });
}

/**
 * Groups refusals that one plan can show, because Terraform reports all problems at once.
 *
 * A batch contains only inputs whose rules do not refer to each other, so that each is refused for its own reason.
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

/** The inputs, those that their rules refer to, and those whose rules refer to them. */
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

/** Fails unless a plan is refused with all of the messages; for OpenTofu, the rules of the variables are needed. */
export async function requireRefusal(
  deployment: Pick<Deployment, "refuse">,
  behaviour: string,
  texts: readonly string[],
  openTofu?: Variables,
): Promise<void> {
  const { output } = await deployment.refuse(behaviour, ["plan", "-input=false"]);
  // Lines may break between any two words.
  const flat = output.replace(/\s+/g, " ");
  const isShown = (text: string) => flat.includes(text.replace(/\s+/g, " "));
  // OpenTofu stops at the first violated rule of a variable.
  const isExcused = (text: string) =>
    openTofu !== undefined &&
    texts.some((other) => ownerOf(other, openTofu) === ownerOf(text, openTofu) && isShown(other));
  const missing = texts.filter((text) => !isShown(text) && !isExcused(text));
  if (missing.length > 0) throw new StepFailure(behaviour, `expected "${missing.join('", "')}" in:\n${output}`);
}

/** The variable whose rule gives a message: not always the one that the message begins with. */
function ownerOf(text: string, variables: Variables): string | undefined {
  return Object.keys(variables).find((name) => variables[name]?.validation?.some((rule) => gives(rule, text)));
}

function gives({ error_message: message }: Rule, text: string): boolean {
  const [start = ""] = message.split("${");
  return text.startsWith(start) && text.endsWith(message.slice(message.lastIndexOf("}") + 1));
}
