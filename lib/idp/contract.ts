/**
 * Every fixed fact of the identity provider, each once and with its reason. The names speak of `IDP_`; the image
 * translates that prefix into the upstream's own. What only the scripts of the image use is written there as well,
 * because they run alone, and a test compares the two.
 */

/** Image of the upstream server, without a tag. */
export const UPSTREAM_IMAGE = "ghcr.io/goauthentik/server";

/** Prefix of the upstream's own environment variables. */
export const UPSTREAM_PREFIX = "AUTHENTIK_";

/** Prefix that this library and its users write, so that another upstream needs another image and no other settings. */
export const NEUTRAL_PREFIX = "IDP_";

/** Value of the version input that means the pinned release below. */
export const LATEST_VERSION = "latest";

/** What `latest` builds: the upstream publishes no usable tag of that name. */
export const PINNED_VERSION = "2026.5.4";

/** Newest release when the list of releases was last looked at, on 2026-10-21. */
export const NEWEST_KNOWN_VERSION = "2026.8.5";

/**
 * Takes the last address that a request has passed for the client's, also when it is a trusted proxy. Behind a load
 * balancer all clients are one, and share one limit on requests.
 */
export const REFUSED_VERSION = "2026.8.0";

/** First release that needs no Redis: cache, sessions, tasks and channels are in PostgreSQL from here on. */
export const OLDEST_VERSION = { year: 2025, feature: 10 } as const;

/**
 * Arguments of the image's build. The platform injects `APP_VERSION` into every build and wins the merge, so the base tag
 * comes from an argument of its own.
 */
export const BUILD_ARGUMENTS = {
  upstreamImage: "UPSTREAM_IMAGE",
  upstreamPrefix: "UPSTREAM_PREFIX",
  version: "IDP_VERSION",
  platformVersion: "APP_VERSION",
} as const;

/** Port on which the server answers; the upstream's own default. */
export const CONTAINER_PORT = 9000;

/** Where the server listens, stated because the pinned release itself would ask for an IPv6 socket. */
export const SERVER_LISTENER = { IDP_LISTEN__HTTP: `0.0.0.0:${CONTAINER_PORT}` } as const;

/** The server's own, self-signed TLS, for platforms whose load balancer passes connections through. */
export const TLS_PORT = { port: 9443, environment: { IDP_LISTEN__HTTPS: "0.0.0.0:9443" } } as const;

/** Base of the application's own links; releases before 2026.8 ignore it. */
export const BASE_URL_VARIABLE = "IDP_WEB__BASE_URL";

/**
 * Listeners of the co-located worker, set by the image's entrypoint: on loopback, so that it can never win the bind of the
 * server's port and answer everything, probes included, with an empty 200.
 */
export const WORKER_LISTENERS = {
  IDP_LISTEN__HTTP: "127.0.0.1:9001",
  IDP_LISTEN__HTTPS: "127.0.0.1:9444",
  IDP_LISTEN__METRICS: "127.0.0.1:9301",
} as const;

/**
 * How long the container waits for server and worker after a stop, before it ends them: Cloud Run kills all
 * after 10 seconds; on GKE it is what is left of the grace period after draining.
 */
export const STOP_SECONDS = { serverless: 8, elsewhere: 60 } as const;

/** Environment unless the caller says otherwise: an address to sign in with, and nothing that calls out or talks much. */
export const BASELINE_ENVIRONMENT = {
  IDP_BOOTSTRAP_EMAIL: "admin@example.com",
  IDP_DISABLE_UPDATE_CHECK: "true",
  IDP_ERROR_REPORTING__ENABLED: "false",
  IDP_LOG_LEVEL: "info",
} as const;

/** Unauthenticated paths; probes pointed elsewhere would be answered 401 or 403 and never pass. */
export const HEALTH_PATH = "/-/health/";

/** About 11 minutes: the first start, and that of every new release, applies all schema migrations before it is ready. */
export const STARTUP_PROBE = {
  path: `${HEALTH_PATH}ready/`,
  initialDelaySeconds: 60,
  periodSeconds: 15,
  failureThreshold: 40,
} as const;

/** A minute and a half without a sign of life ends an instance; the page looks at nothing but the process. */
export const LIVENESS_PROBE = {
  path: `${HEALTH_PATH}live/`,
  initialDelaySeconds: 60,
  periodSeconds: 30,
  failureThreshold: 3,
} as const;

/** A cold application can take seconds to answer; the platforms' own default of one second would fail it. */
export const PROBE_TIMEOUT_SECONDS = 10;

/** Longest delay, and longest period, of each probe: Cloud Run refuses more, and both platforms get the same. */
export const PROBE_MAX_SECONDS = { startupProbe: 240, livenessProbe: 3600 } as const;

/** Longest that a start may take after the delay: Cloud Run refuses more. */
export const STARTUP_MAX_SECONDS = 600;

