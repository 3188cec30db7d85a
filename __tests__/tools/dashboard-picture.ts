import { Monitoring, ProjectApis } from "../../lib";
import { isMetric, type Platform } from "../../lib/platform/monitoring/alert";
import { ALERTS } from "../../lib/platform/monitoring/alerts";
import { evaluatedLocals } from "../core/terraform-console";
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

/** The dashboard of a deployment with all that adds a chart, as Terraform makes it. */
export function fullDashboard(platform: Platform): DashboardJson {
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
  const { dashboard } = evaluatedLocals({ ...terraform, locals: { ...terraform.locals, dashboard: json } });
  return JSON.parse(dashboard as string) as DashboardJson;
}

/** Pixels of a cell of the dashboard's grid, and of the parts of a tile. */
const CELL = { width: 20, height: 13 } as const;
const TILE = { gap: 6, head: 48, foot: 14, side: 12 } as const;
const HEAD = 40;

/** The dashboard as an SVG picture, each chart with a made-up line on the good side of its threshold. */
export function dashboardPicture({ displayName, mosaicLayout: { columns, tiles } }: DashboardJson): string {
  const rows = Math.max(...tiles.map(({ height, yPos = 0 }) => yPos + height));
  const width = columns * CELL.width;
  const height = rows * CELL.height + HEAD;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="sans-serif">`,
    `<title>Dashboard ${escaped(displayName)}</title>`,
    `<rect width="${width}" height="${height}" fill="#f1f3f4"/>`,
    `<text x="${TILE.side}" y="26" font-size="18" fill="#202124">${escaped(displayName)}</text>`,
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
  const level = threshold === undefined ? 0 : threshold * (isLower ? 1.7 : 0.5);
  const points = wave(id).map(
    (share, index, all) =>
      `${rounded(left + ((right - left) * index) / (all.length - 1))},${y(level * (1 + 0.25 * share))}`,
  );
  return [
    `<g transform="translate(${xPos * CELL.width + TILE.gap / 2} ${yPos * CELL.height + HEAD})">`,
    `<rect width="${size.width}" height="${size.height}" rx="4" fill="#fff" stroke="#dadce0"/>`,
    `<text x="${left}" y="18" font-size="12" font-weight="bold" fill="#202124">${escaped(id)}</text>`,
    `<text x="${left}" y="33" font-size="11" fill="#5f6368">${escaped(words)}</text>`,
    `<path d="M${left} ${bottom}H${right}" stroke="#9aa0a6"/>`,
    `<polyline points="${points.join(" ")}" fill="none" stroke="#1a73e8" stroke-width="1.5"/>`,
    ...(threshold === undefined
      ? []
      : [
          `<path d="M${left} ${y(threshold)}H${right}" stroke="#d93025" stroke-dasharray="4 3"/>`,
          `<text x="${right}" y="${y(threshold) - 4}" font-size="10" text-anchor="end" fill="#d93025">${threshold}</text>`,
        ]),
    "</g>",
  ].join("\n");
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
