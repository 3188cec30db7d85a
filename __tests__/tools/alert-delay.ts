import { LIMITS } from "../../lib/idp/check-up";
import { type Platform } from "../../lib/platform/monitoring/alert";
import { type alertsOn } from "../../lib/platform/monitoring/alerts";
import { FACTS } from "../platform/monitoring/alert-fixture";

/** Policies evaluate their queries once a minute. */
const EVALUATION_SECONDS = 60;

/** Until a condition about the log has seen an entry: tens of seconds, at worst two minutes. */
const LOG_SECONDS = 120;

/**
 * Seconds until a sample can be seen, by the beginning of a metric's name: from "data is not visible for up to" in
 * Google's lists of metrics (https://cloud.google.com/monitoring/api/metrics_gcp), the longest of the family's metrics
 * that alerts use.
 */
const VISIBLE_AFTER = {
  monitoring_googleapis_com: 120,
  run_googleapis_com: 180,
  cloudsql_googleapis_com: 210,
  loadbalancing_googleapis_com: 210,
  kubernetes_io: 240,
  // Sampled every 30 seconds; the list names no delay.
  kube_pod: 60,
  // The longest of all, where the list was not at hand.
  logging_googleapis_com: 240,
  networksecurity_googleapis_com: 240,
  storage_googleapis_com: 240,
} as const;

/** Limits of the check-up that are ages, in seconds. */
const CHECK_UP_AGES: Readonly<Record<string, number>> = {
  "tasks-late": Number(LIMITS.taskLateSeconds.default),
  "tasks-hanging": Number(LIMITS.taskHangingSeconds.default),
  "schedules-overdue": Number(LIMITS.scheduleOverdueSeconds.default),
};

/** The pause before the check-up looks a second time, and before the sign-in probe tries again. */
const AGAIN_SECONDS = 60;

/** Time limit of one attempt of the sign-in probe. */
const ATTEMPT_SECONDS = 60;

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

const secondsOf = (range: string) => parseInt(range) * UNITS[range.slice(-1) as keyof typeof UNITS];

/**
 * Seconds from what is wrong to the notification, at most: until the whole window shows it, for as long as it must
 * last, and until data is there and evaluated. With a check-up or a probe, it is its limit and the time to the next
 * one.
 */
export function secondsUntilHeard(alert: ReturnType<typeof alertsOn>[number], platform: Platform): number {
  const { limit, needs = [] } = alert;
  const query = alert.query?.(FACTS, platform);
  if (query === undefined) {
    const isProbe = needs.includes("signInProbe");
    if (!isProbe && !needs.includes("checkUp")) return LOG_SECONDS;
    // It is missing after three periods.
    const period = secondsOf(isProbe ? FACTS.signInProbeWindow : FACTS.checkUpWindow) / 3;
    // Both attempts may last as long as they may.
    const attempts = isProbe ? 2 * ATTEMPT_SECONDS : 0;
    return (CHECK_UP_AGES[alert.id] ?? 0) + period + attempts + AGAIN_SECONDS + LOG_SECONDS;
  }
  const windows = [...query.matchAll(/\[(\d+[smhd])\]/g)].map(([, range = ""]) => secondsOf(range));
  const delays = Object.entries(VISIBLE_AFTER).flatMap(([family, seconds]) =>
    query.includes(family) ? [seconds] : [],
  );
  if (delays.length === 0) throw new Error(`no delay is known of ${query}`);
  return Math.max(0, ...windows) + (limit?.durationSeconds ?? 0) + Math.max(...delays) + EVALUATION_SECONDS;
}
