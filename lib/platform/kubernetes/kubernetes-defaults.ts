/** Facts of GKE, each with its reason. */

/** Source ranges of the HTTP load balancer and its health checks. */
export const LOAD_BALANCER_RANGES = ["35.191.0.0/16", "130.211.0.0/22"] as const;

/** Scheme of the load balancers that the Ingress controller creates. */
export const INGRESS_SCHEME = "EXTERNAL";

/** Name of the container that answers requests. */
export const SERVER_CONTAINER = "server";

/** Every IPv4 address. */
export const ANYWHERE = "0.0.0.0/0";

/**
 * Annotations that GKE's admission controllers add to objects. The provider ignores them, so that the next plan shows
 * no diff.
 */
export const IGNORED_ANNOTATIONS = ["^autopilot\\.gke\\.io\\/.*", "^cloud\\.google\\.com\\/.*"];

/** Admission adds it to every pod; omitting it here would be a permanent diff, and make a job run again. */
export const ARCHITECTURE_TOLERATION = {
  key: "kubernetes.io/arch",
  operator: "Equal",
  value: "amd64",
  effect: "NoSchedule",
} as const;

/** Set from the start: adding the first annotation later would remove the one that GKE adds. */
export const NETWORK_ENDPOINT_GROUPS = { "cloud.google.com/neg": '{"ingress":true}' } as const;

/** Disk of every container, as request and limit, because admission lowers a limit to its request. */
export const EPHEMERAL_STORAGE = "1Gi";

/** The proxy needs little: the smallest container that GKE offers, with room for its connections. */
export const PROXY_SIZE = { cpu: "100m", memory: "128Mi" } as const;

/** Enough for a client that sends a few SQL statements. */
export const JOB_SIZE = { cpu: "250m", memory: "512Mi" } as const;

/** The updater is idle most of the time, so it gets little more than the smallest container that GKE offers. */
export const GEOIP_UPDATER_SIZE = { cpu: "50m", memory: "128Mi" } as const;

/** MaxMind's updater, in the release with which the application's own images are built. */
export const GEOIP_UPDATER_IMAGE = "ghcr.io/maxmind/geoipupdate:v7.1.1";

/** Room for the databases, about 80 MiB together, and for their replacements. */
export const GEOIP_VOLUME_LIMIT = "512Mi";

/** How long the server waits for the first attempt of the updater, which has a limit of 60 seconds. */
export const GEOIP_START_SECONDS = 90;

/** Cloud SQL proxy: encrypts connections and authenticates the client. */
export const PROXY_IMAGE = "gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.25.3";

/** Where the proxy listens for the other containers of its pod. */
export const LOOPBACK = "127.0.0.1";

/** Port on which the proxy accepts the request to quit; its default. */
export const PROXY_ADMIN_PORT = 9091;

/** Port on which the proxy answers probes; its default. */
export const PROXY_HEALTH_PORT = 9090;

/** Stops the proxy beside a job. */
export const PROXY_QUIT_URL = `http://${LOOPBACK}:${PROXY_ADMIN_PORT}/quitquitquit`;

/** Port of Cloud SQL that the proxy connects to. */
export const PROXIED_DATABASE_PORT = 3307;

/** CSI driver that mounts buckets. */
export const BUCKET_DRIVER = "gcsfuse.csi.storage.gke.io";

/** Makes GKE inject the sidecar of that driver into a pod. */
export const BUCKET_ANNOTATION = { "gke-gcsfuse/volumes": "true" } as const;

/** The application's sockets and metrics fill the default of 64 MiB. It counts towards the memory limit. */
export const SHARED_MEMORY = { mountPath: "/dev/shm", sizeLimit: "256Mi" } as const;

/** How long a terminating pod keeps answering, because the load balancer still sends it requests for a moment. */
export const DRAIN_SECONDS = 20;

/** Draining, then the application's shutdown, which takes up to 35 seconds. */
export const TERMINATION_GRACE_SECONDS = 90;

/** How long the proxy, which stops after the server, waits for open connections. */
export const PROXY_GRACE_SECONDS = 10;

/**
 * A worker must start within eleven minutes, which a migration may take, and is restarted when it has been unhealthy
 * for 90 s. When it is busy, the command takes seconds. A new worker must be healthy for a moment before the next old
 * one is stopped.
 */
export const WORKER_PROBES = {
  startup: { periodSeconds: 10, failureThreshold: 65, timeoutSeconds: 10 },
  running: { periodSeconds: 30, failureThreshold: 3, timeoutSeconds: 20 },
  minReadySeconds: 15,
} as const;

/** Additional pods during a rollout, which replaces pods one after another. */
export const ROLLOUT_SURGE = 1;

/** A new node, the image and up to 11 minutes of migrations, before a rollout counts as failed. */
export const PROGRESS_DEADLINE_SECONDS = 1500;

/** How long to wait for a rollout: the whole deadline for the first pod, start and stop for each further one. */
export const ROLLOUT_MINUTES = { first: 30, further: 4 } as const;

/** A script reacts to signals at once, and its last step takes seconds. */
export const JOB_GRACE_SECONDS = 30;

/** A new node and the images, in addition to the attempts of a job. */
export const JOB_START_SECONDS = 600;

/** How long the provider waits for a job: all attempts together, including their start. */
export const JOB_TIMEOUT = "45m";

/** A replaced job is deleted with its pods, which stop at once. */
export const JOB_DELETION_TIMEOUT = "5m";

/** Creating or deleting a load balancer takes minutes. */
export const LOAD_BALANCER_TIMEOUT = "20m";

/** A namespace is deleted last, after load balancers and pods. */
export const NAMESPACE_DELETION_TIMEOUT = "20m";

/** A run that could not start within this time, for example during an upgrade of the control plane, is skipped. */
export const CRON_JOB_STARTING_DEADLINE_SECONDS = 3600;

/** Finished runs of a scheduled job to keep, per outcome. */
export const KEPT_RUNS = 3;

/** CPU utilization above which another pod is started. */
export const TARGET_CPU_PERCENT = 70;

/** Folder of a job's script. */
export const SCRIPT_FOLDER = "/scripts";

/** Read and execute for all users, in octal, because the files belong to root. */
export const SCRIPT_MODE = "0555";
