import { execFileSync } from "node:child_process";

import { packageFile } from "../../lib/core/package-file";
import { ProjectApis, type ApiName } from "../../lib/core/project-apis";
import { TerraformData } from "../../lib/core/terraform-data";
import { bareStack, resourceAddresses, resourceOf, terraformOf } from "../support/synthesis";

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
  const projectApis = new ProjectApis(stack, "Apis", { apis, projectId: "demo-project", region: "europe-west1" });
  const terraform = () => terraformOf(stack);
  return {
    stack,
    projectApis,
    terraform,
    resource: (type: string, name: string) => resourceOf(terraform(), type, name),
  };
};

describe("ProjectApis", () => {
  it("refuses to wait for an API that it does not enable", () => {
    const { projectApis } = apisIn("run");
    expect(() => projectApis.ready("run", "sqladmin")).toThrow(
      new Error(
        "test/Apis: sqladmin is to be waited for but is not enabled here, so the resource would fail in an empty project; add it to apis",
      ),
    );
  });

  it("makes no test call to an API that only creates credentials, and treats it as ready once it is enabled", () => {
    const { projectApis, resource, stack, terraform } = apisIn("iamcredentials");
    new TerraformData(stack, "Pods", { dependsOn: projectApis.ready("iamcredentials") });
    expect(resource("terraform_data", "pods").depends_on).toEqual(["google_project_service.apis_iamcredentials"]);
    expect(resourceAddresses(terraform())).not.toContain("terraform_data.apis_iamcredentials_answers");
  });

  it("knows a test call without side effects for every other API", () => {
    const list = execFileSync("sh", [packageFile("lib/core/scripts/wait-for-api.sh"), "--list"], { encoding: "utf8" });
    const known = list.split("\n").map((line) => line.split(" ")[0]);
    expect(known).toEqual(expect.arrayContaining(EVERY_API.filter((api) => api !== "iamcredentials")));
  });
});
