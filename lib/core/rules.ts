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

/** Names of the props that have no default. */
type RequiredName<Props> = {
  [Name in keyof Props]-?: undefined extends Props[Name] ? never : Name;
}[keyof Props];

/**
 * Refuses props that lack what has no default, as the compiler does for whoever writes TypeScript, and props that break a
 * rule: all of them at once.
 *
 * @param subject the construct, or its path where it does not exist yet
 * @param required every prop without a default; the compiler knows when one is left out here
 * @throws RulesBrokenError naming all that are missing or wrong
 */
export function requireProps<Props extends object>(
  subject: IConstruct | string,
  props: Props,
  required: Readonly<Record<RequiredName<Props>, Required>>,
  rules: readonly Rule<Props>[] = [],
): void {
  const missing = missingNames(props, required);
  const judged = missing.length === 0 ? props : (withUnknowns(props, required) as Props);
  const failures = [...missing.map((name) => missingText(name)), ...problemsOf(judged, rules)];
  if (failures.length === 0) return;
  throw new RulesBrokenError(typeof subject === "string" ? subject : subject.node.path, failures);
}

function problemsOf<Props>(props: Props, rules: readonly Rule<Props>[]): string[] {
  return rules.filter((rule) => !rule.holds(props)).flatMap((rule) => rule.message(props));
}

/** What is said about a value that must be given and is not. */
export function missingText(name: string): string {
  return `${name} is missing; it has no default; give it`;
}

/** A prop that has no default, or what it may not lack in its turn. */
type Required = true | { readonly [name: string]: Required };

type RequiredNames = Readonly<Record<string, Required>>;

/** What is missing counts as known to Terraform alone, so that the rules can judge the rest. */
function withUnknowns(props: unknown, required: RequiredNames): object {
  const given = (props ?? {}) as Readonly<Record<string, unknown>>;
  const filled = Object.entries(required).map(([name, inner]): [string, unknown] => {
    const value = given[name] ?? undefined;
    return [name, inner === true ? (value ?? UNKNOWN) : withUnknowns(value, inner)];
  });
  return { ...given, ...Object.fromEntries(filled) };
}

const UNKNOWN = Token.asString({ missing: true });

function missingNames(props: unknown, required: RequiredNames): string[] {
  const given = (props ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(required).flatMap(([name, inner]) => {
    const value = given[name];
    if (value === undefined || value === null) return [name];
    return inner === true ? [] : missingNames(value, inner).map((innerName) => `${name}.${innerName}`);
  });
}

/**
 * Judges a literal; lets an absent value pass, and one that only Terraform knows.
 *
 * The latter is left to Terraform.
 */
export function ifKnown<Value>(value: Value | undefined, holds: (value: Value) => boolean): boolean {
  return value === undefined || Token.isUnresolved(value) || holds(value);
}

/** How a message may speak of a secret: whether it is there, never what it is. */
export function secretPresence(value: unknown): "given" | "missing" {
  return value === undefined || value === null || value === "" ? "missing" : "given";
}

/** What a platform accepts as one kind of name that is built from application name and tenant id. */
interface NameLimits {
  /** What the name is of, for example `bucket name`. */
  readonly what: string;

  /** Most characters. */
  readonly maxLength: number;

  /** Why it may not be longer; follows "because". */
  readonly lengthReason: string;

  /** What the whole name must match. */
  readonly pattern: RegExp;

  /** The pattern in words. */
  readonly form: string;

  /** Why it may have no other form; follows "because". */
  readonly formReason: string;
}

/** Form of most names on Google Cloud. */
export const RESOURCE_NAME = {
  pattern: /^[a-z]([a-z0-9-]*[a-z0-9])?$/,
  form: "lower-case letters, digits and hyphens that start with a letter",
  formReason: "Google Cloud refuses other names",
} as const;

/** Rules on the length and on the form of a name; one that only Terraform knows is left to the inputs' validations. */
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
