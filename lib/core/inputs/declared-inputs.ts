import { type TerraformStack, Token } from "cdktf";
import { Construct } from "constructs";

import { allOf, type Expr, exprOf, hcl, reference } from "../expr/expr";
import { expression } from "../expr/terraform-text";
import { mapped } from "../mapped";
import { prose } from "../prose";
import { Address, isNeverNull } from "./address";
import { checksOf } from "./input-problems";
import { InputVariable } from "./input-variable";
import { hostedRelations, type Relation } from "./relations";
import { type Input, type PropsOf, type Table } from "./rows";
import { type Assertion, isDecided, isKnown, planned, terraformName } from "./rules";
import { isHiddenFromRule } from "./secrecy";
import { refuseSettings } from "./settings-problems";
import {
  type DeploymentSettings,
  referenceTo,
  type RequiredSetting,
  type SettledInput,
  settledInput,
} from "./settled-inputs";
import { addSharedTables } from "./shared-table";
import { addressOf, localOf, plainOf, type Source, Value, type ValuesOf } from "./value";
import { warningTexts } from "./warnings";

/** An input that a stack declared. */
interface DeclaredInput extends SettledInput {
  /** The unchanged row of the table. */
  readonly tableRow: Input;
  readonly isSettled: boolean;
}

/** Inputs and relations that a stack declared. */
interface Declared {
  readonly inputs: ReadonlyMap<Input, DeclaredInput>;
  readonly relations: ReadonlySet<unknown>;
  /** Rows of the stack's variables. */
  readonly remaining: Table;
}

/** Declared inputs by stack. The parts of the stack look up the inputs that they receive as props. */
export const DECLARED = new WeakMap<TerraformStack, Declared>();

/** Rows of the variables of a stack. */
export function declaredInputs(stack: TerraformStack): Table {
  return DECLARED.get(stack)?.remaining ?? {};
}

/** Whether the folder of a stack is for one deployment. */
export function isForOneDeployment(stack: TerraformStack): boolean {
  return [...(DECLARED.get(stack)?.inputs.values() ?? [])].some(({ isSettled }) => isSettled);
}

/**
 * Declares the variables of a stack, and returns them as props.
 *
 * @param settings settings of one deployment; the stack then has variables only for inputs that the settings leave open
 * @throws RulesBrokenError naming every wrong setting, followed by the stack's warnings so far
 */
export function declareInputs<T extends Table>(
  stack: TerraformStack,
  table: T,
  relations: readonly Relation<T>[] = [],
  settings?: DeploymentSettings,
): PropsOf<T> {
  if (settings !== undefined) refuseSettings(stack, table, relations, settings, warningTexts(stack));
  // A separate scope, because a construct of the stack may have the same name as an input.
  const scope = new Construct(stack, "Inputs");
  const inputs = mapped(table, (name, row): DeclaredInput => {
    if (settings !== undefined) return { ...settledInput(name, row, settings), tableRow: row, isSettled: true };
    return {
      row,
      tableRow: row,
      given: referenceTo(row, terraformName(name)),
      requiredSettings: [],
      fixed: [],
      isSettled: false,
    };
  });
  const values = mapped(inputs, (name, input) => new Value(input.tableRow, sourceOf(stack, name, input)));
  const remaining = Object.fromEntries(
    Object.entries(inputs).flatMap(([name, { row }]) => (row === undefined ? [] : [[name, row] as const])),
  );
  const hosted = hostedRelations(relations, values as ValuesOf<T>, Object.keys(remaining));
  const rules: unknown[] = [];
  for (const [name, row] of Object.entries(remaining)) {
    const { default: fallback, description, ephemeral, nullable, sensitive, type } = row;
    const value = values[name];
    if (value === undefined) continue;
    const validation = [
      ...assertionsOf(value),
      ...(inputs[name]?.requiredSettings ?? []).map(assertionOfRequired),
      ...assertionsOfFixed(inputs[name]?.fixed ?? []),
      ...hosted.flatMap(({ host, assertion }) => (host === name && assertion !== undefined ? [assertion] : [])),
    ];
    rules.push(validation);
    new InputVariable(scope, value.name, {
      description,
      ephemeral,
      sensitive,
      type,
      default: fallback,
      ...(nullable === true && { nullable }),
      ...(validation.length > 0 && { validation }),
    });
  }
  addSharedTables(stack, rules);
  const declared = Object.values(inputs).map((input) => [input.tableRow, input] as const);
  const ofVariables = new Set<unknown>(hosted.map(({ relation }) => relation));
  DECLARED.set(stack, { inputs: new Map(declared), relations: ofVariables, remaining });
  return mapped(inputs, (_, { given }) => given ?? undefined) as PropsOf<T>;
}

