import { type Block } from "../support/synthesis";
import { type Refusal } from "./refusal";
import { refusals, type Inputs } from "./terraform-run";

/** Inputs with what they are called, beside the ones that every set needs. */
type InputCase = readonly [behaviour: string, inputs: Inputs, ...further: unknown[]];

type Variables = Readonly<Record<string, Block>>;

interface JudgedInputs {
  readonly variables: () => Variables;

  /** Inputs of every case. @default none */
  readonly required?: Inputs;

  /** What is refused by rules that look at one input. */
  readonly alone: readonly Refusal[];

  /** What is refused by rules that compare several inputs, which Terraform looks at next. @default nothing */
  readonly together?: readonly Refusal[];

  readonly accepted: readonly InputCase[];

  /** Inputs of which every validation must have a refusal here. @default all */
  readonly complete?: readonly string[];
}

/** Lets Terraform judge inputs, and looks whether each of their validations is tried. */
export function testInputs({ variables, required, alone, together = [], accepted, complete }: JudgedInputs): void {
  const refused = [...alone, ...together];
  let judged: ReadonlyMap<string, readonly string[]>;

  beforeAll(() => {
    judged = judgedInputs(variables(), required, [alone, [...together, ...accepted]]);
  });

  it.each(refused)("refuse %s", (behaviour, _inputs, texts) => {
    expect(judged.get(behaviour)).toEqual([...texts].sort());
  });

  it.each(accepted.map(([behaviour]) => behaviour))("accept %s", (behaviour) => {
    expect(judged.get(behaviour)).toEqual([]);
  });

  it("are all judged: every validation has a refusal here", () => {
    const judgedHere = Object.entries(variables()).filter(([name]) => complete?.includes(name) !== false);
    const said = refused.flatMap(([, , texts]) => texts);
    expect(unsaidRules(Object.fromEntries(judgedHere), said)).toEqual([]);
  });
}

/** What Terraform complains of, by behaviour. Cases of one group are judged together, see `refusals`. */
function judgedInputs(
  variables: Variables,
  required: Inputs = {},
  groups: readonly (readonly InputCase[])[],
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    groups.flatMap((cases) => {
      const found = refusals(
        variables,
        cases.map(([, inputs]) => ({ ...required, ...inputs })),
      );
      return cases.map(([behaviour], index) => [behaviour, found[index] ?? []] as const);
    }),
  );
}

/** Validations of which none of the texts is the message. */
function unsaidRules(variables: Variables, texts: readonly string[]): string[] {
  return Object.entries(variables).flatMap(([name, { validation: rules = [] }]) =>
    (rules as { error_message: string }[])
      // The end of a message holds no expression.
      .map(({ error_message: message }) => message.slice(message.lastIndexOf("}") + 1))
      .filter((ending) => !texts.some((text) => text.endsWith(ending)))
      .map((ending) => `${name}: …${ending}`),
  );
}
