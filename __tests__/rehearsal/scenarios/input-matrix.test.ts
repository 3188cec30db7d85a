import { labTerraform, LAB_STACK_NAME } from "../../stacks/lab-stack";
import { VARIANTS } from "../../stacks/variants";
import { type Inputs } from "../deployment/deployment";
import { inputCombinations, STRUCTURAL_VALUES } from "../engine/input-matrix";
import { type StackRehearsal } from "../engine/stack-rehearsal";
import { REHEARSALS } from "./stacks";

/** Allowed values, and pairs of structural values, that no combination contains. */
function lost({ isAllowed = () => true, matrix = {} }: StackRehearsal, combinations: readonly Inputs[]): Inputs[] {
  const names = Object.keys(matrix);
  const structural = (name: string) => (matrix[name] ?? []).slice(0, STRUCTURAL_VALUES);
  const isMet = (pair: Inputs) =>
    combinations.some((row) => Object.entries(pair).every(([input, value]) => (row[input] ?? null) === value));
  const alone = names.flatMap((name) => (matrix[name] ?? []).map((value) => ({ [name]: value })));
  const pairs = names.flatMap((one, index) =>
    names
      .slice(index + 1)
      .flatMap((other) =>
        structural(one).flatMap((value) => structural(other).map((further) => ({ [one]: value, [other]: further }))),
      ),
  );
  return [...alone, ...pairs].filter((chosen) => isAllowed(chosen) && !isMet(chosen));
}

const STACKS = [...VARIANTS, { name: LAB_STACK_NAME, terraform: labTerraform }];

describe("The matrix of inputs", () => {
  it("covers every stack", () => {
    expect(STACKS.map(({ name }) => name).sort()).toEqual(Object.keys(REHEARSALS).sort());
  });

  it.each(STACKS)(
    "has every value of $name, and any two structural ones together at least once unless that is refused",
    ({ name, terraform }) => {
      const { [name]: rehearsal = { inputs: {} } } = REHEARSALS;
      const combinations = inputCombinations(rehearsal);

      expect(lost(rehearsal, combinations)).toEqual([]);
      const given = new Set(combinations.flatMap((inputs) => Object.keys(inputs)));
      expect(Object.keys(terraform().variable ?? {}).filter((input) => !given.has(input))).toEqual([]);
    },
  );

  it("has an existing network for the lab where one is requested", () => {
    const { [LAB_STACK_NAME]: lab = { inputs: {} } } = REHEARSALS;
    const existing = inputCombinations(lab).filter(({ create_vpc: create }) => create === false);

    expect(existing.length).toBeGreaterThan(1);
    expect(existing.filter(({ deployment_id: id }) => id === null)).toEqual([]);
  });

  it("has no more combinations than pairs need", () => {
    const four = { size: [1, 2, 3, 4], zone: ["a", "b"], kind: ["x", "y"], spare: [true, false] };

    expect(inputCombinations({ inputs: {}, matrix: four })).toHaveLength(6);
    expect(inputCombinations({ inputs: {}, matrix: { size: [1, 2] } })).toEqual([{ size: 1 }, { size: 2 }]);
  });

  it("keeps to rules over three inputs, which leave a pair few combinations", () => {
    const matrix = { size: [1, 2], zone: ["a", "b"], kind: ["x", "y"] };
    const isAllowed = ({ kind, size, zone }: Inputs) => size !== 1 || zone !== "a" || kind !== "x";
    const combinations = inputCombinations({ inputs: {}, matrix, isAllowed });

    expect(combinations.filter((inputs) => !isAllowed(inputs))).toEqual([]);
    expect(lost({ inputs: {}, matrix, isAllowed }, combinations)).toEqual([]);
  });

  it("says which pair no combination can have, although no rule of two inputs refuses it", () => {
    const matrix = { size: [1, 2], zone: ["a", "b"], kind: ["x", "y"] };
    const isAllowed = ({ kind, size, zone }: Inputs) => size !== 1 || zone !== "a" || kind === undefined;

    expect(() => inputCombinations({ inputs: {}, matrix, isAllowed })).toThrow(
      'no combination can have {"size":1,"zone":"a"}',
    );
  });

  it("finds an input without a value left before it tries all values of the others", () => {
    const others = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`other${index}`, [1, 2, 3]]));
    const matrix = { size: [1, 2, 3], zone: ["a", "b", "c"], ...others, kind: ["x", "y"] };
    let questions = 0;
    const isAllowed = ({ kind, size, zone }: Inputs) => {
      questions += 1;
      return size !== 1 || zone !== "a" || kind === undefined;
    };

    expect(() => inputCombinations({ inputs: {}, matrix, isAllowed })).toThrow("no combination can have");
    expect(questions).toBeLessThan(100_000);
  });

  it("must not be changed by completing it, which would lose pairs", () => {
    const matrix = { id: [null, "a"], network: [true, false] };
    const completed = (inputs: Inputs) => (inputs.network === false ? { ...inputs, id: inputs.id ?? "b" } : inputs);

    expect(() => inputCombinations({ inputs: {}, matrix, completed })).toThrow(
      'completing a combination turns id from null to "b"; isAllowed must exclude what cannot be',
    );
  });
});
