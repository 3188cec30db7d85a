import { ApiError, errorReason } from "../../support/google-stand-in-services";
import { describeWith } from "../../support/programs";
import { inScene } from "./gate-scene";

describeWith(["bash", "busybox", "curl", "dash", "jq"], "enable-api.sh", () => {
  it.concurrent("turns the API on and waits for the operation", () =>
    inScene(async ({ standIn, enable }) => {
      const run = await enable();

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

  it.concurrent("does nothing but look when the API is on", () =>
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

  it.concurrent("fails with the operation's own words", () =>
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

  it.concurrent("says how to turn on Service Usage itself", () =>
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
  it.concurrent("needs a single call when the API answers", () =>
    inScene(async ({ standIn, wait }) => {
      const run = await wait("secretmanager.googleapis.com");

      expect(run.exitCode).toBe(0);
      expect(run.stdout).toMatch(/^secretmanager.googleapis.com answers in project demo-project \(\d+ s\)\.\n$/);
      expect(standIn.requests.map(({ path }) => path)).toEqual([
        "/secretmanager/v1/projects/demo-project/secrets?pageSize=1",
      ]);
    }),
  );

  it.concurrent("waits while the API is off, then makes sure", () =>
    inScene(async ({ standIn, wait }) => {
      standIn.inject("run", { kind: "service-disabled" }, 3);

      const run = await wait("run.googleapis.com");

      expect(run.exitCode).toBe(0);
      expect(run.stdout).toContain("run.googleapis.com in project demo-project: not answering yet (HTTP 403)");
      // Three refusals, then three good answers in a row.
      expect(standIn.requests).toHaveLength(6);
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

  it.concurrent("gives up after the time limit with the API's last words", () =>
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

  it.concurrent("refuses an API that it knows no call of, and a missing region", () =>
    inScene(async ({ wait }) => {
      const unknown = await wait("translate.googleapis.com");
      const regional = await wait("run.googleapis.com", { environment: { REGION: undefined } });

      expect(unknown.exitCode).toBe(2);
      expect(unknown.stderr).toContain(
        "known are: artifactregistry certificatemanager cloudbuild cloudresourcemanager cloudscheduler compute container dns iam",
      );
      expect(regional.exitCode).toBe(2);
      expect(regional.stderr).toContain("REGION is not set; it must hold a region");
    }),
  );
});
