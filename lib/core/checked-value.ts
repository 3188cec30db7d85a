import { type TerraformVariableValidationConfig } from "cdktf";

import { ifKnown, type Rule } from "./rules";

/** Rule for a value. One description checks a prop at synth and an input at plan. */
interface CheckedValueSpec<Value> {
  /** True for an acceptable literal. */
  readonly accepts: (value: Value) => boolean;

  /** The same as a Terraform expression; one that fails to evaluate counts as false. `value` has no `${}`. */
  readonly condition: (value: string) => string;

  /** Follows "it must", for example `be a whole number from 0`. */
  readonly must: string;

  /** Follows "because"; omitted if the rule explains itself. */
  readonly reason?: string;

  /** The fix, for example `use 0 for none`. */
  readonly remedy: string;

  /** JSON Schema keywords for a value; they may accept more than the rule, never less. */
  readonly schema?: SchemaFacts;

  /** Keeps the value out of the message. Default: false. */
  readonly secret?: boolean;
}

/**
 * Keywords of JSON Schema: a pattern is for strings, `items`, `minItems` and `uniqueItems` for lists, `enum` and `not`
 * for all values, the others for numbers.
 */
export interface SchemaFacts {
  readonly enum?: readonly (number | string)[];
  readonly items?: SchemaFacts;
  readonly maximum?: number;
  readonly minimum?: number;
  readonly minItems?: number;
  readonly multipleOf?: number;
  readonly not?: { readonly enum: readonly (number | string)[] };
  readonly pattern?: string;
  readonly uniqueItems?: boolean;
}

/** Rule for a value, for a prop and for the validation of an input; their messages differ only in the name. */
export class CheckedValue<Value> {
  constructor(private readonly spec: CheckedValueSpec<Value>) {}

  /** True for an acceptable literal. */
  accepts(value: Value): boolean {
    return this.spec.accepts(value);
  }

  /** JSON Schema keywords for a value. */
  get schema(): SchemaFacts {
    return this.spec.schema ?? {};
  }

  /** The same as a Terraform expression; `value` has no `${}`. */
  condition(value: string): string {
    return `try(${this.spec.condition(value)}, false)`;
  }

  /** Message about an unacceptable value; `shown` is its representation. */
  problem(name: string, shown: string): string {
    const { secret = false } = this.spec;
    return `${name} is ${secret ? "given" : shown}; ${this.requirement}`;
  }

  /** What the value must be, why and how to fix it. */
  get requirement(): string {
    const { must, reason, remedy } = this.spec;
    return `it must ${must}${reason === undefined ? "" : `, because ${reason}`}; ${remedy}`;
  }

  /** Rule on a prop; absent values and values known only to Terraform pass. */
  ruleOn<Props>(name: string, valueOf: (props: Props) => Value | null | undefined): Rule<Props> {
    return {
      holds: (props) => ifKnown(valueOf(props) ?? undefined, (value) => this.accepts(value)),
      message: (props) => this.problem(name, shownValue(valueOf(props))),
    };
  }

  /**
   * Validation of an input.
   *
   * @param optional whether null is acceptable
   */
  validationOf(variable: string, optional: boolean): TerraformVariableValidationConfig {
    const value = `var.${variable}`;
    return this.memberValidationOf(variable, value, optional ? value : undefined);
  }

  /**
   * Validation of a member of an input.
   *
   * @param name name in the message
   * @param value Terraform expression for it, also where the input is null
   * @param optional expression that may be null, and then the rule does not apply; the rule always applies without one
   */
  memberValidationOf(name: string, value: string, optional: string | undefined): TerraformVariableValidationConfig {
    return {
      condition: `\${${optional === undefined ? "" : `${optional} == null ? true : `}${this.condition(value)}}`,
      errorMessage: `${this.problem(name, `\${jsonencode(${value})}`)}.`,
    };
  }
}

/** A literal as messages show it. JSON cannot represent NaN. */
export function shownValue(value: unknown): string {
  return value === undefined ? "missing" : Number.isNaN(value) ? "NaN" : JSON.stringify(value);
}

/** A string that matches a regular expression; it must mean the same in JavaScript and in Terraform (RE2). */
export function matching(pattern: string, spec: Omit<CheckedValueSpec<string>, "accepts" | "condition" | "schema">) {
  return new CheckedValue<string>({
    ...spec,
    schema: { pattern },
    accepts: (text) => new RegExp(pattern).test(text),
    condition: (text) => `can(regex(${JSON.stringify(pattern)}, ${text}))`,
  });
}

/** A whole number within limits. */
export function wholeNumber(
  { from, to }: { readonly from: number; readonly to?: number },
  spec: Omit<CheckedValueSpec<number>, "accepts" | "condition" | "must" | "schema">,
) {
  return new CheckedValue<number>({
    ...spec,
    schema: { multipleOf: 1, minimum: from, ...(to !== undefined && { maximum: to }) },
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
  spec: Omit<CheckedValueSpec<string>, "accepts" | "condition" | "must" | "schema">,
) {
  return new CheckedValue<string>({
    ...spec,
    schema: { enum: words },
    must: `be ${words.slice(0, -1).join(", ")} or ${words.slice(-1).join("")}`,
    accepts: (word) => words.includes(word),
    condition: (word) => `contains(${JSON.stringify(words)}, ${word})`,
  });
}

/** A list in which nothing occurs twice. */
export const EACH_ONCE = new CheckedValue<readonly string[]>({
  must: "contain each only once",
  reason: "one of the two was probably meant to be another",
  remedy: "correct or remove it",
  schema: { uniqueItems: true },
  accepts: (items) => new Set(items).size === items.length,
  condition: (items) => `length(distinct(${items})) == length(${items})`,
});
