import { Fn, type IResolvable, type TerraformResource, Token } from "cdktf";

import { addDynamicBlock } from "../../core/expr/blocks";
import { type Expr, hcl, literal } from "../../core/expr/expr";
import { lookup, toText } from "../../core/expr/functions";
import { number, textMap } from "../../core/inputs/rows";
import { type WarningRelation } from "../../core/inputs/warnings";
import { prose } from "../../core/prose";
import {
  DATABASE_MAJOR_VERSION,
  DATABASE_MAJOR_VERSIONS,
  NEWEST_DATABASE_MAJOR_VERSION,
  OLDEST_DATABASE_MAJOR_VERSION,
} from "../../idp/contract";
import { DATABASE_ENDS } from "../../idp/releases";

/** Flags from the caller: a literal map, or an expression that evaluates to one. */
export type DatabaseFlags = Readonly<Record<string, string>> | IResolvable;

/** The flag from which the maximum number of instances is calculated. */
const OWN_FLAG = "max_connections";

/** Names of PostgreSQL's own flags and of flags of extensions, in Cloud SQL's spelling. */
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
  // Logs every temporary file, regardless of its size.
  log_temp_files: "0",
} as const;

/**
 * Default flags of the server, which the caller can override: flags for logging, and no just-in-time compilation.
 *
 * The application's queries join many tables and return few rows. PostgreSQL can overestimate their cost, and then
 * compiles for seconds a query that runs for milliseconds (upstream #24179). `jit` needs no restart either.
 */
export const DEFAULT_FLAGS = { ...LOGGING_FLAGS, jit: "off" } as const;

const VERSIONS = DATABASE_MAJOR_VERSIONS.join(", ").replace(/, (\d+)$/, " or $1");

/** Inputs for the server. */
export const DATABASE_SERVER = {
  /**
   * Flags of the server, by name; they override the library's flags for logging and `jit`. The tier sets
   * `max_connections`.
   */
  databaseFlags: textMap({
    default: {},
    description: prose`
      Flags of the database server, by name; they override those for logging, and jit = off,
      without which short queries can take seconds. max_connections follows from database_tier:
      one for every 10 MB of memory. Changing them later is safe; some flags restart the database.
    `,
    must: {
      each: (name, value: Expr<string>) => name.matches(FLAG_NAME).and(name.ne(OWN_FLAG), value.ne("")),
      shows: "key",
      message: prose`
        a flag has a name in lower-case letters, digits and underscores,
        with a dot after the name of an extension, and a value, and ${OWN_FLAG} follows from the tier,
        because it limits the number of instances; use for example log_min_duration_statement,
        and a tier with more memory for more connections
      `,
      keySchema: { pattern: FLAG_NAME },
    },
  }),
  /**
   * Major version of PostgreSQL: 15, 16 or 17, by default 15. Raising it later upgrades in place; it cannot be lowered.
   */
  databaseVersion: number({
    default: DATABASE_MAJOR_VERSION,
    example: NEWEST_DATABASE_MAJOR_VERSION,
    description: prose`
      Major version of PostgreSQL: ${VERSIONS}, with which the stacks are tested;
      the application needs at least ${OLDEST_DATABASE_MAJOR_VERSION}. Raising it later upgrades in place,
      and sign-in is down meanwhile: see guides/postgresql-upgrade.md. It cannot be lowered.
    `,
    must: {
      condition: (version: Expr<number>) => version.isOneOf(DATABASE_MAJOR_VERSIONS),
      must: prose`
        be ${VERSIONS}, because the stacks are tested with no other;
        set ${NEWEST_DATABASE_MAJOR_VERSION} for a new deployment
      `,
      schema: { enum: [...DATABASE_MAJOR_VERSIONS] },
    },
  }),
};

/**
 * Warns of a version of PostgreSQL if its fixes end within a year, unless the database was created recently.
 *
 * @param since when the deployment was made
 */
export function databaseWarning(since: Expr<string>): WarningRelation<typeof DATABASE_SERVER> {
  const isNew = hcl<boolean>`try(timecmp(plantimestamp(), timeadd(${since}, "24h")) < 0, false)`;
  return {
    localId: "DatabaseVersionHasFixes",
    holds: ({ databaseVersion }) =>
      isNew.or(hcl<boolean>`timecmp(timeadd(plantimestamp(), "8760h"), ${endOf(databaseVersion)}) < 0`),
    message: ({ databaseVersion: version }) => {
      const day = hcl`formatdate("D MMMM YYYY", ${endOf(version)})`;
      return prose`
        ${version.name} is ${version.shown}; PostgreSQL makes no fixes of it after ${day.text};
        upgrade before: guides/postgresql-upgrade.md
      `;
    },
  };
}

/** Last day of fixes for a version of PostgreSQL. */
function endOf(version: Expr<number>): Expr<string> {
  const ends = Object.entries(DATABASE_ENDS).map(([major, day]) => [major, `${day}T00:00:00Z`] as const);
  return lookup<string>(literal(Object.fromEntries(ends)), toText(version), "9999-12-31T00:00:00Z");
}

/** All flags of an instance: the library's, the caller's, which override them, and the connections. */
export function flagBlocks(connections: string, given: DatabaseFlags = {}) {
  if (Token.isUnresolved(given)) return undefined;
  const all = { [OWN_FLAG]: connections, ...DEFAULT_FLAGS, ...(given as Readonly<Record<string, string>>) };
  return Object.entries(all).map(([name, value]) => ({ name, value }));
}

/** Adds flags that only a plan knows. */
export function addFlags(instance: TerraformResource, connections: string, given: DatabaseFlags = {}): void {
  if (!Token.isUnresolved(given)) return;
  addDynamicBlock(instance, "settings", "database_flags", {
    forEach: Fn.merge([{ [OWN_FLAG]: connections, ...DEFAULT_FLAGS }, given]),
    content: { name: "${database_flags.key}", value: "${database_flags.value}" },
  });
}
