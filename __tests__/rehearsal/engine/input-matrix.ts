import { make } from "covertable";

import { type Inputs } from "../deployment/deployment";
import { type StackRehearsal } from "./stack-rehearsal";

/** The fewest combinations of inputs that say something. */
const LEAST_COMBINATIONS = 64;

/** Sets of inputs in which any two values of any two inputs meet at least once, unless that is refused. */
export function inputCombinations(rehearsal: StackRehearsal): Inputs[] {
  const { completed = asGiven, isAllowed = () => true, matrix } = rehearsal;
  if (matrix === undefined) return [];
  const names = Object.keys(matrix);
  // The generator compares values, so it gets positions of them.
  const positions: number[][] = names.map((name) => (matrix[name] ?? []).map((_value, index) => index));
  const inputsOf = (row: Row): Inputs =>
    Object.fromEntries(
      names.flatMap((name, column) => {
        const position = row[column];
        return position === undefined ? [] : [[name, matrix[name]?.[position]]];
      }),
    );
  const pairwise: Row[] = make(positions, { preFilter: (row: Row) => isAllowed(inputsOf(row)) });
  const generated = pairwise.map(inputsOf);
  const covering = [...generated, ...missingPairs(matrix, isAllowed, generated)];
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

/** Position of the value by position of the input. */
type Row = Readonly<Record<number, number>>;

type Matrix = NonNullable<StackRehearsal["matrix"]>;
type IsAllowed = NonNullable<StackRehearsal["isAllowed"]>;

/**
 * Combinations with the allowed pairs that the generator gave up: it loses some where rules reach over three inputs.
 */
function missingPairs(matrix: Matrix, isAllowed: IsAllowed, generated: readonly Inputs[]): Inputs[] {
  let missing = pairsOf(matrix).filter((pair) => isAllowed(pair) && !generated.some((row) => contains(row, pair)));
  const added: Inputs[] = [];
  while (missing.length > 0) {
    const [first] = missing;
    const base = generated.map((row) => ({ ...row, ...first })).find(isAllowed);
    if (base === undefined) throw new Error(`no combination can have ${JSON.stringify(first)}`);
    // Whatever else is missing and fits in, so that few are added.
    const row = missing.reduce<{ inputs: Inputs; fixed: Inputs }>(
      ({ inputs, fixed }, pair) => {
        const merged = { ...inputs, ...pair };
        const fits = Object.entries(pair).every(([name, value]) => !(name in fixed) || fixed[name] === value);
        return fits && isAllowed(merged) ? { inputs: merged, fixed: { ...fixed, ...pair } } : { inputs, fixed };
      },
      { inputs: base, fixed: { ...first } },
    ).inputs;
    added.push(row);
    missing = missing.filter((pair) => !contains(row, pair));
  }
  return added;
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
