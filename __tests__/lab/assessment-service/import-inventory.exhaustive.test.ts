import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { recordingPrograms } from "../../support/google-stand-in-scripts";
import { ApiError } from "../../support/google-stand-in-services";
import { SIGNATURE_MARK } from "../../support/google-stand-in-uploads";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { haveSource, inScene, inventoryFolder, jobsOf, LOCATION, withoutHash } from "./assessment-scene";

const JOBS = "migrationcenter.projects.locations.importJobs";

const status = (code: number, name: string) => ({ kind: "status", error: new ApiError(code, name, "") }) as const;

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

  it.concurrent("makes no job, and no call, for a region without instances", () =>
    inScene(async ({ standIn, run }) => {
      const { exitCode, output } = await run("import-inventory", {
        environment: { INVENTORY_FOLDER: inventoryFolder({ machines: 0 }), GOOGLE_OAUTH_ACCESS_TOKEN: undefined },
      });
      expect(exitCode).toBe(0);
      expect(output).toContain("The inventory has no instances: nothing to import.");
      expect(standIn.requests).toEqual([]);
    }),
  );

  it.concurrent("only reads when the inventory is imported already, and says how to repeat it", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      const environment = { INVENTORY_FOLDER: inventoryFolder({ bare: true }) };
      await run("import-inventory", { environment });
      const requests = standIn.requests.length;
      const second = await run("import-inventory", { environment });
      expect(second.exitCode).toBe(0);
      expect(withoutHash(second.output)).toBe(
        "This inventory is imported already, by job JOB.\nTo import it once more, delete that job at https://console.cloud.google.com/migration/discovery/dataImport?project=demo-project and run the same command again.\n",
      );
      expect(standIn.requests.slice(requests).map(({ httpMethod }) => httpMethod)).toEqual(["GET", "GET"]);
    }),
  );

  it.concurrent("imports again into a source that was deleted and registered anew", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      const environment = { INVENTORY_FOLDER: inventoryFolder() };
      await run("import-inventory", { environment });
      haveSource(standIn, { createTime: "2099-01-01T00:00:00Z" });
      const { exitCode, stdout } = await run("import-inventory", { environment });
      expect(exitCode).toBe(0);
      expect(withoutHash(stdout)).toContain("Import job JOB is COMPLETED: replacing it.\n");
      expect(standIn.migration.allAssets).toHaveLength(2);
    }),
  );

  it.concurrent("shows the service's findings, errors first, and replaces the refused job the next time", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      const row = (rowNumber: number) => ({
        csvError: { rowNumber },
        vmName: "web, 😀\nsecond line",
        errors: [{ errorDetails: "Memory is missing.", severity: "ERROR" }],
      });
      const fileErrors = [{ errorDetails: "No performance data.", severity: "WARNING" }];
      standIn.migration.findings.push({ fileName: "perfInfo.csv", fileErrors });
      standIn.migration.findings.push({
        fileName: "vmInfo.csv",
        rowErrors: Array.from({ length: 60 }, (_, n) => row(n)),
      });
      const environment = { INVENTORY_FOLDER: inventoryFolder() };
      const refused = await run("import-inventory", { environment });
      standIn.migration.findings.push({ fileName: "perfInfo.csv", fileErrors });
      const repeated = await run("import-inventory", { environment });

      expect(refused.exitCode).toBe(1);
      expect(withoutHash(refused.stderr)).toContain(
        "Import job JOB is FAILED_VALIDATION:\n  ERROR in vmInfo.csv, row 0 (web, 😀 second line): Memory is missing.\n",
      );
      expect(refused.stderr.match(/ERROR in vmInfo/g)).toHaveLength(50);
      expect(refused.stderr).toContain("  and 11 more.\n");
      expect(refused.stderr).not.toContain("WARNING in");
      expect(refused.stderr).toContain("  To fix: repair what the service names and run the same command again");
      expect(repeated.exitCode).toBe(0);
      expect(withoutHash(repeated.stdout)).toContain("Import job JOB is FAILED_VALIDATION: replacing it.");
      expect(repeated.stdout).toContain("  WARNING in perfInfo.csv: No performance data.\n");
      expect(jobsOf(standIn).map(([, state]) => state)).toEqual(["COMPLETED"]);
    }),
  );

  it.concurrent.each([
    ["failed", "The quota is used up.", 1, "Import job JOB is FAILED:\n  ERROR in the job: The quota is used up.\n"],
    ["imported nothing", 0, 1, "Import job JOB ended, but imported none of 9 instances."],
    ["imported a part", 1, 0, "Warning: only 1 of 9 instances were imported."],
  ])("says that a job has %s, and replaces it the next time", (_what, result, code, text) =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      standIn.migration.importResult = result;
      const environment = { INVENTORY_FOLDER: inventoryFolder({ machines: 9 }) };
      const first = await run("import-inventory", { environment });
      standIn.migration.importResult = undefined;
      const repeated = await run("import-inventory", { environment });

      expect(first.exitCode).toBe(code);
      expect(withoutHash(first.output)).toContain(text);
      expect(repeated.exitCode).toBe(0);
      expect(withoutHash(repeated.stdout)).toMatch(/^Import job JOB is (FAILED|COMPLETED): replacing it\.$/m);
      expect(standIn.migration.allAssets).toHaveLength(9);
    }),
  );

  it.concurrent("starts over after an interrupt in validation, and waits for an import that was left running", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      standIn.migration.callsPerPhase = 1000;
      const environment = { INVENTORY_FOLDER: inventoryFolder() };
      const killedAt = (word: string) =>
        run("import-inventory", {
          environment,
          onOutput: (output, kill) => {
            const [job] = standIn.migration.jobs.values();
            if (word === "RUNNING" && job?.state === "VALIDATING") job.phaseEndsAt = 0;
            if (output.includes(word)) kill("SIGTERM");
          },
        });
      const validating = await killedAt(": VALIDATING");
      const running = await killedAt("RUNNING");
      for (const job of standIn.migration.jobs.values()) job.phaseEndsAt = 0;
      const finished = await run("import-inventory", { environment });

      expect([validating.exitCode, running.exitCode, finished.exitCode]).toEqual([143, 143, 0]);
      expect(withoutHash(validating.stderr)).toContain("What exists of import job JOB is left as it is;");
      expect(withoutHash(running.stdout)).toContain("Import job JOB is VALIDATING: replacing it.");
      expect(standIn.requestsTo(`${JOBS}.create`)).toHaveLength(2);
      expect(standIn.migration.allAssets).toHaveLength(2);
    }),
  );

  it.concurrent.each(["VALIDATING", "RUNNING"])("gives up on a job that stays %s, and says that it goes on", (state) =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      standIn.migration.callsPerPhase = Infinity;
      standIn.onRequest = () => {
        const [job] = standIn.migration.jobs.values();
        if (state === "RUNNING" && job?.state === "VALIDATING") job.phaseEndsAt = 0;
      };
      const environment = { IMPORT_SECONDS: "1", INVENTORY_FOLDER: inventoryFolder({ machines: 1 }) };
      const { exitCode, stderr } = await run("import-inventory", { environment });
      expect(exitCode).toBe(1);
      expect(withoutHash(stderr)).toContain(`Import job JOB is still ${state} after 1 s; it goes on by itself.`);
      expect(stderr).toContain("The same command waits for a running import and replaces any other job.");
    }),
  );

  it.concurrent("waits for a file that is still being created, and gives up in the end", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      const environment = { INVENTORY_FOLDER: inventoryFolder({ machines: 1 }), OPERATION_SECONDS: "3" };
      standIn.migration.looksUntilFileIsThere = Infinity;
      const never = await run("import-inventory", { environment });
      standIn.migration.looksUntilFileIsThere = 3;
      const late = await run("import-inventory", { environment });
      expect([never.exitCode, late.exitCode]).toEqual([1, 0]);
      expect(never.stderr).toContain("File vmInfo.csv has no address to send it to.\n");
      expect(late.stdout.match(/^File vmInfo\.csv: still being created/gm)).toHaveLength(1);
    }),
  );

  it.concurrent("puts neither token nor signed address on a command line, into its output or a file that stays", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      const temporary = temporaryFolder();
      const log = join(temporaryFolder(), "calls");
      standIn.inject("storage.upload", status(403, "SignatureDoesNotMatch"));
      const { exitCode, output } = await run("import-inventory", {
        programs: recordingPrograms(log),
        environment: { INVENTORY_FOLDER: inventoryFolder(), TMPDIR: temporary },
      });
      expect(exitCode).toBe(1);
      expect(output).toContain("answered HTTP 403 SignatureDoesNotMatch.\n");
      const seen = readFileSync(log, "utf8") + output;
      expect(seen).toMatch(/^curl /m);
      expect(seen).not.toContain("ya29");
      expect(seen).not.toContain(SIGNATURE_MARK);
      expect(readdirSync(temporary)).toEqual([]);
    }),
  );

  it.concurrent("refuses wrong settings, a folder without an inventory and a source that does not exist", () =>
    inScene(async ({ standIn, run }) => {
      const withoutSource = await run("import-inventory", { environment: { INVENTORY_FOLDER: inventoryFolder() } });
      const folder = inventoryFolder();
      rmSync(join(folder, "diskInfo.csv"));
      const incomplete = await run("import-inventory", { environment: { INVENTORY_FOLDER: folder } });
      const none = await run("import-inventory", { environment: { INVENTORY_FOLDER: "/nowhere" } });
      const wrong = await run("import-inventory", { environment: { DEPLOYMENT_ID: "A B", INVENTORY_FOLDER: "" } });

      expect(withoutSource.exitCode).toBe(1);
      expect(withoutSource.stderr).toContain(
        "Source assess-discovery-client, which the machines are to belong to, cannot",
      );
      expect(incomplete.exitCode).toBe(2);
      expect(incomplete.stderr).toContain(`${folder}/diskInfo.csv is missing; run export-inventory.sh again.`);
      expect(none.exitCode).toBe(2);
      expect(none.stderr).toContain("/nowhere/manifest.json is missing or is no inventory; run export-inventory.sh");
      expect(wrong.exitCode).toBe(2);
      expect(wrong.stderr).toContain("  - INVENTORY_FOLDER is not set;");
      expect(wrong.stderr).toContain('  - DEPLOYMENT_ID is "A B"; it must hold the suffix of the lab\'s names.');
      expect(standIn.requests.map(({ path }) => path)).toEqual([
        `/migrationcenter/v1/${LOCATION}/sources/assess-discovery-client`,
      ]);
    }),
  );
});
