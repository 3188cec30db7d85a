import { TerraformElement, Token } from "cdktf";
import { type Construct } from "constructs";

import { isPlainObject } from "../expr/expr";
import { prose } from "../prose";
import { nearest } from "./nearest";
import { missing, type Problem, textsOf } from "./problem";
import { type Input } from "./rows";
import { inNamesOf, isItemRule, type ItemRule, ofMember, oneOf, problems, type Rule } from "./rules";
import { RulesBrokenError } from "./rules-broken-error";
import { isHiddenFromRule, isSecret } from "./secrecy";
import { type NameOf, typeProblems } from "./type-problems";
import { type Given, plainOf, TEXT, type Value } from "./value";

/**
 * @param broken messages of broken relations
 * @param doubts warnings, to be printed below the problems
 * @throws RulesBrokenError naming all problems
 */
export function refuse(
  scope: Construct,
  found: readonly Problem[],
  broken: readonly string[] = [],
  doubts: readonly string[] = [],
): void {
  const wrong = [...textsOf(found), ...broken];
  if (wrong.length > 0) throw new RulesBrokenError(scope.node.path, wrong, doubts);
}

/** A message at synth, with a placeholder for values that only a plan knows. */
export function textAtSynth(message: string): string {
  const known = message.replaceAll(/\$\{TfToken\[[^\]]*\]\}/g, "known only at plan");
  return known.replaceAll(/([$%])\1\{/g, "$1{");
}

/** Problems of a literal and its members; for a token, only the type is checked. */
export function problemsOf(value: Value): Problem[] {
  const { given, messageNameOf, name, row } = value;
  if (given === null)
    return row.default === undefined && row.nullable !== true
      ? [missing(name, value.isMember ? row : undefined, messageNameOf)]
      : [];
  const misshapen = typeProblems(name, row, given, { messageNameOf });
  if (misshapen.length > 0 || Token.isUnresolved(given)) return misshapen;
  if (isSecret(row) && given !== "") {
    const text = prose`
      ${name} is given as a literal; it must be a reference, because a literal would be written into the
      synthesized folder; pass the value of ${row.ephemeral === true ? "an ephemeral" : "a sensitive"} variable
    `;
    return [{ path: name, text }];
  }
  const inside = missingMembers(value).concat(Object.values<Value>(value.at).flatMap(problemsOf));
  // An element cannot be shown as text, because it refers to the whole program; the problem of the element itself
  // suffices.
  if (holdsElement(given)) return inside;
  // A wrong member would also break the rule of the object, and that message is longer.
  const isSaid = (rule: Rule | ItemRule) => inside.length === 0 || (row.members !== undefined && isItemRule(rule));
  const plain = plainOf(row, given);
  const own = [...checksOf(value), ...wordsOf(row)].filter(isSaid).flatMap((rule) => {
    const { others, said } = misspeltKeys(name, rule, plain);
    const options = { plain: others, isHidden: isHiddenFromRule(row, rule) };
    const texts = [...said, ...problems(rule, name, asWritten(row, given, messageNameOf), options)];
    return texts.map((text): Problem => ({ path: name, text }));
  });
  return [...inside, ...own];
}

/** A literal whose members have the names that its author wrote. */
function asWritten({ entries, members }: Input, given: unknown, messageNameOf: NameOf): unknown {
  const rows = members ?? entries;
  if (rows === undefined || !isPlainObject(given) || Array.isArray(given)) return given;
  const written = Object.entries(given as Given).map(([name, each]) => {
    if (members === undefined) return [name, asWritten({ ...TEXT, members: entries }, each, messageNameOf)];
    return [messageNameOf(name), asWritten(members[name] ?? TEXT, each, messageNameOf)];
  });
  return Object.fromEntries(written) as Given;
}

/** A rule for words that only synthesis checks; at plan, the provider or a relation refuses other words. */
function wordsOf({ must, schema = {} }: Input): readonly Rule[] {
  const words = (schema.enum ?? []) as readonly string[];
  return must === undefined && words.length > 0 ? [oneOf(words, { fix: "use one of these" })] : [];
}

/** Sentences about misspelt keys of a map, and the map without these keys. */
function misspeltKeys(name: string, rule: Rule | ItemRule, plain: unknown) {
  const { keyIs = "name", keySchema = {} } = isItemRule(rule) ? rule : {};
  const names = (keySchema.enum ?? []) as readonly string[];
  if (names.length === 0 || !isPlainObject(plain)) return { others: plain, said: [] };
  const near = new Map(
    Object.keys(plain).flatMap((key) => {
      const meant = names.includes(key) ? undefined : nearest(key, names);
      return meant === undefined ? [] : [[key, meant] as const];
    }),
  );
  return {
    others: Object.fromEntries(Object.entries(plain).filter(([key]) => !near.has(key))),
    said: [...near].map(([key, meant]) => `${name} has "${key}", which is no ${keyIs}; did you mean "${meant}"?`),
  };
}

/** Whether an object contains an element of a stack. */
function holdsElement(given: unknown): boolean {
  if (TerraformElement.isTerraformElement(given)) return true;
  return isPlainObject(given) && Object.values(given).some(holdsElement);
}

/** Missing members that must be given, even if only as null. */
function missingMembers({ at, given, messageNameOf }: Value): Problem[] {
  return Object.entries<Value>(at)
    .filter(([name, { row }]) => row.default === undefined && row.nullable === true && !(name in (given as Given)))
    .map(([, { name, row }]) => missing(name, row, messageNameOf));
}

/** The rules of a row and of its entries' members, with inputs under their names in messages. */
export function checksOf({ row: { entries = {}, must = [] }, messageNameOf }: Value): readonly (Rule | ItemRule)[] {
  const ofMembers = Object.entries(entries).flatMap(([name, member]) =>
    [member.must ?? []].flat().flatMap((rule) => (isItemRule(rule) ? [] : [ofMember(name, messageNameOf(name), rule)])),
  );
  return [must, ofMembers].flat().map((rule) => inNamesOf(rule, messageNameOf));
}
