/**
 * All fixed facts of the identity provider, each once and with its reason. Variable names start with `IDP_`; the image
 * translates this prefix into the upstream's prefix. The image's scripts repeat the values that they use, because they
 * run without this library; a test compares the values.
 */

export const UPSTREAM_IMAGE = "ghcr.io/goauthentik/server";

/** Prefix of the upstream's own environment variables. */
export const UPSTREAM_PREFIX = "AUTHENTIK_";

/** Prefix that this library and its users write instead, so that a change of the upstream only needs another image. */
export const NEUTRAL_PREFIX = "IDP_";

/** Value of the version input that stands for the pinned release below. */
export const LATEST_VERSION = "latest";

/**
 * Build arguments of the image. The tag of the base image is a separate argument, because the platform sets
 * `APP_VERSION` in every build.
 */
export const BUILD_ARGUMENTS = {
  toolsImage: "TOOLS_IMAGE",
  upstreamImage: "UPSTREAM_IMAGE",
  upstreamPrefix: "UPSTREAM_PREFIX",
  version: "IDP_VERSION",
  platformVersion: "APP_VERSION",
} as const;

/** Path of the entrypoint in the image, for commands in a running container. */
export const ENTRYPOINT_PATH = "/cloud-entrypoint.sh";

/** The upstream's default port. */
export const CONTAINER_PORT = 9000;

/** Address and port of the server. Set because the pinned release would open an IPv6 socket by default. */
export const SERVER_LISTENER = { IDP_LISTEN__HTTP: `0.0.0.0:${CONTAINER_PORT}` } as const;

/** Variable with the peers from which the application accepts forwarded headers. */
export const TRUSTED_PROXIES = "IDP_LISTEN__TRUSTED_PROXY_CIDRS";

/**
 * Port with TLS by the server itself, with a self-signed certificate, for platforms with a passthrough load balancer.
 */
export const TLS_PORT = { port: 9443, environment: { IDP_LISTEN__HTTPS: "0.0.0.0:9443" } } as const;

/** Base URL of the application's own links; releases before 2026.8 ignore it. */
export const BASE_URL_VARIABLE = "IDP_WEB__BASE_URL";

/**
 * Listeners of the co-located worker, set by the image's entrypoint. They are on loopback: otherwise, the worker could
 * bind the server's port first and answer every request, including probes, with an empty 200.
 */
export const WORKER_LISTENERS = {
  IDP_LISTEN__HTTP: "127.0.0.1:9001",
  IDP_LISTEN__HTTPS: "127.0.0.1:9444",
  IDP_LISTEN__METRICS: "127.0.0.1:9301",
} as const;

/**
 * Seconds for server and worker to shut down before the container kills them. Cloud Run kills the container after 10
 * seconds; on GKE, the limit is the rest of the grace period after draining.
 */
export const STOP_SECONDS = { serverless: 8, elsewhere: 60 } as const;

/** Default environment: an e-mail address for the first sign-in, no outgoing calls, moderate logging. */
export const BASELINE_ENVIRONMENT = {
  IDP_BOOTSTRAP_EMAIL: "admin@example.com",
  IDP_DISABLE_STARTUP_ANALYTICS: "true",
  IDP_DISABLE_UPDATE_CHECK: "true",
  IDP_ERROR_REPORTING__ENABLED: "false",
  IDP_LOG_LEVEL: "info",
} as const;

/** Prefix of the unauthenticated paths. Probes of other paths never succeed, because the answer is 401 or 403. */
export const HEALTH_PATH = "/-/health/";

/**
 * Allows about 11 minutes, because the first start of every release applies all schema migrations before the server is
 * ready.
 */
export const STARTUP_PROBE = {
  path: `${HEALTH_PATH}ready/`,
  initialDelaySeconds: 60,
  periodSeconds: 15,
  failureThreshold: 40,
} as const;

/** Restarts an instance after 90 seconds without an answer; the path checks only the process. */
export const LIVENESS_PROBE = {
  path: `${HEALTH_PATH}live/`,
  initialDelaySeconds: 60,
  periodSeconds: 30,
  failureThreshold: 3,
} as const;

/** A cold application can take several seconds to answer, longer than the platforms' default of one second. */
export const PROBE_TIMEOUT_SECONDS = 10;

/**
 * Maximum delay and period of each probe, and maximum time for a start after the delay, because Cloud Run refuses more.
 */
export const PROBE_MAX_SECONDS = { startupProbe: 240, livenessProbe: 3600 } as const;
export const STARTUP_MAX_SECONDS = 600;

