/**
 * Addresses of Terraform in rendered text. Each pattern answers another question, and so counts other things as one:
 * none fits in the place of another.
 */

/**
 * A text that is nothing but an attribute of a resource or a data source, or an output of a module:
 * `google_sql_database.main.name`, `data.google_project.main.number`, `module.network.id`. No index, no braces.
 */
export const ATTRIBUTE_ALONE = /^(?:(?:data[.])?[a-z0-9]+_\w+[.][\w-]+|module[.][\w-]+)(?:[.]\w+)+$/;

/** A text that is nothing but an address of any kind in braces, also with indexes: `${var.zones[0].name}`. */
export const ADDRESS_ALONE = /^\$\{([A-Za-z_][\w.-]*(?:\[[^\]]*\][\w.-]*)*)\}$/;

/**
 * All addresses in a text, of any kind, each up to its first index: `var.zones` in `${var.zones[0].name}`. What follows
 * a quote or a dot is none.
 */
export const ADDRESSES =
  /(?<![\w."-])(?:var|local|data|module|ephemeral|each|count|path|terraform|[a-z][a-z0-9]*_\w+)\.[\w-]+(?:\.[\w-]+)*/g;

/** The beginning of an address that is known at every plan; that of a local is not, which may be made of anything. */
export const PLANNED = /^(?:var|each|count|path|terraform)\./;

/**
 * A reference to a resource that Terraform manages, anywhere in a text: `google_sql_database.m`. Data sources, modules,
 * variables and locals have a different beginning.
 */
export const MANAGED_RESOURCE = /(?<![\w.])[a-z0-9]+_\w+\.\w/;

/** A reference to what is read at plan, unless it waits for a change: `data.g`, `module.n`. */
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
