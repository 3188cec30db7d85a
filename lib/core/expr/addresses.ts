/**
 * Patterns of Terraform addresses in rendered text. Each answers a different question; they are not interchangeable.
 */

/**
 * A text that is only an attribute of a resource or a data source, or an output of a module:
 * `google_sql_database.main.name`, `data.google_project.main.number`, `module.network.id`. No index, no braces.
 */
export const ATTRIBUTE_ALONE = /^(?:(?:data[.])?[a-z0-9]+_\w+[.][\w-]+|module[.][\w-]+)(?:[.]\w+)+$/;

/** A text that is only one address of any kind in braces, also with indexes: `${var.zones[0].name}`. */
export const ADDRESS_ALONE = /^\$\{([A-Za-z_][\w.-]*(?:\[[^\]]*\][\w.-]*)*)\}$/;

/**
 * All addresses in a text, of any kind, each up to its first index: `var.zones` in `${var.zones[0].name}`. A name after
 * a quote or a dot does not count.
 */
export const ADDRESSES =
  /(?<![\w."-])(?:var|local|data|module|ephemeral|each|count|path|terraform|[a-z][a-z0-9]*_\w+)\.[\w-]+(?:\.[\w-]+)*/g;

/** The beginning of an address that is known at every plan. A local may refer to anything, so `local.` is not. */
export const PLANNED = /^(?:var|each|count|path|terraform)\./;

/**
 * A reference to a resource that Terraform manages, anywhere in a text: `google_sql_database.m`. Data sources, modules,
 * variables and locals have a different beginning.
 */
export const MANAGED_RESOURCE = /(?<![\w.])[a-z0-9]+_\w+\.\w/;

/** A reference to a data source or a module, which a plan knows unless they wait for a change: `data.g`, `module.n`. */
export const READ_AT_PLAN = /(?<![\w.])(data|module)\.\w/;

/** An attribute of a managed resource, without an index between its name and the attribute. */
const RESOURCE_ATTRIBUTES = /(?<![\w."-])[a-z][a-z0-9]*_\w+\.[\w-]+\.\w+/g;

/**
 * Attributes of managed resources in a text, each once: `google_sql_database.main.name`. Data sources and modules are
 * left out, because a plan may know them.
 */
export function attributesIn(text: string): string[] {
  return [...new Set(text.match(RESOURCE_ATTRIBUTES) ?? [])];
}
