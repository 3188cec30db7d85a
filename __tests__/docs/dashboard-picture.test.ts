import { existsSync, readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { describeWith } from "../support/programs";
import { DASHBOARD_PICTURES, dashboardPicture, fullDashboard } from "../tools/dashboard-picture";
import { UPDATE_COMMAND } from "../tools/page-parts";
import { pageOf } from "../tools/pages";

const PICTURES = Object.entries(DASHBOARD_PICTURES);

describe("The picture of a dashboard", () => {
  it.each(PICTURES)("is on the page: %s", (path) => {
    expect(existsSync(packageFile(path))).toBe(true);
    expect(pageOf("stacks/identity-provider.md").text).toContain(`](${path.replace("stacks/", "")})`);
  });
});

describeWith(["terraform"], "The picture of a dashboard, drawn from its JSON", () => {
  it.each(PICTURES)(`is fresh; when this fails, run ${UPDATE_COMMAND}: %s`, (path, platform) => {
    expect(readFileSync(packageFile(path), "utf8")).toBe(dashboardPicture(fullDashboard(platform)));
  });

  it("has every chart with its title, where it lies, and its threshold", () => {
    const dashboard = fullDashboard("serverless");
    const { columns, tiles } = dashboard.mosaicLayout;
    const groups = [
      ...dashboardPicture(dashboard).matchAll(/<g transform="translate\((\S+) (\S+)\)">([\s\S]*?)<\/g>/g),
    ];
    const texts = groups.map(([, , , inner = ""]) =>
      [...inner.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text),
    );
    expect(texts).toEqual(
      tiles.map(({ widget: { title, xyChart } }) => [
        ...title.split(/: (.*)/s).slice(0, 2),
        ...(xyChart.thresholds ?? []).map(({ value }) => value.toLocaleString("en")),
      ]),
    );
    const places = new Set(groups.map(([, x, y]) => `${x ?? ""} ${y ?? ""}`));
    expect(places.size).toBe(tiles.length);
    expect(new Set(groups.map(([, x]) => x)).size).toBe(columns / (tiles[0]?.width ?? 1));
  });

  it("is not broken by the words of a title", () => {
    const [tile] = fullDashboard("serverless").mosaicLayout.tiles;
    if (tile === undefined) throw new Error("there is no tile");
    const widget = { ...tile.widget, title: "a: 1 < 2 & 3" };
    const picture = dashboardPicture({ displayName: "x", mosaicLayout: { columns: 48, tiles: [{ ...tile, widget }] } });
    expect(picture).toContain(">1 &lt; 2 &amp; 3</text>");
  });
});
