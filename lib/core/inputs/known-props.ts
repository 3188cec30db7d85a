import { isList } from "./rows";
import { TerraformElement, TerraformLocal, TerraformVariable, Token } from "cdktf";
import { type Construct } from "constructs";

import { isResource } from "./resource-props";
import { RulesBrokenError } from "./rules-broken-error";

type Presence = "optional" | "required";

/** What a construct knows of a prop that is no input: whether it must be given, and the members that it must have. */
type KnownProp = Presence | { readonly presence: Presence; readonly members: KnownProps };

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
 * What is wrong with props, apart from their values: what is missing, what has no such name, and elements of the stack
 * in place of their values.
 *
 * TypeScript tells a part of it, and JavaScript nothing, where a misspelt prop would have no effect.
 */
export function propProblems(props: unknown, known: KnownProps, prefix = ""): string[] {
  const given = (typeof props === "object" && props !== null ? props : {}) as Readonly<Record<string, unknown>>;
  const own = Object.entries(known).flatMap(([name, prop]) => {
    const [value, path] = [given[name], `${prefix}${name}`];
    const { members, presence } = typeof prop === "string" ? { members: undefined, presence: prop } : prop;
    if (value === undefined || value === null) return presence === "required" ? [missing(path)] : [];
    const element = elementProblem(path, value);
    if (element !== undefined) return [element];
    if (members === undefined || Token.isUnresolved(value)) return [];
    if (typeof value === "object" && !Array.isArray(value)) return propProblems(value, members, `${path}.`);
    const names = Object.keys(members).join(", ");
    return [`${path} is ${JSON.stringify(value)}; it must be an object with ${names}; write it as one`];
  });
  return [...unknownNames(given, Object.keys(known), prefix), ...own];
}

/** Refuses such props. @throws RulesBrokenError naming all that is wrong */
export function refuseProps(scope: Construct | string, props: unknown, known: KnownProps): void {
  const wrong = propProblems(props, known);
  if (wrong.length > 0) throw new RulesBrokenError(typeof scope === "string" ? scope : scope.node.path, wrong);
}

export const missing = (path: string) => `${path} is missing; it has no default; set it`;

/** A sentence about each name that is not known, with what is known of it, or the nearest one. */
export function unknownNames(
  given: object,
  known: readonly string[],
  prefix = "",
  kind = "prop",
  hintOf: (name: string) => string | undefined = () => undefined,
): string[] {
  return Object.entries(given)
    .filter(([name, value]) => value !== undefined && !known.includes(name) && !Token.isUnresolved(name))
    .map(([name]) => {
      const near = nearest(name, known);
      const hint =
        near === undefined ? "it would have no effect; correct or remove it" : `did you mean ${prefix}${near}?`;
      return `${prefix}${name} is no ${kind}; ${hintOf(name) ?? hint}`;
    });
}

/** The props of some names. */
export function knownOf(props: object | undefined, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(props ?? {}).filter(([name]) => names.includes(name)));
}

/**
 * A sentence about an element of the stack, such as a variable, in place of its value; undefined for anything else.
 *
 * @param types of resources that may stand for the value
 */
export function elementProblem(path: string, value: unknown, types: readonly string[] = []): string | undefined {
  if (!TerraformElement.isTerraformElement(value)) return undefined;
  const { id } = value.node;
  if (isResource(value) && types.length > 0) {
    const { terraformResourceType: type } = value;
    return `${path} is the ${type} ${id}; it must be a ${types.join(" or ")}, or what is read of one; pass that`;
  }
  if (value instanceof TerraformVariable)
    return `${path} is the variable ${id}; it must be its value; pass variable.${valueOf(value)}`;
  if (value instanceof TerraformLocal) return `${path} is the local ${id}; it must be its value; pass local.asString`;
  return `${path} is the element ${id}; it must be a value; pass one of its attributes`;
}

/** Property of a variable with its value, as what its type asks for. */
function valueOf({ type }: TerraformVariable): string {
  if (type === undefined || type === "string") return "stringValue";
  if (type === "number") return "numberValue";
  return isList({ type }) ? "listValue" : "value";
}

const plain = (name: string) => name.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();

/** The name that was probably meant; undefined if none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const most = Math.ceil(name.length / 3);
  const [best] = known
    .map((each) => ({ each, edits: editsBetween(plain(name), plain(each)) }))
    .filter(({ edits }) => edits <= most)
    .sort((one, other) => one.edits - other.edits);
  return best?.each;
}

/** Characters to add, drop, replace, or exchange with the next one (optimal string alignment). */
function editsBetween(one: string, other: string): number {
  const edits = Array.from({ length: one.length + 1 }, (_, row) =>
    Array.from({ length: other.length + 1 }, (_, column) => (row === 0 ? column : column === 0 ? row : 0)),
  );
  const at = (row: number, column: number) => edits[row]?.[column] ?? Infinity;
  for (let row = 1; row <= one.length; row += 1)
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isExchanged = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const best = Math.min(
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        isExchanged ? at(row - 2, column - 2) + 1 : Infinity,
      );
      edits[row]?.splice(column, 1, best);
    }
  return at(one.length, other.length);
}
