import { MonitoringAlertPolicy } from "@cdktf/provider-google/lib/monitoring-alert-policy";
import { MonitoringNotificationChannel } from "@cdktf/provider-google/lib/monitoring-notification-channel";
import { type ITerraformDependable, TerraformLocal } from "cdktf";
import { Construct } from "constructs";

import { repeatFor } from "../../core/expr/attributes";
import { addDynamicBlock } from "../../core/expr/blocks";
import { type Expr, hcl, reference } from "../../core/expr/expr";
import { concat, distinct, flatten, values } from "../../core/expr/functions";
import { localReference } from "../../core/expr/locals";
import { serviceName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type PartProps } from "../parts";
import { type MonitoringSettings } from "./monitoring-settings";

interface AlertPoliciesProps extends PartProps, Pick<MonitoringSettings, "alertEmails" | "notificationChannels"> {
  /**
   * The alerts by their ids, each with `title`, `severity`, `first_steps`, and either `filter` or `query`,
   * `raised_when`, `threshold` and `duration_seconds`. An alert whose `enabled` is false is left out.
   */
  readonly alerts: Expr<object>;
}

/** A policy for each alert, and a notification channel for each address. Without a receiver, there are no policies. */
export class AlertPolicies extends Construct {
  readonly ready: ITerraformDependable[];
  readonly emails: MonitoringNotificationChannel;

  /**
   * Ids of the channels for all alerts: the created channels of addresses, and the given ones. Use them in your own
   * policies.
   */
  readonly channelIds: string[];
  readonly policies: MonitoringAlertPolicy;

  /** @internal */
  constructor(scope: Construct, id: string, props: AlertPoliciesProps) {
    super(scope, id);
    const { alertEmails = [], notificationChannels } = props;
    const { all = [], critical = [], error = [], warning = [] } = notificationChannels ?? {};
    const channels = localReference<readonly string[]>(new TerraformLocal(this, "Channels", all));
    const severities = { CRITICAL: critical, ERROR: error, WARNING: warning };
    const bySeverity = localReference<typeof severities>(new TerraformLocal(this, "ChannelsBySeverity", severities));
    const addresses = localReference<readonly string[]>(new TerraformLocal(this, "Addresses", alertEmails));
    const receivers = { addresses, bySeverity, channels };
    this.emails = this.addEmails(props, addresses);
    this.channelIds = this.withEmails(channels);
    this.policies = this.addPolicies(props, receivers);
    this.addConditions();
    this.notifyAgain(receivers);
    this.ready = [this.emails, this.policies];
  }

  private addEmails({ context, dependsOn }: AlertPoliciesProps, addresses: Texts): MonitoringNotificationChannel {
    const emails = new MonitoringNotificationChannel(this, "Email", {
      project: context.projectId,
      displayName: `${serviceName(context.deployment)}: \${each.value}`,
      type: "email",
      labels: { email_address: "${each.value}" },
      userLabels: context.labels,
      // The policies are updated first, because a channel cannot be deleted while a policy refers to it.
      lifecycle: { createBeforeDestroy: true },
      dependsOn,
    });
    repeatFor(emails, hcl`toset(${addresses})`.text);
    return emails;
  }

  /** Ids of the channels of all addresses, and given ones. */
  private withEmails(given: Texts): string[] {
    const emails = reference<unknown>(this.emails.fqn, { knownAt: "apply", mayBeNull: false });
    const ids = hcl<readonly string[]>`[for channel in ${emails} : channel.id]`;
    return concat(ids, distinct(given)).list;
  }

  /** Ids of the channels of one alert. */
  private channelsOfAlert({ bySeverity, channels }: Receivers): string[] {
    return this.withEmails(concat(channels, hcl<readonly string[]>`${bySeverity}[each.value.severity]`));
  }

  private addPolicies(props: AlertPoliciesProps, receivers: Receivers): MonitoringAlertPolicy {
    const { alerts, context, dependsOn } = props;
    const name = serviceName(context.deployment);
    const policies = new MonitoringAlertPolicy(this, MAIN_CHILD_ID, {
      project: context.projectId,
      displayName: `${name}: \${each.value.title}`,
      combiner: "OR",
      severity: "${each.value.severity}",
      conditions: [{ displayName: "${each.key}" }],
      // Closes an incident half an hour after the last entry, so that the next entry notifies again.
      alertStrategy: { autoClose: "1800s" },
      documentation: {
        content: "${each.value.first_steps}",
        mimeType: "text/markdown",
        subject: `${name}: \${each.value.title}`,
      },
      notificationChannels: this.channelsOfAlert(receivers),
      userLabels: context.labels,
      dependsOn,
    });
    const hasAny = hasReceivers(receivers, flatten(values(receivers.bySeverity)));
    const isSent = hasAny.and(hcl<boolean>`try(alert.enabled, true)`);
    repeatFor(policies, hcl`{ for id, alert in ${alerts} : id => alert if ${isSent} }`.text);
    return policies;
  }

  private addConditions(): void {
    addDynamicBlock(this.policies, "conditions.0", "condition_prometheus_query_language", {
      forEach: listOf("query"),
      content: {
        query: "${condition_prometheus_query_language.value} ${each.value.raised_when} ${each.value.threshold}",
        duration: "${each.value.duration_seconds}s",
        evaluation_interval: "60s",
        // The metric appears with the first data, long after the policy.
        disable_metric_validation: true,
      },
    });
    addDynamicBlock(this.policies, "conditions.0", "condition_matched_log", {
      forEach: listOf("filter"),
      content: { filter: "${condition_matched_log.value}" },
    });
    // The service requires a limit for conditions about the log, and refuses it for others.
    addDynamicBlock(this.policies, "alert_strategy", "notification_rate_limit", {
      forEach: listOf("filter"),
      content: { period: "3600s" },
    });
  }

  /** Only conditions about metrics can notify repeatedly while they hold, every half hour to every day. */
  private notifyAgain(receivers: Receivers): void {
    const hasAny = hasReceivers(receivers, receivers.bySeverity.member<readonly string[]>("CRITICAL").present);
    const isCritical = hcl<string>`each.value.severity`.eq("CRITICAL");
    const isMeant = hcl<string>`name`.eq("query").and(isCritical, hasAny);
    addDynamicBlock(this.policies, "alert_strategy", "notification_channel_strategy", {
      forEach: hcl`[for name, text in each.value : text if ${isMeant}]`.text,
      content: { notification_channel_names: this.channelsOfAlert(receivers), renotify_interval: "3600s" },
    });
  }
}

type Texts = Expr<readonly string[]>;

/** Receivers of alerts. */
interface Receivers {
  readonly addresses: Texts;
  /** Channels for each severity. */
  readonly bySeverity: Expr<Readonly<Record<string, readonly string[]>>>;
  readonly channels: Texts;
}

/** Whether there is a receiver. @param ofSeverity channels for only some alerts */
function hasReceivers({ addresses, channels }: Receivers, ofSeverity: Texts): Expr<boolean> {
  return concat(addresses, channels, ofSeverity).length().gt(0);
}

/** A list with this attribute of the alert; empty if the alert does not have it. */
function listOf(name: string): string {
  // Without `try`: the value may be unknown until the apply, and then the number of elements would be unknown too.
  return hcl`[for name, text in each.value : text if name == ${name}]`.text;
}
