import { ref, Token, type IResolvable, type TerraformStack, type TerraformVariableValidationConfig } from "cdktf";
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

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the rule knows its own type
type Must = CheckedValue<any> | readonly (CheckedEntries | CheckedValue<any>)[];

/** A member of an input that is an object. */
interface Member {
  readonly type: keyof Types;

  /** Value of an object without it, null for none. Without a default, the member is required. */
  readonly default?: unknown;

  /** Rules for the value. */
  readonly must?: Must;
}

/** Type of an input that is an object. */
interface ObjectType {
  readonly members: Readonly<Record<string, Member>>;
}

/** One input of a stack. */
export interface Input {
  readonly type: keyof Types | ObjectType;

  /** Meaning, unit or limits, and the consequence of changing it later. */
  readonly description: string;

  /** Default value; `null` makes the input optional without a value. Without a default, the input is required. */
  readonly default?: unknown;

  /** Keeps the value out of the state and of saved plans. */
  readonly ephemeral?: boolean;

  /** Keeps the value out of what Terraform prints. */
  readonly sensitive?: boolean;

  /** Rules for the value, the same as for the construct's prop. */
  readonly must?: Must;

  /** Rules that also depend on other inputs. */
  readonly together?: readonly TerraformVariableValidationConfig[];
}

type InputTable = Readonly<Record<string, Input>>;

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** The values of a table of inputs under the names of their props: `project_id` becomes `projectId`. */
export type InputValues<Table extends InputTable> = {
  readonly [Name in keyof Table & string as CamelCase<Name>]: ValueOf<Table[Name]["type"]>;
};

type ValueOf<Type extends Input["type"]> = Type extends keyof Types
  ? Types[Type]
  : Type extends ObjectType
    ? ObjectValue<Type["members"]>
    : never;

/** The members of an object that may be null, and whether it is given. */
type ObjectValue<Members extends ObjectType["members"]> = { readonly enabled: IResolvable } & {
  readonly [Name in keyof Members & string as CamelCase<Name>]: Types[Members[Name]["type"]];
};

/** Declares every input of a table and returns their values. */
export function declareInputs<const Table extends InputTable>(stack: TerraformStack, table: Table): InputValues<Table> {
  // A scope of their own, because a construct of the stack may have the name of an input.
  const room = new Construct(stack, "Inputs");
  return Object.fromEntries(
    Object.entries(table).map(([name, input]) => [camelCase(name), valueOf(room, name, input)]),
  ) as InputValues<Table>;
}

function valueOf(scope: Construct, name: string, { must, together = [], type, ...input }: Input): unknown {
  const validation = [
    ...validationsOf(name, must, input.default === null),
    ...memberValidations(name, type),
    ...together,
  ];
  new InputVariable(scope, name, {
    ...input,
    type: typeof type === "string" ? type : objectType(type),
    ...(validation.length > 0 && { validation }),
  });
  return typeof type === "string" ? VALUES[type](ref(`var.${name}`)) : objectValue(name, type);
}

function validationsOf(name: string, must: Must | undefined, optional: boolean): TerraformVariableValidationConfig[] {
  return rulesOf(must).map((rule) => rule.validationOf(name, optional));
}

function memberValidations(name: string, type: Input["type"]): TerraformVariableValidationConfig[] {
  if (typeof type === "string") return [];
  return Object.entries(type.members).flatMap(([member, { default: fallback, must }]) => {
    const value = memberExpression(name, type, member);
    // A required member is there wherever the object is.
    const optional = fallback === undefined ? `var.${name}` : fallback === null ? value : undefined;
    return rulesOf(must).map((rule) => rule.memberValidationOf(`${name}.${member}`, value, optional));
  });
}

function rulesOf(must: Must | undefined): Exclude<Must, CheckedValue<unknown>> {
  if (must === undefined) return [];
  return "length" in must ? must : [must];
}

/**
 * A member of an object input as a Terraform expression without `${}`.
 *
 * It has its default where the object is null, because Terraform evaluates the message of a validation that holds too.
 */
export function memberExpression<Type extends ObjectType>(
  name: string,
  { members }: Type,
  member: keyof Type["members"] & string,
): string {
  return `try(var.${name}.${member}, ${JSON.stringify(members[member]?.default ?? null)})`;
}

/** The type as Terraform writes it; members that are left out get their default there. */
function objectType({ members }: ObjectType): string {
  const typed = ([name, { type, default: value }]: [string, Member]) =>
    `${name} = ${value === undefined ? type : `optional(${type}, ${JSON.stringify(value)})`}`;
  return `object({ ${Object.entries(members).map(typed).join(", ")} })`;
}

function objectValue(name: string, object: ObjectType): Readonly<Record<string, unknown>> {
  const values = Object.entries(object.members).map(([member, { type }]): [string, unknown] => [
    camelCase(member),
    VALUES[type](ref(memberExpression(name, object, member))),
  ]);
  return { enabled: ref(`var.${name} != null`), ...Object.fromEntries(values) };
}

const VALUES: Readonly<Record<keyof Types, (reference: IResolvable) => unknown>> = {
  bool: (reference) => reference,
  "list(string)": (reference) => Token.asList(reference),
  "map(string)": (reference) => reference,
  number: (reference) => Token.asNumber(reference),
  string: (reference) => Token.asString(reference),
};

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
