import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The parts of Google's API descriptions ("discovery documents") that the stand-in reads. */
export interface ApiDescription {
  readonly name: string;
  readonly version: string;
  readonly rootUrl: string;
  readonly servicePath: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly schemas: Readonly<Record<string, Schema>>;
}

export interface ApiMethod {
  readonly id: string;
  readonly httpMethod: string;
  readonly path: string;
  readonly parameters?: Readonly<Record<string, Parameter>>;
  readonly request?: Schema;
  readonly response?: Schema;
}

export interface Parameter {
  readonly location: "path" | "query";
  readonly type: string;
  readonly required?: boolean;
  readonly pattern?: string;
  readonly enum?: readonly string[];
}

interface Resource {
  readonly methods?: Readonly<Record<string, ApiMethod>>;
  readonly resources?: Readonly<Record<string, Resource>>;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
}

/** Where a value comes from: an API also accepts 64-bit integers as numbers, but never returns them so. */
export type Origin = "request" | "answer";

export type JsonObject = Readonly<Record<string, unknown>>;

export interface MethodMatch {
  readonly method: ApiMethod;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Loads a description from the folder `api-descriptions`, by its file name without `.json`. */
export function loadDescription(file: string): ApiDescription {
  return JSON.parse(readFileSync(join(__dirname, "api-descriptions", `${file}.json`), "utf8")) as ApiDescription;
}

function methodsOf(node: Pick<Resource, "methods" | "resources">): readonly ApiMethod[] {
  return [...Object.values(node.methods ?? {}), ...Object.values(node.resources ?? {}).flatMap(methodsOf)];
}

/** The method of a request. `path` is as sent: an escaped slash belongs to its segment. */
export function matchMethod(description: ApiDescription, httpMethod: string, path: string): MethodMatch | undefined {
  for (const method of methodsOf(description)) {
    if (method.httpMethod !== httpMethod) continue;
    const match = pathExpression(description, method).exec(path);
    if (match === null) continue;
    // A path without parameters has no groups.
    const values = Object.entries(match.groups ?? {});
    return { method, parameters: Object.fromEntries(values.map(([name, value]) => [name, decodeURIComponent(value)])) };
  }
  return undefined;
}

function pathExpression(description: ApiDescription, method: ApiMethod): RegExp {
  const source = (description.servicePath + method.path)
    .split(/(\{\+?\w+\})/)
    .map((part) => {
      const name = /^\{\+?(\w+)\}$/.exec(part)?.[1];
      if (name === undefined) return part.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
      const pattern = method.parameters?.[name]?.pattern?.replace(/^\^|\$$/g, "") ?? "[^/]+";
      return `(?<${name}>${pattern})`;
    })
    .join("");
  return new RegExp(`^${source}$`);
}

export function queryProblems(description: ApiDescription, method: ApiMethod, query: URLSearchParams): string[] {
  const known = { ...description.parameters, ...method.parameters };
  const unknown = [...query.keys()].filter((name) => known[name]?.location !== "query");
  const wrong = [...query].flatMap(([name, value]) =>
    schemaProblems(description, { ...known[name] }, parameterValue(known[name], value), name),
  );
  const missing = Object.entries(method.parameters ?? {})
    .filter(([name, parameter]) => parameter.location === "query" && parameter.required === true && !query.has(name))
    .map(([name]) => `Missing required parameter "${name}"`);
  return [
    ...unknown.map((name) => `Unknown name "${name}": Cannot bind query parameter.`),
    ...(unknown.length === 0 ? wrong : []),
    ...missing,
  ];
}

function parameterValue(parameter: Parameter | undefined, value: string): unknown {
  if (parameter?.type === "integer" && /^-?\d+$/.test(value)) return Number(value);
  if (parameter?.type === "boolean" && /^(true|false)$/.test(value)) return value === "true";
  return value;
}

/** Everything in a JSON value that its schema does not allow, worded like the real API's errors. */
export function schemaProblems(
  description: ApiDescription,
  schema: Schema,
  value: unknown,
  path: string,
  origin: Origin = "request",
): readonly string[] {
  if (schema.$ref !== undefined) {
    const target = description.schemas[schema.$ref];
    if (target === undefined) throw new Error(`the description of ${description.name} lacks ${schema.$ref}`);
    return schemaProblems(description, target, value, path, origin);
  }
  const invalid = (expected: string) => [`Invalid value at '${path}' (${expected}), ${JSON.stringify(value)}`];
  switch (schema.type) {
    case "object":
      return isObject(value) ? objectProblems(description, schema, value, path, origin) : invalid("an object");
    case "array":
      if (!Array.isArray(value)) return invalid("a list");
      return value.flatMap((item, index) =>
        schemaProblems(description, schema.items ?? { type: "any" }, item, `${path}[${index}]`, origin),
      );
    case "string":
      return stringAllowed(schema, value, origin)
        ? []
        : invalid(schema.enum?.join(" | ") ?? schema.format ?? "TYPE_STRING");
    case "boolean":
      return typeof value === "boolean" ? [] : invalid("TYPE_BOOL");
    case "integer":
      return Number.isInteger(value) ? [] : invalid("TYPE_INT32");
    case "number":
      return typeof value === "number" ? [] : invalid("TYPE_DOUBLE");
    default:
      return [];
  }
}

function objectProblems(
  description: ApiDescription,
  schema: Schema,
  value: JsonObject,
  path: string,
  origin: Origin,
): string[] {
  const { "@type": type, ...members } = value;
  const isAny = schema.additionalProperties?.type === "any";
  const held = isAny ? heldSchema(description, type) : schema;
  if (held === undefined) return [`Unknown type ${JSON.stringify(type)} at '${path}'.`];
  return Object.entries(isAny ? members : value).flatMap(([name, member]) => {
    const memberSchema = held.properties?.[name] ?? held.additionalProperties;
    const memberPath = path === "" ? name : `${path}.${name}`;
    if (memberSchema === undefined) return [`Unknown name "${name}" at '${path}': Cannot find field.`];
    // A request may contain null, a response never does.
    if (member === null && origin === "request") return [];
    return schemaProblems(description, memberSchema, member, memberPath, origin);
  });
}

/** Types that every API may use in a value of any type. */
const COMMON_TYPES: Readonly<Record<string, Schema>> = {
  "google.protobuf.Empty": { type: "object", properties: {} },
  "google.rpc.BadRequest": {
    type: "object",
    properties: {
      fieldViolations: {
        type: "array",
        items: { type: "object", properties: { field: { type: "string" }, description: { type: "string" } } },
      },
    },
  },
  "google.rpc.ErrorInfo": {
    type: "object",
    properties: {
      reason: { type: "string" },
      domain: { type: "string" },
      metadata: { type: "object", additionalProperties: { type: "string" } },
    },
  },
};

/** The schema of a value of any type, which names its type itself. */
function heldSchema(description: ApiDescription, type: unknown): Schema | undefined {
  const name = /^type\.googleapis\.com\/([\w.]+)$/.exec(String(type))?.[1] ?? "";
  const place = `.${description.name}.${description.version}.`;
  const own = name.includes(place) ? description.schemas[name.slice(name.indexOf(place) + place.length)] : undefined;
  return COMMON_TYPES[name] ?? own;
}

function stringAllowed(schema: Schema, value: unknown, origin: Origin): boolean {
  // 64-bit integers are sent as strings.
  if (schema.format === "int64" && Number.isInteger(value)) return origin === "request";
  if (schema.format === "int64") return typeof value === "string" && /^-?\d+$/.test(value);
  if (typeof value !== "string") return false;
  if (schema.enum !== undefined) return schema.enum.includes(value);
  if (schema.format === "google-duration") return /^\d+(\.\d{1,9})?s$/.test(value);
  if (schema.format === "google-datetime") return !Number.isNaN(Date.parse(value));
  return true;
}

/** A body as an API understands it: a null field counts as absent. */
export function withoutNulls<Body>(body: Body): Body {
  if (Array.isArray(body)) return body.map(withoutNulls) as Body;
  if (!isObject(body)) return body;
  const given = Object.entries(body).filter(([, value]) => value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, withoutNulls(value)])) as Body;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
