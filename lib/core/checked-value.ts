import { type TerraformVariableValidationConfig } from "cdktf";

import { ifKnown, type Rule } from "./rules";

/** What a value must be. The same description judges a prop at synth and an input at plan. */
interface CheckedValueSpec<Value> {
  /** True of an acceptable literal. */
  readonly accepts: (value: Value) => boolean;

  /** The same in Terraform's language; an expression that fails counts as false. `value` is an expression without braces. */
  readonly condition: (value: string) => string;

  /** Follows "it must", for example `be a whole number from 0`. */
  readonly must: string;

  /** Follows "because"; left out where the rule explains itself. */
  readonly reason?: string;

  /** What to do about it, for example `use 0 for none`. */
  readonly remedy: string;

  /**
   * Keeps the value out of the message.
   *
   * @default false
   */
  readonly secret?: boolean;
}

/** What a value must be, as a rule on a prop and as the validation of an input; only the name differs between the two. */
export class CheckedValue<Value> {
  constructor(private readonly spec: CheckedValueSpec<Value>) {}

  /** True of an acceptable literal. */
  accepts(value: Value): boolean {
    return this.spec.accepts(value);
  }

  /** The same in Terraform's language; `value` is an expression without braces. */
  condition(value: string): string {
    return `try(${this.spec.condition(value)}, false)`;
  }

  /** What is wrong with a value that is shown as the given text. */
  problem(name: string, shown: string): string {
    const { must, reason, remedy, secret = false } = this.spec;
    return `${name} is ${secret ? "given" : shown}; it must ${must}${reason === undefined ? "" : `, because ${reason}`}; ${remedy}`;
  }

  /** A rule on a prop; one that is absent passes, and one that only Terraform knows. */
  ruleOn<Props>(name: string, valueOf: (props: Props) => Value | null | undefined): Rule<Props> {
    return {
      holds: (props) => ifKnown(valueOf(props) ?? undefined, (value) => this.accepts(value)),
      message: (props) => this.problem(name, shownValue(valueOf(props))),
    };
  }

  /**
   * The validation of an input.
   *
   * @param optional whether null is acceptable
   */
  validationOf(variable: string, optional: boolean): TerraformVariableValidationConfig {
    const value = `var.${variable}`;
    return {
      condition: `\${${optional ? `${value} == null ? true : ` : ""}${this.condition(value)}}`,
      errorMessage: `${this.problem(variable, `\${jsonencode(${value})}`)}.`,
    };
  }
}

/** A literal as a message shows it. JSON has no word for what is not a number. */
export function shownValue(value: unknown): string {
  return value === undefined ? "missing" : Number.isNaN(value) ? "NaN" : JSON.stringify(value);
}

/** A text that matches a regular expression of the kind that JavaScript and Terraform (RE2) read alike. */
export function matching(pattern: string, spec: Omit<CheckedValueSpec<string>, "accepts" | "condition">) {
  return new CheckedValue<string>({
    ...spec,
    accepts: (text) => new RegExp(pattern).test(text),
    condition: (text) => `can(regex(${JSON.stringify(pattern)}, ${text}))`,
  });
}

/** A whole number within limits. */
export function wholeNumber(
  { from, to }: { readonly from: number; readonly to?: number },
  spec: Omit<CheckedValueSpec<number>, "accepts" | "condition" | "must">,
) {
  return new CheckedValue<number>({
    ...spec,
    must: `be a whole number from ${from}${to === undefined ? "" : ` to ${to}`}`,
    accepts: (number) => Number.isInteger(number) && number >= from && number <= (to ?? Infinity),
    condition: (number) =>
      [
        `floor(${number}) == ${number}`,
        `${number} >= ${from}`,
        ...(to === undefined ? [] : [`${number} <= ${to}`]),
      ].join(" && "),
  });
}

/** One of a few words. */
export function oneOf(
  words: readonly string[],
  spec: Omit<CheckedValueSpec<string>, "accepts" | "condition" | "must">,
) {
  return new CheckedValue<string>({
    ...spec,
    must: `be ${words.slice(0, -1).join(", ")} or ${words.slice(-1).join("")}`,
    accepts: (word) => words.includes(word),
    condition: (word) => `contains(${JSON.stringify(words)}, ${word})`,
  });
}
