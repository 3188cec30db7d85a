import { prose } from "../../core/prose";
import { type AlertFacts, type Alerts, logCommand, LOGS_OF, type Platform } from "./alert";
import { burnRate, lowerOf, slowestAt } from "./service-level-metrics";

/**
 * Burn rates that need attention at once and within the day: two percent of the budget of 30 days in an hour, and five
 * percent in six hours.
 */
const FAST = { rate: 14.4, window: "1h", recently: "5m" } as const;
const SLOW = { rate: 6, window: "6h" } as const;

type Query = (facts: AlertFacts, platform: Platform) => string;

const onBoth = (query: Query) => ({
  kubernetes: (facts: AlertFacts) => query(facts, "kubernetes"),
  serverless: (facts: AlertFacts) => query(facts, "serverless"),
});

const fastest: Query = (facts, platform) =>
  lowerOf(burnRate(facts, platform, FAST.window), burnRate(facts, platform, FAST.recently));

const slowestFast: Query = (facts, platform) =>
  lowerOf(slowestAt(facts, platform, FAST.rate, FAST.window), slowestAt(facts, platform, FAST.rate, FAST.recently));

/** Steps for both alerts of an objective. */
const failures: Query = (facts, platform) =>
  prose`
    Other alerts say what is wrong; without one, the failed requests do. Last errors of the application:
    \`${logCommand(`${LOGS_OF.workload(facts, platform)} severity>=ERROR`, facts)}\`.
    After an upgrade, an earlier release needs the backup that was made before it.
    What is left of the budget: guides/service-levels.md.
  `;

const slowness: Query = (facts) =>
  prose`
    Check the CPU of the database and of the application on the dashboard;
    raise \`${facts.nameOf("databaseTier")}\` or \`${facts.nameOf("maxInstanceCount")}\` if one is busy.
    A web socket counts as one long request: a goal above 0.95 may be out of reach.
    What is left of the budget: guides/service-levels.md.
  `;

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
    queries: onBoth((facts, platform) => burnRate(facts, platform, SLOW.window)),
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
    queries: onBoth((facts, platform) => slowestAt(facts, platform, SLOW.rate, SLOW.window)),
    limit: { raisedWhen: ">", threshold: 1, durationSeconds: 60, measures: "times `latency_ms`, in 6 h" },
    firstSteps: slowness,
  },
};
