import { programFolder, runScript } from "../../support/google-stand-in-scripts";
import { ApiError, errorReason } from "../../support/google-stand-in-services";
import { describeWith } from "../../support/programs";
import { inScene, PROJECT } from "./gate-scene";

describeWith(["bash", "busybox", "curl", "dash", "jq"], "enable-api.sh", () => {
  it.concurrent.each(["busybox", "bash"] as const)("enables the API and waits for the operation (%s)", (shell) =>
    inScene(async ({ standIn, enable }) => {
      const run = await enable({ shell });

      expect(run.exitCode).toBe(0);
      expect(run.stdout).toMatch(
        /^Turning on cloudresourcemanager.googleapis.com in project demo-project\.\n[^\n]*: being turned on \(\d+ s\)\n[^\n]* is on in project demo-project \(\d+ s\)\.\n$/,
      );
      expect(standIn.requests.map(({ method }) => method)).toEqual([
        "serviceusage.services.get",
        "serviceusage.services.enable",
        "serviceusage.operations.get",
        "serviceusage.operations.get",
      ]);
      expect(standIn.usage.enabled).toContain("cloudresourcemanager.googleapis.com");
    }),
  );

  it.concurrent("only checks when the API is on", () =>
    inScene(async ({ standIn, enable }) => {
      standIn.usage.enabled.add("cloudresourcemanager.googleapis.com");

      const run = await enable();

      expect(run).toMatchObject({
        exitCode: 0,
        stdout: "cloudresourcemanager.googleapis.com is already on in project demo-project.\n",
      });
      expect(standIn.requests).toHaveLength(1);
    }),
  );

  it.concurrent("fails with the operation's error message", () =>
    inScene(async ({ standIn, enable }) => {
      standIn.usage.operationError = { code: 9, message: "Billing account for project '12' is not found." };

      const run = await enable({ shell: "busybox" });

      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain("its operation failed.\n  code 9: Billing account for project '12' is not found.\n");
    }),
  );

  it.concurrent("gives up on an operation that never ends", () =>
    inScene(async ({ standIn, enable }) => {
      standIn.usage.operationPolls = Infinity;

      const run = await enable({ environment: { WAIT_SECONDS: "1" } });

      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain("was not on in project demo-project after 1 s: the operation operations/acf.p2-1");
    }),
  );

  it.concurrent("waits for another change of the project's APIs", () =>
    inScene(async ({ standIn, enable }) => {
      standIn.inject("serviceusage.services.enable", {
        kind: "status",
        error: new ApiError(400, "FAILED_PRECONDITION", "Another activation or deactivation is in progress for it."),
      });

      const run = await enable();

      expect(run.exitCode).toBe(0);
      expect(run.stdout).toContain("waiting for another change of the project's APIs");
    }),
  );

  it.concurrent("says how to enable Service Usage itself", () =>
    inScene(async ({ standIn, enable }) => {
      standIn.inject("serviceusage", { kind: "service-disabled" });

      const run = await enable();

      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain("the Service Usage API, which does that, is off.");
      expect(run.stderr).toContain(
        "gcloud services enable serviceusage.googleapis.com cloudresourcemanager.googleapis.com",
      );
    }),
  );

  it.concurrent("says which role is missing and who grants it", () =>
    inScene(async ({ standIn, enable }) => {
      standIn.inject("serviceusage.services.enable", {
        kind: "status",
        error: new ApiError(403, "PERMISSION_DENIED", "Permission denied to enable service.", [
          errorReason("AUTH_PERMISSION_DENIED"),
        ]),
      });

      const run = await enable();

      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain("HTTP 403 PERMISSION_DENIED (AUTH_PERMISSION_DENIED): Permission denied to enable");
      expect(run.stderr).toContain("an owner grants roles/serviceusage.serviceUsageAdmin");
    }),
  );
});

