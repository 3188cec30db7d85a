import { type ITerraformDependable, TerraformStack, Token } from "cdktf";
import { Construct } from "constructs";

import { givenValue } from "../expr/given";
import { type GivenToken, requireKnownCounts } from "../expr/known-at-plan";
import { settingName } from "../expr/locals";
import { mapped } from "../mapped";
import { TerraformData } from "../terraform-data";
import { Address } from "./address";
import { assertionsOf, DECLARED, sourceOf } from "./declared-inputs";
import { problemsOf, refuse } from "./input-problems";
import { isWrongInside, type Problem } from "./problem";
import { judgedRelations, namesIn, namingSomething, type Relation } from "./relations";
import { withAttributes } from "./resource-props";
import { type Input, type PropsOf, type Table } from "./rows";
import { type Assertion, terraformName } from "./rules";
import { addSharedTables } from "./shared-table";
import { type Given, localOf, type SettingsOf, Value, type ValuesOf } from "./value";

/**
 * Returns the values of props. Wrong literals are refused at once, other values at plan. Variables of the stack are
 * exempt, because their own validations have the same rules.
 *
 * @param others problems of props that are not inputs, reported together with those of the inputs
 * @param propNames names of props by input, if they differ
 * @throws RulesBrokenError naming everything that is missing or wrong
 */
export function valuesFrom<T extends Table>(
  scope: Construct,
  table: T,
  props: PropsOf<T>,
  relations: readonly Relation<T>[] = [],
  others: readonly Problem[] = [],
  propNames?: Readonly<Partial<Record<keyof T, string>>>,
): ValuesOf<T> {
  const own = new GivenProps(scope, table, props, propNames);
  const localsScope = new Construct(scope, "Given");
  const values = mapped(table, (name, row) => own.valueOf(name, row, localsScope)) as ValuesOf<T>;

  const problems = mapped(values as Readonly<Record<string, Value>>, (_, value) => problemsOf(value));
  const isWrong = (name: string) => (problems[name] ?? []).length > 0 || isWrongInside(others, name);
  const wrong = new Set(Object.keys(table).filter(isWrong));
  const unchecked = relations.filter((relation) => own.isUnchecked(relation, values));
  const { broken, open } = judgedRelations(unchecked, values, (name) => wrong.has(name));
  refuse(scope, [...others, ...Object.values(problems).flat()], broken);

  const given = Object.entries<Value>(values).flatMap(([name, value]) => (own.isGivenHere(name) ? [value] : []));
  addPreconditions(scope, [
    ...given.filter(({ row }) => row.ephemeral !== true).flatMap((value) => assertionsOf(value)),
    ...open.map(({ holds, relation }) => ({
      condition: namingSomething(localsScope, relation, holds),
      errorMessage: `${relation.message(values)}.`,
    })),
  ]);
  requireKnownCounts(scope, given.flatMap(tokensIn));
  return values;
}

/** Props from a program; some may be inputs that the stack declared. */
class GivenProps<T extends Table> {
  private readonly attributes: Given | undefined;
  private readonly stack: TerraformStack;

  constructor(
    private readonly scope: Construct,
    private readonly table: T,
    props: PropsOf<T>,
    private readonly propNames: Readonly<Partial<Record<string, string>>> = {},
  ) {
    this.attributes = withAttributes(table, props);
    this.stack = TerraformStack.of(scope);
  }

  /** Whether the program gives a value of its own. */
  isGivenHere(name: string): boolean {
    return this.propOf(name) !== undefined && this.inputOf(name) === undefined;
  }

  /**
   * Whether the relation needs a check here, because it refers to a value from the program and no variable of the stack
   * validates it.
   */
  isUnchecked(relation: Relation<T>, values: ValuesOf<T>): boolean {
    const isDeclared = DECLARED.get(this.stack)?.relations.has(relation) === true;
    return namesIn(relation, values).some((name) =>
      this.inputOf(name) === undefined ? this.isGivenHere(name) : !isDeclared,
    );
  }

  valueOf(name: string, row: Input, localsScope: Construct): Value {
    const { scope, stack } = this;
    const input = this.inputOf(name);
    if (input !== undefined) return new Value(row, sourceOf(stack, name, input, localsScope));
    const given = this.propOf(name);
    const value = given === undefined ? (row.default ?? null) : given;
    const prop = this.propNames[name] ?? name;
    const messageName = settingName(scope, value, prop);
    const messageNameOf = messageName === prop ? String : terraformName;
    const address = new Address(localOf(localsScope, name, row, value), stack);
    const openOf = (each: unknown) => givenValue(scope, each);
    return new Value(row, { given: value, address, name: messageName, messageNameOf, openOf });
  }

  /** The given value; null counts as not given, except for inputs where null has a meaning of its own. */
  private propOf(name: string): unknown {
    const value = this.attributes?.[name];
    return this.table[name]?.nullable === true ? value : (value ?? undefined);
  }

  /** The input of the stack, if the prop passes it on unchanged. */
  private inputOf(name: string) {
    const input = DECLARED.get(this.stack)?.inputs.get(this.table[name] as Input);
    return input?.given === (this.propOf(name) ?? null) ? input : undefined;
  }
}

/** Adds preconditions for values that synthesis cannot judge. */
function addPreconditions(scope: Construct, precondition: readonly Assertion[]): void {
  if (precondition.length === 0) return;
  // Only guards depend on it, because a failed precondition stops the whole plan anyway.
  new TerraformData(scope, INPUT_CHECKS, { lifecycle: { precondition: [...precondition] } });
  addSharedTables(scope, precondition);
}

/** The tokens in a value and its members. */
function tokensIn({ at, given, name }: Value): GivenToken[] {
  if (Token.isUnresolved(given)) return [{ name, value: given }];
  return Object.values<Value>(at).flatMap(tokensIn);
}

const INPUT_CHECKS = "Inputs";

/** The check of a deployment's props. Guards depend on the check, so that a refused destroy does not delete it. */
export function inputChecksOf(scope: Construct): ITerraformDependable[] {
  const inputChecks = scope.node.tryFindChild(INPUT_CHECKS);
  return inputChecks instanceof TerraformData ? [inputChecks] : [];
}

/**
 * Refuses wrong literals among the props for some rows of a table.
 *
 * @param others further problems of the props, reported together
 * @returns the props, with resources replaced by their attributes
 * @throws RulesBrokenError naming all problems
 */
export function refuseWrong<T extends Table, Name extends keyof T & string>(
  scope: Construct,
  table: T,
  props: Partial<Pick<PropsOf<T>, Name & keyof PropsOf<T>>>,
  names: readonly Name[],
  others: readonly Problem[] = [],
): SettingsOf<Pick<T, Name>> {
  const attributes = withAttributes(table, props) as Given | undefined;
  const values = names.map((name) => {
    const row = table[name] as Input;
    const given = attributes?.[name] ?? row.default ?? null;
    return new Value(row, { given, address: new Address(() => name), name, messageNameOf: String });
  });
  refuse(scope, [...others, ...values.flatMap(problemsOf)]);
  return (attributes ?? {}) as SettingsOf<Pick<T, Name>>;
}
