/** Facts of Cloud Run, each with its reason. */

/** The only environment that can mount buckets. */
export const EXECUTION_ENVIRONMENT = "EXECUTION_ENVIRONMENT_GEN2";

/** Keeps the CPU on between requests, for the worker that lives beside the server. */
export const CPU_ALWAYS_ALLOCATED = true;

/** Folder in which Cloud Run offers database sockets; it accepts no other. */
export const SOCKET_FOLDER = "/cloudsql";

/** Name of the volume that holds the sockets. */
export const SOCKET_VOLUME = "cloudsql";

/** Instances that a rollout runs beside the most: effectively none, the old revision's go as the new one's take over. */
export const ROLLOUT_SURGE = 0;

/** The first start applies all migrations; the provider gives up after 20 minutes by default. */
export const SERVICE_TIMEOUT = "30m";

/** Longest that one request may take, and a web socket is one: outposts and the pages of the administration keep some open. */
export const REQUEST_TIMEOUT = "3600s";

/** A job may wait for the database, fail and try again, each time up to its own limit. */
export const JOB_TIMEOUT = "40m";

/** Folder in which a job finds its script; nothing else may be there, the mount would hide it. */
export const SCRIPT_FOLDER = "/scripts";

/** Read and execute for all users: the files belong to root, and the job may run as another user. */
export const SCRIPT_MODE = 0o555;

/** Hexadecimal digits of the execution token; job name and token together must stay below 63 characters. */
export const EXECUTION_TOKEN_LENGTH = 8;

/** Cloud Run's front end speaks from a link-local address. */
export const LOAD_BALANCER_RANGES = ["169.254.0.0/16"] as const;
