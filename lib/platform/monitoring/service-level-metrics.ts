import { type Condition, conditionFrom } from "../../core/expr/conditions";
import { exprOf, literal, namedStep } from "../../core/expr/expr";
import { max } from "../../core/expr/functions";
import { prose } from "../../core/prose";
import { type AlertFacts, type Platform } from "./alert";

/**
 * Place where requests are measured: as near to clients as possible, so that an outage of the parts behind it counts
 * too.
 */
interface RequestMetric {
  readonly type: string;
  readonly resourceType: string;
  /** Label of the resource, with an operator and a value, in the languages of filters and of queries. */
  readonly filter: (facts: AlertFacts) => string;
  readonly selector: (facts: AlertFacts) => string;
  readonly latencyType: string;
  /** Class of responses that are errors of the server, as this metric names it. */
  readonly failed: string;
}

const LOAD_BALANCER: RequestMetric = {
  type: "loadbalancing.googleapis.com/https/request_count",
  latencyType: "loadbalancing.googleapis.com/https/total_latencies",
  resourceType: "https_lb_rule",
  filter: ({ urlMap }) => `resource.labels.url_map_name=monitoring.regex.full_match("${urlMap}")`,
  selector: ({ urlMap }) => `url_map_name=~"${urlMap}"`,
  failed: "500",
};

const SERVICE: RequestMetric = {
  type: "run.googleapis.com/request_count",
  latencyType: "run.googleapis.com/request_latencies",
  resourceType: "cloud_run_revision",
  filter: ({ workload }) => `resource.labels.service_name="${workload}"`,
  selector: ({ workload }) => `service_name="${workload}"`,
  failed: "5xx",
};

/** Whether there is a metric of requests; in a cluster, only the load balancer of a domain has one. */
export function measuresRequests({ hasDomain }: AlertFacts, platform: Platform): Condition {
  return platform === "serverless" ? true : hasDomain;
}

/** A text for the existing metric. */
function ofRequests(facts: AlertFacts, platform: Platform, text: (metric: RequestMetric) => string): string {
  if (platform === "kubernetes") return text(LOAD_BALANCER);
  return conditionFrom(facts.hasDomain).choose(exprOf(text(LOAD_BALANCER)), exprOf(text(SERVICE))).text;
}

const filterOf = (type: string, facts: AlertFacts, { filter, resourceType }: RequestMetric) =>
  `metric.type="${type}" resource.type="${resourceType}" ${filter(facts)}`;

/** Filters of Cloud Monitoring for failed requests and for all. */
export function requestFilters(facts: AlertFacts, platform: Platform): Record<string, string> {
  const all = (metric: RequestMetric) => filterOf(metric.type, facts, metric);
  return {
    bad_service_filter: ofRequests(
      facts,
      platform,
      (metric) => `${all(metric)} metric.labels.response_code_class="${metric.failed}"`,
    ),
    total_service_filter: ofRequests(facts, platform, all),
  };
}

/** Filter of the metric for the duration of requests, in milliseconds. */
export function latencyFilter(facts: AlertFacts, platform: Platform): string {
  return ofRequests(facts, platform, (metric) => filterOf(metric.latencyType, facts, metric));
}

/** Filter of the uptime check: a window is good if any location got an answer. */
export function checkFilter({ host }: AlertFacts): string {
  return prose`
    metric.type="monitoring.googleapis.com/uptime_check/check_passed"
    resource.type="uptime_url" resource.labels.host="${host}"
  `;
}

/** Name of a metric in PromQL. */
const inQueries = (type: string) => type.replace("/", ":").replaceAll(/[./]/g, "_");

/** Requests that must have failed for an alert, because one of a few at night is a large share. */
const MIN_FAILED_REQUESTS = 5;

/**
 * PromQL for how many times faster than evenly over the days of the objective an error budget burns, in a window.
 */
export function burnRate(facts: AlertFacts, platform: Platform, window: string): string {
  const budget = `(1 - ${facts.availableGoal})`;
  const ofHost = `monitored_resource="uptime_url", host="${facts.host}"`;
  // The location with the fewest failures counts, because a location without a network would report failures of its
  // own.
  const passed = `max(avg_over_time(monitoring_googleapis_com:uptime_check_check_passed{${ofHost}}[${window}]))`;
  const ofChecks = `(1 - ${passed}) / ${budget}`;
  const burnRateOf = ({ failed, resourceType, selector, type }: RequestMetric) => {
    const all = `monitored_resource="${resourceType}", ${selector(facts)}`;
    const bad = `${all}, response_code_class="${failed}"`;
    const sum = (over: string, selected: string) => `sum(${over}(${inQueries(type)}{${selected}}[${window}]))`;
    const share = `${sum("rate", bad)} / ${sum("rate", all)}`;
    return `(${share} and ${sum("increase", bad)} > ${MIN_FAILED_REQUESTS}) / ${budget}`;
  };
  const requests = ofRequests(facts, platform, burnRateOf);
  if (platform === "serverless") return requests;
  return conditionFrom(facts.hasDomain).choose(exprOf(requests), exprOf(ofChecks)).text;
}

/**
 * PromQL for how many times longer than `latencyMs` that request takes which, if the budget of latency burns at this
 * rate, is the fastest of the slow ones: it needs no bound of a bucket at `latencyMs`.
 */
export function slowestAt(facts: AlertFacts, platform: Platform, rate: number, window: string): string {
  // With a lower goal, a budget cannot burn so fast; then nine of ten requests are slow. In thousandths.
  const fast = literal(1).minus(literal(1).minus(facts.latencyGoal).times(rate));
  const inThousandths = max(fast, 0.1).times(1000).plus(0.5).floor().dividedBy(1000);
  const share = namedStep(`latency_quantile_at_${String(rate).replace(".", "_")}`, inThousandths).text;
  return ofRequests(facts, platform, ({ latencyType, resourceType, selector }) => {
    const buckets = `${inQueries(latencyType)}_bucket{monitored_resource="${resourceType}", ${selector(facts)}}`;
    return `histogram_quantile(${share}, sum by (le) (rate(${buckets}[${window}]))) / ${facts.latencyMs}`;
  });
}

/**
 * PromQL for the lower of two values, so that both must be high: the value over the longer window and the current one.
 */
export const lowerOf = (longer: string, now: string) => `((${longer} <= ${now}) or ${now})`;
