import { type IResolvable } from "cdktf";

import { descriptionIfSet, fullDescription } from "./descriptions";
import { type Facts, type ItemRule, oneOf, type OtherWord, type Rule, terraformName } from "./rules";

/** One input: its variable in a stack, its prop in a program, its default and its rules. */
export interface Input<Prop = unknown> {
  /** Type in Terraform's syntax. */
  readonly type: string;
  /** Meaning, unit or limits, and the consequence of changing it later. */
  readonly description: string;
  /** Description for a folder in which the input must be set. */
  readonly descriptionIfSet?: string;
  /** Null for an optional input without a default value; left out for a required input. */
  readonly default?: unknown;
  /** Whether null can be given to mean "none", although the default is another value. */
  readonly nullable?: boolean;
  /** Value to show in examples; needed without a default. */
  readonly example?: unknown;
  readonly must?: Rule | ItemRule | readonly (Rule | ItemRule)[];
  /** Step before the object can be written, for the message if another type was given: `make a channel`. */
  readonly first?: string;
  /** Keywords of the JSON Schema for a rule that the provider or a relation checks. */
  readonly schema?: Facts;
  /** Members of an object. */
  readonly members?: Table;
  /** Builds the description, with brackets as in `descriptions.ts`, from the descriptions of the members. */
  readonly describe?: (members: string) => string;
  /** Members of each object in a map. */
  readonly entries?: Table;
  /**
   * Functions that read the value from a resource given instead, by resource type; in a list or a map, each item is
   * read.
   */
  readonly reads?: Readonly<Record<string, Reading>>;
  /** Types of literals that Terraform converts to this one. */
  readonly converted?: readonly ("boolean" | "number")[];
  /** Keeps the value out of the state, of saved plans and of messages. */
  readonly ephemeral?: boolean;
  /** Keeps the value out of Terraform's output and of messages. */
  readonly sensitive?: boolean;
  /** Only for the compiler. */
  readonly prop?: Prop;
}

/** A resource or a data source, possibly of another installed copy of the framework. */
export interface ProviderResource {
  readonly terraformResourceType: string;
  getStringAttribute(terraformAttribute: string): string;
}

/** A resource with attributes of these names; none by default. */
export type ResourceWith<Attribute extends string = never> = ProviderResource & Readonly<Record<Attribute, string>>;

/** Reads a value from attributes by their Terraform names, which are the same in all releases of the bindings. */
export type Reading = (resource: ProviderResource) => unknown;

/** A row that accepts a resource as its prop. */
export interface FromResource<Resource> {
  readonly reads: Readonly<Record<string, Reading>>;
  /** Only for the compiler. */
  readonly resource?: Resource;
}

type ResourceOf<Row> = Row extends FromResource<infer Resource> ? Resource : never;

/**
 * A row that accepts a resource as its prop. The value is an attribute of the resource, or comes from the function for
 * the resource's type.
 *
 * @param attribute attribute that the compiler requires of the resource
 */
export function orResource<Attribute extends string, Row extends Input>(
  attribute: Attribute,
  reads: Readonly<Record<string, Reading>> | readonly string[],
  row: Row,
): FromResource<ResourceWith<Attribute>> & Row {
  return { ...row, reads: readsOf(attribute, reads) };
}

/** A row whose prop is a list of texts or resources; an attribute takes the place of each resource. */
export function orResources<Attribute extends string, Row extends Input>(
  attribute: Attribute,
  types: readonly string[],
  row: Row,
): FromResource<readonly (ResourceWith<Attribute> | string)[]> & Row {
  return { ...row, reads: readsOf(attribute, types) };
}

function readsOf(
  attribute: string,
  reads: Readonly<Record<string, Reading>> | readonly string[],
): Readonly<Record<string, Reading>> {
  if (!isTypes(reads)) return reads;
  const reading: Reading = (resource) => resource.getStringAttribute(attribute);
  return Object.fromEntries(reads.map((type) => [type, reading]));
}

const isTypes = (value: object): value is readonly string[] => Array.isArray(value);

/** An optional input: it has a default, which is null if the input may be absent. */
export interface Optional<Prop> extends Input<Prop> {
  readonly default: unknown;
}

/** Inputs by the names of their props; those of a feature are in one table. */
export type Table = Readonly<Record<string, Input>>;

/** Whether an input has items: a list or a map. */
export const isCollection = ({ type }: Pick<Input, "type">): boolean => isList({ type }) || type.startsWith("map(");

/** Whether an input is a list. */
export const isList = ({ type }: Pick<Input, "type">): boolean => type.startsWith("list(");

/** Arguments of a row; the description may have brackets, as in `descriptions.ts`. */
type Spec = Omit<
  Input,
  "converted" | "describe" | "descriptionIfSet" | "entries" | "members" | "prop" | "reads" | "type"
>;

/** Descriptions of a row. @param marked description with brackets */
const descriptionsOf = (marked: string): Pick<Input, "description" | "descriptionIfSet"> => ({
  description: fullDescription(marked),
  descriptionIfSet: descriptionIfSet(marked),
});

/** Creates rows of one type. @param type type in HCL; `Prop` is the type of the prop */
function rows<Prop>(type: string, converted: Input["converted"] = []) {
  function row(spec: Spec & { readonly default: unknown }): Optional<Prop>;
  function row(spec: Spec): Input<Prop>;
  function row(spec: Spec): Input<Prop> {
    return { type, converted, ...spec, ...descriptionsOf(spec.description) };
  }
  return row;
}

