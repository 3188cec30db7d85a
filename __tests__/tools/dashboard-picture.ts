import { Monitoring, ProjectApis } from "../../lib";
import { isMetric, type Platform } from "../../lib/platform/monitoring/alert";
import { ALERTS } from "../../lib/platform/monitoring/alerts";
import { evaluated } from "../stacks/terraform-run";
import { bareStack, resourceOf, terraformOf } from "../support/synthesis";
import { placeOf } from "../support/stand-in-parts";

/** A dashboard as its JSON has it. */
export interface DashboardJson {
  readonly displayName: string;
  readonly mosaicLayout: { readonly columns: number; readonly tiles: readonly Tile[] };
}

interface Tile {
  readonly xPos?: number;
  readonly yPos?: number;
  readonly width: number;
  readonly height: number;
  readonly widget: {
    readonly title: string;
    readonly xyChart: { readonly thresholds?: readonly { readonly value: number }[] };
  };
}

/** A picture of the pages, by its path. */
export const DASHBOARD_PICTURES: Readonly<Record<string, Platform>> = {
  "stacks/dashboard-idp-serverless.svg": "serverless",
  "stacks/dashboard-idp-kubernetes.svg": "kubernetes",
};

const dashboards = new Map<Platform, DashboardJson>();

/** The dashboard of a deployment with all that adds a chart, as Terraform makes it. */
export function fullDashboard(platform: Platform): DashboardJson {
  const dashboard = dashboards.get(platform) ?? evaluatedDashboard(platform);
  dashboards.set(platform, dashboard);
  return dashboard;
}

function evaluatedDashboard(platform: Platform): DashboardJson {
  const place = placeOf({ tenantPrefix: "demo-1a2b3c" });
  const stack = bareStack();
  new Monitoring(stack, "Monitoring", {
    place,
    platform,
    apis: new ProjectApis(stack, "Apis", {
      projectId: place.projectId,
      region: place.region,
      apis: ["logging", "monitoring", "secretmanager"],
    }),
    identities: [],
    maxConnections: "100",
    maxInstanceCount: 3,
    minInstanceCount: 1,
    namespace: "identity-provider",
    url: "https://login.example.com",
    domain: "login.example.com",
    urlMap: "idp-demo-1a2b3c-https",
    protection: "true",
    dump: { jobName: "idp-demo-1a2b3c-dump", bucketName: "dumps", condition: "true", isDaily: "true" },
  });
  const terraform = terraformOf(stack);
  const { dashboard_json: json } = resourceOf(terraform, "google_monitoring_dashboard", "monitoring_dashboard");
  const { dashboard } = evaluated({ ...terraform, locals: { ...terraform.locals, dashboard: json } });
  return JSON.parse(dashboard as string) as DashboardJson;
}

/** Pixels of a cell of the dashboard's grid, and of the parts of a tile. */
const CELL = { width: 20, height: 13 } as const;
const TILE = { gap: 6, head: 54, foot: 20, side: 12 } as const;
const HEAD = 44;

/** Colours by the class of a part, with the property that they are of, in a light and in a dark surrounding. */
const COLOURS: Readonly<Record<string, readonly [property: "fill" | "stroke", light: string, dark: string]>> = {
  ground: ["fill", "#f1f3f4", "#1b1d1f"],
  tile: ["fill", "#fff", "#2b2e31"],
  strong: ["fill", "#202124", "#e8eaed"],
  quiet: ["fill", "#5f6368", "#bdc1c6"],
  axis: ["stroke", "#9aa0a6", "#9aa0a6"],
  line: ["stroke", "#1a73e8", "#8ab4f8"],
  limit: ["stroke", "#d93025", "#f28b82"],
  value: ["fill", "#d93025", "#f28b82"],
};

