import { execFileSync } from "node:child_process";

import { packageFile } from "../../lib/core/package-file";
import { type ApiName } from "../../lib/core/project-apis";

/** Written as a record so that the compiler reports a service that is missing here. */
const EVERY_API = Object.keys({
  artifactregistry: true,
  certificatemanager: true,
  cloudbuild: true,
  cloudresourcemanager: true,
  cloudscheduler: true,
  compute: true,
  container: true,
  dns: true,
  iam: true,
  iamcredentials: true,
  logging: true,
  migrationcenter: true,
  monitoring: true,
  run: true,
  secretmanager: true,
  sqladmin: true,
  storage: true,
} satisfies Record<ApiName, true>) as ApiName[];

describe("ProjectApis", () => {
  it("knows a test call without side effects for every other API", () => {
    const list = execFileSync("sh", [packageFile("lib/core/scripts/wait-for-api.sh"), "--list"], { encoding: "utf8" });
    const known = list.split("\n").map((line) => line.split(" ")[0]);
    expect(known).toEqual(expect.arrayContaining(EVERY_API.filter((api) => api !== "iamcredentials")));
  });
});
