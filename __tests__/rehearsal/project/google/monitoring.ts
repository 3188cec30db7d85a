import { createHash } from "node:crypto";

import { Refusal, type Cloud, type CloudObject } from "../cloud";
import { needObject } from "../needs";
import { type ResourceTypes } from "../resource-type";
import { membersOf, textAt, textsIn, valueAt, type ValueObject } from "../terraform-value";
import { googleType } from "./google-type";

const CHANNEL = "google_monitoring_notification_channel";
const POLICY = "google_monitoring_alert_policy";

const CONDITION_KINDS = [
  "condition_absent",
  "condition_matched_log",
  "condition_monitoring_query_language",
  "condition_prometheus_query_language",
  "condition_sql",
  "condition_threshold",
];

/** Id that the service gives, a number; two of the same words would get the same one here. */
const numbered =
  (collection: string, wordsOf: (values: ValueObject) => string = (values) => textAt(values, "display_name")) =>
  (values: ValueObject): string => {
    const digits = BigInt(`0x${createHash("sha256").update(wordsOf(values)).digest("hex").slice(0, 15)}`).toString();
    return `projects/${textAt(values, "project")}/${collection}/${digits}`;
  };

function policiesThatName(text: string, cloud: Cloud): readonly CloudObject[] {
  return cloud.ofType(POLICY).filter(({ values }) => JSON.stringify(values).includes(text));
}

/** A seconds-long duration, like `60s`. */
const secondsOf = (duration: string): number => Number(/^(\d+)s$/.exec(duration)?.[1] ?? NaN);

function policyProblems(values: ValueObject): string[] {
  const conditions = membersOf(values.conditions);
  const kinds = conditions.flatMap((condition) =>
    CONDITION_KINDS.filter((kind) => membersOf(valueAt(condition, kind)).length > 0),
  );
  const logs = kinds.filter((kind) => kind === "condition_matched_log");
  const hasRate = valueAt(values, "alert_strategy.0.notification_rate_limit.0") !== null;
  const queries = conditions.flatMap((condition) => valueAt(condition, "condition_prometheus_query_language.0") ?? []);
  const wrongQueries = queries.filter((query) => {
    const interval = secondsOf(textAt(query, "evaluation_interval") || "30s");
    return (
      textAt(query, "query") === "" || interval % 30 !== 0 || Number.isNaN(secondsOf(textAt(query, "duration") || "0s"))
    );
  });
  return [
    ...(kinds.length === conditions.length ? [] : ["each condition has exactly one kind"]),
    ...(logs.length > 0 && conditions.length > 1 ? ["a condition of the log is the only one of its policy"] : []),
    ...(logs.length > 0 === hasRate
      ? []
      : ["a notification rate limit is for conditions of the log, and they need one"]),
    ...(wrongQueries.length === 0 ? [] : ["a query has a text, and is evaluated every so many half minutes"]),
    ...queries
      .filter((query) => valueAt(query, "disable_metric_validation") !== true)
      .map(() => "the metric of a query is not known before there is data"),
    ...(textAt(values, "documentation.0.subject").length > 255 ? ["a subject has at most 255 characters"] : []),
  ];
}

/** What the service drops from a dashboard, by its path. */
function droppedIn(value: unknown, path = "dashboard_json"): string[] {
  if (value === 0 || value === "" || value === false || (Array.isArray(value) && value.length === 0)) return [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => droppedIn(inner, `${path}.${name}`));
}

interface Tile {
  readonly xPos?: number;
  readonly yPos?: number;
  readonly width: number;
  readonly height: number;
}

