import { allOf, anyOf, type Expr, interpolated } from "../../core/expr/expr";
import { eachEntry, every, jsonOf } from "../../core/expr/functions";
import { type Relation } from "../../core/inputs/relations";
import { flag, mapOf, number, object, orResources, type PropsOf, texts } from "../../core/inputs/rows";
import { eachMatching, type ItemRule } from "../../core/inputs/rules";
import { type SettingsOf, type ValuesOf } from "../../core/inputs/value";
import { type WarningItems, type WarningRelation } from "../../core/inputs/warnings";
import { prose } from "../../core/prose";
import { receiverCount } from "../../idp/check-up";
import { type DomainInputs } from "../domain/domain";
import { type Platform } from "./alert";
import { ALERTS, alertsOn } from "./alerts";
import { SERVICE_LEVELS } from "./service-levels";

/** Addresses of people or service accounts. */
const EMAIL_ADDRESSES = eachMatching(
  '^[^@ "]+@[^@ "]+[.][^@ "]+$',
  "each must be one e-mail address, without a name or spaces; use for example on-call@example.com",
);

const CHANNEL = "^projects/[^/]+/notificationChannels/[0-9]+$";
/** Types of resources that may stand for a channel. */
const CHANNEL_TYPES = ["google_monitoring_notification_channel"];

const CHANNEL_FORM =
  "projects/<project>/notificationChannels/<number>; look them up with gcloud beta monitoring channels list";

/** Page with the names of all alerts. */
const ALERT_NAMES = "guides/monitoring-and-alerts.md#alerts";

const DAY_SECONDS = 86_400;

const ALERT = {
  /** Whether the alert exists. */
  enabled: flag({ default: true, description: "false to disable the alert" }),
  /** Value beyond which the alert is raised; by default as in the table of alerts. */
  threshold: number({
    default: null,
    description: "value beyond which the alert is raised, in the unit of the table of alerts",
  }),
  /** Seconds for which the value must be exceeded, in whole minutes; by default as in the table of alerts. */
  durationSeconds: number({
    default: null,
    description: "how long the condition must last, in whole minutes",
    schema: { minimum: 0, maximum: DAY_SECONDS, multipleOf: 60 },
  }),
};

/** Changes to one alert. */
export type AlertSettings = { readonly enabled?: boolean } & Omit<SettingsOf<typeof ALERT>, "enabled">;

/** Changes to one alert as a prop. */
export interface AlertProps extends PropsOf<typeof ALERT> {}

const channels = (description: string) =>
  orResources("name", CHANNEL_TYPES, texts({ default: [], description, schema: { items: { pattern: CHANNEL } } }));

/** Inputs of monitoring: receivers, alerts, uptime check and dashboard. */
export function monitoringInputs(platform: Platform) {
  const known = alertsOn(platform);
  const ids = known.map(({ id }) => id);
  return {
    /** Addresses to which alerts are sent. Without any, and without notification channels, there are no alerts. */
    alertEmails: texts({
      default: [],
      description: prose`
        Addresses to which alerts are sent. [[Without any, and without notification channels, there are no
        alerts, only the uptime check and the dashboard.]] Alerts are free until September 2027 at the earliest.
        Changing it later is safe.
      `,
      must: EMAIL_ADDRESSES,
    }),
    /** Existing notification channels, `projects/<project>/notificationChannels/<number>` or their resources. */
    notificationChannels: object(
      {
        /** For all alerts, for example of a chat. */
        all: channels("channels for all alerts"),
        /** For outages, repeated every hour until they end. */
        critical: channels("channels for outages, repeated every hour until they end"),
        /** For problems that must be solved soon. */
        error: channels("channels for what must be mended soon"),
        /** For problems that may become errors. */
        warning: channels("channels for what may become an error"),
      },
      {
        default: {},
        first: "make channels in Cloud Monitoring, look up their full names with gcloud beta monitoring channels list,",
        description: (members) =>
          prose`
            Existing notification channels for alerts, for example of a chat or a pager,
            projects/<project>/notificationChannels/<number>. ${members} Changing it later is safe.
          `,
        must: {
          each: (_, channels: Expr<readonly string[]>) =>
            every(channels, (channel) => channel.matches(CHANNEL), "channel"),
          shows: (severity, channels) => interpolated`${severity} = ${jsonOf(channels)}`,
          message: `each channel must be ${CHANNEL_FORM}`,
        },
      },
    ),
    /** Changes to single alerts, by id. */
    alerts: mapOf(ALERT, {
      description: (members) => `Changes to single alerts, by id. ${members} Changing it later is safe.`,
      must: [
        {
          each: (id) => id.isOneOf(ids),
          shows: "key",
          message: `each must be the name of an alert; look it up in ${ALERT_NAMES}${counterparts(ids)}`,
          keySchema: { enum: ids },
          keyIs: "alert",
        },
        tuning(platform),
      ],
    }),
    /**
     * Sends a request to the application from several places in the world once a minute; by default only if the
     * application is public.
     */
    uptimeCheck: flag({
      default: null,
      description: prose`
        Checks the application from several places in the world once a minute.
        [[Null for a check only if the application is public.]] Changing it later is safe.
      `,
    }),
    /** Shows the metrics of the alerts. */
    dashboard: flag({
      default: true,
      description: "Dashboard with the metrics of all alerts. Changing it later is safe.",
    }),
    /**
     * Service-level objectives over 30 days, and alerts when an error budget burns fast; `{}` turns them on with
     * defaults.
     */
    slo: SERVICE_LEVELS.slo,
    /**
     * Logs every read of a secret, for the alert `secret-read`. Replaces the audit setting of the whole project. `{}`
     * turns it on; none by default.
     */
    secretReadLog: object(
      {
        /**
         * Further accounts, or their resources, that may read secrets without an alert, such as the account that runs
         * Terraform.
         */
        expectedReaders: orResources(
          "email",
          ["google_service_account"],
          texts({
            default: [],
            description: prose`
              accounts whose reads raise no alert, in addition to the deployment's own;
              include the one that applies, because each apply reads a password
            `,
          }),
        ),
      },
      {
        description: (members) =>
          prose`
            Logs every read of a secret in the project, for the alert secret-read; {} is enough.
            The setting belongs to the project: it replaces an existing one for Secret Manager,
            a destroy removes it, and only one deployment of a project can have it. ${members} [[Null for none.]]
            Changing it later is safe.
          `,
      },
    ),
  };
}

