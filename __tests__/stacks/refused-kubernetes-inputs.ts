import { HOST_PROJECT_NETWORK, REFUSED_ALONE, REFUSED_TOGETHER, SUBNETWORK } from "./refused-inputs";

/** Inputs beside the required one, and the whole text of what is said about them. */
type Refusal = (typeof REFUSED_ALONE)[number];

/** Inputs whose rules are of the other platform, or say another reason there. */
const OTHERWISE = ["container_cpu", "container_memory", "max_instance_count", "min_instance_count", "subnetwork"];

/** Numbers of instances that are refused alone, and there in the same words. */
const NO_WHOLE_INSTANCES: readonly unknown[] = [0, 2.5];

/** Refused there, because there the names become the path of a socket. */
const SOCKET_PATH = "names that make the socket's path too long";

/** What both variants refuse in the same words. */
const REFUSED_BY_BOTH = [...REFUSED_ALONE, ...REFUSED_TOGETHER].filter(
  ([behaviour, inputs]) =>
    behaviour !== SOCKET_PATH &&
    inputs.network !== HOST_PROJECT_NETWORK &&
    (NO_WHOLE_INSTANCES.includes(inputs.max_instance_count) || !OTHERWISE.some((name) => name in inputs)),
);

const NAMESPACE_RULE =
  "it must be 1 to 63 lower-case letters, digits and hyphens that start and end with a letter or digit, and neither default nor start with kube-, gke- or gmp-, because it is made for this deployment alone and the cluster has those already; rename it.";
const DOMAIN_RULE =
  "it must be a full domain name of lower-case letters, digits, hyphens and dots, at most 253 characters, without a dot at the end, because a certificate is made for exactly this name; write for example login.example.com.";
const RANGE_RULE =
  "each must be an IPv4 range that is written with its first address, because the platform takes no other; write for example 203.0.113.0/24, or /32 for one address.";
const CPU_RULE = "it must be 0.5 to 28 in steps of 0.25, because the platform offers no other pod; use 2.";
const MEMORY_RULE =
  "it must be a whole number with Mi or Gi, 1 to 6.5Gi per CPU and 108Gi at most, because the platform raises other requests and bills them; change one of the two.";
const INSTANCES_RULE = (max: number) =>
  `it must be a whole number from 1 to max_instance_count, which is ${max}, because the platform refuses such a range; lower one or raise the other.`;
const connectionsText = (count: number, tier: string, accepted: number) =>
  `max_instance_count is ${count}; with 1 more during a rollout that needs ${(count + 1) * 20} database connections and 10 are kept for administration, but database_tier ${tier} accepts ${accepted}, and there must be enough, because an instance without a connection answers nothing; lower it, or choose a database_tier with more memory.`;
const TOGETHER =
  "only one of network and subnetwork is given; they must be given together or not at all, because the cluster takes its addresses from the subnetwork; give both, or remove both.";
const SUBNETWORK_RULE = (region: string) =>
  `it must be projects/<project>/regions/${region}/subnetworks/<name>, because nodes take addresses in their own region only; write it in full.`;

/** Everything that the Kubernetes variant refuses. */
export const REFUSED_BY_KUBERNETES: readonly Refusal[] = [
  ...REFUSED_BY_BOTH,
  ...["", "-a", "Idp", "a".repeat(64), "default", "kube-system", "gke-managed-system", "gmp-public"].map(
    (namespace): Refusal => [
      `the namespace "${namespace}"`,
      { namespace },
      [`namespace is "${namespace}"; ${NAMESPACE_RULE}`],
    ],
  ),
  ...["", "localhost", "Login.example.com", "example.com.", "https://example.com", `${"a.".repeat(126)}com`].map(
    (domain): Refusal => [`the domain "${domain}"`, { domain }, [`domain is "${domain}"; ${DOMAIN_RULE}`]],
  ),
  [
    "ranges that are none, and fine ones beside them",
    { authorized_networks: { fine: "203.0.113.0/24", host: "203.0.113.7/24", v6: "2001:db8::/32", word: "office" } },
    [`authorized_networks has host = 203.0.113.7/24, v6 = 2001:db8::/32, word = office; ${RANGE_RULE}`],
  ],
  ["too little CPU", { container_cpu: 0.25 }, [`container_cpu is 0.25; ${CPU_RULE}`]],
  ["CPU between two steps", { container_cpu: 1.1 }, [`container_cpu is 1.1; ${CPU_RULE}`]],
  [
    "more CPU than a pod may have",
    { container_cpu: 29, container_memory: "64Gi" },
    [`container_cpu is 29; ${CPU_RULE}`],
  ],
  [
    "more memory than the CPUs may have",
    { container_cpu: 1, container_memory: "8Gi" },
    [`container_memory is 8Gi with container_cpu 1; ${MEMORY_RULE}`],
  ],
  [
    "less memory than the CPUs must have",
    { container_cpu: 8, container_memory: "4Gi" },
    [`container_memory is 4Gi with container_cpu 8; ${MEMORY_RULE}`],
  ],
  [
    "more memory than a pod may have",
    { container_cpu: 28, container_memory: "112Gi" },
    [`container_memory is 112Gi with container_cpu 28; ${MEMORY_RULE}`],
  ],
  [
    "memory in another unit",
    { container_memory: "4G" },
    [`container_memory is 4G with container_cpu 2; ${MEMORY_RULE}`],
  ],
  ["no instance that always runs", { min_instance_count: 0 }, [`min_instance_count is 0; ${INSTANCES_RULE(3)}`]],
  [
    "more instances that always run than there may be",
    { min_instance_count: 3, max_instance_count: 2 },
    [`min_instance_count is 3; ${INSTANCES_RULE(2)}`],
  ],
  [
    "more instances than the default database has connections for during a rollout",
    { max_instance_count: 4 },
    [connectionsText(4, "db-custom-1-3840", 100)],
  ],
  [
    "two instances on the smallest database",
    { database_tier: "db-g1-small", max_instance_count: 2 },
    [connectionsText(2, "db-g1-small", 50)],
  ],
  ["a network without a subnetwork", { network: HOST_PROJECT_NETWORK }, [TOGETHER]],
  ["a subnetwork without a network", { network: null, subnetwork: SUBNETWORK }, [TOGETHER]],
  [
    "a subnetwork in another region",
    { network: HOST_PROJECT_NETWORK, subnetwork: SUBNETWORK, region: "europe-west1" },
    [`subnetwork is "${SUBNETWORK}"; ${SUBNETWORK_RULE("europe-west1")}`],
  ],
];
