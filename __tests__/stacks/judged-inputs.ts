import { type Block } from "../support/synthesis";
import { refusals, type Inputs } from "./terraform-run";

/** Inputs with what they are called, beside the one that every set needs. */
export type InputCase = readonly [behaviour: string, inputs: Inputs, ...further: unknown[]];

type Variables = Readonly<Record<string, Block>>;

/** What Terraform complains of, by behaviour. Cases of one group are judged together, see `refusals`. */
export function judgedInputs(
  variables: Variables,
  required: Inputs,
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
export function unsaidRules(variables: Variables, texts: readonly string[]): string[] {
  return Object.entries(variables).flatMap(([name, { validation: rules = [] }]) =>
    (rules as { error_message: string }[])
      // The end of a message holds no expression.
      .map(({ error_message: message }) => message.slice(message.lastIndexOf("}") + 1))
      .filter((ending) => !texts.some((text) => text.endsWith(ending)))
      .map((ending) => `${name}: …${ending}`),
  );
}
