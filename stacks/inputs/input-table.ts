import { ref, type IResolvable, type TerraformStack, type TerraformVariableValidationConfig } from "cdktf";
import { Construct } from "constructs";

import { everyMember, type CheckedEntries } from "../../lib/core/checked-entries";
import { type CheckedValue } from "../../lib/core/checked-value";
import { InputVariable } from "../../lib/core/input-variable";
import {
  camelCase,
  memberExpression,
  objectValue,
  PLAIN_VALUES,
  typeExpression,
  type CamelCase,
  type ObjectType,
  type ObjectValue,
  type PlainTypes,
} from "./object-type";

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the rule knows its own type
type Must = CheckedValue<any> | readonly (CheckedEntries<any> | CheckedValue<any>)[];

/** Type of an input that is a map of objects. */
interface MapType {
  /** Type of each entry. Its members have plain types, and rules for single values. */
  readonly mapOf: ObjectType<Must>;
}

/** One input of a stack. */
export interface Input {
  readonly type: keyof PlainTypes | ObjectType<Must> | MapType;

  /** Meaning, unit or limits, and the consequence of changing it later. */
  readonly description: string;

  /** Default value; `null` makes the input optional without a value. Without a default, the input is required. */
  readonly default?: unknown;

  /** Value to show in examples; needed by every input without a default. */
  readonly example?: unknown;

  /** Keeps the value out of the state and of saved plans. */
  readonly ephemeral?: boolean;

  /** Hides the value in Terraform's output. */
  readonly sensitive?: boolean;

  /** Rules for the value, the same as for the construct's prop. */
  readonly must?: Must;

  /** Rules that also depend on other inputs. */
  readonly together?: readonly TerraformVariableValidationConfig[];
}

type InputTable = Readonly<Record<string, Input>>;

/** The values of a table of inputs under the names of their props: `project_id` becomes `projectId`. */
export type InputValues<Table extends InputTable> = {
  readonly [Name in keyof Table & string as CamelCase<Name>]: ValueOf<Table[Name]["type"]>;
};

/** The entries of a map keep the Terraform names of their members. */
type ValueOf<Type extends Input["type"]> = Type extends keyof PlainTypes
  ? PlainTypes[Type]
  : Type extends ObjectType
    ? ObjectValue<Type>
    : IResolvable;

/** Declares every input of a table and returns their values. */
export function declareInputs<const Table extends InputTable>(stack: TerraformStack, table: Table): InputValues<Table> {
  // In a scope of their own, because a construct of the stack may have the same name as an input.
  const room = new Construct(stack, "Inputs");
  return Object.fromEntries(
    Object.entries(table).map(([name, input]) => [camelCase(name), valueOf(room, name, input)]),
  ) as InputValues<Table>;
}

function valueOf(scope: Construct, name: string, input: Input): unknown {
  const { description, ephemeral, must, sensitive, together = [], type } = input;
  const validation = [
    ...validationsOf(name, must, input.default === null),
    ...(typeof type === "string" ? [] : "mapOf" in type ? entryValidations(name, type) : memberValidations(name, type)),
    ...together,
  ];
  new InputVariable(scope, name, {
    ...{ description, ephemeral, sensitive, default: input.default },
    type: typeText(type),
    ...(validation.length > 0 && { validation }),
  });
  if (isMap(type)) return ref(`var.${name}`);
  return typeof type === "string" ? PLAIN_VALUES[type](ref(`var.${name}`)) : objectValue(name, type);
}

/** The type of an input as Terraform writes it. */
export function typeText(type: Input["type"]): string {
  return isMap(type) ? `map(${typeExpression(type.mapOf)})` : typeExpression(type);
}

function isMap(type: Input["type"]): type is MapType {
  return typeof type !== "string" && "mapOf" in type;
}

function validationsOf(name: string, must: Must | undefined, optional: boolean): TerraformVariableValidationConfig[] {
  return rulesOf(must).map((rule) => rule.validationOf(name, optional));
}

/**
 * @param itself Terraform expression that is null where the rules of required members do not apply
 */
function memberValidations(
  name: string,
  input: ObjectType<Must>,
  object = input,
  path: readonly string[] = [],
  itself = `var.${name}`,
): TerraformVariableValidationConfig[] {
  return Object.entries(object.members).flatMap(([member, { default: fallback, must, type }]) => {
    const steps = [...path, member] as const;
    const value = memberExpression(name, input, ...(steps as unknown as [string]));
    // A required member exists if the object does.
    if (typeof type !== "string")
      return memberValidations(name, input, type, steps, fallback === null ? value : itself);
    const optional = fallback === undefined ? itself : fallback === null ? value : undefined;
    return rulesOf(must).map((rule) => rule.memberValidationOf([name, ...steps].join("."), value, optional));
  });
}

function entryValidations(name: string, { mapOf: { members } }: MapType): TerraformVariableValidationConfig[] {
  return Object.entries(members).flatMap(([member, { must }]) =>
    rulesOf(must).map((rule) => everyMember(camelCase(member), rule as CheckedValue<unknown>).validationOf(name)),
  );
}

function rulesOf(must: Must | undefined): Exclude<Must, CheckedValue<unknown>> {
  if (must === undefined) return [];
  return "length" in must ? must : [must];
}
