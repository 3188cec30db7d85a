import { type Block } from "../../support/synthesis";
import { valueAt } from "../configuration-graph";
import { isKnownPath } from "./provider-schema";

/** What an argument is that a resource could have, and does not have. */
export const ABSENT = "absent";

/**
 * An argument of a resource at a path of keys and list positions, or `ABSENT`.
 *
 * @throws Error if its type has no such argument, or what the argument would be in is not there: nothing would be found
 * under a misspelt name either
 */
export function argumentAt(type: string, resource: Block, path: string): unknown {
  if (!isKnownPath(type, path)) throw new Error(`${type} has no argument ${path}; correct the path`);
  const value = valueAt(resource, path);
  if (value !== undefined) return value;
  const [parent, name] = /^(?:(.+)\.)?(\w[\w-]*)$/.exec(path)?.slice(1) ?? [];
  const around = parent === undefined ? resource : valueAt(resource, parent);
  if (typeof around !== "object" || around === null || Array.isArray(around))
    throw new Error(`${type} has no single block ${String(parent)} here, in which ${String(name)} could be`);
  // Blocks may be made by an expression.
  return valueAt(around, `dynamic.${String(name)}`) ?? ABSENT;
}
