import { type Rule } from "./core/rules";
import { LOG_LEVEL } from "./idp/parsed-values";
import { type GivenProbes, PROBE_RULES } from "./idp/probe-rules";
import { REQUEST_TIMEOUT } from "./platform/instance-rules";
import { DATABASE_FLAGS, DATABASE_MAJOR, type DatabaseFlags } from "./platform/sql/database-flags";

/** Props of both variants for operators. */
export interface OperationsProps extends GivenProbes {
  /**
   * Flags of the database server, by name. They override the library's own for logging.
   *
   * @default - `max_connections` by the tier, and logging of connections, waits, temporary files and schema changes
   */
  readonly databaseFlags?: DatabaseFlags;

  /**
   * Major version of PostgreSQL: 15, the only one that is tested with the application.
   *
   * @default 15
   */
  readonly databaseVersion?: number;

  /**
   * How much the application logs: `trace`, `debug`, `info`, `warning` or `error`. `IDP_LOG_LEVEL` in
   * `environmentVariables` overrides it. `trace` writes session cookies and other secrets to the log.
   *
   * @default "info"
   */
  readonly logLevel?: "trace" | "debug" | "info" | "warning" | "error" | (string & {});

  /**
   * Time limit of a request, and of a web socket, in seconds: 1 to 3600. On GKE, it is that of the load balancer of a
   * domain.
   *
   * @default 3600
   */
  readonly requestTimeoutSeconds?: number;
}

export const OPERATIONS_RULES: readonly Rule<OperationsProps>[] = [
  ...DATABASE_FLAGS.map((rule) => rule.ruleOn<OperationsProps>("databaseFlags", ({ databaseFlags }) => databaseFlags)),
  DATABASE_MAJOR.ruleOn("databaseVersion", ({ databaseVersion }) => databaseVersion),
  LOG_LEVEL.ruleOn("logLevel", ({ logLevel }) => logLevel),
  REQUEST_TIMEOUT.ruleOn("requestTimeoutSeconds", ({ requestTimeoutSeconds }) => requestTimeoutSeconds),
  ...PROBE_RULES,
];
