import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { status } from "../../support/fault-matrix";
import { recordingPrograms } from "../../support/google-stand-in-scripts";
import { SIGNATURE_MARK } from "../../support/google-stand-in-uploads";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { haveSource, inScene, inventoryFolder, jobsOf, LOCATION, withoutHash } from "./assessment-scene";

describeWith(["curl", "dash", "jq"], "import-inventory.sh", () => {
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

  it.concurrent("shows the service's findings, errors first, and replaces the refused job the next time", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      const warning = { errorDetails: "No performance data.", severity: "WARNING" };
      const error = { errorDetails: "Memory is missing.", severity: "ERROR" };
      const rowErrors = Array.from({ length: 60 }, (_, rowNumber) => ({
        ...{ csvError: { rowNumber }, vmName: "web, 😀\nsecond line", errors: [error] },
      }));
      standIn.migration.findings.push({ fileName: "perfInfo.csv", fileErrors: [warning] });
      standIn.migration.findings.push({ fileName: "vmInfo.csv", rowErrors });
      const environment = { INVENTORY_FOLDER: inventoryFolder() };
      const refused = await run("import-inventory", { environment });
      const repeated = await run("import-inventory", { environment });

      expect(refused.exitCode).toBe(1);
      expect(withoutHash(refused.stderr)).toContain(
        "Import job JOB is FAILED_VALIDATION:\n  ERROR in vmInfo.csv, row 0 (web, 😀 second line): Memory is missing.\n",
      );
      expect(refused.stderr.match(/ERROR in vmInfo/g)).toHaveLength(50);
      expect(refused.stderr).toContain("  and 11 more.\n");
      expect(refused.stderr).not.toContain("WARNING in");
      expect(withoutHash(repeated.stdout)).toContain("Import job JOB is FAILED_VALIDATION: replacing it.");
      expect(jobsOf(standIn).map(([, state]) => state)).toEqual(["COMPLETED"]);
    }),
  );

  it.concurrent.each([
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
      expect(withoutHash(repeated.stdout)).toMatch(/^Import job JOB is COMPLETED: replacing it\.$/m);
      expect(standIn.migration.allAssets).toHaveLength(9);
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
      expect(output).toMatch(
        /vmInfo\.csv cannot be uploaded\.\n {2}PUT http:.* answered HTTP 403 SignatureDoesNotMatch\.\n/,
      );
      const seen = readFileSync(log, "utf8") + output;
      expect(seen).toMatch(/^curl /m);
      expect(seen).not.toContain("ya29");
      expect(seen).not.toContain(SIGNATURE_MARK);
      expect(readdirSync(temporary)).toEqual([]);
    }),
  );

  it.concurrent("refuses a folder without an inventory and a source that does not exist", () =>
    inScene(async ({ standIn, run }) => {
      const withoutSource = await run("import-inventory", { environment: { INVENTORY_FOLDER: inventoryFolder() } });
      const folder = inventoryFolder();
      rmSync(join(folder, "diskInfo.csv"));
      const incomplete = await run("import-inventory", { environment: { INVENTORY_FOLDER: folder } });

      expect(withoutSource.exitCode).toBe(1);
      expect(withoutSource.stderr).toContain(
        "Source assess-discovery-client, which the machines are to belong to, cannot",
      );
      expect(incomplete.exitCode).toBe(2);
      expect(incomplete.stderr).toContain(`${folder}/diskInfo.csv is missing; run export-inventory.sh again.`);
      expect(standIn.requests.map(({ path }) => path)).toEqual([
        `/migrationcenter/v1/${LOCATION}/sources/assess-discovery-client`,
      ]);
    }),
  );
});
