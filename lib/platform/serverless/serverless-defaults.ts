/** Facts of Cloud Run, each with its reason. */

/** The only execution environment that can mount buckets. */
export const EXECUTION_ENVIRONMENT = "EXECUTION_ENVIRONMENT_GEN2";

/** Keeps the CPU allocated between requests, for the worker beside the server. */
export const CPU_ALWAYS_ALLOCATED = true;

/** Folder of the database sockets; Cloud Run accepts no other. */
export const SOCKET_FOLDER = "/cloudsql";

/** Name of the volume that holds the sockets. */
export const SOCKET_VOLUME = "cloudsql";

/** The first start runs all migrations; the provider gives up after 20 minutes by default. */
export const SERVICE_TIMEOUT = "30m";

/** A job may wait for the database, fail and retry, each time up to its own limit. */
export const JOB_TIMEOUT = "40m";

/** Folder of a job's script; the mount hides anything else in it. */
export const SCRIPT_FOLDER = "/scripts";

/** Read and execute for all users: the files belong to root, and the job may run as another user. */
export const SCRIPT_MODE = 0o555;

/** Hexadecimal digits of the execution token; job name and token together must have fewer than 63 characters. */
export const EXECUTION_TOKEN_LENGTH = 8;

/** Cloud Run's front end connects from a link-local address. */
export const LOAD_BALANCER_RANGES = ["169.254.0.0/16"] as const;

/** Ciphers of the load balancer that browsers of the last ten years support. */
export const TLS_PROFILE = "MODERN";

/** Lowest TLS version; browsers and servers have refused older ones for years. */
export const MINIMUM_TLS_VERSION = "TLS_1_2";

/** Time limit of the request with which Cloud Scheduler starts a job; it does not wait for the job. */
export const SCHEDULER_DEADLINE_SECONDS = 60;

/**
 * Repetitions of that request if no response arrives; a job that has started meanwhile runs beside the repeated one.
 */
export const SCHEDULER_RETRIES = 3;
