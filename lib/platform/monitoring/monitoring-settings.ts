import { Token, type IResolvable } from "cdktf";

import { CheckedEntries, everyMember } from "../../core/checked-entries";
import { CheckedValue, EACH_ONCE } from "../../core/checked-value";
import { type Rule } from "../../core/rules";
import { type Platform } from "./alert";
import { ALERTS, alertsOn, tunableIds } from "./alerts";

/** Changes to one alert. */
export interface AlertSettings {
  /**
   * Whether it exists.
   *
   * @default true
   */
  readonly enabled?: boolean;

  /**
   * Value beyond which something is wrong.
   *
   * @default - as in the table of alerts
   */
  readonly threshold?: number;

  /**
   * How long that must last, in whole minutes.
   *
   * @default - as in the table of alerts
   */
  readonly durationSeconds?: number;
}

/** Receivers of alerts, and what is monitored. */
export interface MonitoringSettings {
  /**
   * Addresses to which alerts are sent. Without any, and without `notificationChannels`, there are no alerts.
   *
   * @default - none
   */
  readonly alertEmails?: readonly string[];

  /**
   * Existing notification channels: `projects/<project>/notificationChannels/<number>`.
   *
   * @default - none
   */
  readonly notificationChannels?: readonly string[];

  /**
   * Changes to single alerts, by id.
   *
   * @default - all as in the table of alerts
   */
  readonly alerts?: IResolvable | Readonly<Record<string, AlertSettings>>;

  /**
   * Sends a request to the application from several places in the world once a minute.
   *
   * @default - true if the application is public
   */
  readonly uptimeCheck?: boolean | IResolvable;

  /**
   * Shows the metrics of the alerts.
   *
   * @default true
   */
  readonly dashboard?: boolean | IResolvable;

  /**
   * Logs every read of a secret in the project, which the alert `secret-read` needs. The setting belongs to the
   * project: it replaces an existing one, and a destroy removes it.
   *
   * @default false
   */
  readonly auditSecretAccess?: boolean | IResolvable;

  /**
   * Further accounts that may read the secrets without an alert, for example the one that applies.
   *
   * @default - none
   */
  readonly secretReaders?: readonly string[];
}

const EMAIL_PATTERN = '^[^@ "]+@[^@ "]+[.][^@ "]+$';

/** Addresses of people or service accounts. */
export const EMAIL_ADDRESSES = new CheckedEntries({
  accepts: (_, address) => new RegExp(EMAIL_PATTERN).test(address),
  condition: `can(regex(${JSON.stringify(EMAIL_PATTERN)}, value))`,
  show: "value",
  rule: "each must be one e-mail address, without a name or spaces; use for example on-call@example.com",
  schema: { pattern: EMAIL_PATTERN },
});

const CHANNEL_PATTERN = "^projects/[^/]+/notificationChannels/[0-9]+$";

export const NOTIFICATION_CHANNELS = new CheckedEntries({
  accepts: (_, id) => new RegExp(CHANNEL_PATTERN).test(id),
  condition: `can(regex("${CHANNEL_PATTERN}", value))`,
  show: "value",
  rule: "each must be projects/<project>/notificationChannels/<number>; look them up with gcloud beta monitoring channels list",
  schema: { pattern: CHANNEL_PATTERN },
});

export const THRESHOLD = new CheckedValue<number>({
  must: "be a number from 0",
  reason: "no metric of an alert is ever negative",
  remedy: "see the table of alerts for its unit, or set enabled to false for no alert",
  accepts: (threshold) => threshold >= 0,
  condition: (threshold) => `${threshold} >= 0`,
  schema: { minimum: 0 },
});

const DAY_SECONDS = 86_400;

export const DURATION_SECONDS = new CheckedValue<number>({
  must: `be a multiple of 60 from 0 to ${DAY_SECONDS}`,
  reason: "alerts are evaluated once a minute",
  remedy: "round it",
  accepts: (seconds) => seconds >= 0 && seconds <= DAY_SECONDS && seconds % 60 === 0,
  condition: (seconds) => `${seconds} >= 0 && ${seconds} <= ${DAY_SECONDS} && ${seconds} % 60 == 0`,
  schema: { minimum: 0, maximum: DAY_SECONDS, multipleOf: 60 },
});

