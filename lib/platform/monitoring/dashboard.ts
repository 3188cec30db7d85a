import { type Expr, hcl } from "../../core/expr/expr";
import { concat, jsonOf } from "../../core/expr/functions";

/** Number of charts side by side, and the size of each in cells of the dashboard's grid. */
export const CHARTS_PER_ROW = 3;
const CHART = { width: 16, height: 12 } as const;

/**
 * A dashboard with a chart for each metric that an alert watches, with a line at its threshold, in the order of the
 * ids.
 *
 * @param alerts by their ids, those about a metric with `title`, `query` and `threshold`
 * @param objectives lists of service-level objectives, with a chart of what is left of each error budget
 */
export function dashboardOf(name: string, alerts: Expr<object>, objectives: readonly Objectives[] = []): string {
  return jsonOf({
    displayName: name,
    mosaicLayout: { columns: CHARTS_PER_ROW * CHART.width, tiles: tiles(alerts, objectives) },
  }).text;
}

/** Objectives as resources, because Terraform knows their number. */
type Objectives = Expr<readonly object[]>;

/**
 * The charts; their number may be known only at plan.
 *
 * Zeros and empty lists are left out, because the service drops them and every plan would show a diff.
 */
function tiles(alerts: Expr<object>, objectives: readonly Objectives[]): Expr {
  const ofAlerts = hcl<readonly object[]>`[
    for id, alert in ${alerts} : merge(alert, { id = id }) if contains(keys(alert), "query")
  ]`;
  const charts = objectives.length === 0 ? ofAlerts : concat(ofAlerts, budgets(objectives));
  const query = objectives.length === 0 ? hcl`{ prometheusQuery = alert.query }` : QUERY_OR_BUDGET;
  const data = hcl`[{ plotType = "LINE", timeSeriesQuery = ${query} }]`;
  const line = hcl`[for limit in [alert.threshold] : { value = limit } if limit > 0]`;
  const chart = hcl`{
    for name, list in { dataSets = ${data}, thresholds = ${line} } : name => list if length(list) > 0
  }`;
  const widget = hcl`{ title = "\${alert.id}: \${alert.title}", xyChart = ${chart} }`;
  return hcl`[
    for index, alert in ${charts} :
    merge({ for name, cells in ${PLACE} : name => cells if cells > 0 }, { widget = ${widget} })
  ]`;
}

/** Position and size of the chart with a number. */
const PLACE = hcl`{
  xPos = index % ${CHARTS_PER_ROW} * ${CHART.width}, yPos = floor(index / ${CHARTS_PER_ROW}) * ${CHART.height},
  width = ${CHART.width}, height = ${CHART.height}
}`;

/** Remaining error budget of each objective, as a share; negative if the budget is exceeded. */
function budgets(objectives: readonly Objectives[]): Expr<readonly object[]> {
  const [first, ...others] = objectives;
  const all = others.length === 0 ? first : concat(...objectives);
  const filter = hcl`"select_slo_budget_fraction(\\"\${slo.name}\\")"`;
  return hcl`[
    for slo in ${all} :
    { id = "slo-\${slo.slo_id}", title = "error budget that is left of 30 days", filter = ${filter}, threshold = 0 }
  ]`;
}

/** The query of a chart: the query of an alert, or of an error budget. */
const QUERY_OR_BUDGET = hcl`{
  for name, value in {
    prometheusQuery = try(alert.query, null),
    timeSeriesFilter = try({
      filter = alert.filter, aggregation = { alignmentPeriod = "300s", perSeriesAligner = "ALIGN_MEAN" }
    }, null)
  } :
  name => value if value != null
}`;
