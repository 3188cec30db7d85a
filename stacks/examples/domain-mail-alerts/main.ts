import { MonitoringAlertPolicy } from "@cdktf/provider-google/lib/monitoring-alert-policy";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { App, TerraformOutput } from "cdktf";
import { PortableStack, ServerlessIdentityProvider } from "cdktf-idp-stacks";

const projectId = "my-project";
const pager = `projects/${projectId}/notificationChannels/4711`;

const app = new App();
const stack = new PortableStack(app, "sign-in-at-a-domain", { providers: ["google", "random"] });
new GoogleProvider(stack, "google", { project: projectId, region: "europe-west1" });

const identityProvider = new ServerlessIdentityProvider(stack, "IdentityProvider", {
  projectId,
  region: "europe-west1",
  tenantId: "acme",
  // For a new deployment. If left out, an older release with known vulnerabilities runs.
  applicationVersion: "2026.8.7",
  databaseVersion: 17,
  // For a trial, as in the first example.
  deletionProtection: false,

  // Once the domain works, add closeDefaultAddress: true. Until then, a plan warns that requests can bypass the
  // protection.
  domain: "sign-in.example.com",
  protection: { adminRanges: ["203.0.113.0/24"], restrictAdmin: true },
  // Without logs, refused requests cannot be seen.
  domainOptions: { requestLogSampleRate: 1 },

  smtp: {
    host: "smtp.example.com",
    from: "Sign-in <sign-in@example.com>",
    username: "sign-in",
    // An existing secret; the password is neither in the folder nor in the state.
    passwordSecret: { secretId: "mail-password", version: 1 },
  },

  alertEmails: ["on-call@example.com"],
  notificationChannels: { all: [pager] },
  alerts: { latency: { threshold: 5000 }, memory: { enabled: false } },
});

// Name of a metric in PromQL: the first slash becomes a colon, any other character that is not a letter or digit an
// underscore.
const databaseId = `${projectId}:${identityProvider.database.instanceName}`;
const deadlocks = `cloudsql_googleapis_com:database_postgresql_deadlock_count{database_id="${databaseId}"}`;
new MonitoringAlertPolicy(stack, "Deadlocks", {
  displayName: "Sign-in: deadlocks",
  combiner: "OR",
  conditions: [
    {
      displayName: "deadlocks",
      conditionPrometheusQueryLanguage: {
        query: `sum(increase(${deadlocks}[1h])) > 10`,
        // Without this, the first apply would fail, because there is no data yet.
        disableMetricValidation: true,
      },
    },
  ],
  documentation: { content: "Query insights shows the statements.", mimeType: "text/markdown" },
  // Sent to the receivers of the other alerts.
  notificationChannels: identityProvider.monitoring.alertPolicies?.channelIds ?? [],
  dependsOn: identityProvider.monitoring.ready,
});

new TerraformOutput(stack, "dns_records", { value: identityProvider.domainSetup?.records.list });
new TerraformOutput(stack, "domain_next_steps", { value: identityProvider.domainSetup?.nextSteps });
new TerraformOutput(stack, "test_mail_command", { value: identityProvider.testMailCommand });
app.synth();
