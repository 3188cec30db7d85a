import { existsSync, readFileSync, writeFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { findProgram } from "../support/programs";
import { DASHBOARD_PICTURES, dashboardPicture, fullDashboard } from "./dashboard-picture";
import { documentedStacks } from "./documented-stacks";
import { withFreshParts } from "./page-parts";
import { pages } from "./pages";

const pictures = findProgram("terraform") === undefined ? [] : Object.entries(DASHBOARD_PICTURES);
if (pictures.length === 0) process.stderr.write("without terraform, the pictures of the dashboards stay as they are\n");

void documentedStacks().then((stacks) => {
  const updated = pages().flatMap(({ path, text }) => {
    const fresh = withFreshParts(text, stacks);
    if (fresh === text) return [];
    writeFileSync(packageFile(path), fresh);
    return [path];
  });
  for (const [path, platform] of pictures) {
    const picture = dashboardPicture(fullDashboard(platform));
    if (existsSync(packageFile(path)) && readFileSync(packageFile(path), "utf8") === picture) continue;
    writeFileSync(packageFile(path), picture);
    updated.push(path);
  }
  process.stdout.write(updated.length === 0 ? "all pages are up to date\n" : `updated: ${updated.join(", ")}\n`);
});
