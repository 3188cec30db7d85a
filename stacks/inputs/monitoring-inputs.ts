import { EACH_ONCE } from "../../lib/core/checked-value";
import { type Platform } from "../../lib/platform/monitoring/alert";
import {
  DURATION_SECONDS,
  EMAIL_ADDRESSES,
  knownAlerts,
  NOTIFICATION_CHANNELS,
  sharesOfOne,
  THRESHOLD,
  tunableAlerts,
} from "../../lib/platform/monitoring/monitoring-settings";
import { type Input } from "./input-table";
import { memberSentences } from "./object-type";

const ALERT = {
  members: {
    enabled: { type: "bool", default: true, description: "false to disable the alert" },
    threshold: {
      type: "number",
      default: null,
      must: THRESHOLD,
      description: "value beyond which the alert is raised, in the unit of the table of alerts",
    },
    duration_seconds: {
      type: "number",
      default: null,
      must: DURATION_SECONDS,
      description: "how long the condition must last, in whole minutes",
    },
  },
} as const satisfies Input["type"];

/** Inputs of monitoring: receivers, alerts, uptime check and dashboard. */
export function monitoringInputs(platform: Platform) {
  return {
    alert_emails: {
      type: "list(string)",
      default: [],
      description:
        "Addresses to which alerts are sent. Without any, and without notification_channels, there are no alerts, only the uptime check and the dashboard. Alerts are free until September 2027 at the earliest. Changing it later is safe.",
      must: [EMAIL_ADDRESSES, EACH_ONCE],
    },
    notification_channels: {
      type: "list(string)",
      default: [],
      description:
        "Existing notification channels for alerts, for example of a chat or a pager: projects/<project>/notificationChannels/<number>. Changing it later is safe.",
      must: [NOTIFICATION_CHANNELS, EACH_ONCE],
    },
    alerts: {
      type: { mapOf: ALERT },
      default: {},
      description: `Changes to single alerts, by id. ${memberSentences(ALERT)} Changing it later is safe.`,
      must: [knownAlerts(platform), tunableAlerts(platform), sharesOfOne(platform)],
    },
    uptime_check: {
      type: "bool",
      default: null,
      description:
        "Checks the application from several places in the world once a minute. Null for a check only if the application is public. Changing it later is safe.",
    },
    dashboard: {
      type: "bool",
      default: true,
      description: "Dashboard with the metrics of all alerts. Changing it later is safe.",
    },
    audit_secret_access: {
      type: "bool",
      default: false,
      description:
        "Logs every read of a secret in the project, for the alert secret-read. The setting belongs to the project: it replaces an existing one for Secret Manager, a destroy removes it, and only one deployment of a project can have it. Changing it later is safe.",
    },
    secret_readers: {
      type: "list(string)",
      default: [],
      description:
        "Accounts whose reads of secrets do not raise the alert secret-read, in addition to the deployment's own: include the one that applies, because each apply reads a password. Changing it later is safe.",
      must: [EMAIL_ADDRESSES],
    },
  } as const satisfies Record<string, Input>;
}
