import { CheckedEntries } from "../../lib/core/checked-entries";
import { CheckedValue, type SchemaFacts } from "../../lib/core/checked-value";
import { type Input } from "../inputs/input-table";
import { type ObjectType } from "../inputs/object-type";

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

type Type = Input["type"];
type Rules = NonNullable<Input["must"]>;
type Rule = Exclude<Rules, CheckedValue<unknown>>[number];

/**
 * JSON Schema of a file of inputs, `*.tfvars.json`, for completion and checks in an editor.
 *
 * It accepts what Terraform accepts, including numbers and booleans as strings, with two exceptions: it refuses unknown
 * names and members, which Terraform ignores, and true or false for a string. Rules across several inputs are left to a
 * plan.
 */
export function inputSchema(stack: string, inputs: Readonly<Record<string, Input>>): Schema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: `Inputs of ${stack}`,
    type: "object",
    properties: { $schema: { type: "string" }, ...mapped(inputs, schemaOfInput) },
    required: Object.entries(inputs)
      .filter(([, { default: value }]) => value === undefined)
      .map(([name]) => name),
    additionalProperties: false,
  };
}

function schemaOfInput({ default: value, description, example, must, type }: Input): Schema {
  return {
    description,
    ...(value !== undefined && { default: value }),
    ...(example !== undefined && { examples: [example] }),
    ...schemaOf(type, must, value !== undefined),
  };
}

/** A number, or a string that Terraform converts to one. */
const NUMERIC = "^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$";

/** Strings that Terraform converts to true or false. */
const LOGICAL = "^(true|false|0|1)$";

function schemaOf(type: Type, must: Rules | undefined, nullable: boolean): Schema {
  if (typeof type !== "string") {
    return "mapOf" in type
      ? { type: typesOf(nullable, "object"), ...keysSchema(must), additionalProperties: objectSchema(type.mapOf) }
      : { ...objectSchema(type), type: typesOf(nullable, "object") };
  }
  const facts = factsOf(valueRules(must).map(({ schema }) => schema));
  switch (type) {
    case "bool":
      return { type: typesOf(nullable, "boolean", "string"), pattern: LOGICAL };
    case "number":
      return numberSchema(facts, nullable);
    case "string":
      return textSchema(facts, nullable);
    case "list(string)":
      return { ...facts, type: typesOf(nullable, "array"), items: { ...itemSchema(must), ...facts.items } };
    case "map(string)":
      return { type: typesOf(nullable, "object"), ...keysSchema(must), additionalProperties: entrySchema(must) };
  }
}

function objectSchema({ members }: ObjectType<Rules>): Schema {
  return {
    type: "object",
    properties: mapped(members, ({ default: value, description, must, type }) => ({
      description,
      ...(value !== undefined && { default: value }),
      ...schemaOf(type, must, value !== undefined),
    })),
    required: Object.entries(members)
      .filter(([, { default: value }]) => value === undefined)
      .map(([name]) => name),
    additionalProperties: false,
  };
}

function numberSchema({ enum: choice, maximum, minimum, multipleOf, not }: SchemaFacts, nullable: boolean): Schema {
  const limits = { minimum, maximum, multipleOf, not };
  if (choice === undefined) return { type: typesOf(nullable, "number", "string"), pattern: NUMERIC, ...limits };
  return { anyOf: [{ enum: nullable ? [...choice, null] : choice }, { type: "string", pattern: NUMERIC }] };
}

function textSchema({ enum: choice, not, pattern }: SchemaFacts, nullable: boolean): Schema {
  if (choice !== undefined) return { enum: nullable ? [...choice, null] : choice };
  return { type: typesOf(nullable, "string", "number"), pattern, not };
}

/** For the keys of a map. */
function keysSchema(must: Rules | undefined): Schema {
  const facts = factsOf(entryRules(must).map(({ keySchema }) => keySchema));
  return Object.keys(facts).length === 0 ? {} : { propertyNames: facts };
}

/** For the values of a map, which Terraform converts to strings: `true` for a setting, 1 for a label. */
function entrySchema(must: Rules | undefined): Schema {
  return { ...itemSchema(must), type: ["string", "number", "boolean"] };
}

function itemSchema(must: Rules | undefined): Schema {
  return textSchema(factsOf(entryRules(must).map(({ schema }) => schema)), false);
}

function valueRules(must: Rules | undefined): CheckedValue<unknown>[] {
  return rulesOf(must).filter((rule) => rule instanceof CheckedValue);
}

function entryRules(must: Rules | undefined): CheckedEntries<unknown>[] {
  return rulesOf(must).filter((rule) => rule instanceof CheckedEntries);
}

function rulesOf(must: Rules | undefined): readonly Rule[] {
  if (must === undefined) return [];
  return "length" in must ? must : [must];
}

/** The keywords of all rules together; of two patterns, the first one. */
function factsOf(facts: readonly SchemaFacts[]): SchemaFacts {
  return facts.reduceRight<SchemaFacts>((later, each) => ({ ...later, ...each }), {});
}

function typesOf(nullable: boolean, ...types: readonly string[]): string | readonly string[] {
  const all = nullable ? [...types, "null"] : types;
  return all.length === 1 ? (all[0] ?? "") : all;
}

function mapped<From>(
  values: Readonly<Record<string, From>>,
  convert: (value: From) => Schema,
): Readonly<Record<string, Schema>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, convert(value)]));
}
