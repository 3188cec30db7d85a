/** Facts of GKE, each with its reason. */

/** From where the HTTP load balancer speaks, its health checks included. */
export const LOAD_BALANCER_RANGES = ["35.191.0.0/16", "130.211.0.0/22"] as const;

/** Every address, for a passthrough load balancer. */
export const ANYWHERE = "0.0.0.0/0";

/**
 * Annotations that the admission of GKE adds to objects. The provider ignores them, so that they are no difference at the
 * next plan.
 */
export const IGNORED_ANNOTATIONS = ["^autopilot\\.gke\\.io\\/.*", "^cloud\\.google\\.com\\/.*"];

/** Written by admission into every pod; stated, because it would be a permanent difference, and a job would run again. */
export const ARCHITECTURE_TOLERATION = {
  key: "kubernetes.io/arch",
  operator: "Equal",
  value: "amd64",
  effect: "NoSchedule",
} as const;

/** Set from the start: the first annotation of our own would remove the one that GKE adds. */
export const NETWORK_ENDPOINT_GROUPS = { "cloud.google.com/neg": '{"ingress":true}' } as const;

/** Disk of every container, as request and as limit; admission lowers a limit to its request. */
export const EPHEMERAL_STORAGE = "1Gi";

/** The proxy needs little: the smallest container of GKE, with room for its connections. */
export const PROXY_SIZE = { cpu: "100m", memory: "128Mi" } as const;

/** A client that sends a handful of statements. */
export const JOB_SIZE = { cpu: "250m", memory: "512Mi" } as const;

/** Proxy of the database: encrypts, and proves who asks. */
export const PROXY_IMAGE = "gcr.io/cloud-sql-connectors/cloud-sql-proxy:2.25.3";

/** Where the proxy listens for the other containers of its pod. */
export const LOOPBACK = "127.0.0.1";

/** Where the proxy takes the request to end; the proxy's own default. */
export const PROXY_ADMIN_PORT = 9091;

/** Where the proxy answers probes; the proxy's own default. */
export const PROXY_HEALTH_PORT = 9090;

/** Tells the proxy beside a job to end. */
export const PROXY_QUIT_URL = `http://${LOOPBACK}:${PROXY_ADMIN_PORT}/quitquitquit`;

/** Port of the managed database behind the proxy. */
export const PROXIED_DATABASE_PORT = 3307;

/** Driver that mounts buckets. */
export const BUCKET_DRIVER = "gcsfuse.csi.storage.gke.io";

/** Makes GKE add the helper of that driver to a pod. */
export const BUCKET_ANNOTATION = { "gke-gcsfuse/volumes": "true" } as const;

/** Sockets and metrics of the application fill the 64 MiB that a pod has otherwise; counted in the memory limit. */
export const SHARED_MEMORY = { mountPath: "/dev/shm", sizeLimit: "256Mi" } as const;

/** The load balancer still sends for a moment after a pod is told to end; the pod goes on answering for so long. */
export const DRAIN_SECONDS = 20;

/** Draining, then the application's own end, which takes up to 35 seconds. */
export const TERMINATION_GRACE_SECONDS = 90;

/** The proxy ends after the server; open connections get so long. */
export const PROXY_GRACE_SECONDS = 10;

/** Pods that a rollout runs beside those that it replaces, one after another. */
export const ROLLOUT_SURGE = 1;

/** A new node, the image and the seed's 11 minutes of migrations, before a rollout counts as failed. */
export const PROGRESS_DEADLINE_SECONDS = 1500;

/** How long a rollout is waited for: the first pod may take all of that deadline, each further one its start and end. */
export const ROLLOUT_MINUTES = { first: 30, further: 4 } as const;

/** A script answers signals at once, and its last step takes seconds. */
export const JOB_GRACE_SECONDS = 30;

/** Beside the attempts of a job: a new node and the images. */
export const JOB_START_SECONDS = 600;

/** All attempts of a job together, with their start, before the provider gives up waiting. */
export const JOB_TIMEOUT = "45m";

/** A job that is replaced goes with its pods, which end at once. */
export const JOB_DELETION_TIMEOUT = "5m";

/** A load balancer takes minutes to come and to go. */
export const LOAD_BALANCER_TIMEOUT = "20m";

/** A namespace goes last, after load balancers and pods. */
export const NAMESPACE_DELETION_TIMEOUT = "20m";

/** Share of the server's CPU at which another instance is started. */
export const TARGET_CPU_PERCENT = 70;

/** Folder in which a job finds its script. */
export const SCRIPT_FOLDER = "/scripts";

/** Read and execute for all users, as an octal number: the files belong to root. */
export const SCRIPT_MODE = "0555";
