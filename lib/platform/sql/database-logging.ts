/**
 * What the database writes into its log, as flags of the server. None needs a restart, and together they write a line for
 * each connection and each change of the schema, which costs next to nothing.
 *
 * Statements that define something are logged in full, so whoever sets a password sends its salted hash, as `db-init` does.
 */
export const LOGGING_FLAGS = {
  log_checkpoints: "on",
  log_connections: "on",
  log_disconnections: "on",
  log_lock_waits: "on",
  // The default, said because it is asked for: statements that fail are logged.
  log_min_error_statement: "error",
  log_statement: "ddl",
  // Every temporary file, whatever its size.
  log_temp_files: "0",
} as const;
