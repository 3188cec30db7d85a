import { Token, type TerraformVariableValidationConfig } from "cdktf";

import { shownValue } from "./checked-value";
import { type Rule } from "./rules";

/** A text for each of the values. */
type Texts<Values extends object> = Readonly<Record<keyof Values, string>>;

/** What several values must be together. The same description judges props at synth and inputs at plan. */
interface CheckedRelationSpec<Values extends object, Figure extends string = never> {
  /** True of acceptable literals. */
  readonly accepts: (values: Values) => boolean;

  /** The same in Terraform's language, given each value as an expression without braces; one that fails counts as false. */
  readonly condition: (expressions: Texts<Values>) => string;

  /**
   * What is wrong, the rule and the way out, as one sentence without a stop.
   *
   * @param names what the values are called: props, or inputs
   * @param shown what they are
   * @param figures what is calculated from them
   */
  readonly problem: (names: Texts<Values>, shown: Texts<Values>, figures: Readonly<Record<Figure, string>>) => string;

  /**
   * The one value that must be known at synth for a rule to judge; `accepts` then takes the others as they are.
   *
   * @default - all must be known
   */
  readonly judgedBy?: keyof Values;

  /**
   * Figures that the message shows, calculated from literals and in Terraform's language.
   *
   * @default - none
   */
  readonly figures?: Readonly<
    Record<
      Figure,
      {
        readonly of: (values: Values) => number | string;
        readonly expression: (expressions: Texts<Values>) => string;
      }
    >
  >;
}

/** Where a rule finds a value in the props, and what the caller calls it. */
type Sources<Values extends object, Props> = {
  readonly [Name in keyof Values]: readonly [name: string, valueOf: (props: Props) => Values[Name]];
};

/** What several values must be together, as a rule on props and as the validation of an input. */
export class CheckedRelation<Values extends object, Figure extends string = never> {
  constructor(private readonly spec: CheckedRelationSpec<Values, Figure>) {}

  /** True of acceptable literals. */
  accepts(values: Values): boolean {
    return this.spec.accepts(values);
  }

  /** A rule on props; it passes while one of the values is known to Terraform alone. */
  ruleOn<Props>(sources: Sources<Values, Props>): Rule<Props> {
    const { problem } = this.spec;
    const valuesOf = (props: Props) => mapped(sources, ([, valueOf]) => valueOf(props)) as Values;
    return {
      holds: (props) => {
        const values = valuesOf(props);
        const { judgedBy } = this.spec;
        const decisive = judgedBy === undefined ? Object.values(values) : [values[judgedBy]];
        return decisive.some((value) => Token.isUnresolved(value)) || this.accepts(values);
      },
      message: (props) => {
        const values = valuesOf(props);
        const names = mapped(sources, ([name]) => name);
        const shown = mapped(values, shownValue);
        return problem(
          names,
          shown,
          this.figures((figure) => String(figure.of(values))),
        );
      },
    };
  }

  /**
   * The validation of one of the inputs.
   *
   * @param variables names of the inputs
   * @param derived values that are calculated from an input, in Terraform's language
   */
  validationOf(variables: Texts<Values>, derived: Partial<Texts<Values>> = {}): TerraformVariableValidationConfig {
    const { condition, problem } = this.spec;
    const expressions = { ...mapped(variables, (variable) => `var.${variable}`), ...derived };
    const shown = mapped(expressions, (expression) => `\${jsonencode(${expression})}`);
    const figures = this.figures((figure) => `\${${figure.expression(expressions)}}`);
    return {
      condition: `\${try(${condition(expressions)}, false)}`,
      errorMessage: `${problem(variables, shown, figures)}.`,
    };
  }

  private figures(textOf: (figure: NonNullable<CheckedRelationSpec<Values, Figure>["figures"]>[Figure]) => string) {
    return mapped(this.spec.figures ?? ({} as NonNullable<typeof this.spec.figures>), textOf);
  }
}

function mapped<From extends object, To>(from: From, convert: (value: From[keyof From]) => To): Record<keyof From, To> {
  return Object.fromEntries(
    Object.entries(from).map(([name, value]) => [name, convert(value as From[keyof From])]),
  ) as Record<keyof From, To>;
}
