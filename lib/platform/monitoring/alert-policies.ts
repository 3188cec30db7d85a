import { MonitoringAlertPolicy } from "@cdktf/provider-google/lib/monitoring-alert-policy";
import { MonitoringNotificationChannel } from "@cdktf/provider-google/lib/monitoring-notification-channel";
import { TerraformLocal, Token, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { addDynamicBlock, repeatFor } from "../../core/conditional";
import { expression } from "../../core/expression";
import { serviceName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type PartProps } from "../parts";
import { type MonitoringSettings } from "./monitoring-settings";

interface AlertPoliciesProps
  extends
    PartProps,
    Pick<MonitoringSettings, "alertEmails" | "notificationChannels" | "notificationChannelsBySeverity"> {
  /**
   * Terraform expression of an object: the alerts by their ids, each with `title`, `severity`, `first_steps`, and
   * either `filter` or `query`, `raised_when`, `threshold` and `duration_seconds`. An alert whose `enabled` is false is
   * left out.
   */
  readonly alerts: string;
}

/** A policy for each alert, and a notification channel for each address. Without a receiver, there are no policies. */
export class AlertPolicies extends Construct {
  readonly ready: ITerraformDependable[];
  readonly emails: MonitoringNotificationChannel;

  /**
   * Ids of the channels that all alerts are sent to, for policies of your own: those of addresses and the given ones.
   */
  readonly channelIds: string[];
  readonly policies: MonitoringAlertPolicy;

  /** @internal */
  constructor(scope: Construct, id: string, props: AlertPoliciesProps) {
    super(scope, id);
    const { alerts, dependsOn, context } = props;
    const name = serviceName(context.deployment);
    const channels = new TerraformLocal(this, "Channels", props.notificationChannels ?? []).fqn;
    const { critical = [], error = [], warning = [] } = props.notificationChannelsBySeverity ?? {};
    const severities = { CRITICAL: critical, ERROR: error, WARNING: warning };
    const bySeverity = new TerraformLocal(this, "ChannelsBySeverity", severities).fqn;
    const emails = new TerraformLocal(this, "Addresses", props.alertEmails ?? []).fqn;

    this.emails = new MonitoringNotificationChannel(this, "Email", {
      project: context.projectId,
      displayName: `${name}: \${each.value}`,
      type: "email",
      labels: { email_address: "${each.value}" },
      userLabels: context.labels,
      // A channel that a policy refers to cannot be deleted, so the policies are updated first.
      lifecycle: { createBeforeDestroy: true },
      dependsOn,
    });
    repeatFor(this.emails, expression(`toset(${emails})`));

    const receivers = (existing: string) =>
      Token.asList(expression(`concat([for channel in ${this.emails.fqn} : channel.id], distinct(${existing}))`));
    this.channelIds = receivers(channels);
    const ofAlert = receivers(`concat(${channels}, ${bySeverity}[each.value.severity])`);

    this.policies = new MonitoringAlertPolicy(this, MAIN_CHILD_ID, {
      project: context.projectId,
      displayName: `${name}: \${each.value.title}`,
      combiner: "OR",
      severity: "${each.value.severity}",
      conditions: [{ displayName: "${each.key}" }],
      // Half an hour after the last entry, so that the next one notifies again.
      alertStrategy: { autoClose: "1800s" },
      documentation: {
        content: "${each.value.first_steps}",
        mimeType: "text/markdown",
        subject: `${name}: \${each.value.title}`,
      },
      notificationChannels: ofAlert,
      userLabels: context.labels,
      dependsOn,
    });
    const sent = expression(
      [
        `{ for id, alert in ${alerts} : id => alert if length(concat(${emails}, ${channels},`,
        `flatten(values(${bySeverity})))) > 0 && try(alert.enabled, true) }`,
      ].join(" "),
    );
    repeatFor(this.policies, sent);
    addDynamicBlock(this.policies, "conditions.0", "condition_prometheus_query_language", {
      forEach: attributeOf("query"),
      content: {
        query: "${condition_prometheus_query_language.value} ${each.value.raised_when} ${each.value.threshold}",
        duration: "${each.value.duration_seconds}s",
        evaluation_interval: "60s",
        // The metric appears with the first data, long after the policy.
        disable_metric_validation: true,
      },
    });
    addDynamicBlock(this.policies, "conditions.0", "condition_matched_log", {
      forEach: attributeOf("filter"),
      content: { filter: "${condition_matched_log.value}" },
    });
    // The service requires one for conditions about the log, and refuses one for others.
    addDynamicBlock(this.policies, "alert_strategy", "notification_rate_limit", {
      forEach: attributeOf("filter"),
      content: { period: "3600s" },
    });

    // Only conditions about metrics can notify again while they hold, each half an hour to each day.
    addDynamicBlock(this.policies, "alert_strategy", "notification_channel_strategy", {
      forEach: expression(
        [
          `[for name, text in each.value : text if name == "query" && each.value.severity == "CRITICAL" &&`,
          `length(concat(${emails}, ${channels}, ${bySeverity}.CRITICAL)) > 0]`,
        ].join(" "),
      ),
      content: { notification_channel_names: ofAlert, renotify_interval: "3600s" },
    });

    this.ready = [this.emails, this.policies];
  }
}

/** A list of this attribute of the alert, empty without it. */
function attributeOf(name: string): string {
  // Without `try`: the value may be unknown until the apply, and then the number of elements would be unknown too.
  return expression(`[for name, text in each.value : text if name == "${name}"]`);
}
