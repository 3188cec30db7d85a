import { CHANNEL } from "../../stacks/accepted-inputs";
import { type Deployment, type Inputs } from "../deployment/deployment";
import { type ChangeScenario } from "../engine/journey";
import { textAt, valueAt } from "../project/terraform-value";
import { all, withInputs } from "./every-stack";

const email = (address: string): string =>
  `google_monitoring_notification_channel.monitoring_alerts_email["${address}"]`;
const policy = (id: string): string => `google_monitoring_alert_policy.monitoring_alerts["${id}"]`;

const AUDIT = "google_project_iam_audit_config.monitoring_secret_audit[0]";
export const UPTIME_CHECK = "google_monitoring_uptime_check_config.monitoring_uptime_check[0]";
export const DASHBOARD = "google_monitoring_dashboard.monitoring_dashboard[0]";

/** Inputs with somebody to tell, and with all alerts that need nothing else. */
export const WITH_RECEIVERS: Inputs = { alert_emails: ["on-call@example.com"], audit_secret_access: true };

/** The channel that inputs name. */
export function prepareMonitoring({ cloud }: Deployment): void {
  cloud.others.add(`google_monitoring_notification_channel ${CHANNEL}`);
}

/** What changes with the host that clients connect to. */
export const OF_HOST = { [DASHBOARD]: "update", [UPTIME_CHECK]: "replace" } as const;

/** Whom each policy tells, as far as these are addresses of the deployment. */
function requireReceivers(...addresses: readonly string[]): ChangeScenario["verify"] {
  return ({ cloud }: Deployment) => {
    const channels = cloud.ofType("google_monitoring_notification_channel");
    const found = channels.map(({ values }) => textAt(values, "labels.email_address"));
    if (found.sort().join() !== addresses.join()) throw new Error(`alerts go to ${found.join(", ")}`);
    for (const { values } of cloud.ofType("google_monitoring_alert_policy")) {
      const told = JSON.stringify(values.notification_channels);
      if (channels.some(({ id }) => !told.includes(id))) throw new Error(`${textAt(values, "display_name")}: ${told}`);
    }
  };
}

const POLICIES = "google_monitoring_alert_policy.monitoring_alerts*";

/** From no receiver to one, to another one with custom alerts, and back. */
export const MONITORING_CHANGES: readonly ChangeScenario[] = [
  {
    name: "somebody to tell of alerts",
    change: withInputs({ alert_emails: ["first@example.com", "second@example.com"] }),
    expected: {
      [POLICIES]: "create",
      ...all("create", [email("first@example.com"), email("second@example.com")]),
    },
    verify: requireReceivers("first@example.com", "second@example.com"),
  },
  {
    name: "another address, custom alerts, and the reads of secrets",
    change: withInputs({
      alert_emails: ["first@example.com", "third@example.com"],
      notification_channels: [CHANNEL],
      alerts: { "database-cpu": { threshold: 0.5, duration_seconds: 300 }, memory: { enabled: false } },
      audit_secret_access: true,
      secret_readers: ["deployer@example.com"],
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
    verify: (deployment) => {
      requireReceivers("first@example.com", "third@example.com")?.(deployment);
      const cpu = deployment.cloud
        .ofType("google_monitoring_alert_policy")
        .map(({ values }) => valueAt(values, "conditions.0.condition_prometheus_query_language.0"))
        .find((condition) => textAt(condition, "query").includes("database_cpu"));
      if (!textAt(cpu, "query").endsWith("> 0.5") || textAt(cpu, "duration") !== "300s")
        throw new Error(`the tuned alert is ${JSON.stringify(cpu)}`);
    },
  },
  {
    name: "nobody to tell, and no check and dashboard either",
    change: withInputs({
      alert_emails: [],
      notification_channels: [],
      alerts: {},
      audit_secret_access: false,
      secret_readers: [],
      uptime_check: false,
      dashboard: false,
    }),
    expected: {
      [POLICIES]: "delete",
      ...all("delete", [email("first@example.com"), email("third@example.com"), AUDIT, UPTIME_CHECK, DASHBOARD]),
    },
  },
  {
    name: "check and dashboard again",
    change: withInputs({ uptime_check: null, dashboard: true }),
    expected: all("create", [UPTIME_CHECK, DASHBOARD]),
  },
];
