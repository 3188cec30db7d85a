import { TerraformElement, TerraformLocal, TerraformVariable, Token } from "cdktf";
import { type Construct } from "constructs";

import { wordList } from "../word-list";
import { meantBy, stepInstead } from "./meant-names";
import { missing, type Problem, textsOf } from "./problem";
import { isResource } from "./resource-props";
import { isList } from "./rows";
import { RulesBrokenError } from "./rules-broken-error";

type Presence = "optional" | "required";

/** A prop that is not an input: whether it is required, and its members. */
type KnownProp = Presence | { readonly presence: Presence; readonly members: KnownProps };

const presenceOf = (prop: KnownProp | undefined) => (typeof prop === "object" ? prop.presence : prop);

/** All props of a construct. */
export type KnownProps = Readonly<Record<string, KnownProp>>;

type PresenceOf<Props, Name extends keyof Props> =
  Partial<Pick<Props, Name>> extends Pick<Props, Name> ? "optional" : "required";

/** The props of an interface, which the compiler keeps complete. */
export type KnownPropsOf<Props> = {
  readonly [Name in keyof Props]-?:
    PresenceOf<Props, Name> | { readonly presence: PresenceOf<Props, Name>; readonly members: KnownProps };
};

/**
 * Problems of props other than wrong values: missing props, unknown names, and elements of the stack in place of their
 * values.
 *
 * TypeScript finds only some of these problems, and in JavaScript a misspelt prop would have no effect.
 */
export function propProblems(props: unknown, known: KnownProps, prefix = ""): Problem[] {
  const given = (typeof props === "object" && props !== null ? props : {}) as Readonly<Record<string, unknown>>;
  const own = Object.entries(known).flatMap(([name, prop]) => {
    const [value, path] = [given[name], `${prefix}${name}`];
    const [members, presence] = [typeof prop === "string" ? undefined : prop.members, presenceOf(prop)];
    if (value === undefined || value === null) return presence === "required" ? [missing(path)] : [];
    const element = elementProblem(path, value);
    if (element !== undefined) return [element];
    if (members === undefined || Token.isUnresolved(value)) return [];
    if (typeof value === "object" && !Array.isArray(value)) return propProblems(value, members, `${path}.`);
    const required = Object.keys(members).filter((each) => presenceOf(members[each]) === "required");
    const names = required.length > 0 ? required : Object.keys(members);
    const form = `{ ${names.map((each) => `${each}: …`).join(", ")} }`;
    const text = `${path} is ${JSON.stringify(value)}; it must be an object with ${wordList(names)}; write ${form}`;
    return [{ path, text }];
  });
  return [...unknownNames(given, Object.keys(known), { prefix }), ...own];
}

/** Refuses missing and unknown props. @throws RulesBrokenError naming all of them */
export function refuseProps(scope: Construct | string, props: unknown, known: KnownProps): void {
  const wrong = textsOf(propProblems(props, known));
  if (wrong.length > 0) throw new RulesBrokenError(typeof scope === "string" ? scope : scope.node.path, wrong);
}

/** Place of unknown names, and the names that may be meant. */
interface NamePlace {
  /** Path of the surrounding object, such as `smtp.`; empty by default. */
  readonly prefix?: string;
  /** Noun for a name in messages; "prop" by default. */
  readonly kind?: string;
  /** Explanation of an unknown name; undefined if there is none. */
  readonly hintOf?: ((name: string) => string | undefined) | undefined;
  /** Paths of members of known inputs, such as `smtp.host`, because `smtp_host` may mean a member. */
  readonly inside?: readonly string[];
}

/** A problem for each unknown name, with an explanation or the name that was probably meant. */
export function unknownNames(
  given: object,
  known: readonly string[],
  { hintOf, inside = [], kind = "prop", prefix = "" }: NamePlace = {},
): Problem[] {
  const paths = [...known, ...inside].map((each) => `${prefix}${each}`);
  return Object.entries(given)
    .filter(([name, value]) => value !== undefined && !known.includes(name) && !Token.isUnresolved(name))
    .map(([name]) => {
      const path = `${prefix}${name}`;
      const meant = meantBy(name, known, inside, prefix).map((each) => `${prefix}${each}`);
      const guess = meant.length === 0 ? NO_EFFECT : `did you mean ${meant.join(" or ")}?`;
      const text = `${path} is no ${kind}; ${hintOf?.(name) ?? stepInstead(path, paths) ?? guess}`;
      return { path, text, meant: meant.length === 1 ? meant[0] : undefined };
    });
}

const NO_EFFECT = "it would have no effect; correct or remove it";

/** Paths of the members of objects, such as `smtp.host`. @param nameOf converts a name to its form in messages */
export function memberPaths(
  rows: Readonly<Record<string, { readonly members?: object }>>,
  nameOf: (name: string) => string = String,
): string[] {
  return Object.entries(rows).flatMap(([name, { members = {} }]) =>
    Object.keys(members).map((member) => `${nameOf(name)}.${nameOf(member)}`),
  );
}

/** The props with the given names. */
export function knownOf(props: object | undefined, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(props ?? {}).filter(([name]) => names.includes(name)));
}

/**
 * The problem of an element of the stack, such as a variable, that was given in place of its value; undefined for any
 * other value.
 *
 * @param types types of resources that may stand for the value
 */
export function elementProblem(path: string, value: unknown, types: readonly string[] = []): Problem | undefined {
  return TerraformElement.isTerraformElement(value)
    ? { path, text: `${path} is ${elementText(value, types)}` }
    : undefined;
}

/** Text of the problem: the kind of element, the required type, and the value to pass instead. */
function elementText(element: TerraformElement, types: readonly string[]): string {
  const { id } = element.node;
  if (isResource(element) && types.length > 0) {
    const { terraformResourceType: type } = element;
    return `the ${type} ${id}; it must be a ${types.join(" or ")}, or what is read of one; pass that`;
  }
  if (element instanceof TerraformVariable)
    return `the variable ${id}; it must be its value; pass variable.${valueProperty(element)}`;
  if (element instanceof TerraformLocal) return `the local ${id}; it must be its value; pass local.asString`;
  return `the element ${id}; it must be a value; pass one of its attributes`;
}

/** Property of a variable that returns the value in the right type. */
function valueProperty({ type }: TerraformVariable): string {
  if (type === undefined || type === "string") return "stringValue";
  if (type === "number") return "numberValue";
  return isList({ type }) ? "listValue" : "value";
}
