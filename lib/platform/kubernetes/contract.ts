/** Facts of the Kubernetes platform, each with its reason. */
import { trustedProxies } from "../../idp/trusted-proxies";

/** Front ends of the platform's HTTP load balancer, which are also the addresses of its health checks. */
export const FRONT_END_RANGES = ["35.191.0.0/16", "130.211.0.0/22"] as const;

/** Every address, for a load balancer that passes connections on as they came. */
export const ANYWHERE = "0.0.0.0/0";

/** Port of the server's own, self-signed TLS. */
export const SERVER_HTTPS_PORT = 9443;

/** What the application is told on this platform; the port of its own TLS is stated, because a load balancer uses it. */
const PLATFORM_ENVIRONMENT = {
  ...trustedProxies(...FRONT_END_RANGES),
  IDP_LISTEN__HTTPS: `0.0.0.0:${SERVER_HTTPS_PORT}`,
} as const;

/**
 * The same with a front door. Of the addresses that a request has passed, the application takes the last that it does not
 * trust for the visitor's, and the load balancer adds its own; older releases than 2026.8 ignore the base of its links.
 */
export function platformEnvironment(frontDoor?: { readonly address: string; readonly url: string }) {
  if (frontDoor === undefined) return PLATFORM_ENVIRONMENT;
  return {
    ...PLATFORM_ENVIRONMENT,
    ...trustedProxies(...FRONT_END_RANGES, `${frontDoor.address}/32`),
    IDP_WEB__BASE_URL: frontDoor.url,
  };
}

/** Ranges of the network that a deployment makes for itself; nothing else is in it. */
export const NETWORK_RANGES = {
  nodes: "10.0.0.0/22",
  pods: "10.4.0.0/17",
  services: "10.8.0.0/20",
} as const;

/** Names of the ranges in the subnetwork. */
export const RANGE_NAMES = { pods: "pods", services: "services" } as const;

/** Form of the platform's names. */
export const PLATFORM_NAME = {
  pattern: /^[a-z]([a-z0-9-]*[a-z0-9])?$/,
  form: "lower-case letters, digits and hyphens that start with a letter",
  formReason: "the platform refuses other names",
} as const;

/** Ports of the address translation per node: every connection to the same database takes one. */
export const NAT_PORTS_PER_NODE = 256;

/**
 * What the admission of the platform writes at the root of objects. The provider leaves alone what matches, so that it is
 * no difference at the next plan.
 */
export const IGNORED_ANNOTATIONS = ["^autopilot\\.gke\\.io\\/.*", "^cloud\\.google\\.com\\/.*"];

/** Written by admission into every pod; stated, because it would be a difference for ever, and a job would run again. */
export const ARCHITECTURE_TOLERATION = {
  key: "kubernetes.io/arch",
  operator: "Equal",
  value: "amd64",
  effect: "NoSchedule",
} as const;

/** Written from the start: the first own annotation would wipe what the platform has written beside it. */
export const NETWORK_ENDPOINT_GROUPS = { "cloud.google.com/neg": '{"ingress":true}' } as const;

/** Disk of every container, as request and as limit; admission lowers a limit to its request. */
export const EPHEMERAL_STORAGE = "1Gi";

/** The proxy needs little: the limits of the platform's smallest container, with room for its connections. */
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

/** Makes the platform add the helper of that driver to a pod. */
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

/** Read and execute for everybody, as an octal number: the files belong to root. */
export const SCRIPT_MODE = "0555";