describeWith(["bash", "busybox", "curl", "dash", "jq"], "wait-for-api.sh", () => {
  const knownServices = async () => {
    const { stdout } = await runScript("wait-for-api", { arguments: ["--list"] });
    return stdout
      .trim()
      .split("\n")
      .map((line) => line.split(" ")[0] ?? "");
  };

  it.concurrent.each(["busybox", "bash"] as const)("needs a single call when the API answers (%s)", (shell) =>
    inScene(async ({ standIn, wait }) => {
      const run = await wait("secretmanager.googleapis.com", { shell });

      expect(run.exitCode).toBe(0);
      expect(run.stdout).toMatch(/^secretmanager.googleapis.com answers in project demo-project \(\d+ s\)\.\n$/);
      expect(standIn.requests.map(({ path }) => path)).toEqual([
        "/secretmanager/v1/projects/demo-project/secrets?pageSize=1",
      ]);
    }),
  );

  it.concurrent("makes a call that every known API understands", () =>
    inScene(async ({ standIn, wait }) => {
      const services = await knownServices();

      const runs = [];
      for (const service of services) runs.push(await wait(service));

      expect(runs.map(({ output }) => output)).toEqual(
        services.map(
          (service) => expect.stringContaining(`${service}.googleapis.com answers in project demo-project (`) as string,
        ),
      );
      expect(standIn.requests.map(({ path }) => path.split("/")[1])).toEqual(services);
    }),
  );

  it.concurrent("calls the addresses of the Terraform provider when nothing else is set", () =>
    inScene(async () => {
      const programs = programFolder({
        scripts: { curl: `while [ "$1" != --config ]; do shift; done; sed -n 's/^url = //p' "$2" >&2; exit 60` },
      });
      const run = async (service: string) => {
        const { stderr } = await runScript("wait-for-api", {
          environment: { ...PROJECT, SERVICE: service, WAIT_SECONDS: "0" },
          programs,
        });
        return /got no answer: "(https:[^"]+)"/.exec(stderr)?.[1];
      };

      const addresses = await Promise.all((await knownServices()).map(run));

      expect(addresses).toEqual([
        "https://artifactregistry.googleapis.com/v1/projects/demo-project/locations/us-central1/repositories?pageSize=1",
        "https://certificatemanager.googleapis.com/v1/projects/demo-project/locations/global/certificateMaps?pageSize=1",
        "https://cloudbuild.googleapis.com/v1/projects/demo-project/builds?pageSize=1",
        "https://cloudresourcemanager.googleapis.com/v1/projects/demo-project",
        "https://cloudscheduler.googleapis.com/v1/projects/demo-project/locations/us-central1/jobs?pageSize=1",
        "https://compute.googleapis.com/compute/v1/projects/demo-project",
        "https://container.googleapis.com/v1/projects/demo-project/locations/us-central1/clusters",
        "https://dns.googleapis.com/dns/v1/projects/demo-project/managedZones?maxResults=1",
        "https://iam.googleapis.com/v1/projects/demo-project/serviceAccounts?pageSize=1",
        "https://logging.googleapis.com/v2/projects/demo-project/logs?pageSize=1",
        "https://migrationcenter.googleapis.com/v1/projects/demo-project/locations/us-central1/sources?pageSize=1",
        "https://monitoring.googleapis.com/v3/projects/demo-project/alertPolicies?pageSize=1",
        "https://run.googleapis.com/v2/projects/demo-project/locations/us-central1/services?pageSize=1",
        "https://secretmanager.googleapis.com/v1/projects/demo-project/secrets?pageSize=1",
        "https://serviceusage.googleapis.com/v1/projects/demo-project/services/serviceusage.googleapis.com",
        "https://sqladmin.googleapis.com/sql/v1beta4/projects/demo-project/instances?maxResults=1",
        "https://storage.googleapis.com/storage/v1/b?project=demo-project&maxResults=1",
      ]);
    }),
  );

  it.concurrent.each(["dash", "busybox"] as const)("waits while the API is off, then makes sure (%s)", (shell) =>
    inScene(async ({ standIn, wait }) => {
      standIn.inject("run", { kind: "service-disabled" }, 3);

      const run = await wait("run.googleapis.com", { shell });

      expect(run.exitCode).toBe(0);
      expect(run.stdout).toContain("run.googleapis.com in project demo-project: not answering yet (HTTP 403)");
      // Three refusals, then three good answers in a row.
      expect(standIn.requests).toHaveLength(6);
    }),
  );

  it.concurrent.each([
    ["the legacy reason", new ApiError(403, "", "Access Not Configured.", [errorReason("accessNotConfigured")])],
    ["words alone", new ApiError(403, "", "X API has not been used in project 12 before or it is disabled.")],
    ["an internal error", new ApiError(500, "INTERNAL", "Internal error.")],
  ])("also understands %s as not yet", (_name, error) =>
    inScene(async ({ standIn, wait }) => {
      standIn.inject("sqladmin", { kind: "status", error });

      const run = await wait("sqladmin.googleapis.com");

      expect(run.exitCode).toBe(0);
      expect(standIn.requests).toHaveLength(4);
    }),
  );

  it.concurrent("starts counting again when one front end still refuses", () =>
    inScene(async ({ standIn, wait }) => {
      standIn.inject("run", { kind: "service-disabled" });
      standIn.inject("run", { kind: "slow", milliseconds: 0 });
      standIn.inject("run", { kind: "service-disabled" });

      const run = await wait("run.googleapis.com");

      expect(run.exitCode).toBe(0);
      expect(standIn.requests).toHaveLength(6);
    }),
  );

  it.concurrent("gives up after the time limit with the API's last error", () =>
    inScene(async ({ standIn, wait }) => {
      standIn.inject("run", { kind: "service-disabled" }, Infinity);

      const run = await wait("run.googleapis.com", { environment: { WAIT_SECONDS: "1" } });

      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain("run.googleapis.com did not answer in project demo-project within 1 s.");
      expect(run.stderr).toContain("HTTP 403 PERMISSION_DENIED (SERVICE_DISABLED): The API run has not been used");
      expect(run.stderr).toContain("gcloud services enable run.googleapis.com --project demo-project");
    }),
  );

  it.concurrent.each([
    ["permission denied", new ApiError(403, "PERMISSION_DENIED", "Permission 'run.services.list' denied.")],
    ["not found", new ApiError(404, "NOT_FOUND", "Not found.")],
  ])("takes %s as an answer of the service", (_name, error) =>
    inScene(async ({ standIn, wait }) => {
      standIn.inject("run", { kind: "status", error });

      const run = await wait("run.googleapis.com");

      expect(run.exitCode).toBe(0);
      expect(run.stdout).toContain(`with HTTP ${error.code}: it is on.`);
      expect(standIn.requests).toHaveLength(1);
    }),
  );

  it.concurrent("does not wait for a quota project that nobody has set", () =>
    inScene(async ({ standIn, wait }) => {
      standIn.inject("iam", {
        kind: "status",
        error: new ApiError(403, "PERMISSION_DENIED", "The iam API requires a quota project, which is not set.", [
          errorReason("SERVICE_DISABLED"),
        ]),
      });

      const run = await wait("iam.googleapis.com");

      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain("export USER_PROJECT_OVERRIDE=true GOOGLE_BILLING_PROJECT=demo-project");
    }),
  );
});
