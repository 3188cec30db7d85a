import { describeWith } from "../../support/programs";
import { inScene } from "./gate-scene";

describeWith(["bash", "busybox", "curl", "dash", "jq"], "enable-api.sh", () => {
  it.concurrent("enables the API and waits for the operation", () =>
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