/** Tiles that lie on others or beyond the last column. */
function misplaced({
  mosaicLayout,
}: {
  readonly mosaicLayout?: { columns: number; tiles: readonly Tile[] };
}): string[] {
  const { columns = 0, tiles = [] } = mosaicLayout ?? {};
  const overlaps = (a: Tile, b: Tile) =>
    (a.xPos ?? 0) < (b.xPos ?? 0) + b.width &&
    (b.xPos ?? 0) < (a.xPos ?? 0) + a.width &&
    (a.yPos ?? 0) < (b.yPos ?? 0) + b.height &&
    (b.yPos ?? 0) < (a.yPos ?? 0) + a.height;
  const isWrong = (tile: Tile, index: number) =>
    (tile.xPos ?? 0) + tile.width > columns || tiles.slice(0, index).some((other) => overlaps(tile, other));
  return tiles.flatMap((tile, index) =>
    isWrong(tile, index) ? [`tile ${index} is on another, or beyond the last column`] : [],
  );
}

function dashboardProblems(values: ValueObject): string[] {
  const json: unknown = JSON.parse(textAt(values, "dashboard_json"));
  return [
    ...droppedIn(json).map((path) => `${path} is dropped by the service, so every plan would show it`),
    ...misplaced(json as Parameters<typeof misplaced>[0]),
  ];
}

/** What notices that something does not work, and who is told. */
export const MONITORING_TYPES: ResourceTypes = {
  google_monitoring_notification_channel: googleType({
    api: "monitoring",
    id: numbered("notificationChannels"),
    replacedBy: ["project"],
    source: "monitoring/resource_monitoring_notification_channel.go",
    invalid: (values) =>
      textAt(values, "type") === "email" && !textAt(values, "labels.email_address").includes("@")
        ? ["a channel of mail has an address"]
        : [],
    computed: (_, { id }) => ({ name: id, verification_status: "" }),
    beforeDestroy: (prior, { id }, cloud) => {
      if (valueAt(prior, "force_delete") === true) return;
      const [user] = policiesThatName(id, cloud);
      if (user !== undefined) throw new Refusal(`cannot delete ${id}: it is used by the alert policy ${user.id}`);
    },
  }),

  google_monitoring_alert_policy: googleType({
    api: "monitoring",
    id: numbered("alertPolicies"),
    replacedBy: ["project"],
    source: "monitoring/resource_monitoring_alert_policy.go",
    invalid: policyProblems,
    needs: (values) => textsIn(membersOf(values.notification_channels)).map((channel) => needObject(CHANNEL, channel)),
    computed: (_, { id }) => ({ name: id, creation_record: [] }),
  }),

  google_monitoring_uptime_check_config: googleType({
    api: "monitoring",
    id: numbered("uptimeCheckConfigs", (values) => textAt(values, "monitored_resource.0.labels.host")),
    replacedBy: ["project", "monitored_resource", "resource_group", "checker_type", "http_check.0.request_method"],
    source: "monitoring/resource_monitoring_uptime_check_config.go",
    invalid: (values) => [
      ...(/^[a-z0-9.-]+$/.test(textAt(values, "monitored_resource.0.labels.host")) ? [] : ["a check asks a host"]),
      ...([60, 300, 600, 900].includes(secondsOf(textAt(values, "period") || "300s")) ? [] : ["a check has a period"]),
    ],
    computed: (_, { id }) => ({
      name: id,
      uptime_check_id: id.split("/").at(-1) ?? "",
      checker_type: "STATIC_IP_CHECKERS",
    }),
    defaults: { request_method: "GET" },
    beforeDestroy: (_, { id }, cloud) => {
      const [user] = policiesThatName(id.split("/").at(-1) ?? id, cloud);
      if (user !== undefined) throw new Refusal(`cannot delete ${id}: the alert policy ${user.id} names it`);
    },
  }),

  google_monitoring_dashboard: googleType({
    api: "monitoring",
    id: numbered("dashboards", (values) => textAt(values, "project")),
    replacedBy: ["project"],
    source: "monitoring/resource_monitoring_dashboard.go",
    invalid: dashboardProblems,
  }),

  google_project_iam_audit_config: googleType({
    api: "cloudresourcemanager",
    id: "{{project}}/audit_config/{{service}}",
    replacedBy: ["project", "service"],
    source: "resourcemanager/resource_google_project_iam_audit_config.go",
  }),
};
