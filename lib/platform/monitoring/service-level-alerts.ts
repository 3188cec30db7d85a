import { type AlertNames, type Alerts, LOGS_OF, logCommand, type Platform } from "./alert";
import { burnRate, lowerOf, slowestAt } from "./service-level-metrics";

/**
 * How fast a budget burns when somebody must look at once, and when within the day: in an hour two, in six hours five
 * percent of what 30 days may have.
 */
const FAST = { rate: 14.4, window: "1h", recently: "5m" } as const;
const SLOW = { rate: 6, window: "6h" } as const;

type Query = (names: AlertNames, platform: Platform) => string;

const onBoth = (query: Query) => ({
  kubernetes: (names: AlertNames) => query(names, "kubernetes"),
  serverless: (names: AlertNames) => query(names, "serverless"),
});

const fastest: Query = (names, platform) =>
  lowerOf(burnRate(names, platform, FAST.window), burnRate(names, platform, FAST.recently));

const slowestFast: Query = (names, platform) =>
  lowerOf(slowestAt(names, platform, FAST.rate, FAST.window), slowestAt(names, platform, FAST.rate, FAST.recently));

/** Steps for both alerts of an objective. */
const failures: Query = (names, platform) =>
  [
    "Other alerts say what is wrong; without one, the failed requests do. Last errors of the application:",
    `\`${logCommand(`${LOGS_OF.workload(names, platform)} severity>=ERROR`, names)}\`.`,
    "After an upgrade, an earlier release needs the backup that was made before it.",
    "What is left of the budget: guides/service-levels.md.",
  ].join(" ");

const slowness: Query = (names) =>
  [
    "Check the CPU of the database and of the application on the dashboard;",
    `raise \`${names.nameOf("databaseTier")}\` or \`${names.nameOf("maxInstanceCount")}\` if one is busy.`,
    "A web socket counts as one long request: a goal above 0.95 may be out of reach.",
    "What is left of the budget: guides/service-levels.md.",
  ].join(" ");

/** Alerts about error budgets that burn fast. */
export const SERVICE_LEVEL_ALERTS: Alerts = {
  "slo-availability-fast": {
    title: "the error budget of 30 days would last two days",
    severity: "CRITICAL",
    needs: ["serviceLevels"],
    queries: onBoth(fastest),
    limit: { raisedWhen: ">", threshold: FAST.rate, durationSeconds: 60, measures: "times its pace, in 1 h and 5 min" },
    firstSteps: failures,
  },
  "slo-availability-slow": {
    title: "the error budget of 30 days would last five days",
    severity: "ERROR",
    needs: ["serviceLevels"],
    queries: onBoth((names, platform) => burnRate(names, platform, SLOW.window)),
    limit: { raisedWhen: ">", threshold: SLOW.rate, durationSeconds: 60, measures: "times its pace, in 6 h" },
    firstSteps: failures,
  },
  "slo-latency-fast": {
    title: "the budget of 30 days for slow answers would last two days",
    severity: "ERROR",
    needs: ["serviceLevels", "requestMetric"],
    queries: onBoth(slowestFast),
    limit: { raisedWhen: ">", threshold: 1, durationSeconds: 60, measures: "times `latency_ms`, in 1 h and 5 min" },
    firstSteps: slowness,
  },
  "slo-latency-slow": {
    title: "the budget of 30 days for slow answers would last five days",
    severity: "WARNING",
    needs: ["serviceLevels", "requestMetric"],
    queries: onBoth((names, platform) => slowestAt(names, platform, SLOW.rate, SLOW.window)),
    limit: { raisedWhen: ">", threshold: 1, durationSeconds: 60, measures: "times `latency_ms`, in 6 h" },
    firstSteps: slowness,
  },
};
