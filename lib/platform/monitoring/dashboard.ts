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
 */
export function dashboardOf(name: string, alerts: string): string {
  return jsonOf({
    displayName: name,
    mosaicLayout: { columns: CHARTS_PER_ROW * CHART.width, tiles: expression(tiles(alerts)) },
  }).text;
}

/**
 * The charts as a Terraform expression, because the set of alerts may be known only at plan.
 *
 * Zeros and empty lists are left out: the service drops them, and every plan would show that.
 */
function tiles(alerts: string): string {
  const columns = CHARTS_PER_ROW;
  const place = [
    `{ xPos = index % ${columns} * ${CHART.width}, yPos = floor(index / ${columns}) * ${CHART.height},`,
    `width = ${CHART.width}, height = ${CHART.height} }`,
  ].join(" ");
  const line = "[for limit in [alert.threshold] : { value = limit } if limit > 0]";
  const data = '[{ plotType = "LINE", timeSeriesQuery = { prometheusQuery = alert.query } }]';
  const chart = `{ for name, list in { dataSets = ${data}, thresholds = ${line} } : name => list if length(list) > 0 }`;
  const widget = `{ title = "\${alert.id}: \${alert.title}", xyChart = ${chart} }`;
  const charts = `[for id, alert in ${alerts} : merge(alert, { id = id }) if contains(keys(alert), "query")]`;
  return [
    `[for index, alert in ${charts} : merge({ for name, cells in ${place} : name => cells if cells > 0 },`,
    `{ widget = ${widget} })]`,
  ].join(" ");
}
