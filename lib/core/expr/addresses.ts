/**
 * Patterns of Terraform addresses in rendered text. Each answers a different question; they are not interchangeable.
 */

/**
 * Matches a whole text that is one attribute of a resource or data source, or one output of a module:
 * `google_sql_database.main.name`, `data.google_project.main.number`, `module.network.id`. No index, no braces.
 */
export const ATTRIBUTE_ALONE = /^(?:(?:data[.])?[a-z0-9]+_\w+[.][\w-]+|module[.][\w-]+)(?:[.]\w+)+$/;

/** Matches a whole text that is one address in braces, of any kind, with or without indexes: `${var.zones[0].name}`. */
export const ADDRESS_ALONE = /^\$\{([A-Za-z_][\w.-]*(?:\[[^\]]*\][\w.-]*)*)\}$/;

/**
 * Matches every address in a text, of any kind, up to its first index: `var.zones` in `${var.zones[0].name}`. A name
 * after a quote or a dot is no address.
 */
export const ADDRESSES =
  /(?<![\w."-])(?:var|local|data|module|ephemeral|each|count|path|terraform|[a-z][a-z0-9]*_\w+)\.[\w-]+(?:\.[\w-]+)*/g;

/**
 * Matches the beginning of an address with a value that every plan knows. `local.` is excluded, because a local may
 * refer to anything.
 */
export const PLANNED = /^(?:var|each|count|path|terraform)\./;

/**
 * Matches a reference to a managed resource anywhere in a text: `google_sql_database.m`. Data sources, modules,
 * variables and locals begin differently.
 */
export const MANAGED_RESOURCE = /(?<![\w.])[a-z0-9]+_\w+\.\w/;

/**
 * Matches a reference to a data source or a module: `data.g`, `module.n`. A plan knows the value unless the data source
 * or module waits for a change.
 */
export const READ_AT_PLAN = /(?<![\w.])(data|module)\.\w/;

/** Matches an attribute of a managed resource, without an index between the resource's name and the attribute. */
const RESOURCE_ATTRIBUTES = /(?<![\w."-])[a-z][a-z0-9]*_\w+\.[\w-]+\.\w+/g;

/**
 * Returns the attributes of managed resources in a text, without duplicates: `google_sql_database.main.name`. Data
 * sources and modules are left out, because a plan may know their values.
 */
export function attributesIn(text: string): string[] {
  return [...new Set(text.match(RESOURCE_ATTRIBUTES) ?? [])];
}
