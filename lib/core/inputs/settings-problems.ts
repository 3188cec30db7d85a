import { type TerraformStack } from "cdktf";

import { isPlainObject } from "../expr/expr";
import { mapped } from "../mapped";
import { prose } from "../prose";
import { Address } from "./address";
import { problemsOf, refuse } from "./input-problems";
import { memberPaths, unknownNames } from "./known-props";
import { isWrongInside, type Problem } from "./problem";
import { judgedRelations, type Relation } from "./relations";
import { type Table } from "./rows";
import { terraformName } from "./rules";
import { isSecret } from "./secrecy";
import { type DeploymentSettings, propOf, settingOrDefault } from "./settled-inputs";
import { type Given, Value, type ValuesOf } from "./value";

/**
 * Values of inputs, from the literals in settings. Inputs that settings must not contain, such as secrets, have their
 * default.
 */
function literalsOf(table: Table, given: DeploymentSettings["values"]) {
  return mapped(table, (name, row) => {
    const own = isSecret(row) ? (row.default ?? null) : propOf(row, settingOrDefault(row, given[terraformName(name)]));
    const address = new Address(() => name);
    return new Value(row, { given: own, address, name: terraformName(name), messageNameOf: terraformName });
  });
}

/** Values of settings for warnings. Wrong settings are replaced by their default, because they are refused anyway. */
export function valuesOfSettings<T extends Table>(table: T, { values }: DeploymentSettings): ValuesOf<T> {
  const isRight = ([, value]: readonly [string, Value]) => problemsOf(value).length === 0;
  const right = Object.entries(literalsOf(table, values)).filter(isRight);
  const kept = new Set(right.map(([name]) => terraformName(name)));
  return literalsOf(
    table,
    Object.fromEntries(Object.entries(values).filter(([name]) => kept.has(name))),
  ) as ValuesOf<T>;
}

/**
 * @param doubts warnings, to be printed below the problems
 * @throws RulesBrokenError naming every wrong setting and every unknown name
 */
export function refuseSettings<T extends Table>(
  stack: TerraformStack,
  table: T,
  relations: readonly Relation<T>[],
  settings: DeploymentSettings,
  doubts: readonly string[] = [],
): void {
  const { hintOf, values: given } = settings;
  const secrets = Object.entries(table)
    .map(([name, row]) => ({ name: terraformName(name), row }))
    .filter(({ name, row }) => isSecret(row) && (given[name] ?? "") !== "")
    .map(({ name }): Problem => {
      const text = prose`
        ${name} is given; it must not be in the settings, because the folder would have it;
        pass it to each apply, as TF_VAR_${name}
      `;
      return { path: name, text };
    });
  const literals = literalsOf(table, given);
  const others = [...secrets, ...unknownSettings(table, given, "", hintOf)];
  const isMissing = (name: string) => literals[name]?.given === null && table[name]?.default === undefined;
  const set = Object.fromEntries(Object.entries(literals).filter(([name]) => !isMissing(name)));
  const problems = mapped(set, (_, value) => problemsOf(value));
  const isWrong = (name: string) =>
    isMissing(name) || isWrongInside(others, terraformName(name)) || (problems[name] ?? []).length > 0;
  const values = literals as ValuesOf<T>;
  const { broken } = judgedRelations(relations, values, isWrong);
  refuse(stack, [...others, ...Object.values(problems).flat()], broken, doubts);
}

/** Problems of unknown names among the settings and the members of objects. */
function unknownSettings(table: Table, given: Given, prefix: string, hintOf?: DeploymentSettings["hintOf"]): Problem[] {
  const rows = Object.fromEntries(Object.entries(table).map(([name, row]) => [terraformName(name), row]));
  const inside = Object.entries(rows).flatMap(([name, { entries, members }]) => {
    const value = given[name];
    if (!isPlainObject(value) || Array.isArray(value)) return [];
    if (members !== undefined) return unknownSettings(members, value as Given, `${prefix}${name}.`);
    if (entries === undefined) return [];
    return Object.entries(value as Given).flatMap(([key, each]) =>
      isPlainObject(each) ? unknownSettings(entries, each as Given, `${prefix}${name}[${JSON.stringify(key)}].`) : [],
    );
  });
  return [
    ...unknownNames(given, Object.keys(rows), {
      prefix,
      kind: "input",
      hintOf,
      inside: memberPaths(table, terraformName),
    }),
    ...inside,
  ];
}
