import { type Platform } from "../../../lib/platform/monitoring/alert";
import { alertsOn } from "../../../lib/platform/monitoring/alerts";
import { secondsUntilHeard } from "../../tools/alert-delay";

function secondsOf(id: string, platform: Platform): number {
  const alert = alertsOn(platform).find((each) => each.id === id);
  return alert === undefined ? NaN : secondsUntilHeard(alert, platform);
}

describe("The time until somebody hears of an alert", () => {
  it.each([
    ["the window, the duration, the delay of the metric and the evaluation", "uptime", 180 + 120 + 120 + 60],
    ["no window", "database-down", 180 + 210 + 60],
    ["a window of an hour", "restarts", 3600 + 60 + 240 + 60],
    ["a window of hours", "no-backup", 129_600 + 240 + 60],
    ["the log", "failed-rollout", 120],
    ["the limit, the period and the second look of the check-up", "tasks-late", 120 + 600 + 60 + 120],
  ])("adds %s: %s", (_, id, seconds) => {
    expect(secondsOf(id, "kubernetes")).toBe(seconds);
  });

  it.each(["kubernetes", "serverless"] as const)("is 15 minutes at most for what stands still, on %s", (platform) => {
    const ids = [
      "worker-down",
      "worker-missing",
      "tasks-late",
      "tasks-failed",
      "mail-not-sent",
      "sign-ins-failed",
      "application-certificate",
      "outposts-disconnected",
      "database-disk",
      "out-of-memory",
      ...(platform === "kubernetes" ? ["unschedulable"] : []),
    ];
    const late = ids.map((id) => [id, secondsOf(id, platform)] as const).filter(([, seconds]) => !(seconds <= 900));
    expect(late).toEqual([]);
  });

  it("is known of every alert", () => {
    for (const platform of ["kubernetes", "serverless"] as const) {
      for (const alert of alertsOn(platform)) expect(secondsUntilHeard(alert, platform)).toBeGreaterThanOrEqual(120);
    }
  });
});
