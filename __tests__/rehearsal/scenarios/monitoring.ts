import { CHANNEL } from "../../stacks/accepted-inputs";
import { type Deployment, type Inputs } from "../deployment/deployment";
import { type ChangeScenario } from "../engine/journey";
import { all, withInputs } from "./every-stack";

const email = (address: string): string =>
  `google_monitoring_notification_channel.monitoring_alerts_email["${address}"]`;
const policy = (id: string): string => `google_monitoring_alert_policy.monitoring_alerts["${id}"]`;

const AUDIT = "google_project_iam_audit_config.monitoring_secret_audit[0]";
export const UPTIME_CHECK = "google_monitoring_uptime_check_config.monitoring_uptime_check[0]";
export const DASHBOARD = "google_monitoring_dashboard.monitoring_dashboard[0]";

/** Inputs with somebody to tell, and with all alerts that need nothing else. */
export const WITH_RECEIVERS: Inputs = { alert_emails: ["on-call@example.com"], secret_read_log: {} };

/** The channel that inputs name. */
export function prepareMonitoring({ cloud }: Deployment): void {
  cloud.others.add(`google_monitoring_notification_channel ${CHANNEL}`);
}

/** What changes with the host that clients connect to. */
export const OF_HOST = { [DASHBOARD]: "update", [UPTIME_CHECK]: "replace" } as const;

const POLICIES = "google_monitoring_alert_policy.monitoring_alerts*";

const CHECK_UP = ["*check_up*", "*checker*"];

/**
 * From no receiver to one, to another one with custom alerts, and to nothing that watches.
 *
 * @param schedules what holds the schedule and the limits of the check-up
 * @param further what the check-up has beside parts of its name
 */
export const monitoringChanges = (
  schedules: readonly string[],
  further: readonly string[] = [],
): readonly ChangeScenario[] => [
  {
    name: "somebody to tell of alerts",
    change: withInputs({ alert_emails: ["first@example.com", "second@example.com"] }),
    expected: {
      [POLICIES]: "create",
      ...all("create", [email("first@example.com"), email("second@example.com"), ...CHECK_UP, ...further]),
      [DASHBOARD]: "update",
    },
  },
  {
    name: "another address, custom alerts, and the reads of secrets",
    change: withInputs({
      alert_emails: ["first@example.com", "third@example.com"],
      notification_channels: [CHANNEL],
      alerts: { "database-cpu": { threshold: 0.5, duration_seconds: 300 }, memory: { enabled: false } },
      secret_read_log: { expected_readers: ["deployer@example.com"] },
    }),
    expected: {
      [POLICIES]: "update",
      [policy("memory")]: "delete",
      [policy("secret-read")]: "create",
      [email("second@example.com")]: "delete",
      [email("third@example.com")]: "create",
      [AUDIT]: "create",
      [DASHBOARD]: "update",
    },
  },
  {
    name: "the check-up less often and with other limits",
    change: withInputs({ check_up: { schedule: "*/30 * * * *", limits: { tasks_failed: 5 } } }),
    expected: { ...all("update", schedules), [policy("check-up-missing")]: "update", [DASHBOARD]: "update" },
  },
  {
    name: "nobody to tell, and no check and dashboard either",
    change: withInputs({
      alert_emails: [],
      notification_channels: [],
      alerts: {},
      secret_read_log: null,
      uptime_check: false,
      dashboard: false,
      check_up: { schedule: "*/10 * * * *", limits: {} },
    }),
    expected: {
      [POLICIES]: "delete",
      ...all("delete", [email("first@example.com"), email("third@example.com"), AUDIT, UPTIME_CHECK, DASHBOARD]),
      ...all("delete", [...CHECK_UP, ...further]),
    },
  },
];