/** The dashboard as an SVG picture, each chart with a made-up line on the good side of its threshold. */
export function dashboardPicture({ displayName, mosaicLayout: { columns, tiles } }: DashboardJson): string {
  const rows = Math.max(...tiles.map(({ height, yPos = 0 }) => yPos + height));
  const width = columns * CELL.width;
  const height = rows * CELL.height + HEAD;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="sans-serif">`,
    `<title>Dashboard ${escaped(displayName)}</title>`,
    "<style>",
    "@media (prefers-color-scheme: dark) {",
    ...Object.entries(COLOURS).map(([name, [property, , dark]]) => `  .${name} { ${property}: ${dark}; }`),
    "}",
    "</style>",
    `<rect ${colour("ground")} width="${width}" height="${height}"/>`,
    `<text ${colour("strong")} x="${TILE.side}" y="29" font-size="20">${escaped(displayName)}</text>`,
    ...tiles.map((tile) => tilePicture(tile)),
    "</svg>",
    "",
  ].join("\n");
}

function tilePicture({ height, widget: { title, xyChart }, width, xPos = 0, yPos = 0 }: Tile): string {
  const [id = "", words = ""] = title.split(/: (.*)/s);
  const threshold = xyChart.thresholds?.[0]?.value;
  const size = { width: width * CELL.width - TILE.gap, height: height * CELL.height - TILE.gap };
  const left = TILE.side;
  const right = size.width - TILE.side;
  const bottom = size.height - TILE.foot;
  const isLower = isRaisedBelow(id);
  const top = (threshold ?? 1) * (isLower ? 2 : 1.4);
  const y = (value: number) => rounded(bottom - (value / top) * (bottom - TILE.head));
  const level = threshold === undefined ? 0 : threshold * (isLower ? 1.6 : 0.5);
  const points = wave(id).map(
    (share, index, all) =>
      `${rounded(left + ((right - left) * index) / (all.length - 1))},${y(level * (1 + 0.25 * share))}`,
  );
  return [
    `<g transform="translate(${xPos * CELL.width + TILE.gap / 2} ${yPos * CELL.height + HEAD})">`,
    `<rect ${colour("tile")} width="${size.width}" height="${size.height}" rx="4"/>`,
    `<text ${colour("strong")} x="${left}" y="22" font-size="15" font-weight="bold">${escaped(id)}</text>`,
    `<text ${colour("quiet")} x="${left}" y="40" font-size="12.5">${escaped(words)}</text>`,
    `<path ${colour("axis")} d="M${left} ${bottom}H${right}"/>`,
    `<polyline ${colour("line")} points="${points.join(" ")}" fill="none" stroke-width="1.5"/>`,
    ...(threshold === undefined
      ? []
      : [
          `<path ${colour("limit")} d="M${left} ${y(threshold)}H${right}" stroke-dasharray="4 3"/>`,
          // On the side of the limit where the line is not.
          `<text ${colour("value")} x="${right}" y="${rounded(y(threshold) + (isLower ? 14 : -4))}" font-size="12.5" text-anchor="end">${threshold.toLocaleString("en")}</text>`,
        ]),
    "</g>",
  ].join("\n");
}

/** The class of a part, and its colour in a light surrounding. */
function colour(name: string): string {
  const [property = "fill", light = ""] = COLOURS[name] ?? [];
  return `class="${name}" ${property}="${light}"`;
}

/** Whether low values are the bad ones. */
function isRaisedBelow(id: string): boolean {
  const conditions = Object.values(ALERTS.find((alert) => alert.id === id)?.on ?? {});
  return conditions.some((condition) => isMetric(condition) && condition.raisedWhen === "<");
}

/** Made-up ups and downs from -1 to 1, other ones for each chart and the same ones each time. */
function wave(id: string): number[] {
  const phase = Array.from(id, (letter) => letter.charCodeAt(0)).reduce((sum, code) => sum + code, 0);
  return Array.from({ length: 33 }, (_, index) =>
    rounded((Math.sin(phase + index / 3) + Math.sin(phase * 2 + index / 1.3)) / 2),
  );
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
