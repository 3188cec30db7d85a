import { jsonOf } from "../../core/expr-functions";
import { expression } from "../../core/expression";

/** Number of charts side by side, and the size of each in cells of the dashboard's grid. */
export const CHARTS_PER_ROW = 3;
const CHART = { width: 16, height: 12 } as const;

/**
 * A dashboard with a chart for each metric that an alert watches, with a line at its threshold, in the order of the
 * ids.
 *
 * @param alerts Terraform expression of the alerts by their ids, those about a metric with `title`, `query` and
 * `threshold`
 * @param objectives Terraform expressions of lists of service-level objectives, with a chart of what is left of each
 * error budget
 */
export function dashboardOf(name: string, alerts: string, objectives: readonly string[] = []): string {
  return jsonOf({
    displayName: name,
    mosaicLayout: { columns: CHARTS_PER_ROW * CHART.width, tiles: expression(tiles(alerts, objectives)) },
  }).text;
}

/**
 * The charts as a Terraform expression, because the set of alerts may be known only at plan.
 *
 * Zeros and empty lists are left out: the service drops them, and every plan would show that.
 */
function tiles(alerts: string, objectives: readonly string[]): string {
  const columns = CHARTS_PER_ROW;
  const place = [
    `{ xPos = index % ${columns} * ${CHART.width}, yPos = floor(index / ${columns}) * ${CHART.height},`,
    `width = ${CHART.width}, height = ${CHART.height} }`,
  ].join(" ");
  const line = "[for limit in [alert.threshold] : { value = limit } if limit > 0]";
  const query = objectives.length === 0 ? "{ prometheusQuery = alert.query }" : QUERY_OR_BUDGET;
  const data = `[{ plotType = "LINE", timeSeriesQuery = ${query} }]`;
  const chart = `{ for name, list in { dataSets = ${data}, thresholds = ${line} } : name => list if length(list) > 0 }`;
  const widget = `{ title = "\${alert.id}: \${alert.title}", xyChart = ${chart} }`;
  const ofAlerts = `[for id, alert in ${alerts} : merge(alert, { id = id }) if contains(keys(alert), "query")]`;
  const charts = objectives.length === 0 ? ofAlerts : `concat(${ofAlerts}, ${budgets(objectives)})`;
  return [
    `[for index, alert in ${charts} : merge({ for name, cells in ${place} : name => cells if cells > 0 },`,
    `{ widget = ${widget} })]`,
  ].join(" ");
}

/** What is left of the error budget of each objective, as a share that is negative once it is used up. */
function budgets(objectives: readonly string[]): string {
  const list = objectives.length === 1 ? objectives[0] : `concat(${objectives.join(", ")})`;
  const filter = 'filter = "select_slo_budget_fraction(\\"${slo.name}\\")"';
  const title = 'title = "error budget that is left of 30 days"';
  return `[for slo in ${list} : { id = "slo-\${slo.slo_id}", ${title}, ${filter}, threshold = 0 }]`;
}

/** The query of a chart: an alert's, or that of a budget. */
const QUERY_OR_BUDGET = [
  "{ for name, value in { prometheusQuery = try(alert.query, null), timeSeriesFilter = try({ filter = alert.filter,",
  'aggregation = { alignmentPeriod = "300s", perSeriesAligner = "ALIGN_MEAN" } }, null) } :',
  "name => value if value != null }",
].join(" ");
