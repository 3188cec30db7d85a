import { SIGNATURE_MARK } from "../../support/google-stand-in-uploads";
import { describeWith } from "../../support/programs";
import { ApiError } from "../../support/google-stand-in-services";
import { haveSource, inScene, inventoryFolder, jobsOf, withoutHash } from "./assessment-scene";

const JOBS = "migrationcenter.projects.locations.importJobs";

describeWith(["bash", "busybox", "curl", "dash", "jq"], "import-inventory.sh", () => {
  it.concurrent.each(["bash", "busybox"] as const)("works from start to end in another shell (%s)", (shell) =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);

      const { exitCode, stderr } = await run("import-inventory", {
        shell,
        environment: { INVENTORY_FOLDER: inventoryFolder() },
      });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(standIn.migration.allAssets).toHaveLength(2);
    }),
  );

  it.concurrent("says once that it waits for a job that exists and cannot be seen yet", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      const exists = new ApiError(409, "ALREADY_EXISTS", "It is there.");
      standIn.inject("migrationcenter.projects.locations.importJobs.create", { kind: "status", error: exists }, 2);

      const { exitCode, stdout } = await run("import-inventory", {
        environment: { INVENTORY_FOLDER: inventoryFolder() },
      });

      expect(exitCode).toBe(0);
      expect(
        withoutHash(stdout).match(/^Import job JOB: said to exist, but not to be seen yet \(\d s\)$/gm),
      ).toHaveLength(1);
    }),
  );

  it.concurrent("says why a job failed its validation, and replaces it the next time", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      const warning = { errorDetails: "No performance data.", severity: "WARNING" };
      const error = { errorDetails: "Memory is missing.", severity: "ERROR" };
      const environment = { INVENTORY_FOLDER: inventoryFolder() };
      standIn.migration.findings.push({ fileName: "vmInfo.csv", fileErrors: [error] });
      const refused = await run("import-inventory", { environment });
      standIn.migration.findings.push({ fileName: "perfInfo.csv", fileErrors: [warning] });

      const { exitCode, stdout } = await run("import-inventory", { environment });

      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toContain(
        "  ERROR in vmInfo.csv: Memory is missing.\n  To fix: repair what the service names",
      );
      expect(exitCode).toBe(0);
      expect(withoutHash(stdout)).toContain("Import job JOB failed its validation in an earlier run: replacing it.");
      expect(stdout).toContain("  WARNING in perfInfo.csv: No performance data.\n");
      expect(standIn.migration.jobs.size).toBe(1);
    }),
  );

  it.concurrent.each([
    [
      "has failed",
      "The quota of assets is used up.",
      "JOB has failed.\n  ERROR in the job: The quota of assets is used up.\n",
    ],
    ["has imported nothing", 0, "JOB ended, but imported none of 2 instances."],
  ])("fails when the job %s, and replaces that job the next time", (_what, result, text) =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      standIn.migration.importResult = result;
      const environment = { INVENTORY_FOLDER: inventoryFolder() };

      const failed = await run("import-inventory", { environment });
      standIn.migration.importResult = undefined;
      const repeated = await run("import-inventory", { environment });

      expect(failed.exitCode).toBe(1);
      expect(withoutHash(failed.stderr)).toContain(text);
      expect(repeated.exitCode).toBe(0);
      expect(jobsOf(standIn).map(([, state]) => state)).toEqual(["COMPLETED"]);
    }),
  );

  it.concurrent("asks for another address when one has expired, and repeats an upload that broke off", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      standIn.migration.uploads.expiredAddresses = 1;
      standIn.inject("storage.upload", { kind: "reset" });
      standIn.inject("storage.upload", { kind: "html", status: 503, page: "Service Unavailable" });

      const { exitCode, output } = await run("import-inventory", {
        environment: { INVENTORY_FOLDER: inventoryFolder() },
      });

      expect(exitCode).toBe(0);
      expect(output).toContain("The address for vmInfo.csv has expired; asking for another one.");
      expect(output).toContain(`PUT http://${standIn.host}/<signed address> got no answer`);
      expect(output).toContain(
        `PUT http://${standIn.host}/<signed address>: a proxy or portal answered, not the API: HTTP 503.`,
      );
      expect(output).not.toContain(SIGNATURE_MARK);
      expect(standIn.migration.allAssets).toHaveLength(2);
    }),
  );

  it.concurrent("finishes an interrupted run in whatever state it was left", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      standIn.migration.callsPerPhase = 1000;
      const environment = { INVENTORY_FOLDER: inventoryFolder() };

      const validating = await run("import-inventory", {
        environment,
        onOutput: (output, kill) => {
          if (output.includes("VALIDATING")) kill("SIGTERM");
        },
      });
      const [job] = standIn.migration.jobs.values();
      const stateAfterKill = job?.state;
      if (job !== undefined) job.phaseEndsAt = 0;
      const running = await run("import-inventory", {
        environment,
        onOutput: (output, kill) => {
          if (output.includes("RUNNING")) kill("SIGTERM");
        },
      });
      if (job !== undefined) job.phaseEndsAt = 0;
      const finished = await run("import-inventory", { environment });

      expect(validating).toMatchObject({ exitCode: 143 });
      expect(validating.stderr).toContain("is left as it is; run the same command again to finish it.");
      expect(stateAfterKill).toBe("VALIDATING");
      expect(running.exitCode).toBe(143);
      expect(finished.exitCode).toBe(0);
      expect(standIn.requestsTo(`${JOBS}.create`)).toHaveLength(1);
      expect(standIn.migration.allAssets).toHaveLength(2);
    }),
  );
});
