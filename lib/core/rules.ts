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

/** Limits of a platform for one kind of name that is built from application name and tenant id. */
interface NameLimits {
  /** Kind of name, for example `bucket name`. */
  readonly what: string;

  /** Maximum number of characters. */
  readonly maxLength: number;

  /** Why it must not be longer; follows "because". */
  readonly lengthReason: string;

  /** Pattern that the whole name must match. */
  readonly pattern: RegExp;

  /** The pattern in words. */
  readonly form: string;

  /** Why it must have this form; follows "because". */
  readonly formReason: string;
}

/** Form of most names on Google Cloud. */
export const RESOURCE_NAME = {
  pattern: /^[a-z]([a-z0-9-]*[a-z0-9])?$/,
  form: "lower-case letters, digits and hyphens that start with a letter",
  formReason: "Google Cloud refuses other names",
} as const;

/** Rules for the length and form of a name; one known only to Terraform is left to the validations of the inputs. */
export function nameRules<Props>(nameOf: (props: Props) => string, limits: NameLimits): readonly Rule<Props>[] {
  const { form, formReason, lengthReason, maxLength, pattern, what } = limits;
  return [
    {
      holds: (props) => ifKnown(nameOf(props), (name) => name.length <= maxLength),
      message: (props) =>
        `${what} ${nameOf(props)} is ${nameOf(props).length} characters, the limit is ${maxLength}, because ${lengthReason}; shorten the application name or the tenant id by ${nameOf(props).length - maxLength}`,
    },
    {
      holds: (props) => ifKnown(nameOf(props), (name) => pattern.test(name)),
      message: (props) =>
        `${what} ${nameOf(props)} must be ${form}, because ${formReason}; change the application name or the tenant id`,
    },
  ];
}