/** One instance always runs, because the worker lives in it. */
export const MIN_INSTANCE_COUNT = 1;

/** Two more for busy hours; the default database has connections for no more than four. */
export const MAX_INSTANCE_COUNT = 3;

/**
 * Signs sessions and cookies, and internal encryption derives from it: generated once, never rotated. Suffix of the
 * secret's name, variable, and length.
 */
export const SECRET_KEY = { suffix: "secret-key", variable: "IDP_SECRET_KEY", length: 64 } as const;

/** First password of the built-in administrator, read on the first start only, together with the address above. */
export const BOOTSTRAP_PASSWORD = {
  suffix: "bootstrap-password",
  variable: "IDP_BOOTSTRAP_PASSWORD",
  length: 24,
} as const;

/** Name of the built-in administrator, who signs in first. */
export const ADMINISTRATOR_NAME = "akadmin";

/** Variables of the connection: Cloud Run expands no references between variables, GKE takes no `__` in a secret's keys. */
export const DATABASE_VARIABLES = {
  host: "DB_HOST",
  port: "DB_PORT",
  name: "DB_NAME",
  user: "DB_USER",
  password: "DB_PASSWORD",
} as const;

/** What the entrypoint maps them onto, each unless it is set already. */
export const DATABASE_TARGETS = {
  host: "IDP_POSTGRESQL__HOST",
  port: "IDP_POSTGRESQL__PORT",
  name: "IDP_POSTGRESQL__NAME",
  user: "IDP_POSTGRESQL__USER",
  password: "IDP_POSTGRESQL__PASSWORD",
} as const;

/**
 * Encryption of the database connection, chosen by the entrypoint unless it is set: a proxy on a socket or on loopback
 * speaks no TLS itself and refuses who asks for it, everything else is a network.
 */
export const SSL_MODE = { variable: "IDP_POSTGRESQL__SSLMODE", local: "disable", remote: "require" } as const;

/** Major version of the database, the only one that is tested with the application. */
export const DATABASE_MAJOR_VERSION = 15;

/** Oldest major version that the application itself supports. */
export const OLDEST_DATABASE_MAJOR_VERSION = 14;

/** The engine as the platform calls it; there is no other, the application works with PostgreSQL alone. */
export const DATABASE_VERSION = `POSTGRES_${DATABASE_MAJOR_VERSION}`;

/** Port of the database; the engine's own default, also part of its socket's name. */
export const DATABASE_PORT = 5432;

/** Login that owns the application database; it cannot switch to application roles. */
export const DATABASE_ADMINISTRATOR = "postgres";

/**
 * Granted to the application role, so that extensions in later migrations do not need a superuser.
 *
 * Its members can `SET ROLE` to it, and then change the administrator's password and every other database: whoever
 * takes over the application takes over the instance.
 */
export const MANAGED_SUPERUSER_ROLE = "cloudsqlsuperuser";

/** Connections of one server and worker pair at its peak, with the embedded outpost. */
export const CONNECTIONS_PER_INSTANCE = 20;

/** The job that creates role and database, before the first start. */
export const DB_INIT_JOB = "db-init";

/** Client image of that job: has `psql` of the server's major version and a POSIX shell. */
export const DB_INIT_IMAGE = `docker.io/library/postgres:${DATABASE_MAJOR_VERSION}-alpine`;

/** How long one attempt waits for the database; a new instance and its proxy take minutes. */
export const DB_INIT_WAIT_SECONDS = 300;

/** One attempt: the wait, and as long again for the statements after it. */
export const DB_INIT_TIMEOUT_SECONDS = 600;

/** Attempts after the first; the script is safe to run again at any point. */
export const DB_INIT_MAX_RETRIES = 2;

/** Suffix of the media bucket's name; one word for what the platform output calls it, too. */
export const MEDIA_BUCKET_SUFFIX = "storage";

/** Where the media bucket is mounted. */
export const MEDIA_MOUNT_PATH = "/media";

/** Set to the mount by the entrypoint: the application offers uploads only where this path is itself a mount point. */
export const STORAGE_PATH_VARIABLE = "IDP_STORAGE__FILE__PATH";

/** Resources of one instance unless stated: the application asks for two CPUs and two gigabytes at least. */
export const RESOURCES = { cpu: 2, memory: "4Gi" } as const;

/** User that the upstream's image runs as; it could not write to a mount of another user. */
export const RUNTIME_USER_ID = 1000;

/** Group of that user. */
export const RUNTIME_GROUP_ID = 1000;

/** How the name of the secret with the application role's password ends. */
export const DATABASE_PASSWORD_SUFFIX = "database-password";

/** Characters of the database passwords: out of reach for guessing, short enough for every client. */
export const DATABASE_PASSWORD_LENGTH = 32;
