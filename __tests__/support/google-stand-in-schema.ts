import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Ajv, type Options, type ValidateFunction } from "ajv";

/** The parts of Google's API descriptions ("discovery documents") that the stand-in reads. */
export interface ApiDescription {
  readonly name: string;
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

type Origin = "answer" | "request";

export type JsonObject = Readonly<Record<string, unknown>>;

export interface MethodMatch {
  readonly method: ApiMethod;
  readonly parameters: Readonly<Record<string, string>>;
}

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

/** Everything in the query of a request that its method does not allow. */
export function queryProblems(description: ApiDescription, method: ApiMethod, query: URLSearchParams): string[] {
  const check = cached(`query ${method.id}`, () => {
    const known = Object.entries({ ...description.parameters, ...method.parameters });
    const parameters = known.filter(([, { location }]) => location === "query");
    const required = parameters.filter(([, parameter]) => parameter.required === true).map(([name]) => name);
    const schema = jsonSchema({ type: "object", properties: Object.fromEntries(parameters) }, "request");
    return new Ajv({ ...OPTIONS, coerceTypes: true }).compile({ ...schema, required });
  });
  return problems(check, Object.fromEntries(query));
}

/** Everything in a body that the description does not allow: fields, types and words of enumerations. */
export function bodyProblems(
  description: ApiDescription,
  schema: Schema | undefined,
  body: unknown,
  origin: Origin,
): string[] {
  if (schema === undefined) return Object.keys(body ?? {}).length === 0 ? [] : ["This method has no body."];
  const check = cached(JSON.stringify([description.name, schema, origin]), () => {
    const definitions = Object.entries(description.schemas).map(([name, each]) => [name, jsonSchema(each, origin)]);
    const all = { ...jsonSchema(schema, origin), definitions: Object.fromEntries(definitions) as object };
    return new Ajv(OPTIONS).compile(all);
  });
  return problems(check, body);
}

const CHECKS = new Map<string, ValidateFunction>();

function cached(key: string, make: () => ValidateFunction): ValidateFunction {
  const check = CHECKS.get(key) ?? make();
  CHECKS.set(key, check);
  return check;
}

const OPTIONS: Options = {
  allErrors: true,
  strict: false,
  formats: {
    byte: true,
    double: true,
    float: true,
    int32: true,
    uint32: true,
    int64: /^-?\d+$/,
    uint64: /^\d+$/,
    "google-fieldmask": true,
    "google-duration": /^\d+(\.\d{1,9})?s$/,
    "google-datetime": (text) => !Number.isNaN(Date.parse(text)),
    "date-time": (text) => !Number.isNaN(Date.parse(text)),
  },
};

/** The same in the dialect of JSON Schema, where an object has the fields that are described and no others. */
function jsonSchema(schema: Schema, origin: Origin): object {
  const { $ref, additionalProperties, enum: words, format, items, properties, type } = schema;
  const inner = (each: Schema | undefined) => (each === undefined ? undefined : jsonSchema(each, origin));
  if ($ref !== undefined) return { $ref: `#/definitions/${$ref}` };
  switch (type) {
    case "object": {
      const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, inner(field)]);
      return {
        type,
        properties: Object.fromEntries(fields) as object,
        additionalProperties: inner(additionalProperties) ?? false,
      };
    }
    case "array":
      return { type, items: inner(items) ?? {} };
    case "any":
      return {};
    default: {
      const is64Bit = type === "string" && format?.endsWith("int64") === true;
      return {
        // An API also accepts a 64-bit integer as a number, but never returns one so.
        type: is64Bit && origin === "request" ? ["string", "integer"] : type,
        ...(words === undefined ? {} : { enum: words }),
        ...(format === undefined ? {} : { format }),
      };
    }
  }
}

function problems(check: ValidateFunction, value: unknown): string[] {
  if (check(value)) return [];
  return (check.errors ?? []).map(
    ({ instancePath, message = "", params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
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
