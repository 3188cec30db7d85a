import { type Input, type Table } from "../../lib/core/inputs/rows";
import { terraformName } from "../../lib/core/inputs/rules";
import { type DeploymentSettings } from "../../lib/core/inputs/settled-inputs";

type Values = DeploymentSettings["values"];

/**
 * Settings with the types of their inputs, converted by Terraform's rules. A value that cannot be converted is kept,
 * and refused later.
 */
export function convertedSettings(table: Table, values: Values): Values {
  const rows = Object.fromEntries(Object.entries(table).map(([name, row]) => [terraformName(name), row]));
  return mapped(values, (name, value) => {
    const row = rows[name];
    return row === undefined ? value : converted(row, value);
  });
}

function converted({ entries, members, type }: Pick<Input, "entries" | "members" | "type">, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return CONVERSIONS[type]?.(value) ?? value;
  if (members !== undefined) return isValues(value) ? convertedSettings(members, value) : value;
  const [, kind, item = ""] = /^(list|map)[(](.+)[)]$/s.exec(type) ?? [];
  const each = (given: unknown) => converted({ type: item, ...(entries && { members: entries }) }, given);
  if (kind === "list") return Array.isArray(value) ? value.map(each) : value;
  return kind === "map" && isValues(value) ? mapped(value, (_, given) => each(given)) : value;
}

/** Converts a literal of another type; undefined if no conversion exists. */
const CONVERSIONS: Readonly<Record<string, (value: unknown) => unknown>> = {
  bool: (value) => (typeof value === "string" ? FLAGS[value] : undefined),
  number: (value) => (typeof value === "string" && NUMBER.test(value) ? Number(value) : undefined),
  string: (value) => (typeof value === "number" || typeof value === "boolean" ? String(value) : undefined),
};

const FLAGS: Readonly<Record<string, boolean>> = { true: true, false: false, "1": true, "0": false };

const NUMBER = /^-?(?:\d+[.]?\d*|[.]\d+)(?:[eE][-+]?\d+)?$/;

function isValues(value: object): value is Values {
  return !Array.isArray(value);
}

function mapped(values: Values, convert: (name: string, value: unknown) => unknown): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, convert(name, value)]));
}
