import { type Alert, type AlertNames } from "./alert";

/** Selectors of the metrics of one kind of instance, by platform. */
type Selectors = Readonly<Record<"kubernetes" | "serverless", (names: AlertNames) => string>>;

/** Above this share there is almost no room left. */
const USED_UP = 0.9;

/** Metrics of Cloud Run and GKE for the highest utilization of an instance. */
const METRICS = {
  cpu: { serverless: "cpu", kubernetes: "cpu_limit_utilization", labels: "" },
  memory: { serverless: "memory", kubernetes: "memory_limit_utilization", labels: ', memory_type="non-evictable"' },
} as const;

/** An instance has used up its CPU or memory. */
export function usedUp(resource: keyof typeof METRICS, selectors: Selectors, durationSeconds: number): Alert["on"] {
  const { kubernetes, labels, serverless } = METRICS[resource];
  const limit = { raisedWhen: ">", threshold: USED_UP, durationSeconds } as const;
  return {
    serverless: {
      query: (names) =>
        `histogram_quantile(0.99, sum by (le) (rate(run_googleapis_com:container_${serverless}_utilizations_bucket{${selectors.serverless(names)}}[5m])))`,
      ...limit,
    },
    kubernetes: {
      query: (names) => `max(kubernetes_io:container_${kubernetes}{${selectors.kubernetes(names)}${labels}})`,
      ...limit,
    },
  };
}
