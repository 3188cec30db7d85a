import { type IResolvable, type TerraformStack, type TerraformVariableValidationConfig } from "cdktf";
import { Construct } from "constructs";

import { type CheckedEntries } from "../../lib/core/checked-entries";
import { type CheckedValue } from "../../lib/core/checked-value";
import { InputVariable } from "../../lib/core/input-variable";

/** The Terraform types of inputs, each with the type that a construct receives. */
interface Types {
  readonly bool: IResolvable;
  readonly "list(string)": string[];
  readonly "map(string)": IResolvable;
  readonly number: number;
  readonly string: string;
}

/** One input of a stack. */
export interface Input {
  readonly type: keyof Types;

  /** Meaning, unit or limits, and the consequence of changing it later. */
  readonly description: string;

  /** Default value; `null` makes the input optional without a value. Without a default, the input is required. */
  readonly default?: unknown;

  /** Keeps the value out of the state and of saved plans. */
  readonly ephemeral?: boolean;

  /** Keeps the value out of what Terraform prints. */
  readonly sensitive?: boolean;

  /** Rules for the value, the same as for the construct's prop. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the rule knows its own type
  readonly must?: CheckedValue<any> | readonly (CheckedEntries | CheckedValue<any>)[];

  /** Rules that also depend on other inputs. */
  readonly together?: readonly TerraformVariableValidationConfig[];
}

type InputTable = Readonly<Record<string, Input>>;

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** The values of a table of inputs under the names of their props: `project_id` becomes `projectId`. */
export type InputValues<Table extends InputTable> = {
  readonly [Name in keyof Table & string as CamelCase<Name>]: Types[Table[Name]["type"]];
};

/** Declares every input of a table and returns their values. */
export function declareInputs<const Table extends InputTable>(stack: TerraformStack, table: Table): InputValues<Table> {
  // A scope of their own, because a construct of the stack may have the name of an input.
  const room = new Construct(stack, "Inputs");
  return Object.fromEntries(
    Object.entries(table).map(([name, input]) => [camelCase(name), valueOf(room, name, input)]),
  ) as InputValues<Table>;
}

function valueOf(scope: Construct, name: string, { must, together = [], ...input }: Input): unknown {
  const validation = [...validationsOf(name, must, input.default === null), ...together];
  const variable = new InputVariable(scope, name, { ...input, ...(validation.length > 0 && { validation }) });
  return VALUES[input.type](variable);
}

function validationsOf(name: string, must: Input["must"], optional: boolean): TerraformVariableValidationConfig[] {
  if (must === undefined) return [];
  const rules = "length" in must ? must : [must];
  return rules.map((rule) => rule.validationOf(name, optional));
}

const VALUES: Readonly<Record<keyof Types, (variable: InputVariable) => unknown>> = {
  bool: (variable) => variable.booleanValue,
  "list(string)": (variable) => variable.listValue,
  "map(string)": (variable) => variable.value as IResolvable,
  number: (variable) => variable.numberValue,
  string: (variable) => variable.stringValue,
};

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
