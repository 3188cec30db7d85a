import { type ITerraformDependable, TerraformStack, Token } from "cdktf";
import { Construct } from "constructs";

import { terraformName } from "./checks";
import { DECLARED, judgementsOf, sourceOf } from "./declared-inputs";
import { settingName } from "../expr/expression";
import { given as givenValue } from "../expr/given";
import { problemsOf, refuse, textAtSynth } from "./input-problems";
import { type GivenToken, requireKnownCounts } from "../expr/known-at-plan";
import { isFalse, namesIn, namingSomething, type Relation } from "./relations";
import { withAttributes } from "./resource-props";
import { type Input, type PropsOf, type Table } from "./rows";
import { addSharedTables } from "./shared-table";
import { TerraformData } from "../terraform-data";
import { type Given, localOf, mapped, type SettingsOf, Value, type ValuesOf } from "./value";

/**
 * Values of props: refuses wrong literals now, and everything else at plan, but for variables that have the same rules.
 *
 * @param others what is wrong with props that are no inputs, to be said with the rest
 * @param propNames of inputs that a program gives in props of other names
 * @throws RulesBrokenError naming everything that is missing or wrong
 */
export function valuesFrom<T extends Table>(
  scope: Construct,
  table: T,
  props: PropsOf<T>,
  relations: readonly Relation<T>[] = [],
  others: readonly string[] = [],
  propNames?: Readonly<Partial<Record<keyof T, string>>>,
): ValuesOf<T> {
  const stack = TerraformStack.of(scope);
  const declared = DECLARED.get(stack);
  const attributes = withAttributes(table, props) as Given | undefined;
  const given = (name: string) => {
    const value = attributes?.[name];
    return table[name]?.nullable === true ? value : (value ?? undefined);
  };
  /** The input of the stack that is passed on as it is. */
  const inputOf = (name: string) => {
    const input = declared?.inputs.get(table[name] as Input);
    return input?.given === (given(name) ?? null) ? input : undefined;
  };
  const localsScope = new Construct(scope, "Given");
  const values = mapped(table, (name, row) => {
    const input = inputOf(name);
    if (input !== undefined) return new Value(row, sourceOf(stack, name, input, localsScope));
    const value = given(name) === undefined ? (row.default ?? null) : given(name);
    const prop = propNames?.[name] ?? name;
    const messageName = settingName(scope, value, prop);
    const messageNameOf = messageName === prop ? String : terraformName;
    const path = localOf(localsScope, name, row, value);
    const openOf = (each: unknown) => givenValue(scope, each);
    return new Value(row, { given: value, path, name: messageName, messageNameOf, stack, open: openOf(value), openOf });
  }) as ValuesOf<T>;

  const isOpen = (name: string) => given(name) !== undefined && inputOf(name) === undefined;
  const isUnchecked = (relation: Relation<T>) =>
    namesIn(relation, values).some((name) =>
      inputOf(name) === undefined ? isOpen(name) : declared?.relations.has(relation) !== true,
    );
  const isWrong = (name: string) =>
    problemsOf(values[name] as Value).length > 0 || others.some((problem) => problem.startsWith(`${name}.`));
  const wrong = new Set(Object.keys(table).filter(isWrong));
  const judged = relations
    .filter((relation) => isUnchecked(relation) && !namesIn(relation, values).some((name) => wrong.has(name)))
    .map((relation) => ({ relation, holds: relation.holds(values).tryOr(false) }));
  const broken = judged.filter(({ holds }) => isFalse(holds)).map(({ relation }) => textAtSynth(relation.says(values)));
  refuse(scope, values, others, broken);

  const precondition = Object.entries<Value>(values)
    .filter(([name, { row }]) => isOpen(name) && row.ephemeral !== true)
    .flatMap(([, value]) => judgementsOf(value))
    .concat(
      judged
        .filter(({ holds }) => !holds.isLiteral)
        .map(({ holds, relation }) => ({
          condition: namingSomething(localsScope, relation, holds),
          errorMessage: `${relation.says(values)}.`,
        })),
    );
  // Nothing waits for it but guards, because a plan that one resource refuses is never applied.
  if (precondition.length > 0) {
    new TerraformData(scope, INPUT_CHECKS, { lifecycle: { precondition } });
    addSharedTables(scope, precondition);
  }
  requireKnownCounts(
    scope,
    Object.entries<Value>(values).flatMap(([name, value]) => (isOpen(name) ? tokensIn(value) : [])),
  );
  return values;
}

/** What is a token of a value, and of its members. */
function tokensIn({ at, given, name }: Value): GivenToken[] {
  if (Token.isUnresolved(given)) return [{ name, value: given }];
  return Object.values<Value>(at).flatMap(tokensIn);
}

const INPUT_CHECKS = "Inputs";

/** What checks the values of a deployment's props; a guard that depends on it keeps it in a destroy that is refused. */
export function inputChecksOf(scope: Construct): ITerraformDependable[] {
  const inputChecks = scope.node.tryFindChild(INPUT_CHECKS);
  return inputChecks instanceof TerraformData ? [inputChecks] : [];
}

/**
 * Refuses wrong literals among props of some rows of a table.
 *
 * @param others what else is wrong with the props, to be said with the rest
 * @returns the props, with attributes in the place of resources
 * @throws RulesBrokenError naming all that is wrong
 */
export function refuseWrong<T extends Table, Name extends keyof T & string>(
  scope: Construct,
  table: T,
  props: Partial<Pick<PropsOf<T>, Name & keyof PropsOf<T>>>,
  names: readonly Name[],
  others: readonly string[] = [],
): SettingsOf<Pick<T, Name>> {
  const attributes = withAttributes(table, props) as Given | undefined;
  const values = names.map((name) => {
    const row = table[name] as Input;
    const given = attributes?.[name] ?? row.default ?? null;
    return [name, new Value(row, { given, path: () => name, name, messageNameOf: String })] as const;
  });
  refuse(scope, Object.fromEntries(values), others);
  return (attributes ?? {}) as SettingsOf<Pick<T, Name>>;
}
