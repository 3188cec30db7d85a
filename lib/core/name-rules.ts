import { ifKnown, type Rule } from "./rules";

/** What a platform accepts as one kind of name that is built from application name and tenant id. */
export interface NameLimits {
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
