import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { ALERTS } from "../../lib/platform/monitoring/alerts";
import { failuresOn } from "../tools/failure-tables";

describe.each(["serverless", "kubernetes"] as const)("What can fail on %s", (platform) => {
  it.each(failuresOn(platform))("is shown by a test: $what", ({ shownBy: [file, name] }) => {
    expect(readFileSync(packageFile(file), "utf8")).toContain(name);
  });

  it.each(failuresOn(platform))("is detected by alerts that exist: $what", ({ alerts }) => {
    expect(ALERTS.map(({ id }) => id)).toEqual(expect.arrayContaining([...alerts]));
  });

  it("is detected by an alert unless somebody does it on purpose", () => {
    const untold = failuresOn(platform).filter(({ alerts }) =>
      alerts.every((id) => ALERTS.find((alert) => alert.id === id)?.on[platform] === undefined),
    );
    expect(untold.map(({ what }) => what).filter((what) => !/changed|deleted|destroys|wrong/.test(what))).toEqual([]);
  });
});
