import { type Inputs } from "../deployment/deployment";
import { type StackRehearsal } from "./stack-rehearsal";

/** The fewest combinations of inputs that say something. */
const LEAST_COMBINATIONS = 64;

/** Sets of inputs in which any two values of any two inputs meet at least once, unless that is refused. */
export function inputCombinations(rehearsal: StackRehearsal): Inputs[] {
  const { completed = asGiven, isAllowed = () => true, matrix } = rehearsal;
  if (matrix === undefined) return [];
  const covering = coveringCombinations(matrix, isAllowed);
  const further = rotated(matrix, isAllowed, covering).slice(0, Math.max(0, LEAST_COMBINATIONS - covering.length));
  return [...covering, ...further].map((inputs) => asChosen(inputs, completed(inputs)));
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

/** Few combinations in which every allowed pair of values is. */
function coveringCombinations(matrix: Matrix, isAllowed: IsAllowed): Inputs[] {
  const combinations: Inputs[] = [];
  let missing = pairsOf(matrix).filter(isAllowed);
  for (let [first] = missing; first !== undefined; [first] = missing) {
    // Whatever else is missing and fits in, so that few are needed.
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

/** A combination with a value of every input. */
function whole(matrix: Matrix, isAllowed: IsAllowed, chosen: Inputs): Inputs {
  return Object.entries(matrix).reduce((inputs, [name, values]) => {
    if (name in inputs) return inputs;
    const allowed = values.find((value) => isAllowed({ ...inputs, [name]: value }));
    if (allowed === undefined) throw new Error(`no value of ${name} is allowed with ${JSON.stringify(inputs)}`);
    return { ...inputs, [name]: allowed };
  }, chosen);
}

/** Every two values of two inputs; and every value alone, for a matrix that has one input only. */
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

/** More combinations of the same values: each again with one input moved on to its next value. */
function rotated(matrix: Matrix, isAllowed: IsAllowed, combinations: readonly Inputs[]): Inputs[] {
  return Object.keys(matrix).flatMap((name) =>
    combinations.flatMap((inputs) => {
      const values = matrix[name] ?? [];
      const moved = { ...inputs, [name]: values[(values.indexOf(inputs[name]) + 1) % values.length] };
      return isAllowed(moved) && !combinations.some((row) => contains(row, moved)) ? [moved] : [];
    }),
  );
}
