import { Fn, Token, type IResolvable, type TerraformResource } from "cdktf";

import { addDynamicBlock } from "../../core/conditional";
import { flag, number, textMap } from "../../core/inputs";
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
const LOGGING_FLAGS = {
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

/**
 * Flags of the server unless the caller overrides them: those for logging, and no just-in-time compilation.
 *
 * The application's queries join many tables and return few rows. PostgreSQL can overestimate their cost, and then spends
 * seconds on compiling what runs for milliseconds (upstream #24179). `jit` needs no restart either.
 */
export const DEFAULT_FLAGS = { ...LOGGING_FLAGS, jit: "off" } as const;

/** Inputs for the server. */
export const DATABASE_SERVER = {
  /** Limits the right of the service accounts to connect to this database, by a condition; false for a project whose tools cannot keep conditions. */
  databaseConditionalAccess: flag({
    default: true,
    description:
      "Limits the right of the service accounts to connect to this database, by an IAM condition. False, for a project whose tools cannot keep conditions, covers all its databases. Changing it later is safe.",
  }),
  /**
   * Flags of the database server, by name. They override the library's own, for logging and `jit`; `max_connections`
   * follows from the tier.
   */
  databaseFlags: textMap({
    default: {},
    description:
      "Flags of the database server, by name; they override those for logging, and jit = off, without which short queries can take seconds. max_connections follows from database_tier: one for every 10 MB of memory. Changing them later is safe; some flags restart the database.",
    must: [
      {
        accepts: (name, value: string) => new RegExp(FLAG_NAME).test(name) && name !== OWN_FLAG && value !== "",
        each: `can(regex(${JSON.stringify(FLAG_NAME)}, key)) && key != "${OWN_FLAG}" && value != ""`,
        shows: "key",
        says: `a flag has a name in lower-case letters, digits and underscores, with a dot after the name of an extension, and a value, and ${OWN_FLAG} follows from the tier, because it limits the number of instances; use for example log_min_duration_statement, and a tier with more memory for more connections`,
        keySchema: { pattern: FLAG_NAME },
      },
    ],
  }),
  /** Major version of PostgreSQL: 15, the only one that is tested with the application. */
  databaseVersion: number({
    default: DATABASE_MAJOR_VERSION,
    description: `Major version of PostgreSQL: ${DATABASE_MAJOR_VERSION} only, the one that is tested with the application; no later change is possible.`,
    must: [
      {
        accepts: (version: number) => version === DATABASE_MAJOR_VERSION,
        condition: (version) => `${version} == ${DATABASE_MAJOR_VERSION}`,
        must: `be ${DATABASE_MAJOR_VERSION}, because the stacks are tested with no other version; use ${DATABASE_MAJOR_VERSION}, or remove it`,
        schema: { enum: [DATABASE_MAJOR_VERSION] },
      },
    ],
  }),
};

/** Cloud SQL's name of a major version, which may be known only at plan. */
export function engineOf(version: number): string {
  return `POSTGRES_${Token.isUnresolved(version) ? Token.asString(version) : version}`;
}

/** All flags of an instance: the library's, the caller's, which override them, and the connections. */
export function flagBlocks(
  connections: string,
  given: DatabaseFlags = {},
): { name: string; value: string }[] | undefined {
  if (Token.isUnresolved(given)) return undefined;
  const all = { [OWN_FLAG]: connections, ...DEFAULT_FLAGS, ...(given as Readonly<Record<string, string>>) };
  return Object.entries(all).map(([name, value]) => ({ name, value }));
}

/** The same for flags known only at plan. */
export function addFlags(instance: TerraformResource, connections: string, given: DatabaseFlags = {}): void {
  if (!Token.isUnresolved(given)) return;
  addDynamicBlock(instance, "settings", "database_flags", {
    forEach: Fn.merge([{ [OWN_FLAG]: connections, ...DEFAULT_FLAGS }, given]),
    content: { name: "${database_flags.key}", value: "${database_flags.value}" },
  });
}
