import { Token } from "cdktf";
import { type IConstruct } from "constructs";

import { stateProvidersOf } from "./provider-requirements";
import { RulesBrokenError } from "./rules-broken-error";

export { RulesBrokenError };

/** A condition that props must meet. */
export interface Rule<Props> {
  /** True if the props are acceptable. */
  readonly holds: (props: Props) => boolean;
  /** What is wrong, the rule, the reason and the fix: one sentence per problem, no trailing full stop. */
  readonly message: (props: Props) => string | readonly string[];
}

/** Names of the props that have no default. */
type RequiredName<Props> = {
  [Name in keyof Props]-?: undefined extends Props[Name] ? never : Name;
}[keyof Props];

/**
 * Refuses props that lack a required value, which the compiler catches only in TypeScript, and props that break a rule,
 * all of them at once. Exported constructs begin with it; given a construct, it also has its stack state the
 * releases of the providers of its resources.
 *
 * @param subject the construct, or the path of anything else that takes props
 * @param required props without a default; while one is missing, the rules are not checked
 * @throws RulesBrokenError naming every missing prop, or else all that is wrong
 */
export function requireProps<Props extends object>(
  subject: IConstruct | string,
  props: Props,
  required: readonly RequiredName<Props>[],
  rules: readonly Rule<Props>[] = [],
): void {
  const missing = required.filter((name) => ((props as Partial<Props> | undefined)?.[name] ?? undefined) === undefined);
  const failures =
    missing.length > 0
      ? missing.map((name) => `${String(name)} is missing; it has no default; set it`)
      : rules.filter((rule) => !rule.holds(props)).flatMap((rule) => rule.message(props));
  if (failures.length > 0)
    throw new RulesBrokenError(typeof subject === "string" ? subject : subject.node.path, failures);
  if (typeof subject !== "string") stateProvidersOf(subject);
}

/** Checks a literal; an absent value passes, and so does one known only to Terraform, which checks it at plan. */
export function ifKnown<Value>(value: Value | undefined, holds: (value: Value) => boolean): boolean {
  return value === undefined || Token.isUnresolved(value) || holds(value);
}

/** How a message may describe a secret: whether it is given, never its value. */
export function secretPresence(value: unknown): "given" | "missing" {
  return value === undefined || value === null || value === "" ? "missing" : "given";
}
