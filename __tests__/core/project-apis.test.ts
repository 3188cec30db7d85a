import { execFileSync } from "node:child_process";

import { App } from "cdktf";

import { packageFile } from "../../lib/core/package-file";
import { ProjectApis, type ApiName } from "../../lib/core/project-apis";
import { TerraformData } from "../../lib/core/terraform-data";
import { bareStack, resourceAddresses, resourceOf, synthesizeInto, terraformOf } from "../support/synthesis";

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

const provisioner = (script: string, api: ApiName) => ({
  "local-exec": {
    command: `sh "\${path.module}/scripts/${script}"`,
    environment: { PROJECT_ID: "demo-project", REGION: "europe-west1", SERVICE: `${api}.googleapis.com` },
  },
});

describe("ProjectApis", () => {
  it("enables the Resource Manager API by a script, because the provider needs it to enable any other", () => {
    expect(apisIn("run").resource("terraform_data", "apis_resource_manager")).toEqual({
      triggers_replace: { project_id: "demo-project" },
      provisioner: [
        provisioner("enable-api.sh", "cloudresourcemanager"),
        provisioner("wait-for-api.sh", "cloudresourcemanager"),
      ],
    });
  });

  it("then enables each API, and leaves it enabled after a destroy", () => {
    const { resource } = apisIn("run", "storage");
    for (const api of ["run", "storage"]) {
      expect(resource("google_project_service", `apis_${api}`)).toEqual({
        project: "demo-project",
        service: `${api}.googleapis.com`,
        disable_on_destroy: false,
        depends_on: ["terraform_data.apis_resource_manager"],
      });
    }
  });

  it("has a gate for each API", () => {
    const { resource } = apisIn("run", "storage");
    for (const api of ["run", "storage"] as const) {
      expect(resource("terraform_data", `apis_${api}_answers`)).toEqual({
        triggers_replace: { project_id: "demo-project" },
        provisioner: [provisioner("wait-for-api.sh", api)],
        depends_on: [`google_project_service.apis_${api}`],
      });
    }
  });

  it("enables the given APIs, and no others", () => {
    expect(resourceAddresses(apisIn("run", "iam").terraform())).toEqual([
      "google_project_service.apis_iam",
      "google_project_service.apis_run",
      "terraform_data.apis_iam_answers",
      "terraform_data.apis_resource_manager",
      "terraform_data.apis_run_answers",
    ]);
  });

  it("enables an API only if its condition holds, and waits for it only then", () => {
    const { projectApis, resource } = apisIn();
    projectApis.enable("compute", "var.network != null");
    const count = "${(var.network != null) ? 1 : 0}";
    expect(resource("google_project_service", "apis_compute")).toMatchObject({ count });
    expect(resource("terraform_data", "apis_compute_answers")).toMatchObject({
      count,
      depends_on: ["google_project_service.apis_compute"],
    });
  });

  it("lets a resource wait for exactly the APIs that it needs", () => {
    const { projectApis, resource, stack } = apisIn("run", "storage", "iam");
    new TerraformData(stack, "Bucket", { dependsOn: projectApis.ready("storage", "iam") });
    expect(resource("terraform_data", "bucket").depends_on).toEqual([
      "terraform_data.apis_storage_answers",
      "terraform_data.apis_iam_answers",
    ]);
  });

  it("refuses to wait for an API that it does not enable", () => {
    const { projectApis } = apisIn("run");
    expect(() => projectApis.ready("run", "sqladmin")).toThrow(
      new Error(
        "test/Apis: sqladmin is to be waited for but is not enabled here, so the resource would fail in an empty project; add it to apis",
      ),
    );
  });

  it("puts its scripts into the folder", () => {
    const { stack } = apisIn("run");
    const { files } = synthesizeInto(App.of(stack));
    expect(files).toEqual([
      "cdk.tf.json",
      ...["enable-api", "google-credentials", "google-rest", "rest-script", "wait-for-api"].map(script),
    ]);
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

  it("accepts all APIs at once", () => {
    expect(Object.keys(apisIn(...EVERY_API).terraform().resource?.google_project_service ?? {})).toHaveLength(
      EVERY_API.length,
    );
  });
});

const script = (name: string) => `scripts/${name}.sh`;