/**
 * One instance always runs, because it contains the worker; two more start at peak load. The default database has
 * connections for four instances.
 */
export const MIN_INSTANCE_COUNT = 1;
export const MAX_INSTANCE_COUNT = 3;

/**
 * Key that signs sessions, cookies and links; no stored data is encrypted with it. `suffix` is the suffix of the
 * secret's name.
 */
export const SECRET_KEY = { suffix: "secret-key", variable: "IDP_SECRET_KEY", length: 64 } as const;

/** Initial password of the built-in administrator, read only on the first start, with the e-mail address above. */
export const BOOTSTRAP_PASSWORD = {
  suffix: "bootstrap-password",
  variable: "IDP_BOOTSTRAP_PASSWORD",
  length: 24,
} as const;

/** Token of the built-in administrator for the application's API, on request; created only on the first start. */
export const BOOTSTRAP_TOKEN = { suffix: "bootstrap-token", variable: "IDP_BOOTSTRAP_TOKEN", length: 60 } as const;

/** Prefix of variables that only blueprints read, with `!Env`; no setting of the application begins with it. */
export const BLUEPRINT_VARIABLE_PREFIX = "IDP_BLUEPRINT_";

/** Secrets of shipped blueprints, generated if the blueprint is selected; the application does not show them. */
export const BLUEPRINT_SECRETS = {
  LdapPassword: {
    blueprint: "ldap",
    suffix: "ldap-password",
    variable: `${BLUEPRINT_VARIABLE_PREFIX}LDAP_PASSWORD`,
    length: 32,
  },
  LdapToken: {
    blueprint: "ldap",
    suffix: "ldap-token",
    variable: `${BLUEPRINT_VARIABLE_PREFIX}LDAP_TOKEN`,
    length: 60,
  },
  RadiusSecret: {
    blueprint: "radius",
    suffix: "radius-secret",
    variable: `${BLUEPRINT_VARIABLE_PREFIX}RADIUS_SECRET`,
    length: 32,
  },
  RadiusToken: {
    blueprint: "radius",
    suffix: "radius-token",
    variable: `${BLUEPRINT_VARIABLE_PREFIX}RADIUS_TOKEN`,
    length: 60,
  },
  SignInProbePassword: {
    blueprint: "sign-in-probe",
    suffix: "sign-in-probe-password",
    variable: `${BLUEPRINT_VARIABLE_PREFIX}SIGN_IN_PROBE_PASSWORD`,
    length: 32,
  },
} as const;

/** User of the sign-in probe, created by the blueprint. */
export const SIGN_IN_PROBE_USER = "sign-in-probe";

/** Outposts that the application's controller runs in a cluster. */
export const OUTPOSTS = {
  hostVariable: `${BLUEPRINT_VARIABLE_PREFIX}OUTPOST_HOST`,
  imageVariable: "IDP_OUTPOSTS__CONTAINER_IMAGE_BASE",
  /** Folder in which the controller looks for the cluster's token. */
  tokenFolder: "/var/run/secrets/kubernetes.io/serviceaccount",
  podLabels: { "app.kubernetes.io/managed-by": "goauthentik.io" },
  /** LDAP and LDAPS, RADIUS, proxies. */
  ports: [
    ["TCP", 3389],
    ["TCP", 6636],
    ["UDP", 1812],
    ["TCP", 9000],
    ["TCP", 9443],
  ],
} as const;

/** The built-in administrator, for the first sign-in. */
export const ADMINISTRATOR_NAME = "akadmin";

/**
 * Short names, because Cloud Run expands no references between variables, and GKE allows no `__` in the keys of a
 * secret.
 */
export const DATABASE_VARIABLES = {
  host: "DB_HOST",
  port: "DB_PORT",
  name: "DB_NAME",
  user: "DB_USER",
  password: "DB_PASSWORD",
} as const;

/** The entrypoint copies each `DB_` variable to a variable with this prefix, unless the latter is already set. */
export const DATABASE_TARGET_PREFIX = "IDP_POSTGRESQL__";

/**
 * Encryption of the database connection. Unless the variable is set, the entrypoint chooses: no TLS for a proxy on a
 * socket or on loopback, because it refuses clients that request TLS, and TLS for any other address, because the
 * connection uses a network.
 */
export const SSL_MODE = { variable: "IDP_POSTGRESQL__SSLMODE", local: "disable", remote: "require" } as const;

