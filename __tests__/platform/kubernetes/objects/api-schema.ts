import { API_TYPES } from "./api-types";
import { type ApiObject } from "./api-object";

/**
 * Everything in an object that the schema of the Kubernetes API does not allow, and every unknown field: the schema
 * ignores those, so they are found by recording which fields it reads.
 */
export function schemaProblems(object: ApiObject): string[] {
  const type = Object.values(API_TYPES).find(
    (candidate) => candidate?.kind === object.kind && candidate.apiVersion === object.apiVersion,
  );
  if (type === undefined) return [`there is no ${object.kind} in ${object.apiVersion}`];
  const seen = new Set<string>();
  const problems: string[] = [];
  try {
    type.prototype.validate.call(watched(object, "", seen));
  } catch (error) {
    problems.push(...(error instanceof Error ? error.message : String(error)).split(", "));
  }
  return [
    ...problems,
    ...fieldsOf(object, "")
      .filter((path) => !seen.has(path))
      .map((path) => `${path} does not exist`),
  ];
}

/** A value that records the paths of everything read from it. */
function watched<Value>(value: Value, path: string, seen: Set<string>): Value {
  if (typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof name !== "string" || !Object.hasOwn(target, name)) return member;
      seen.add(`${path}/${name}`);
      return watched(member, `${path}/${name}`, seen);
    },
  });
}

function fieldsOf(value: unknown, path: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [`${path}/${name}`, ...fieldsOf(member, `${path}/${name}`)]);
}
