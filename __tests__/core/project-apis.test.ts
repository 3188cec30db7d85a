import { execFileSync } from "node:child_process";

import { packageFile } from "../../lib/core/package-file";
import { ProjectApis, type ApiName } from "../../lib/core/project-apis";
import { bareStack } from "../support/synthesis";

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

const apisIn = (...apis: ApiName[]) => {
  const stack = bareStack();
  return new ProjectApis(stack, "Apis", { apis, projectId: "demo-project", region: "europe-west1" });
};

describe("ProjectApis", () => {
  it("refuses to wait for an API that it does not enable", () => {
    expect(() => apisIn("run").ready("run", "sqladmin")).toThrow(
      new Error(
        "test/Apis: sqladmin is to be waited for but is not enabled here, so the resource would fail in an empty project; add it to apis",
      ),
    );
  });

  it("knows a test call without side effects for every other API", () => {
    const list = execFileSync("sh", [packageFile("lib/core/scripts/wait-for-api.sh"), "--list"], { encoding: "utf8" });
    const known = list.split("\n").map((line) => line.split(" ")[0]);
    expect(known).toEqual(expect.arrayContaining(EVERY_API.filter((api) => api !== "iamcredentials")));
  });
});