type Settings = Readonly<Record<string, unknown>>;

/** Every key is the id of an alert that the platform can have. */
export function knownAlerts(platform: Platform): CheckedEntries<Settings> {
  const ids = alertsOn(platform).map(({ id }) => id);
  return new CheckedEntries<Settings>({
    accepts: (id) => ids.includes(id),
    condition: `contains(${JSON.stringify(ids)}, key)`,
    show: "key",
    rule: `alerts are ${ids.join(", ")}; use one of them${counterparts(ids)}`,
    keySchema: { enum: ids },
  });
}

/** Alerts about the service that only the other platform has, and their counterparts for the load balancer. */
function counterparts(ids: readonly string[]): string {
  const others = ALERTS.map(({ id }) => id).filter((id) => !ids.includes(id) && ids.includes(`load-balancer-${id}`));
  return others.map((id) => `, load-balancer-${id} for ${id}`).join("");
}

/** A log entry exists or not, so there is nothing to tune. */
export function tunableAlerts(platform: Platform): CheckedEntries<Settings> {
  const known = alertsOn(platform).map(({ id }) => id);
  const fixed = known.filter((id) => !tunableIds(platform).includes(id));
  return new CheckedEntries<Settings>({
    accepts: (id, { durationSeconds, threshold }) =>
      !fixed.includes(id) || (threshold === undefined && durationSeconds === undefined),
    condition: `!contains(${JSON.stringify(fixed)}, key) || (value.threshold == null && value.duration_seconds == null)`,
    show: "key",
    rule: "an alert about a log entry has neither a threshold nor a duration, because one entry is enough; remove them, or set enabled to false for no alert",
  });
}

/** A share that is given as percent would never raise its alert. */
export function sharesOfOne(platform: Platform): CheckedEntries<Settings> {
  const shares = alertsOn(platform).flatMap(({ id, measures }) => (measures?.startsWith("share") === true ? [id] : []));
  return new CheckedEntries<Settings>({
    accepts: (id, { threshold }) => !shares.includes(id) || Token.isUnresolved(threshold) || !(Number(threshold) > 1),
    condition: `contains(${JSON.stringify(shares)}, key) && value.threshold != null ? value.threshold <= 1 : true`,
    show: {
      of: (id, { threshold }) => `${id}.threshold = ${String(threshold)}`,
      expression: '"${key}.threshold = ${value.threshold}"',
    },
    rule: "the threshold of this alert is a share, so it must be a number from 0 to 1, because no share exceeds 1 and the alert would never be raised, or always; write 90 % as 0.9",
  });
}

/** Rules for the settings on a platform. */
export function monitoringRules(platform: Platform): readonly Rule<MonitoringSettings>[] {
  const alertsOf = ({ alerts }: MonitoringSettings) => alerts as Readonly<Record<string, Settings>> | undefined;
  return [
    EMAIL_ADDRESSES.ruleOn("alertEmails", ({ alertEmails }) => alertEmails),
    EACH_ONCE.ruleOn("alertEmails", ({ alertEmails }) => alertEmails),
    NOTIFICATION_CHANNELS.ruleOn("notificationChannels", ({ notificationChannels }) => notificationChannels),
    EACH_ONCE.ruleOn("notificationChannels", ({ notificationChannels }) => notificationChannels),
    knownAlerts(platform).ruleOn("alerts", alertsOf),
    tunableAlerts(platform).ruleOn("alerts", alertsOf),
    sharesOfOne(platform).ruleOn("alerts", alertsOf),
    everyMember("threshold", THRESHOLD).ruleOn("alerts", alertsOf),
    everyMember("durationSeconds", DURATION_SECONDS).ruleOn("alerts", alertsOf),
    EMAIL_ADDRESSES.ruleOn("secretReaders", ({ secretReaders }) => secretReaders),
  ];
}
