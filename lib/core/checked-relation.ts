import { Token, type TerraformVariableValidationConfig } from "cdktf";

import { shownValue } from "./checked-value";
import { type Rule } from "./rules";

/** A text for each of the values. */
type Texts<Values extends object> = Readonly<Record<keyof Values, string>>;

/** Rule that relates several values. One description checks props at synth and inputs at plan. */
interface CheckedRelationSpec<Values extends object, Figure extends string = never> {
  /** True for acceptable literals. */
  readonly accepts: (values: Values) => boolean;

  /** The same as a Terraform expression, given each value without `${}`; failure counts as false. */
  readonly condition: (expressions: Texts<Values>) => string;

  /**
   * One sentence without a trailing full stop: what is wrong, the rule and the fix.
   *
   * @param names names of the props or inputs
   * @param shown their values
   * @param figures figures calculated from them
   */
  readonly problem: (names: Texts<Values>, shown: Texts<Values>, figures: Readonly<Record<Figure, string>>) => string;

  /**
   * The one value that must be known at synth; the others are passed to `accepts` unresolved. Default: all must be
   * known.
   */
  readonly judgedBy?: keyof Values;

  /** Figures that the message shows, calculated from literals and as Terraform expressions. Default: none. */
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

/** Name of each value in messages, and how to get it from the props. */
type Sources<Values extends object, Props> = {
  readonly [Name in keyof Values]: readonly [name: string, valueOf: (props: Props) => Values[Name]];
};

/** Rule that relates several values, for props and for the validation of an input. */
export class CheckedRelation<Values extends object, Figure extends string = never> {
  constructor(private readonly spec: CheckedRelationSpec<Values, Figure>) {}

  /** True for acceptable literals. */
  accepts(values: Values): boolean {
    return this.spec.accepts(values);
  }

  /** Rule on props; passes if a value that it needs is known only to Terraform. */
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
   * Validation of one of the inputs.
   *
   * @param variables names of the inputs
   * @param derived Terraform expressions for values that are calculated from an input
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
