import { type Platform } from "../../lib/platform/monitoring/alert";
import { alertsOn } from "../../lib/platform/monitoring/alerts";
import { EACH_ONCE_RULE, type Refusal, rowsOf } from "./refusal";

export const CHANNEL = "projects/my-project/notificationChannels/4711";

/** Values that are accepted, for trying combinations. */
export const ACCEPTED_MONITORING = {
  alert_emails: [[], ["on-call@example.com", "idp+alerts@example.co.uk"]],
  notification_channels: [[], [CHANNEL]],
  alerts: [{}, { memory: { enabled: false }, "database-cpu": { threshold: 0, duration_seconds: 86400 } }],
  uptime_check: [null, false],
  dashboard: [true, false],
  audit_secret_access: [false, true],
  secret_readers: [[], ["deployer@my-project.iam.gserviceaccount.com"]],
} as const;

const ADDRESS_RULE = "each must be one e-mail address, without a name or spaces; use for example on-call@example.com.";

/** What is refused of monitoring, with the ids that the platform has. */
export function refusedMonitoring(platform: Platform): readonly Refusal[] {
  const ids = alertsOn(platform).map(({ id }) => id);
  const others =
    platform === "kubernetes" ? ", load-balancer-errors for errors, load-balancer-latency for latency" : "";
  return [
    [
      "receivers that are no addresses",
      { alert_emails: ["On call <a@example.com>", "fine@example.com", "nobody", "a@b"] },
      [`alert_emails has "On call \\u003ca@example.com\\u003e", "nobody", "a@b"; ${ADDRESS_RULE}`],
    ],
    ["readers that are no accounts", { secret_readers: ["user:a"] }, [`secret_readers has "user:a"; ${ADDRESS_RULE}`]],
    [
      "a channel by its number",
      { notification_channels: ["4711", CHANNEL] },
      [
        'notification_channels has "4711"; each must be projects/<project>/notificationChannels/<number>; look them up with gcloud beta monitoring channels list.',
      ],
    ],
    rowsOf({ alert_emails: EACH_ONCE_RULE, notification_channels: EACH_ONCE_RULE })("an address and a channel twice", {
      alert_emails: ["a@example.com", "b@example.com", "a@example.com"],
      notification_channels: [CHANNEL, CHANNEL],
    }),
    [
      "a share in percent",
      { alerts: { "database-cpu": { threshold: 90 }, "database-down": { threshold: 1 }, memory: { threshold: 1 } } },
      [
        "alerts has database-cpu.threshold = 90; the threshold of this alert is a share, so it must be a number from 0 to 1, because no share exceeds 1 and the alert would never be raised, or always; write 90 % as 0.9.",
      ],
    ],
    [
      "an alert that there is none of",
      { alerts: { disk: { threshold: 1 }, uptime: {} } },
      [`alerts has "disk"; alerts are ${ids.join(", ")}; use one of them${others}.`],
    ],
    [
      "a threshold for an entry of the log",
      { alerts: { "worker-down": { threshold: 3 }, "backup-failed": { enabled: false } } },
      [
        'alerts has "worker-down"; an alert about a log entry has neither a threshold nor a duration, because one entry is enough; remove them, or set enabled to false for no alert.',
      ],
    ],
    [
      "a threshold below everything",
      { alerts: { "database-cpu": { threshold: -1 } } },
      [
        "alerts has database-cpu.threshold = -1; it must be a number from 0, because no metric of an alert is ever negative; see the table of alerts for its unit, or set enabled to false for no alert.",
      ],
    ],
    [
      "durations between two looks and of more than a day",
      { alerts: { "database-cpu": { duration_seconds: 90 }, cpu: { duration_seconds: 86460 } } },
      [
        "alerts has cpu.duration_seconds = 86460, database-cpu.duration_seconds = 90; it must be a multiple of 60 from 0 to 86400, because alerts are evaluated once a minute; round it.",
      ],
    ],
  ];
}
