import { type CheckedEntries } from "../../lib/core/checked-entries";
import { CheckedValue, shownValue } from "../../lib/core/checked-value";
import { type Input } from "../inputs/input-table";
import { type ObjectType } from "../inputs/object-type";
import { type CostInputs } from "./input-values";

type InputTable = Readonly<Record<string, Input>>;
type Type = Input["type"];

/** The values of all inputs, and the problems of the given ones. */
interface CheckedInputs {
  readonly values: CostInputs;

  /** A sentence for each problem, without a full stop. */
  readonly problems: readonly string[];
}

/**
 * Checks inputs as Terraform does with a file of variables: unknown names, wrong types and values that break a rule are
 * problems. Missing or null inputs have their defaults. A required one may be missing, because no price depends on it.
 * Rules that relate inputs are checked by Terraform, at plan.
 */
export function checkedInputs(stack: string, table: InputTable, given: CostInputs): CheckedInputs {
  const problems = Object.keys(given)
    .filter((name) => !Object.hasOwn(table, name))
    .map((name) => `${name} is not an input of ${stack}; stacks/${stack}.md lists them`);
  const values = Object.entries(table).map(([name, input]): [string, unknown] => {
    const value = given[name] ?? null;
    const converted = value === null ? (input.default ?? null) : converter(problems, input.type)(name, value);
    if (value !== null && converted !== undefined) problems.push(...brokenRules(name, input.must, converted));
    return [name, converted];
  });
  return { values: Object.fromEntries(values), problems };
}

/** A value of the requested type; undefined after a problem. */
type Converter = (name: string, value: unknown) => unknown;

function converter(problems: string[], type: Type): Converter {
  const refuse: Refusal = (name, expected) => {
    problems.push(`${name} has the wrong type; it must be ${expected}`);
    return undefined;
  };
  if (typeof type !== "string") {
    if ("mapOf" in type) return mapConverter(refuse, objectConverter(problems, refuse, type.mapOf));
    return objectConverter(problems, refuse, type);
  }
  switch (type) {
    case "bool":
      return (name, value) => BOOLEANS.get(value) ?? refuse(name, "true or false");
    case "number":
      return (name, value) => numberOf(value) ?? refuse(name, "a number");
    case "string":
      return (name, value) => textOf(value) ?? refuse(name, "a text");
    case "list(string)":
      return (name, value) => {
        const items = Array.isArray(value) ? value.map(textOf) : [undefined];
        return items.includes(undefined) ? refuse(name, "a list of strings") : items;
      };
    case "map(string)":
      return mapConverter(refuse, (name, value) => textOf(value) ?? refuse(name, "a text"));
  }
}

type Refusal = (name: string, expected: string) => unknown;

function mapConverter(refuse: Refusal, convert: Converter): Converter {
  return (name, value) => {
    if (!isObject(value)) return refuse(name, "a map");
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, convert(`${name}.${key}`, each)]));
  };
}

function objectConverter(problems: string[], refuse: Refusal, { members }: ObjectType): Converter {
  return (name, value) => {
    if (!isObject(value)) return refuse(name, "an object");
    const entries = Object.entries(members).map(([member, { default: fallback, must, type }]): [string, unknown] => {
      const path = `${name}.${member}`;
      const given = value[member] ?? null;
      if (given === null) {
        if (fallback === undefined) problems.push(`${path} is missing; it has no default; set it`);
        return [member, fallback ?? null];
      }
      const converted = converter(problems, type as Type)(path, given);
      if (converted !== undefined) problems.push(...brokenRules(path, must as Input["must"], converted));
      return [member, converted];
    });
    return Object.fromEntries(entries);
  };
}

function brokenRules(name: string, must: Input["must"], value: unknown): string[] {
  if (must === undefined) return [];
  const rules: readonly (CheckedEntries<unknown> | CheckedValue<unknown>)[] =
    must instanceof CheckedValue ? [must] : must;
  return rules.flatMap((rule) => {
    if (!(rule instanceof CheckedValue)) return rule.problemsOf(name, value as readonly unknown[]);
    return rule.accepts(value) ? [] : [rule.problem(name, shownValue(value))];
  });
}

/** Converts types as Terraform does: strings that are numbers or booleans count as such, and vice versa. */
const BOOLEANS = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ["true", true],
  ["false", false],
]);

function numberOf(value: unknown): number | undefined {
  const isNumeric = typeof value === "number" || (typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value));
  return isNumeric ? Number(value) : undefined;
}

function textOf(value: unknown): string | undefined {
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
