import { type Inputs } from "../deployment/deployment";
import { type StackRehearsal } from "./stack-rehearsal";

/** The minimum number of combinations for a meaningful result. */
const LEAST_COMBINATIONS = 64;

/** Pairwise combinations: any two values of any two inputs occur together at least once, unless that is refused. */
export function inputCombinations(rehearsal: StackRehearsal): Inputs[] {
  const { completed = asGiven, isAllowed = () => true, matrix } = rehearsal;
  if (matrix === undefined) return [];
  const covering = coveringCombinations(matrix, isAllowed);
  const further = rotated(matrix, isAllowed, covering).slice(0, Math.max(0, LEAST_COMBINATIONS - covering.length));
  return [...covering, ...further].map((inputs) => asChosen(inputs, completed(inputs)));
}

/** Fails if completing the inputs has changed a chosen value, because a pair of values would be lost. */
function asChosen(chosen: Inputs, inputs: Inputs): Inputs {
  // A null may be omitted.
  const other = Object.keys(chosen).filter((name) => (inputs[name] ?? null) !== chosen[name]);
  if (other.length === 0) return inputs;
  const list = other.map((name) => `${name} from ${JSON.stringify(chosen[name])} to ${JSON.stringify(inputs[name])}`);
  throw new Error(`completing a combination turns ${list.join(", ")}; isAllowed must exclude what cannot be`);
}

const asGiven = (inputs: Inputs): Inputs => inputs;

type Matrix = NonNullable<StackRehearsal["matrix"]>;
type IsAllowed = NonNullable<StackRehearsal["isAllowed"]>;

/** A small set of combinations that covers every allowed pair of values. */
function coveringCombinations(matrix: Matrix, isAllowed: IsAllowed): Inputs[] {
  const combinations: Inputs[] = [];
  let missing = pairsOf(matrix).filter(isAllowed);
  for (let [first] = missing; first !== undefined; [first] = missing) {
    // Adds every missing pair that fits, to keep the number of combinations small.
    const chosen = missing.reduce((inputs, pair) => {
      const fits = Object.entries(pair).every(([name, value]) => !(name in inputs) || inputs[name] === value);
      return fits && isAllowed({ ...inputs, ...pair }) ? { ...inputs, ...pair } : inputs;
    }, first);
    const row = whole(matrix, isAllowed, chosen);
    combinations.push(row);
    missing = missing.filter((pair) => !contains(row, pair));
  }
  return combinations;
}

/** Completes a combination with a value for every input. */
function whole(matrix: Matrix, isAllowed: IsAllowed, chosen: Inputs): Inputs {
  return Object.entries(matrix).reduce((inputs, [name, values]) => {
    if (name in inputs) return inputs;
    const allowed = values.find((value) => isAllowed({ ...inputs, [name]: value }));
    if (allowed === undefined) throw new Error(`no value of ${name} is allowed with ${JSON.stringify(inputs)}`);
    return { ...inputs, [name]: allowed };
  }, chosen);
}

/** All pairs of values of two inputs; every single value for a matrix with one input. */
function pairsOf(matrix: Matrix): Inputs[] {
  const values = Object.entries(matrix).flatMap(([name, all]) => all.map((value): [string, unknown] => [name, value]));
  return values.flatMap(([one, value], index) => [
    { [one]: value },
    ...values
      .slice(index + 1)
      .flatMap(([other, further]) => (other === one ? [] : [{ [one]: value, [other]: further }])),
  ]);
}

function contains(row: Inputs, pair: Inputs): boolean {
  return Object.entries(pair).every(([name, value]) => row[name] === value);
}

/** More combinations of the same values: each repeated with one input advanced to its next value. */
function rotated(matrix: Matrix, isAllowed: IsAllowed, combinations: readonly Inputs[]): Inputs[] {
  return Object.keys(matrix).flatMap((name) =>
    combinations.flatMap((inputs) => {
      const values = matrix[name] ?? [];
      const moved = { ...inputs, [name]: values[(values.indexOf(inputs[name]) + 1) % values.length] };
      return isAllowed(moved) && !combinations.some((row) => contains(row, moved)) ? [moved] : [];
    }),
  );
}