/** A text. */
export const text = rows<string>("string");

/** A text that must be given, even if only as null. */
export const textOrNull = (spec: Omit<Spec, "default">): Input<string | null> => ({
  type: "string",
  nullable: true,
  ...spec,
  ...descriptionsOf(spec.description),
});

/** A text, for which a program may give a number, such as that of a version. */
export const textOrNumber = rows<number | string>("string", ["number"]);

/** A word, for which a program may give true or false. */
export const textOrFlag = rows<boolean | string | IResolvable>("string", ["boolean"]);

/** A number. A whole number needs a rule in addition. */
export const number = rows<number>("number");

/** True or false. */
export const flag = rows<boolean | IResolvable>("bool");

/** A list of texts. */
export const texts = rows<readonly string[]>("list(string)");

/** Texts by name. */
export const textMap = rows<Readonly<Record<string, string>> | IResolvable>("map(string)");

/** A whole number, within limits that a relation judges. */
export const count = (fallback: number, description: string, minimum: number, maximum?: number): Optional<number> =>
  number({ default: fallback, description, schema: { multipleOf: 1, minimum, ...(maximum && { maximum }) } });

/**
 * One of a few words. Without `fix`, the provider or a relation refuses other words; `hides` keeps the given word out
 * of the message.
 */
export function choice<const Word extends string>(
  words: readonly Word[],
  spec: Omit<Spec, "must"> & Partial<OtherWord> & { readonly default: unknown; readonly hides?: boolean },
): Optional<Word | (string & {})> {
  const { because, fix, hides = false, ...others } = spec;
  const row = { type: "string", ...others, ...descriptionsOf(spec.description) };
  if (fix === undefined) return { schema: { enum: words }, ...row };
  return { must: { ...oneOf(words, { because, fix }), hides }, ...row };
}

/** Spec of rows with members; the descriptions of the members become part of the row's description. */
type Described = Omit<Spec, "default" | "description"> & { readonly description: (members: string) => string };

// Interfaces, because in an intersection `members` would also have the type of any table, and so accept every name.
export interface ObjectRow<M extends Table> extends Optional<PropsOf<M> | IResolvable> {
  readonly members: M;
}
export interface RequiredObjectRow<M extends Table> extends Input<PropsOf<M> | IResolvable> {
  readonly members: M;
}

/** The description of an input without those of its members. */
export function summaryOf({ describe, description }: Input): string {
  if (describe === undefined) return description;
  return fullDescription(describe("")).replaceAll(/ +/g, " ").trim();
}

/** An object; with `default: {}`, one that is never null. */
export function object<M extends Table>(members: M, spec: Described & { readonly default?: object }): ObjectRow<M> {
  return { ...requiredObject(members, spec), default: spec.default ?? null };
}

/** An object that must be given. */
export function requiredObject<M extends Table>(members: M, spec: Described): RequiredObjectRow<M> {
  const each = Object.entries(members).map(([name, row]) => ({ ...row, name: terraformName(name) }));
  const types = each.map(({ default: value, name, type }) =>
    value === undefined ? `${name} = ${type}` : `${name} = optional(${type}, ${JSON.stringify(value)})`,
  );
  const marked = spec.description(each.map((row) => `${row.name}: ${row.description}.`).join(" "));
  const type = `object({ ${types.join(", ")} })`;
  return { ...spec, type, members, describe: spec.description, ...descriptionsOf(marked) };
}

/** A map of objects, empty by default. */
export function mapOf<M extends Table>(
  entries: M,
  spec: Described,
): Optional<Readonly<Record<string, PropsOf<M>>> | IResolvable> {
  const { description, descriptionIfSet, type } = requiredObject(entries, spec);
  return { ...spec, default: {}, type: `map(${type})`, entries, description, descriptionIfSet };
}

/**
 * Props of a table; the comments of its rows become the comments of the props.
 *
 * `Named` has a named type for each prop that is an object, so that an editor shows the name instead of all members.
 * `Resources` is `never` for values, where attributes have taken the place of resources: `X & never` is `never`, which
 * removes the alternative of a resource, and `X & unknown` is `X`, which keeps it.
 *
 * One type instead of an intersection: where all props are optional, half of the intersection would be `{}`, and the
 * compiler would accept an object that has none of the props.
 */
export type PropsOf<T, Named = unknown, Resources = unknown> = Flat<
  OptionalPropsOf<T, Named, Resources> & RequiredPropsOf<T, Named, Resources>
>;

type Flat<T> = { readonly [Name in keyof T]: T[Name] };

type RequiredPropsOf<T, Named, Resources> = {
  readonly [Name in keyof T as T[Name] extends Optional<unknown> ? never : Name]:
    NamedProp<T[Name], Name, Named> | (ResourceOf<T[Name]> & Resources);
};

type OptionalPropsOf<T, Named, Resources> = {
  readonly [Name in keyof T as T[Name] extends Optional<unknown> ? Name : never]?:
    NamedProp<T[Name], Name, Named> | (ResourceOf<T[Name]> & Resources) | undefined;
};

type NamedProp<Row, Name, Named> = Name extends keyof Named ? IResolvable | Named[Name] : PropOf<Row>;

export type PropOf<Row> = Row extends Input<infer Prop> ? Prop : never;
