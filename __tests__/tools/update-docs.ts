import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import { findProgram } from "../support/programs";
import { DASHBOARD_PICTURES, dashboardPicture, fullDashboard } from "./dashboard-picture";
import { documentedStacks } from "./documented-stacks";
import { withFreshParts } from "./page-parts";
import { pages } from "./pages";
import { stackPictures } from "./pictures/stack-pictures";
import { svgPicture } from "./pictures/svg-picture";

const dashboards = findProgram("terraform") === undefined ? [] : Object.entries(DASHBOARD_PICTURES);
if (dashboards.length === 0)
  process.stderr.write("without terraform, the pictures of the dashboards stay as they are\n");

void documentedStacks().then(async (stacks) => {
  const updated = pages().flatMap(({ path, text }) => {
    const fresh = withFreshParts(text, stacks);
    if (fresh === text) return [];
    writeFileSync(packageFile(path), fresh);
    return [path];
  });
  const pictures = [
    ...dashboards.map(([path, platform]) => [path, dashboardPicture(fullDashboard(platform))] as const),
    ...(await Promise.all(
      Object.entries(stackPictures(stacks)).map(async ([path, picture]) => [path, await svgPicture(picture)] as const),
    )),
  ];
  for (const [path, picture] of pictures) {
    if (existsSync(packageFile(path)) && readFileSync(packageFile(path), "utf8") === picture) continue;
    mkdirSync(dirname(packageFile(path)), { recursive: true });
    writeFileSync(packageFile(path), picture);
    updated.push(path);
  }
  process.stdout.write(updated.length === 0 ? "all pages are up to date\n" : `updated: ${updated.join(", ")}\n`);
});
