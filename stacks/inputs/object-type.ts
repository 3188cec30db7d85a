import { ref, Token, type IResolvable } from "cdktf";

/** The plain Terraform types of inputs, each with the type that a construct receives. */
export interface PlainTypes {
  readonly bool: IResolvable;
  readonly "list(string)": string[];
  readonly "map(string)": IResolvable;
  readonly number: number;
  readonly string: string;
}

/** A member of an object. */
export interface Member<Must = unknown> {
  readonly type: keyof PlainTypes | ObjectType<Must>;

  /** What it is, without a full stop. */
  readonly description: string;

  /** Value of an object without it, null for none. Without a default, the member is required. */
  readonly default?: unknown;

  /** Rules for the value. */
  readonly must?: Must;
}

/** Type of an input that is an object, or of a member that is. */
export interface ObjectType<Must = unknown> {
  readonly members: Readonly<Record<string, Member<Must>>>;
}

export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** The members of an object that may be null, and whether it is given. */
export type ObjectValue<Type extends ObjectType> = { readonly enabled: IResolvable } & {
  readonly [Name in keyof Type["members"] & string as CamelCase<Name>]: MemberValue<Type["members"][Name]["type"]>;
};

type MemberValue<Type extends Member["type"]> = Type extends keyof PlainTypes
  ? PlainTypes[Type]
  : Type extends ObjectType
    ? ObjectValue<Type>
    : never;

/**
 * A member of an object input as a Terraform expression without `${}`.
 *
 * It has its default where an object is null, because Terraform evaluates the message of a validation that holds too.
 *
 * @param path names of the members on the way to it
 */
export function memberExpression<Type extends ObjectType>(
  name: string,
  object: Type,
  ...path: readonly [keyof Type["members"] & string, ...(readonly string[])]
): string {
  let type: Member["type"] = object;
  let fallback: unknown = null;
  for (const member of path) {
    if (typeof type === "string") break;
    const found: Member | undefined = type.members[member];
    [type, fallback] = [found?.type ?? "string", found?.default ?? null];
  }
  return `try(var.${[name, ...path].join(".")}, ${JSON.stringify(fallback)})`;
}

/** What each member is, as sentences for the description of an input. */
export function memberSentences({ members }: ObjectType): string {
  return Object.entries(members)
    .map(([name, { description }]) => `${name}: ${description}.`)
    .join(" ");
}

/** The type as Terraform writes it; members that are left out get their default there. */
export function typeExpression(type: Member["type"]): string {
  if (typeof type === "string") return type;
  const members = Object.entries(type.members).map(([name, { default: value, type: member }]) => {
    const typed = typeExpression(member);
    return `${name} = ${value === undefined ? typed : `optional(${typed}, ${JSON.stringify(value)})`}`;
  });
  return `object({ ${members.join(", ")} })`;
}

/** What a construct receives for an object input. */
export function objectValue(name: string, object: ObjectType): Readonly<Record<string, unknown>> {
  return nestedValue(name, object, object, []);
}

function nestedValue(
  name: string,
  input: ObjectType,
  { members }: ObjectType,
  path: readonly string[],
): Readonly<Record<string, unknown>> {
  const expressionOf = (member: string) => memberExpression(name, input, ...([...path, member] as [string]));
  const values = Object.entries(members).map(([member, { type }]): [string, unknown] => [
    camelCase(member),
    typeof type === "string"
      ? PLAIN_VALUES[type](ref(expressionOf(member)))
      : nestedValue(name, input, type, [...path, member]),
  ]);
  const last = path.at(-1);
  const itself = last === undefined ? `var.${name}` : memberExpression(name, input, ...(path as [string]));
  return { enabled: ref(`${itself} != null`), ...Object.fromEntries(values) };
}

/** What a construct receives for a plain input. */
export const PLAIN_VALUES: Readonly<Record<keyof PlainTypes, (reference: IResolvable) => unknown>> = {
  bool: (reference) => reference,
  "list(string)": (reference) => Token.asList(reference),
  "map(string)": (reference) => reference,
  number: (reference) => Token.asNumber(reference),
  string: (reference) => Token.asString(reference),
};

/** The name of an input as that of its prop. */
export function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
