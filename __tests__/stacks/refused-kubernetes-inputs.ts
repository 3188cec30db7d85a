import { type Refusal, rowOf } from "./refusal";
import { memoryRow, REFUSED_ALONE_BY_BOTH, REFUSED_TOGETHER_BY_BOTH } from "./refused-inputs";
import { ACCEPTED_GEOIP, REFUSED_GEOIP } from "./refused-geoip-inputs";
import { refusedMonitoring } from "./refused-monitoring-inputs";
import {
  ACCEPTED_KUBERNETES_WORKERS,
  REFUSED_KUBERNETES_WORKERS_ALONE,
  REFUSED_KUBERNETES_WORKERS_TOGETHER,
} from "./refused-worker-inputs";

const row = rowOf({
  container_cpu: "it must be 0.5 to 28 in steps of 0.25, because Autopilot offers no other pods; use 2",
  min_instance_count: "it must be a whole number from 1; use 1",
  namespace:
    "it must be 1 to 63 lower-case letters, digits and hyphens that start and end with a letter or digit, and neither be default nor start with kube-, gke- or gmp-, because the namespace is created for this deployment, and these exist already; rename it",
});

/** Values that only the Kubernetes variant accepts, for trying combinations. */
export const ACCEPTED_BY_KUBERNETES = {
  container_cpu: [0.5, 1, 2, 4],
  container_memory: ["1024Mi", "2Gi", "4Gi", "8Gi"],
  min_instance_count: [1, 2],
  authorized_networks: [{}, { office: "203.0.113.0/24", home: "198.51.100.7/32" }],
  ...ACCEPTED_KUBERNETES_WORKERS,
  geoip: ACCEPTED_GEOIP,
  namespace: ["identity-provider", "a"],
} as const;

/** What the Kubernetes variant refuses by a rule that looks at one input. */
export const REFUSED_ALONE_BY_KUBERNETES: readonly Refusal[] = [
  ...REFUSED_ALONE_BY_BOTH,
  ...refusedMonitoring("kubernetes"),
  ...REFUSED_GEOIP,
  ...REFUSED_KUBERNETES_WORKERS_ALONE,
  ...["", "-a", "Idp", "a".repeat(64), "default", "kube-system", "gke-managed-system", "gmp-public"].map((namespace) =>
    row(`the namespace "${namespace}"`, "namespace", namespace),
  ),
  [
    "ranges that are none, and fine ones beside them",
    { authorized_networks: { fine: "203.0.113.0/24", host: "203.0.113.7/24", v6: "2001:db8::/32", word: "office" } },
    [
      "authorized_networks has host = 203.0.113.7/24, v6 = 2001:db8::/32, word = office; each must be an IPv4 range that is written with its first address; use for example 203.0.113.0/24, or /32 for one address.",
    ],
  ],
  row("too little CPU", "container_cpu", 0.25),
  row("CPU between two steps", "container_cpu", 1.1),
  row("more CPU than a pod may have", "container_cpu", 29, { container_memory: "64Gi" }),
  row("no instance that always runs", "min_instance_count", 0),
];

const memory = memoryRow(
  "it must be a whole number with Mi or Gi, 1 to 6.5Gi per CPU and 108Gi at most, because Autopilot raises other requests and bills them; change one of the two",
);

const connectionsText = (count: number, available: number) =>
  `max_instance_count is ${count}; with 1 more during a rollout that needs ${(count + 1) * 60} database connections and 10 are reserved for administration, but the database accepts ${available}, and a request without a connection fails; lower it, or choose a database_tier with more memory.`;

/** What the Kubernetes variant refuses by a rule that compares several inputs. */
export const REFUSED_TOGETHER_BY_KUBERNETES: readonly Refusal[] = [
  ...REFUSED_TOGETHER_BY_BOTH,
  ...REFUSED_KUBERNETES_WORKERS_TOGETHER,
  memory("more memory than the CPUs may have", "8Gi", 1),
  memory("less memory than the CPUs must have", "4Gi", 8),
  memory("more memory than a pod may have", "112Gi", 28),
  memory("memory in another unit", "4G"),
  [
    "more instances than the default database has connections for during a rollout",
    { max_instance_count: 6 },
    [connectionsText(6, 384)],
  ],
  [
    "two instances on the smallest database",
    { database_tier: "db-g1-small", max_instance_count: 2 },
    [connectionsText(2, 174)],
  ],
];