export type MonitoringInputs = ReturnType<typeof monitoringInputs>;

/** Existing notification channels, by the severity of alerts. */
export interface NotificationChannels extends PropsOf<MonitoringInputs["notificationChannels"]["members"]> {}

/** The log of reads of secrets. */
export interface SecretReadLogProps extends PropsOf<MonitoringInputs["secretReadLog"]["members"]> {}

export type MonitoringSettings = SettingsOf<MonitoringInputs>;

type ClusterInputs = DomainInputs & Pick<MonitoringInputs, "slo" | "uptimeCheck">;

/** Checked because, in a cluster, only a load balancer or the uptime check measures requests of clients. */
export const CLUSTER_MONITORING_RELATIONS: readonly Relation<ClusterInputs>[] = [
  {
    host: "slo",
    holds: (v) => anyOf(v.slo.isNull(), v.domain.isSet(), v.uptimeCheck.coalesce(true)),
    message: ({ domain, slo, uptimeCheck }) =>
      prose`
        ${slo.name} is given, ${uptimeCheck.name} is false and ${domain.name} is not given;
        there must be a check or a domain,
        because only the load balancer of a domain and the uptime check measure what clients get;
        set ${domain.name}, or leave out ${uptimeCheck.name}
      `,
  },
];

/** Alerts about the service that only the other platform has, and their counterparts for the load balancer. */
function counterparts(ids: readonly string[]): string {
  const elsewhereIds = ALERTS.map(({ id }) => id).filter(
    (id) => !ids.includes(id) && ids.includes(`load-balancer-${id}`),
  );
  return elsewhereIds.length === 0
    ? ""
    : `, such as ${elsewhereIds.map((id) => `load-balancer-${id} for ${id}`).join(", ")}`;
}

/**
 * Changes that an alert accepts: an alert about a log entry has no threshold, and a share given as percent would never
 * be reached.
 */
function tuning(platform: Platform): ItemRule {
  const known = alertsOn(platform);
  const fixed = known.filter(({ query }) => query === undefined).map(({ id }) => id);
  const shares = known.filter(({ limit }) => limit?.measures.startsWith("share")).map(({ id }) => id);
  const thresholdOf = (alert: Expr) => alert.member<number | null>("threshold");
  const secondsOf = (alert: Expr) => alert.member<number | null>("duration_seconds");
  return {
    each: (id, alert) => {
      const [threshold, seconds] = [thresholdOf(alert), secondsOf(alert)];
      return allOf(
        id.isOneOf(fixed).not().or(threshold.isNull().and(seconds.isNull())),
        threshold.isNullOr((value) => value.ge(0).and(value.le(1).or(id.isOneOf(shares).not()))),
        seconds.isNullOr((value) => allOf(value.ge(0), value.le(DAY_SECONDS), value.modulo(60).eq(0))),
      );
    },
    shows: (id, alert) => {
      const [threshold, seconds] = [jsonOf(thresholdOf(alert)), jsonOf(secondsOf(alert))];
      return interpolated`${id} (threshold ${threshold}, duration_seconds ${seconds})`;
    },
    message: prose`
      a threshold is a number from 0, for a share at most 1 (90 % is 0.9),
      a duration a multiple of 60 seconds up to ${DAY_SECONDS}, because alerts are evaluated once a minute,
      and an alert about a log entry has neither, because one entry is enough; correct them,
      or set enabled to false for no alert
    `,
    names: ["durationSeconds"],
  };
}

const unchangedAlerts = ({ alerts }: ValuesOf<MonitoringInputs>) =>
  eachEntry(
    alerts as Expr<Readonly<Record<string, unknown>>>,
    (id) => id,
    (_, alert) =>
      allOf(
        alert.member<boolean>("enabled"),
        ...["threshold", "duration_seconds"].map((name) => alert.member(name).isNull()),
      ),
  );

export const MONITORING_WARNINGS: readonly (WarningRelation<MonitoringInputs> | WarningItems<MonitoringInputs>)[] = [
  {
    localId: "AlertsHaveReceivers",
    holds: (v) => v.alerts.length().eq(0).or(receiverCount(v).gt(0)),
    message: ({ alertEmails: emails, alerts, notificationChannels: channels }) =>
      prose`
        ${alerts.name} is set, and nobody gets an alert; there are none without ${emails.name}
        or ${channels.name}; set ${emails.name}, or ${channels.name}
      `,
  },
  {
    localId: "UnchangedAlerts",
    among: unchangedAlerts,
    message: (v, found) =>
      prose`
        ${v.alerts.name} sets nothing for ${found}; Terraform ignores members other
        than enabled, threshold and duration_seconds; correct the name of the member, or remove the entry
      `,
  },
];
