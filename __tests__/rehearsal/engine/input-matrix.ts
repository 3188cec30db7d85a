import { type Inputs } from "../deployment/deployment";

/**
 * What inputs may be, by subject: the first two choices of each change what exists, the others only amounts and forms.
 */
export type Matrix = Readonly<Record<string, readonly Inputs[]>>;

/** The values of one input each as the choices of a subject; null is left out. */
export function choicesOf(values: Readonly<Record<string, readonly unknown[]>>): Matrix {
  const choices = ([name, all]: [string, readonly unknown[]]) =>
    [name, all.map((value) => (value === null ? {} : { [name]: value }))] as const;
  return Object.fromEntries(Object.entries(values).map(choices));
}

/**
 * Few sets of inputs in which every choice occurs, and the first two choices of any two subjects meet, each with each.
 * Only the set of all first choices is missing, which is the life of a stack.
 *
 * The second choice of each subject is in more than half of the sets, and in no other sets than that of another
 * subject: so any two meet, and each is once without the other.
 */
export function inputCombinations(matrix: Matrix): Inputs[] {
  const subjects = Object.values(matrix);
  let count = 1;
  while (largeHalves(count).length < subjects.length) count += 1;
  const halves = largeHalves(count);
  const pairs = Array.from({ length: count }, (_, row) =>
    subjects.map((choices, index) => choices[halves[index]?.[row] ?? 0] ?? choices[0]),
  );
  const most = Math.max(...subjects.map(({ length }) => length));
  const further = Array.from({ length: Math.max(0, most - 2) }, (_, row) =>
    subjects.map((choices) => choices[2 + row] ?? choices[0]),
  );
  return [...pairs, ...further].map((chosen) => Object.assign({}, ...chosen) as Inputs);
}

/** All ways to mark just more than half of so many with a 1. */
function largeHalves(count: number): (0 | 1)[][] {
  const marks = Array.from({ length: 2 ** count }, (_, number) =>
    Array.from({ length: count }, (_none, bit) => ((number >> bit) & 1) as 0 | 1),
  );
  return marks.filter((row) => row.filter((mark) => mark === 1).length === Math.ceil((count + 1) / 2));
}
