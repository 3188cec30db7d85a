import { type Inputs } from "../deployment/deployment";
import { type StackRehearsal } from "./stack-rehearsal";

/** Values of an input, from the first, that change what exists; the others change only amounts and forms. */
const STRUCTURAL_VALUES = 2;

/**
 * Few sets of inputs in which every value occurs, and any two of the structural values of any two inputs meet at least
 * once, unless that is refused. Each set costs an apply, so there are no more than the pairs need.
 */
export function inputCombinations(rehearsal: StackRehearsal): Inputs[] {
  const { completed = asGiven, isAllowed = () => true, matrix = {} } = rehearsal;
  return pairwise(matrix, isAllowed).map((inputs) => asChosen(inputs, completed(inputs)));
}

/** Completed inputs, in which every value is still the one that was chosen: a pair of values would be lost with it. */
function asChosen(chosen: Inputs, inputs: Inputs): Inputs {
  // Null may be left out.
  const other = Object.keys(chosen).filter((name) => (inputs[name] ?? null) !== chosen[name]);
  if (other.length === 0) return inputs;
  const list = other.map((name) => `${name} from ${JSON.stringify(chosen[name])} to ${JSON.stringify(inputs[name])}`);
  throw new Error(`completing a combination turns ${list.join(", ")}; isAllowed must exclude what cannot be`);
}

const asGiven = (inputs: Inputs): Inputs => inputs;

type Matrix = NonNullable<StackRehearsal["matrix"]>;
type IsAllowed = NonNullable<StackRehearsal["isAllowed"]>;

/** One value of one input. */
interface Choice {
  readonly name: string;
  readonly value: unknown;
  readonly isStructural: boolean;
  /** What it has not met yet. */
  readonly unmet: Set<Choice>;
}

function pairwise(matrix: Matrix, isAllowed: IsAllowed): Inputs[] {
  // Inputs with many values need the most combinations, so they are chosen first where choices are equally good.
  const choices = Object.entries(matrix)
    .sort(([, some], [, others]) => others.length - some.length)
    .flatMap(([name, values]) =>
      values.map((value, index): Choice => {
        return { name, value, isStructural: index < STRUCTURAL_VALUES, unmet: new Set() };
      }),
    );
  for (const one of choices) {
    // Itself, so that a value is in some combination even if it has nothing to meet.
    if (isAllowed(inputsOf([one]))) one.unmet.add(one);
    if (!one.isStructural) continue;
    for (const other of choices.filter(({ isStructural, name }) => isStructural && name !== one.name))
      if (isAllowed(inputsOf([one, other]))) one.unmet.add(other);
  }
  const combinations: Inputs[] = [];
  for (;;) {
    const [pair] = choices.flatMap((one) => [...one.unmet].map((other) => [...new Set([one, other])]));
    if (pair === undefined) return combinations;
    const chosen = filledUp(pair, choices, isAllowed);
    if (chosen === undefined) throw new Error(`no combination can have ${JSON.stringify(inputsOf(pair))}`);
    for (const one of chosen) for (const other of chosen) one.unmet.delete(other);
    combinations.push(Object.fromEntries(Object.keys(matrix).map((name) => [name, inputsOf(chosen)[name]])));
  }
}

/** Adds a value of every other input, each time the one that meets most for the first time; undefined if none fits. */
function filledUp(chosen: readonly Choice[], choices: readonly Choice[], isAllowed: IsAllowed): Choice[] | undefined {
  const names = new Set(chosen.map(({ name }) => name));
  const others = choices.filter(({ name }) => !names.has(name));
  if (others.length === 0) return [...chosen];
  const open = others
    .filter((choice) => isAllowed(inputsOf([...chosen, choice])))
    .map((choice) => ({ choice, gain: chosen.filter((one) => one.unmet.has(choice)).length }))
    .sort((one, other) => other.gain - one.gain || other.choice.unmet.size - one.choice.unmet.size)
    .map(({ choice }) => choice);
  // An input without a value that fits would be found out only after all combinations of the others.
  if (others.some(({ name }) => open.every((choice) => choice.name !== name))) return undefined;
  for (const choice of open.filter(({ name }) => name === open[0]?.name)) {
    const filled = filledUp([...chosen, choice], choices, isAllowed);
    if (filled !== undefined) return filled;
  }
  return undefined;
}

function inputsOf(choices: readonly Choice[]): Inputs {
  return Object.fromEntries(choices.map(({ name, value }) => [name, value]));
}
