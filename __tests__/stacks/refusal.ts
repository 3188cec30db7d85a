import { type Inputs } from "./terraform-run";

/** Inputs beside the required one, and the whole text of what is said about them. */
export type Refusal = readonly [behaviour: string, inputs: Inputs, texts: readonly string[]];

/** What inputs must be, why where it is not obvious, and the way out; by name. */
type Rules = Readonly<Record<string, string>>;

/** The sentence about one value: what is wrong, then the rule with the way out. */
export const sentence = (name: string, value: unknown, rule: string) => `${name} is ${JSON.stringify(value)}; ${rule}.`;

/** The rule for a list in which something occurs twice. */
export const EACH_ONCE_RULE =
  "it must contain each only once, because one of the two was probably meant to be another; correct or remove it";

/** A row of inputs of which each breaks its own rule, with further inputs that are fine. */
export const rowsOf =
  (rules: Rules) =>
  (behaviour: string, wrong: Inputs, further: Inputs = {}): Refusal => [
    behaviour,
    { ...wrong, ...further },
    Object.entries(wrong).map(([name, value]) => sentence(name, value, rules[name] ?? "")),
  ];

/** A row of one such input. */
export const rowOf =
  (rules: Rules) =>
  (behaviour: string, name: string, value: unknown, further: Inputs = {}): Refusal =>
    rowsOf(rules)(behaviour, { [name]: value }, further);
