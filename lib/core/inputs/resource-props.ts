import { TerraformDataSource, Token } from "cdktf";

import { isPlainObject } from "../expr/expr";
import { type Input, isCollection, type ProviderResource, type Table } from "./rows";

type Given = Readonly<Record<string, unknown>>;

export function isResource(value: unknown): value is ProviderResource {
  if (typeof value !== "object" || value === null) return false;
  const { getStringAttribute, terraformResourceType } = value as Partial<ProviderResource>;
  return typeof terraformResourceType === "string" && typeof getStringAttribute === "function";
}

/** Whether a resource is a data source. The arguments of a data source only identify the object that it looks up. */
export function isDataSource(resource: ProviderResource): resource is ProviderResource & TerraformDataSource {
  return TerraformDataSource.isTerraformDataSource(resource);
}

/**
 * Replaces resources in props by the attributes that the rows of the table read. Resources without such an attribute
 * stay, so that a later check refuses them by name.
 */
export function withAttributes<Props>(table: Table, props: Props): Props {
  if (!isPlainObject(props)) return props;
  return changed(props as Given, (each, name) => attributesOf(table[name], each)) as Props;
}

function attributesOf(row: Input | undefined, given: unknown): unknown {
  if (row === undefined) return given;
  const { entries, members, reads, type } = row;
  if (isResource(given)) return isCollection({ type }) ? given : read(reads, given);
  if (!isPlainObject(given) || Token.isUnresolved(given)) return given;
  if (members !== undefined) return withAttributes(members, given);
  if (!isCollection({ type })) return given;
  const item = { ...row, type: "object", members: entries, entries: undefined };
  return changed(given as Given, (each) => attributesOf(item, each));
}

const read = (reads: Input["reads"], resource: ProviderResource): unknown =>
  reads?.[resource.terraformResourceType]?.(resource) ?? resource;

/**
 * A list or an object with changed values. Returns the same object if nothing changes, because a stack recognizes its
 * inputs by identity.
 */
function changed(given: Given, change: (value: unknown, name: string) => unknown): unknown {
  const entries = Object.entries(given).map(([name, value]) => [name, change(value, name)] as const);
  if (entries.every(([name, value]) => given[name] === value)) return given;
  return Array.isArray(given) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}