/**
 * Origin of a declared input's value.
 *
 * @param localsScope scope of a local for an object that is partly settled
 */
export function sourceOf(
  stack: TerraformStack,
  name: string,
  { given, isSettled, row, tableRow }: DeclaredInput,
  localsScope?: Construct,
): Source {
  const variable = `var.${terraformName(name)}`;
  const isLocal = localsScope !== undefined && (row === undefined || !Token.isUnresolved(given));
  const path = isLocal ? localOf(localsScope, name, tableRow, given) : () => variable;
  const address = new Address(path, stack, !isLocal && row !== undefined && isNeverNull(row));
  const common = { given, address, name: terraformName(name), messageNameOf: terraformName };
  return isSettled ? { ...common, openOf: exprOf, isSettled } : common;
}

/** Validations that refuse to change settled members. */
function assertionsOfFixed(members: SettledInput["fixed"]): Assertion[] {
  const conditions = members.flatMap(({ path, value }) => {
    const own = exprOf(value);
    if (typeof value !== "object" || value === null)
      return [reference<unknown>(`try(var.${path}, null)`, { knownAt: "plan", mayBeNull: true }).eq(own)];
    // A comparison with a list or an object that is not empty would be too long.
    return Object.keys(value).length > 0 ? [] : [hcl<boolean>`length(${reference(`var.${path}`, LENGTH)}) == 0`];
  });
  if (conditions.length === 0) return [];
  const names = members.map(({ path }) => path).join(", ");
  return [
    {
      condition: allOf(...conditions).tryOr(false).text,
      errorMessage: prose`
        one of ${names} has another value than in the settings that this folder was synthesized with;
        they are settled in it, because they decide which parts it has;
        leave them out, or synthesize the folder again.
      `,
    },
  ];
}

const LENGTH = { knownAt: "plan", mayBeNull: false } as const;

/** Refuses null, or an empty list, if the folder has parts that require a value. */
function assertionOfRequired({ hasItems, path }: RequiredSetting): Assertion {
  const what = hasItems ? `length(var.${path}) > 0` : `var.${path} != null`;
  return {
    condition: expression(`try(${what}, false)`),
    errorMessage: prose`
      ${path} is ${hasItems ? "empty" : "null"}; it must have a value,
      because the parts of this folder are those of a deployment with it;
      set it, or synthesize the folder again without it.
    `,
  };
}

/** @param whole the object around the value; while it is null, the rules of required members do not apply */
export function assertionsOf(value: Value, whole?: Expr): Assertion[] {
  const { given, name, row } = value;
  const isOptional = row.default === null || row.nullable === true;
  const own = checksOf(value)
    // A value that synthesis has judged needs neither a condition nor a local.
    .filter((check) => !isKnown(given) || !isDecided(check, plainOf(row, given)))
    .map((check) => {
      const absent = isOptional ? value : row.default === undefined ? whole : undefined;
      return planned(check, name, addressOf(value), { absent, isHidden: isHiddenFromRule(row, check) });
    });
  const around = row.default === null ? value : whole;
  return own.concat(Object.values<Value>(value.at).flatMap((each) => assertionsOf(each, around)));
}
