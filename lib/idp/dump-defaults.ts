/** Name of the scheduled job that dumps the database; the scripts that restore a dump use it. */
export const DUMP_JOB = "dump";

/** Name of the job that makes a dump at apply. */
export const FIRST_DUMP_JOB = "dump-1";

/** Time limit of one attempt, far more than a dump of gigabytes takes. */
export const DUMP_TIMEOUT_SECONDS = 1800;

/** Attempts after the first; each writes a file of its own. A dump at apply has one attempt, because the apply waits for it. */
export const DUMP_MAX_RETRIES = 2;

/** The mount of a bucket may keep a file in memory until it is stored. */
export const DUMP_RESOURCES = { cpu: "1", memory: "2Gi" } as const;

/** Suffix of the name of the bucket of dumps, and name of its mount. */
export const DUMP_BUCKET_SUFFIX = "dumps";

/** Where that bucket is mounted. */
export const DUMP_MOUNT_PATH = "/dumps";

/** Folders of that bucket. */
export const DUMP_FOLDERS = { byTime: "dumps", newest: "latest" } as const;

/** The times of Cloud SQL's backups are in UTC too. */
export const DUMP_TIME_ZONE = "Etc/UTC";
