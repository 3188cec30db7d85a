import { TerraformLocal } from "cdktf";
import { type Construct } from "constructs";

import { type Expr } from "../expr/expr";
import { Address } from "./address";
import { textAtSynth } from "./input-problems";
import { type Table } from "./rows";
import { type Assertion, terraformName } from "./rules";
import { referenceTo } from "./settled-inputs";
import { Value, type ValuesOf } from "./value";

/** A rule about several inputs, which may be in several tables. */
export interface Relation<T extends Table> {
  /** The input whose variable has the rule as a validation. */
  readonly host: keyof T;
  /** The condition; it counts as false if its evaluation fails. */
  readonly holds: (values: ValuesOf<T>) => Expr<boolean>;
  /** The problem, the rule, the reason if it is not obvious, and the fix, without a full stop. */
  readonly message: (values: ValuesOf<T>) => string;
}

/** A relation that a validation of a variable judges. */
interface HostedRelation<T extends Table> {
  readonly relation: Relation<T>;
  /** The validated variable; undefined for a relation that always holds. */
  readonly host?: string;
  readonly assertion?: Assertion;
}

/** The relations that validations can judge. @param left names of the inputs that have a variable */
export function hostedRelations<T extends Table>(
  relations: readonly Relation<T>[],
  values: ValuesOf<T>,
  left: readonly string[],
): HostedRelation<T>[] {
  const judged = relations.map((relation) => {
    const condition = relation.holds(values).tryOr(false);
    const addresses = condition.names.join(" ");
    const names = left.filter((name) => new RegExp(`\\bvar[.]${terraformName(name)}\\b`).test(addresses));
    return { relation, condition, names };
  });
  const always = judged.filter(({ condition }) => condition.isLiteral && condition.literal);
  const [own, others] = partition(
    judged.filter((each) => !always.includes(each)),
    ({ names, relation }) => names.includes(String(relation.host)),
  );
  const hosted = own.map((each) => ({ ...each, host: String(each.relation.host) }));
  for (const each of others) {
    // Terraform refuses a validation without its own variable, and validations that refer to each other's variables.
    const host = each.names.find((name) =>
      each.names.every((other) => other === name || !looksAt(hosted, other, name)),
    );
    if (host !== undefined) hosted.push({ ...each, host });
  }
  return [
    ...always.map(({ relation }) => ({ relation })),
    ...hosted.map(({ condition, host, relation }) => ({
      relation,
      host,
      assertion: assertionOf(relation, condition, values),
    })),
  ];
}

/** Whether the validations of a variable refer to another one, directly or through validations of others. */
function looksAt(
  hosted: readonly { readonly host: string; readonly names: readonly string[] }[],
  from: string,
  to: string,
  seen = new Set([from]),
): boolean {
  const next = hosted
    .filter(({ host }) => host === from)
    .flatMap(({ names }) => names.filter((name) => !seen.has(name)));
  for (const name of next) seen.add(name);
  return next.includes(to) || next.some((name) => looksAt(hosted, name, to, seen));
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/** A relation that only a plan can judge. */
interface OpenRelation<T extends Table> {
  readonly relation: Relation<T>;
  readonly holds: Expr<boolean>;
}

/**
 * Judges relations at synth. Returns the messages of broken relations, and the relations that only a plan can judge.
 *
 * @param isWrong whether an input breaks a rule of its own; its relations are skipped, so that no problem is reported
 *   twice
 */
export function judgedRelations<T extends Table>(
  relations: readonly Relation<T>[],
  values: ValuesOf<T>,
  isWrong: (name: string) => boolean,
): { readonly broken: readonly string[]; readonly open: readonly OpenRelation<T>[] } {
  const judged = relations
    .filter((relation) => !namesIn(relation, values).some(isWrong))
    .map((relation) => ({ relation, holds: relation.holds(values).tryOr(false) }));
  const broken = judged.filter(({ holds }) => holds.isLiteral && !holds.literal);
  return {
    broken: broken.map(({ relation }) => textAtSynth(relation.message(values))),
    open: judged.filter(({ holds }) => !holds.isLiteral),
  };
}

/**
 * A condition for a plan. A condition that consists of literals is put into a local, because Terraform refuses
 * conditions without a reference.
 */
export function namingSomething<T extends Table>(
  localsScope: Construct,
  { host: of }: Relation<T>,
  condition: Expr<boolean>,
): string {
  if (condition.names.length > 0) return condition.text;
  const id = `${String(of)}IsFine`;
  const count = localsScope.node.children.filter((each) => each.node.id.startsWith(id)).length;
  return new TerraformLocal(localsScope, count === 0 ? id : `${id}${count + 1}`, condition).asString;
}

function assertionOf<T extends Table>(
  { message }: Relation<T>,
  condition: Expr<boolean>,
  values: ValuesOf<T>,
): Assertion {
  return { condition: condition.text, errorMessage: `${message(values)}.` };
}

/** Cache of `namesIn`, because a program may have hundreds of deployments. */
const NAMES_IN = new WeakMap<Relation<never>, readonly string[]>();

/** All inputs to which a relation refers, even if only for certain values of another input. */
export function namesIn<T extends Table>(relation: Relation<T>, values: ValuesOf<T>): readonly string[] {
  const known = NAMES_IN.get(relation);
  if (known !== undefined) return known;
  const names: string[] = [];
  const get = (_: ValuesOf<T>, name: string) => {
    names.push(name);
    const { row } = values[name] as Value;
    // Every input becomes a reference, because a condition on a literal may skip other inputs.
    const given = referenceTo(row, terraformName(name));
    return new Value(row, { given, address: new Address(() => name), name, messageNameOf: String });
  };
  relation.holds(new Proxy(values, { get }));
  NAMES_IN.set(relation, names);
  return names;
}
