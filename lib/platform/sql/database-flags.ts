import { Fn, Token, type IResolvable, type TerraformResource } from "cdktf";

import { CheckedEntries } from "../../core/checked-entries";
import { CheckedValue } from "../../core/checked-value";
import { addDynamicBlock } from "../../core/conditional";
import { DATABASE_MAJOR_VERSION } from "../../idp/contract";

/** Flags from the caller: a literal map, or an expression that evaluates to one. */
export type DatabaseFlags = Readonly<Record<string, string>> | IResolvable;

/** The flag from which the maximum number of instances is calculated. */
const OWN_FLAG = "max_connections";

/** PostgreSQL's own names, and those of extensions, as Cloud SQL writes them. */
const FLAG_NAME = "^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)*$";

/**
 * Server flags for logging. None needs a restart. Together they log each connection and each schema change, which costs
 * almost nothing.
 *
 * DDL statements are logged in full, so set passwords as salted hashes only, as `db-init` does.
 */
export const LOGGING_FLAGS = {
  log_checkpoints: "on",
  log_connections: "on",
  log_disconnections: "on",
  log_lock_waits: "on",
  // The default, explicit because it is a requirement: logs failing statements.
  log_min_error_statement: "error",
  log_statement: "ddl",
  // Every temporary file, regardless of size.
  log_temp_files: "0",
} as const;

/** Rules for the caller's flags. */
export const DATABASE_FLAGS: readonly CheckedEntries[] = [
  new CheckedEntries({
    accepts: (name) => new RegExp(FLAG_NAME).test(name),
    condition: `can(regex(${JSON.stringify(FLAG_NAME)}, key))`,
    show: "key",
    rule: "a name must be lower-case letters, digits and underscores, with a dot after the name of an extension, because Cloud SQL has no other flags; use for example log_min_duration_statement or cloudsql.iam_authentication",
    keySchema: { pattern: FLAG_NAME },
  }),
  new CheckedEntries({
    accepts: (name) => name !== OWN_FLAG,
    condition: `key != "${OWN_FLAG}"`,
    show: "key",
    rule: "it follows from the tier, because it limits the number of instances; remove it, and choose a tier with more memory for more connections",
  }),
  new CheckedEntries({
    accepts: (_, value) => value !== "",
    condition: 'value != ""',
    show: "key",
    rule: "a flag must have a value, because Cloud SQL refuses an empty one; set it, or remove the flag for the default",
  }),
];

/** The major version of PostgreSQL. */
export const DATABASE_MAJOR = new CheckedValue<number>({
  accepts: (version) => version === DATABASE_MAJOR_VERSION,
  condition: (version) => `${version} == ${DATABASE_MAJOR_VERSION}`,
  must: `be ${DATABASE_MAJOR_VERSION}`,
  schema: { enum: [DATABASE_MAJOR_VERSION] },
  reason: "the stacks are tested with no other version",
  remedy: `use ${DATABASE_MAJOR_VERSION}, or remove it`,
});

/** Cloud SQL's name of a major version, which may be known only at plan. */
export function engineOf(version: number): string {
  return `POSTGRES_${Token.isUnresolved(version) ? Token.asString(version) : version}`;
}

/** All flags of an instance: the library's for logging, the caller's, which override them, and the connections. */
export function flagBlocks(
  connections: string,
  given: DatabaseFlags = {},
): { name: string; value: string }[] | undefined {
  if (Token.isUnresolved(given)) return undefined;
  const all = { [OWN_FLAG]: connections, ...LOGGING_FLAGS, ...(given as Readonly<Record<string, string>>) };
  return Object.entries(all).map(([name, value]) => ({ name, value }));
}

/** The same for flags known only at plan. */
export function addFlags(instance: TerraformResource, connections: string, given: DatabaseFlags = {}): void {
  if (!Token.isUnresolved(given)) return;
  addDynamicBlock(instance, "settings", "database_flags", {
    forEach: Fn.merge([{ [OWN_FLAG]: connections, ...LOGGING_FLAGS }, given]),
    content: { name: "${database_flags.key}", value: "${database_flags.value}" },
  });
}