/** Required by the contract. Every script is tested with this version, and the application supports no older one. */
export const DATABASE_MAJOR_VERSION = 15;
export const DATABASE_MAJOR_VERSIONS: readonly number[] = [DATABASE_MAJOR_VERSION, 16, 17];
export const OLDEST_DATABASE_MAJOR_VERSION = 14;

/** Recommended for new databases, because its fixes end last. */
export const NEWEST_DATABASE_MAJOR_VERSION = 17;

/** PostgreSQL's default, also part of the socket's name. */
export const DATABASE_PORT = 5432;

/** Login that owns the application database; it cannot switch to application roles. */
export const DATABASE_ADMINISTRATOR = "postgres";

/**
 * Role that is granted to the application's role, so that later migrations can create extensions without a superuser.
 *
 * Members can `SET ROLE` to this role, and then change the administrator's password and every other database. An
 * attacker who takes over the application therefore takes over the instance.
 */
export const MANAGED_SUPERUSER_ROLE = "cloudsqlsuperuser";

/**
 * Connections of an idle server, including the embedded outpost, but excluding a worker in the same container. Each
 * request in progress adds one until it ends; an open web socket adds none.
 */
export const CONNECTIONS_BESIDE_WORKER = 10;
export const SERVER_CONNECTIONS = 12;

/** Peak connections of a worker: the connections of its pool, and for each process one per thread and four more. */
export const WORKER_CONNECTIONS = { pool: 4, perProcess: 4 } as const;

/**
 * Concurrent requests of one instance without a connection pool. Each needs one connection beyond the fixed ones. Cloud
 * Run enforces this limit. GKE has no such limit, so the number only sizes the database.
 */
export const REQUESTS_PER_INSTANCE = 36;

/**
 * Concurrent requests of an instance with a pool. Most of them are web sockets of open pages, and these need no
 * connection.
 */
export const POOLED_REQUESTS_PER_INSTANCE = 250;

/**
 * Variables that make the image's entrypoint start a pool: the number of connections, and the longest wait for one.
 */
export const POOL_VARIABLES = { size: "CONNECTION_POOL_SIZE", wait: "CONNECTION_POOL_WAIT_SECONDS" } as const;

/** Connections that a pool must have beyond the fixed ones, for requests in progress. */
export const MIN_POOLED_CONNECTIONS = 10;

/** The job that creates role and database before the first start. */
export const DB_INIT_JOB = "db-init";

/** Name of the job that disables the login of a former password. */
export const DB_RETIRE_JOB = "db-retire";

/** Time that one attempt waits for the database, because a new instance and its proxy take minutes to start. */
export const DB_INIT_WAIT_SECONDS = 300;

/** Time limit of one attempt: the wait, and the same time again for the statements. */
export const DB_INIT_TIMEOUT_SECONDS = 600;

/** Attempts after the first one; the script can safely be rerun after a failure at any point. */
export const DB_INIT_MAX_RETRIES = 2;

/** Days for which Cloud Storage keeps deleted files: its default, made explicit. */
export const SOFT_DELETE_DAYS = 7;

/** Also the key of the media bucket in the output `storage_buckets`. */
export const MEDIA_BUCKET_SUFFIX = "storage";
export const MEDIA_MOUNT_PATH = "/media";

/** Folder of the application's GeoIP databases, `.mmdb` files. Without a database, features that need it are off. */
export const GEOIP_FOLDER = "/geoip";
export const GEOIP_EDITIONS = ["GeoLite2-City", "GeoLite2-ASN"] as const;

/**
 * Variable for the path of uploads. The entrypoint sets it to the mount, because the application offers uploads only if
 * this path is a mount point itself.
 */
export const STORAGE_PATH_VARIABLE = "IDP_STORAGE__FILE__PATH";

/** Default resources of one instance: the application requires at least two CPUs and two gigabytes. */
export const RESOURCES = { cpu: 2, memory: "4Gi" } as const;

/** User of the upstream's image. Mounts belong to this user, because it could not write to them otherwise. */
export const RUNTIME_USER_ID = 1000;
export const RUNTIME_GROUP_ID = 1000;

/** Suffixes of the names of secrets. */
export const DATABASE_PASSWORD_SUFFIX = "database-password";
export const DATABASE_ADMINISTRATOR_PASSWORD_SUFFIX = "database-administrator-password";

/** Length of the database passwords: infeasible to guess, short enough for every client. */
export const DATABASE_PASSWORD_LENGTH = 32;
