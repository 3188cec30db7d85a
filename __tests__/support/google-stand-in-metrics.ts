import { type JsonObject } from "./google-stand-in-schema";
import { type Service } from "./google-stand-in-services";

/** Cloud Monitoring: how many seconds replicas are behind. */
export class Metrics {
  /** The newest sample by `<project>:<instance>`. */
  readonly lags = new Map<string, { readonly seconds: number; readonly time: string }>();

  readonly service: Service = {
    description: "monitoring.v3",
    endpointVariable: "GOOGLE_MONITORING_CUSTOM_ENDPOINT",
    basePath: "",
    handlers: { "projects.timeSeries.list": ({ query }) => this.list(query.get("filter") ?? "") },
  };

  private list(filter: string): JsonObject {
    const [, type = "", id = ""] = /metric.type="([^"]+)" AND resource.labels.database_id="([^"]+)"/.exec(filter) ?? [];
    const lag = type === "cloudsql.googleapis.com/database/replication/replica_lag" ? this.lags.get(id) : undefined;
    if (lag === undefined) return {};
    const { seconds, time } = lag;
    const points = [{ interval: { startTime: time, endTime: time }, value: { doubleValue: seconds } }];
    return { timeSeries: [{ metric: { type }, points }], unit: "s" };
  }
}
