import { MonitoringDashboard } from "@cdktf/provider-google/lib/monitoring-dashboard";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { countIf } from "../../core/conditional";
import { expression, quoted } from "../../core/expression";
import { serviceName } from "../../core/names";
import { type DeploymentContext } from "../../core/place";
import { MAIN_CHILD_ID } from "../../core/portable-stack";

export interface DashboardProps {
  /** Determines the project and the name. */
  readonly place: DeploymentContext;

  /**
   * Terraform expression of an object: the alerts by their ids. Those with `title`, `query` and `threshold` have a chart
   * each, in the order of the ids.
   */
  readonly alerts: string;

  /** Whether it exists, as a string: `true`, `false` or a boolean expression. Default: "true". */
  readonly condition?: string;

  /** What must exist first: `apis.ready("monitoring")`. Default: nothing. */
  readonly dependsOn?: ITerraformDependable[];
}

/** Number of charts side by side, and the size of each in cells of the dashboard's grid. */
export const CHARTS_PER_ROW = 3;
const CHART = { width: 16, height: 12 } as const;

/** A chart for each metric that an alert watches, with a line at its threshold. */
export class Dashboard extends Construct {
  /** What must exist before the dashboard can be used. */
  readonly ready: ITerraformDependable[];

  /** The dashboard itself, for overrides. */
  readonly dashboard: MonitoringDashboard;

  constructor(scope: Construct, id: string, props: DashboardProps) {
    super(scope, id);
    const { alerts, condition, dependsOn, place } = props;

    this.dashboard = new MonitoringDashboard(this, MAIN_CHILD_ID, {
      project: place.projectId,
      dashboardJson: expression(
        `jsonencode({ displayName = ${quoted(serviceName(place.deployment))}, mosaicLayout = { columns = ${CHARTS_PER_ROW * CHART.width}, tiles = ${tiles(alerts)} } })`,
      ),
      count: countIf(condition),
      dependsOn,
    });

    this.ready = [this.dashboard];
  }
}

/**
 * The charts as a Terraform expression, because the set of alerts may be known only at plan.
 *
 * Zeros and empty lists are left out: the service drops them, and every plan would show that.
 */
function tiles(alerts: string): string {
  const columns = CHARTS_PER_ROW;
  const place = `{ xPos = index % ${columns} * ${CHART.width}, yPos = floor(index / ${columns}) * ${CHART.height}, width = ${CHART.width}, height = ${CHART.height} }`;
  const line = "[for limit in [alert.threshold] : { value = limit } if limit > 0]";
  const data = '[{ plotType = "LINE", timeSeriesQuery = { prometheusQuery = alert.query } }]';
  const chart = `{ for name, list in { dataSets = ${data}, thresholds = ${line} } : name => list if length(list) > 0 }`;
  const widget = `{ title = "\${alert.id}: \${alert.title}", xyChart = ${chart} }`;
  const charts = `[for id, alert in ${alerts} : merge(alert, { id = id }) if contains(keys(alert), "query")]`;
  return `[for index, alert in ${charts} : merge({ for name, cells in ${place} : name => cells if cells > 0 }, { widget = ${widget} })]`;
}
