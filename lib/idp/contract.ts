/**
 * Every fixed fact of the identity provider, each once. The names speak of `IDP_`; the image translates that prefix into
 * the upstream's own.
 */

/** Image of the upstream server, without a tag. */
export const UPSTREAM_IMAGE = "ghcr.io/goauthentik/server";

/** Prefix of the upstream's own environment variables. */
export const UPSTREAM_PREFIX = "AUTHENTIK_";

/** Prefix that this library and its users write. */
export const NEUTRAL_PREFIX = "IDP_";

/** Value of the version input that means the pinned release below. */
export const LATEST_VERSION = "latest";

/** What `latest` builds: the upstream publishes no usable tag of that name. */
export const PINNED_VERSION = "2026.5.4";

/** First release that needs no Redis: cache, sessions, tasks and channels are in PostgreSQL from here on. */
export const OLDEST_VERSION = { year: 2025, feature: 10 } as const;

/** Port on which the server answers. */
export const CONTAINER_PORT = 9000;

/** Where the server listens, stated because the pinned release itself would ask for an IPv6 socket. */
export const SERVER_LISTENER = { IDP_LISTEN__HTTP: `0.0.0.0:${CONTAINER_PORT}` } as const;

/** Listeners of the co-located worker: on loopback, so that it can never win the bind of the server's port. */
export const WORKER_LISTENERS = {
  IDP_LISTEN__HTTP: "127.0.0.1:9001",
  IDP_LISTEN__HTTPS: "127.0.0.1:9444",
  IDP_LISTEN__METRICS: "127.0.0.1:9301",
} as const;

/** Environment unless the caller says otherwise. */
export const BASELINE_ENVIRONMENT = {
  IDP_BOOTSTRAP_EMAIL: "admin@example.com",
  IDP_DISABLE_UPDATE_CHECK: "true",
  IDP_ERROR_REPORTING__ENABLED: "false",
  IDP_LOG_LEVEL: "info",
} as const;

/** Unauthenticated paths; probes pointed elsewhere would be answered 401 or 403 and never pass. */
export const HEALTH_PATH = "/-/health/";
const READY_PATH = "/-/health/ready/";
const LIVE_PATH = "/-/health/live/";

/** About 11 minutes: the first start applies all schema migrations before it is ready. */
export const STARTUP_PROBE = {
  path: READY_PATH,
  initialDelaySeconds: 60,
  periodSeconds: 15,
  failureThreshold: 40,
} as const;

export const LIVENESS_PROBE = {
  path: LIVE_PATH,
  initialDelaySeconds: 60,
  periodSeconds: 30,
  failureThreshold: 3,
} as const;

/** A cold application can take seconds to answer; the platforms' own default of one second would fail it. */
export const PROBE_TIMEOUT_SECONDS = 10;

/** Instances by default: one that always runs, because the worker lives in it, and two more for busy hours. */
export const MIN_INSTANCE_COUNT = 1;
export const MAX_INSTANCE_COUNT = 3;

/** Longest delay, and longest period, of each probe: the serverless platform refuses more, and both get the same. */
export const PROBE_MAX_SECONDS = { startupProbe: 240, livenessProbe: 3600 } as const;

/** Longest that a start may take after the delay; an older limit of the serverless platform was 240. */
export const STARTUP_MAX_SECONDS = 600;

/** Secrets of the application: suffix of the name, variable, length. */
export const SECRET_KEY = { suffix: "secret-key", variable: "IDP_SECRET_KEY", length: 64 } as const;
export const BOOTSTRAP_PASSWORD = {
  suffix: "bootstrap-password",
  variable: "IDP_BOOTSTRAP_PASSWORD",
  length: 24,
} as const;

/** Name of the built-in administrator, who signs in first. */
export const ADMINISTRATOR_NAME = "akadmin";

/** Variables that the platform injects and the entrypoint maps onto the application's own. */
export const DATABASE_VARIABLES = {
  host: "DB_HOST",
  port: "DB_PORT",
  name: "DB_NAME",
  user: "DB_USER",
  password: "DB_PASSWORD",
} as const;

/** What the entrypoint maps the last of them onto; given by hand, it would be a password in the state. */
export const DATABASE_PASSWORD_TARGET = "IDP_POSTGRESQL__PASSWORD";

/** The only supported engine; the application needs 14 or newer. */
export const DATABASE_VERSION = "POSTGRES_15";
export const DATABASE_PORT = 5432;

/** Login that owns the application database; it cannot switch to application roles. */
export const DATABASE_ADMINISTRATOR = "postgres";

/** Granted to the application role, so that extensions in later migrations do not need a superuser. */
export const MANAGED_SUPERUSER_ROLE = "cloudsqlsuperuser";

/** Connections of one server and worker pair at its peak, with the embedded outpost. */
export const CONNECTIONS_PER_INSTANCE = 20;

/** The job that creates role and database. */
export const DB_INIT_JOB = "db-init";

/** Client image of that job: has `psql` of the fixed major version and a POSIX shell. */
export const DB_INIT_IMAGE = "docker.io/library/postgres:15-alpine";

/** One attempt: the bounded wait for the database and the statements after it. */
export const DB_INIT_WAIT_SECONDS = 300;
export const DB_INIT_TIMEOUT_SECONDS = 600;

/** Attempts after the first; the script is safe to run again at any point. */
export const DB_INIT_MAX_RETRIES = 2;

/** Media bucket: suffix of the name, mount path, owner of the files (the upstream's runtime user). */
export const MEDIA_BUCKET_SUFFIX = "storage";
export const MEDIA_MOUNT_PATH = "/media";
export const RUNTIME_USER_ID = 1000;
export const RUNTIME_GROUP_ID = 1000;

/** Characters of the database passwords. */
export const DATABASE_PASSWORD_LENGTH = 32;
