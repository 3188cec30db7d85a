import { Token } from "cdktf";
import { type IConstruct } from "constructs";

/** One thing that must hold for a set of props. */
export interface Rule<Props> {
  /** True when the props are acceptable. */
  readonly holds: (props: Props) => boolean;
  /** What is wrong, which rule, why, and the way out: one sentence per problem, no trailing stop. */
  readonly message: (props: Props) => string | readonly string[];
}

/** All rules that a construct's props break, in one error that names the construct. */
export class RulesBrokenError extends Error {
  constructor(
    /** Path of the construct in its tree, or the name of the setting, as its author wrote it. */
    readonly subject: string,
    readonly failures: readonly string[],
  ) {
    super(
      [
        `${subject}: ${failures.length === 1 ? "1 problem" : `${failures.length} problems`}`,
        ...failures.map((failure) => `  - ${failure}`),
      ].join("\n"),
    );
    this.name = "RulesBrokenError";
  }
}

/**
 * Checks every rule and reports all that fail at once.
 *
 * @throws RulesBrokenError when at least one rule does not hold
 */
export function requireAll<Props>(scope: IConstruct, props: Props, rules: readonly Rule<Props>[]): void {
  const failures = rules.filter((rule) => !rule.holds(props)).flatMap((rule) => rule.message(props));
  if (failures.length > 0) throw new RulesBrokenError(scope.node.path, failures);
}

/** Names of the props that have no default. */
type RequiredName<Props> = {
  [Name in keyof Props]-?: undefined extends Props[Name] ? never : Name;
}[keyof Props];

/**
 * Refuses props that lack what has no default, as the compiler does for whoever writes TypeScript.
 *
 * @param path path of the construct in its tree
 * @param required every prop without a default; the compiler knows when one is left out here
 * @throws RulesBrokenError naming all that are missing
 */
export function requireProps<Props extends object>(
  path: string,
  props: Props,
  required: Readonly<Record<RequiredName<Props>, true>>,
): void {
  const given = ((props as Props | undefined) ?? {}) as Readonly<Record<string, unknown>>;
  const missing = Object.keys(required).filter((name) => given[name] === undefined || given[name] === null);
  if (missing.length === 0) return;
  throw new RulesBrokenError(
    path,
    missing.map((name) => `${name} is missing; it has no default; give it`),
  );
}

/**
 * Judges a literal; lets an absent value pass, and one that only Terraform knows.
 *
 * The stack's variable validations judge the latter at plan.
 */
export function ifKnown<Value>(value: Value | undefined, holds: (value: Value) => boolean): boolean {
  return value === undefined || Token.isUnresolved(value) || holds(value);
}

/** How a message may speak of a secret: whether it is there, never what it is. */
export function secretPresence(value: unknown): "given" | "missing" {
  return value === undefined || value === null || value === "" ? "missing" : "given";
}
