import { type Input, type Table } from "../../lib/core/inputs/rows";
import { type Facts, isItemRule, type ItemRule, terraformName } from "../../lib/core/inputs/rules";

/**
 * JSON Schema of a file of inputs, `*.tfvars.json`, for completion and checks in an editor.
 *
 * It accepts what Terraform accepts, including numbers and booleans as strings, with two exceptions: it refuses unknown
 * names and members, which Terraform ignores, and true or false for a string. Rules across several inputs are left to a
 * plan.
 */
export function inputSchema(stack: string, inputs: Table): Facts {
  const { properties, ...rest } = objectSchema(inputs);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: `Inputs of ${stack}`,
    properties: { $schema: { type: "string" }, ...(properties as Facts) },
    ...rest,
  };
}

/** A number, or a string that Terraform converts to one. */
const NUMERIC = "^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$";

function objectSchema(table: Table): Facts {
  const rows = Object.entries(table);
  return {
    type: "object",
    properties: Object.fromEntries(rows.map(([name, row]) => [terraformName(name), rowSchema(row)])),
    required: rows.filter(([, row]) => row.default === undefined).map(([name]) => terraformName(name)),
    additionalProperties: false,
  };
}

function rowSchema(row: Input): Facts {
  const { default: value, description, example } = row;
  return {
    description,
    ...(value !== undefined && { default: value }),
    ...(example !== undefined && { examples: [example] }),
    ...typeSchema(row, value !== undefined || row.nullable === true),
  };
}

function typeSchema({ entries, members, must = [], schema, type }: Input, nullable: boolean): Facts {
  const typed = (...types: readonly string[]) => {
    const all = nullable ? [...types, "null"] : types;
    return all.length === 1 ? all[0] : all;
  };
  const checks = [must].flat();
  const each = checks.filter(isItemRule);
  const facts = joined([schema, ...checks.map((check) => (isItemRule(check) ? undefined : check.schema))]);
  const { items: itemFacts, ...ownFacts } = facts as { readonly items?: Facts };
  const key = joined(each.map(({ keySchema }: ItemRule) => keySchema));
  const item = textSchema({ ...joined(each.map(({ schema }) => schema)), ...itemFacts }, false);
  const keys = Object.keys(key).length > 0 && { propertyNames: key };
  if (members !== undefined) return { ...objectSchema(members), type: typed("object") };
  if (entries !== undefined) return { type: typed("object"), ...keys, additionalProperties: objectSchema(entries) };
  switch (type) {
    case "bool":
      // The strings that Terraform converts to true or false.
      return { type: typed("boolean", "string"), pattern: "^(true|false|0|1)$" };
    case "list(string)":
      return { ...ownFacts, type: typed("array"), items: item };
    case "map(string)":
      // Terraform converts the values to strings: `true` for a setting, 1 for a label.
      return {
        type: typed("object"),
        ...keys,
        additionalProperties: { ...item, type: ["string", "number", "boolean"] },
      };
    case "string":
      return textSchema(facts, nullable);
    default:
      if (facts.enum === undefined) return { type: typed("number", "string"), pattern: NUMERIC, ...facts };
      return { anyOf: [choice(facts, nullable), { type: "string", pattern: NUMERIC }] };
  }
}

function textSchema(facts: Facts, nullable: boolean): Facts {
  if (facts.enum !== undefined) return choice(facts, nullable);
  return { type: nullable ? ["string", "number", "null"] : ["string", "number"], ...facts };
}

function choice(facts: Facts, nullable: boolean): Facts {
  const words = facts.enum as readonly unknown[];
  return { enum: nullable ? [...words, null] : words };
}

/** The keywords of all rules together; of two patterns, the first one. */
function joined(all: readonly (Facts | undefined)[]): Facts {
  return all.reduceRight<Facts>((later, each) => ({ ...later, ...each }), {});
}
